"""The audit of baskets on the disk (data/spilled.py): every group of rarest items gets files of its own, and is audited
by itself (by_rarest.py). In memory are one group, one piece of the records, and a byte for every record.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sordino.audit.arrange import by_rarity_alone
from sordino.audit.by_rarest import Shipped, ship_all
from sordino.audit.in_groups import audit_groups, refuse_what_needs_all
from sordino.audit.inference import not_examined
from sordino.audit.kernels.classes import gather_sorted
from sordino.audit.result import AuditResult
from sordino.data.spilled import Piece, Spilled
from sordino.engine.local import OutOfTime, Progress, Watch, deadline_after, thread_count
from sordino.policy.inference import ResolvedInference

__all__ = ["audit_spilled", "usual_groups"]

AT_ONCE = 4_000_000  # occurrences of a group: some 400 MB
TIMES = 3  # as often is an occurrence shipped, about


def usual_groups(occurrences: int) -> int:
    """In how many groups so many occurrences are audited, if nobody says."""
    return max(1, -(-TIMES * occurrences // AT_ONCE))


class _Files:
    """What was shipped to each group so far, in three files a group."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "groups"
        self.folder.mkdir(mode=0o700, exist_ok=True)

    def _names(self, group: int) -> tuple[Path, Path, Path]:
        first, second, third = (self.folder / f"{group}-{what}" for what in ("record", "length", "items"))
        return first, second, third

    def add(self, group: int, part: Shipped) -> None:
        columns: tuple[npt.NDArray[np.integer], ...]
        columns = (part.record.astype(np.int64), np.diff(part.ptr).astype(np.int32), part.items.astype(np.int32))
        for name, numbers in zip(self._names(group), columns, strict=True):
            with name.open("ab") as file:
                numbers.tofile(file)

    def take(self, group: int) -> Shipped:
        """What was shipped to a group; its files are gone then."""
        found: list[npt.NDArray[np.integer]] = []
        for name, type_ in zip(self._names(group), (np.int64, np.int32, np.int32), strict=True):
            found.append(np.fromfile(name, dtype=type_) if name.exists() else np.empty(0, dtype=type_))
            name.unlink(missing_ok=True)
        ptr = np.concatenate([[0], np.cumsum(found[1])]).astype(np.int64)
        return Shipped(found[0].astype(np.int64, copy=False), ptr, found[2].astype(np.int32, copy=False))


def audit_spilled(
    spilled: Spilled,
    resolved: ResolvedInference,
    number: int | None = None,
    *,
    top: int = 10,
    time_limit: float | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> AuditResult:
    """The audit in about `number` groups, or in as many as keep each of them small."""
    refuse_what_needs_all(resolved.policy)
    watch, threads = Watch(progress, deadline_after(time_limit)), thread_count(jobs)

    def work() -> AuditResult:
        return _audit(spilled, resolved, number, watch, threads, top)

    return watch.aside(work)


def _audit(
    spilled: Spilled, resolved: ResolvedInference, number: int | None, watch: Watch, jobs: int, top: int
) -> AuditResult:
    start = time.monotonic()
    arranged = by_rarity_alone(spilled.supports, len(spilled), number or usual_groups(spilled.occurrences))
    by_place, bounds = arranged.rank[spilled.code], arranged.bounds
    sensitive, files = resolved.sensitive[arranged.code], _Files(spilled.folder.path)

    def put(piece: Piece) -> None:
        items = np.empty(len(piece.items), dtype=np.int32)
        everybody = np.arange(len(piece.ptr) - 1)
        gather_sorted(piece.ptr, piece.items, everybody.astype(np.int32), by_place, piece.ptr, items, watch.stop)
        shipped = ship_all(piece.ptr, items, sensitive, bounds, piece.first + everybody)
        for group, part in enumerate(shipped):
            if len(part.record):
                files.add(group, part)

    try:
        for done, piece in enumerate(spilled.pieces()):
            watch.report("dividing the records", done, len(spilled.sizes))
            watch.call(put, piece)
    except OutOfTime:
        return not_examined(spilled, resolved, start)
    return audit_groups(spilled, resolved, arranged, files.take, jobs=jobs, watch=watch, top=top)
