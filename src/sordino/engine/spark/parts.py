"""Records made safe in parts, a task each: the union of safe parts is safe (protect/parts.py says why).

Who goes to which part follows from the rarest harmless item of the record, by a hash of its name; nothing of it is
published. What comes out are rows of `rid`, `first`, `weight`, `codes` and `kept`: of the equal records `rid`, those
from number `first` on, `weight` of them, keep of their `codes` what `kept` says.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.data.totals import Totals
from sordino.engine.local import Watch
from sordino.engine.spark.frames import Coded, arrow_lists, lists
from sordino.engine.spark.node import first_alone
from sordino.engine.spark.routing import LABEL, labels, sent
from sordino.engine.spark.shipping import repeated
from sordino.policy.inference import InferencePolicy, ResolvedInference
from sordino.protect import twins
from sordino.protect.improve import touch_up, touch_up_pays
from sordino.protect.workspace import Workspace

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["KEPT", "Lots", "kept_rows", "lots_of", "protect_parts", "seen_from"]

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
KEPT = "rid long, first long, weight long, codes array<int>, kept array<int>"
LABELLED = f"{LABEL} int, rid long, weight long, codes array<int>"


class Lots:
    """By code: how rare a harmless item is, the last number for sensitive ones; and the lot of its name."""

    def __init__(self, totals: Totals, sensitive: npt.NDArray[np.bool_], number: int) -> None:
        supports = np.where(sensitive, np.iinfo(np.int64).max, totals.supports)
        self.rank: I64 = np.empty(len(supports), dtype=np.int64)
        self.rank[np.argsort(supports, kind="stable")] = np.arange(len(supports))
        self.harmless = len(supports) - int(np.count_nonzero(sensitive))
        by_name = [zlib.crc32(name.encode("utf-8", "surrogatepass")) % number for name in totals.names]
        self.lot: I64 = np.array(by_name, dtype=np.int64)
        self.by_rank: I64 = np.zeros(len(supports) + 1, dtype=np.int64)  # who has nothing harmless goes to the first
        self.by_rank[self.rank] = np.where(sensitive, 0, self.lot)

    def of_records(self, ptr: I64, codes: I32) -> I64:
        """The lot of every record: that of its rarest harmless item."""
        rarest = np.full(len(ptr) - 1, len(self.rank), dtype=np.int64)
        filled = np.flatnonzero(np.diff(ptr))
        if len(filled):
            rarest[filled] = np.minimum.reduceat(self.rank[codes], ptr[:-1][filled])
        return self.by_rank[rarest]


def lots_of(totals: Totals, resolved: ResolvedInference, number: int) -> Lots:
    """How records are divided into `number` parts."""
    return Lots(totals, resolved.sensitive, number)


def protect_parts(
    coded: Coded, resolved: ResolvedInference, number: int, *, only: bool, seed: int, **effort: Any
) -> DataFrame:
    """Every part made safe by itself: rows of KEPT. `effort` as Workspace.protect takes it, of those that use one."""
    lots = lots_of(coded.totals, resolved, number)
    label = np.array(labels(coded.frame.sparkSession, number), dtype=np.int32)
    policy, absent = slim(resolved), resolved.policy.absent is not None

    def divide(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            ptr, flat = lists(batch.column("codes"))
            lot = lots.of_records(ptr, flat.to_numpy(zero_copy_only=False))
            columns = [batch.column(name) for name in ("rid", "weight", "codes")]
            yield pa.RecordBatch.from_arrays([pa.array(label[lot]), *columns], names=[LABEL, "rid", "weight", "codes"])

    def work(table: Any) -> Any:
        rid, weight, ptr, codes = seen_from(table)
        part = repeated(rid, weight, ptr, codes)
        piece, here = compact(part.ptr, part.items)
        local = of_codes(policy, here)
        if absent:
            with first_alone("twins"):
                left = twins.protect(piece, local, seed=seed, jobs=1, watch=Watch(), only_sensitive=only)
        else:
            with first_alone("parts"):
                how: dict[str, Any] = {"jobs": 1, "watch": Watch(), "only_sensitive": only}
                left = Workspace(piece, local, **how).protect(**effort)
                if effort.get("again") and touch_up_pays(piece, local, Watch()):
                    left = touch_up(piece, left, local, **how)
        return kept_rows(part.record, np.zeros(len(part.record), dtype=np.int64), piece, left, here)

    return sent(coded.frame.mapInArrow(divide, LABELLED), number).applyInArrow(work, KEPT)


def seen_from(table: Any) -> tuple[I64, I64, I64, I32]:
    """`rid`, `weight`, and where the codes of each row begin among the last, in the order of `rid`."""
    table = table.sort_by("rid")
    ptr, flat = lists(table.column("codes"))
    rid, weight = (table.column(name).to_numpy().astype(np.int64) for name in ("rid", "weight"))
    return rid, weight, ptr, flat.to_numpy(zero_copy_only=False).astype(np.int32)


def slim(resolved: ResolvedInference) -> ResolvedInference:
    """The policy without what no task needs: names."""
    stated = resolved.policy
    named = InferencePolicy(["-"], "1/2", knowledge=stated.knowledge, absent=stated.absent)
    return replace(resolved, policy=named, thresholds={}, comparison={}, remarks=())


def compact(ptr: I64, codes: I32) -> tuple[Baskets, I64]:
    """Baskets in which only codes that occur are numbered, in the same order; and the code behind each number."""
    here = np.flatnonzero(np.bincount(codes, minlength=1))
    return Baskets(ptr, np.searchsorted(here, codes).astype(np.int32), tuple(map(str, here.tolist()))), here


def of_codes(policy: ResolvedInference, here: I64) -> ResolvedInference:
    """The policy for these codes, numbered in order."""
    return replace(policy, sensitive=policy.sensitive[here], num=policy.num[here], den=policy.den[here])


def kept_rows(record: I64, first: I64, before: Baskets, after: Baskets, here: I64) -> Any:
    """Rows of KEPT, from records `record` that were `before` and are `after`; equal ones of a class together.

    `first` is where the numbers of each record's equals begin. Which of them keeps what makes no difference: so they
    are put in the order of what they keep.
    """
    import pyarrow as pa

    raw = after.items.astype(">i4").tobytes()
    kept = [raw[4 * a : 4 * b] for a, b in zip(after.indptr[:-1].tolist(), after.indptr[1:].tolist(), strict=True)]
    order = sorted(range(len(record)), key=lambda u: (int(record[u]), int(first[u]), kept[u]))
    starts: list[int] = []
    counts: list[int] = []
    numbers: list[int] = []
    last: tuple[int, int] | None = None
    next_number = 0
    for u in order:
        owner = (int(record[u]), int(first[u]))
        if owner != last:
            last, next_number = owner, owner[1]
        elif kept[u] == kept[starts[-1]]:
            counts[-1] += 1
            next_number += 1
            continue
        starts.append(u)
        counts.append(1)
        numbers.append(next_number)
        next_number += 1
    chosen = np.array(starts, dtype=np.int64)
    return pa.table(
        {
            "rid": pa.array(record[chosen] if len(chosen) else np.empty(0, dtype=np.int64)),
            "first": pa.array(numbers, pa.int64()),
            "weight": pa.array(counts, pa.int64()),
            "codes": _chosen(before, chosen, here),
            "kept": _chosen(after, chosen, here),
        }
    )


def _chosen(baskets: Baskets, rows: I64, here: I64) -> Any:
    lengths = baskets.lengths[rows]
    out = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(lengths, out=out[1:])
    places = np.repeat(baskets.indptr[:-1][rows] - out[:-1], lengths) + np.arange(int(out[-1]))
    return arrow_lists(out, here[baskets.items[places]])
