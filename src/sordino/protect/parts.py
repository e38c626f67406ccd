"""Large tables in parts: each is made safe by itself, and then what the parts cost too much is put back.

**Guarantee.** If every part is safe, so is the union: supports add up, and sup(q + e) <= rho sup(q) in every part gives
the same for the sums. This holds for thresholds that are fixed for all parts, as a resolved policy has them, and for
any limit of knowledge. It does not hold for personal choices, which have parts of their own (personal_workspace.py).
After putting back, an exact audit of the whole has the last word; if it does not pay, the union stays.

**More than fit at once.** Of more than TOGETHER records nothing is put back, because that holds an index of them all.
Instead, the records are divided anew by what is left of them, and made safe in these parts, until nobody moves to
another part. Then who has the result can make the same parts, each of them is safe, and so the file can be audited and
proved part by part (audit/by_parts.py), and the proof tells nothing of what was deleted.

**Why.** Work grows faster than the records do: eight parts take a fraction of the time of the whole. What is lost more
is what records of different parts could have done for each other. So records that share something rare belong together:
a record's part follows from its rarest harmless item, by a hash of the name, so that it depends on no order. Nothing of
this is published: the proof is made from the whole.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.audit.by_parts import piece_of, released_parts
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch, run_chunks
from sordino.errors import InputError
from sordino.policy.inference import ResolvedInference
from sordino.protect.ending import silent
from sordino.protect.improve import touch_up, touch_up_pays
from sordino.protect.workspace import Workspace

__all__ = [
    "LARGE",
    "TOGETHER",
    "WITH_CHOICES",
    "left_of",
    "number_of_parts",
    "protect_in_parts",
    "still_there",
    "union_of_parts",
    "usual_parts",
]

TOGETHER = 1_000_000  # records, up to which the parts are put together in memory
ROUNDS = 20  # in which records may move; two are usual
LARGE = 1_000_000  # records, from which on parts are made unless the number is stated
SIZE = 60_000  # records of such a part, about
MOST = 10_000  # parts
WITH_CHOICES = "parts is not for choices of single persons: part_size says from how many records on these are divided"

I64 = npt.NDArray[np.int64]


def usual_parts(records: int) -> int:
    """In how many parts so many records are worked on, if nobody says: one, as long as they are few."""
    return 1 if records < LARGE else -(-records // SIZE)


def number_of_parts(stated: object, records: int) -> int:
    """The number that the option `parts` states, or the usual one."""
    if stated is None:
        return usual_parts(records)
    try:
        number = int(str(stated))
    except ValueError:
        number = 0
    if not 1 <= number <= MOST:
        raise InputError(f"parts must be a whole number from 1 to {MOST:,}")
    return number


def part_of(baskets: Baskets, policy: ResolvedInference, number: int) -> I64:
    """The part of every record: by its rarest harmless item, of which the first in the order of names."""
    supports = np.where(policy.sensitive, np.iinfo(np.int64).max, baskets.supports)
    rank = np.empty(len(supports), dtype=np.int64)
    rank[np.argsort(supports, kind="stable")] = np.arange(len(supports))
    rarest = np.full(len(baskets), len(supports), dtype=np.int64)
    filled = np.flatnonzero(baskets.lengths)
    if len(filled):
        rarest[filled] = np.minimum.reduceat(rank[baskets.items], baskets.indptr[:-1][filled])
    by_rank = np.argsort(rank, kind="stable")
    lots = np.array(
        [zlib.crc32(name.encode("utf-8", "surrogatepass")) % number for name in baskets.names], dtype=np.int64
    )
    harmless = len(supports) - int(np.count_nonzero(policy.sensitive))
    lot = np.zeros(len(supports) + 1, dtype=np.int64)  # who has nothing harmless goes to the first
    lot[:harmless] = lots[by_rank[:harmless]]
    return lot[rarest]


def protect_in_parts(
    baskets: Baskets,
    policy: ResolvedInference,
    number: int,
    *,
    jobs: int,
    watch: Watch,
    only_sensitive: bool = False,
    touching: bool = False,
    **effort: Any,
) -> Baskets:
    """Baskets in which the policy holds; `effort` as Workspace.protect takes it.

    touching: a part ends with a touch-up where that pays (improve.py).
    """
    how = {"jobs": jobs, "watch": watch, "only_sensitive": only_sensitive, **effort}
    union, kept = union_of_parts(baskets, policy, number, touching=touching, **how)
    if len(baskets) > TOGETHER:
        return _settled(union, policy, number, **how)
    whole = Workspace(baskets, policy, jobs=jobs, watch=watch, only_sensitive=only_sensitive)
    return whole.put_back(union, kept, **effort)


def union_of_parts(
    baskets: Baskets,
    policy: ResolvedInference,
    number: int,
    *,
    jobs: int,
    watch: Watch,
    only_sensitive: bool = False,
    touching: bool = False,
    **effort: Any,
) -> tuple[Baskets, npt.NDArray[np.bool_]]:
    """The records as so many parts leave them, each made safe by itself; and which occurrences are kept."""
    how = {"jobs": jobs, "watch": watch, "only_sensitive": only_sensitive, "touching": touching, **effort}
    kept = _kept_in_parts(baskets, policy, part_of(baskets, policy, number), range(number), "", **how)
    return left_of(baskets, kept), kept


def _settled(union: Baskets, policy: ResolvedInference, number: int, **how: Any) -> Baskets:
    """The union made safe in the parts that follow from what is left, until these stay as they are.

    Each round deletes something, or is the last. After ROUNDS of them the parts that were safe last are others than
    those of the result; it is safe all the same.
    """
    held: dict[int, I64] = {}  # the records of every part as it was last made safe
    for round_ in range(2, ROUNDS + 2):
        part = released_parts(union, policy.sensitive, number)
        now = {lot: np.flatnonzero(part == lot) for lot in range(number)}
        moved = [lot for lot, records in now.items() if lot not in held or not np.array_equal(held[lot], records)]
        if not moved:
            break
        held = now
        kept = _kept_in_parts(union, policy, part, moved, f", round {round_}", **how)
        if kept.all():
            break
        union = left_of(union, kept)
    return union


def left_of(baskets: Baskets, kept: npt.NDArray[np.bool_]) -> Baskets:
    """The records with what is kept of them."""
    ptr = np.zeros(len(baskets) + 1, dtype=np.int64)
    for lo, hi in baskets.stretches():
        begin, end = baskets.indptr[lo], baskets.indptr[hi]
        before = np.concatenate([[ptr[lo]], ptr[lo] + np.cumsum(kept[begin:end])])
        ptr[lo + 1 : hi + 1] = before[baskets.indptr[lo + 1 : hi + 1] - begin]
    return Baskets(ptr, baskets.items[kept], baskets.names, baskets.ids, 0, baskets.origin)


def _kept_in_parts(
    baskets: Baskets,
    policy: ResolvedInference,
    part: I64,
    lots: Sequence[int],
    told: str,
    *,
    jobs: int,
    watch: Watch,
    only_sensitive: bool,
    touching: bool = False,
    **effort: Any,
) -> npt.NDArray[np.bool_]:
    """Which occurrences are kept if these parts are made safe, each by itself, on a thread of its own."""
    kept = np.ones(len(baskets.items), dtype=np.bool_)
    phase = f"suppressing in {len(lots):,} parts{told}"
    watch.report(phase, 0, len(lots))

    def work(worker: int, lot: int) -> None:
        del worker
        records = np.flatnonzero(part == lot)
        if not len(records):
            return
        piece, places = piece_of(baskets, records)
        how: dict[str, Any] = {"jobs": 1, "watch": silent(watch), "only_sensitive": only_sensitive}
        safe = Workspace(piece, policy, **how).protect(**effort)
        if touching and touch_up_pays(piece, policy, silent(watch)):
            safe = touch_up(piece, safe, policy, **how)
        kept[places] = still_there(piece, safe)

    run_chunks(
        work,
        lots,
        min(jobs, max(len(lots), 1)),
        after=lambda done: watch.report(phase, done, len(lots)),
        watch=watch,
    )
    return kept


def still_there(before: Baskets, after: Baskets) -> npt.NDArray[np.bool_]:
    """Which occurrences of the same records are still there."""
    width = max(len(before.names), 1)
    old, new = (np.repeat(np.arange(len(b), dtype=np.int64), b.lengths) * width + b.items for b in (before, after))
    there = np.zeros(len(old), dtype=np.bool_)
    there[np.searchsorted(old, new)] = True
    return there
