"""Putting back: what parts lost because their records could not vouch for each other.

1. Every group of harmless items sees all published records that hold one of them, and owns the records that lost
   something and whose rarest harmless item is its own; these try again what they may keep (protect/retry.py).
2. All groups did so at the same time, so something may be wrong now. The exact audit of the whole says who is at risk;
   of these, who got something back returns to what the parts left. This is repeated until nobody is at risk. Each turn
   takes something back, and with everything taken back the union of the parts is left, which is safe: so it ends.

Guarantee: what comes out was audited as a whole, or is the union of the parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sordino.data.totals import Totals
from sordino.engine.local import Watch
from sordino.engine.spark.audit import at_risk, group_results
from sordino.engine.spark.frames import Coded, arrow_lists, classes_of, lists
from sordino.engine.spark.node import first_alone
from sordino.engine.spark.parts import KEPT, compact, kept_rows, lots_of, of_codes, slim
from sordino.engine.spark.place import Held
from sordino.engine.spark.routing import LABEL, labels, sent
from sordino.engine.spark.shipping import division_of
from sordino.policy.inference import ResolvedInference
from sordino.protect.retry import Retry

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["put_back", "released_classes"]

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
TURNS = 6  # of auditing and taking back, after which all that is left is taken back
SHIPPED = f"{LABEL} int, own boolean, {KEPT}"


def put_back(
    rows: DataFrame, totals: Totals, resolved: ResolvedInference, groups: int, held: Held, *, only: bool
) -> tuple[DataFrame, int]:
    """Rows of KEPT in which more is kept and nobody is at risk, and how many turns that took."""
    from pyspark.sql import functions as F  # noqa: N812

    tried = held(retried(rows, totals, resolved, groups, only=only))
    longer = F.size("kept") > F.size("old")
    more = tried.where(longer)
    still = rows.where(F.size("kept") == F.size("codes")).unionByName(_as_before(tried.where(~longer)))
    turns = 0
    while turns < TURNS:
        turns += 1
        now = still.unionByName(more.drop("old"))
        coded = released_classes(now, totals)
        division = division_of(coded, resolved, groups)
        risky = at_risk(group_results(coded, division))
        found = coded.frame.join(risky.select("rid"), "rid", "left_semi")
        guilty = held(found.select(F.col("codes").alias("kept")))
        if guilty.isEmpty():
            return now, turns
        back = more.join(guilty, "kept", "left_semi")
        if back.isEmpty() or turns == TURNS:  # who got nothing back is at risk: because of those who lost something
            back = more
        still = held(still.unionByName(_as_before(back)))
        more = held(more.join(guilty, "kept", "left_anti") if back is not more else more.limit(0))
    return still.unionByName(more.drop("old")), turns


def _as_before(rows: DataFrame) -> DataFrame:
    """Rows that show what they showed before."""
    from pyspark.sql import functions as F  # noqa: N812

    return rows.select("rid", "first", "weight", "codes", F.col("old").alias("kept"))


def released_classes(rows: DataFrame, totals: Totals) -> Coded:
    """Classes of equal records as they are kept, with the supports of what is kept, in the same codes."""
    from pyspark.sql import functions as F  # noqa: N812

    counted = rows.select(F.explode("kept").alias("code"), "weight").groupBy("code").agg(F.sum("weight").alias("n"))
    supports = np.zeros(len(totals.names), dtype=np.int64)
    for row in counted.collect():
        supports[row["code"]] = row["n"]
    now = replace(totals, supports=supports)
    return classes_of(rows.select(F.col("kept").alias("codes"), "weight"), now)


def retried(rows: DataFrame, totals: Totals, resolved: ResolvedInference, groups: int, *, only: bool) -> DataFrame:
    """Rows of KEPT, and `old`, of all records that lost something, after a second chance in their group."""
    lots = lots_of(totals, resolved, groups)
    label = np.array(labels(rows.sparkSession, groups), dtype=np.int32)
    policy = slim(resolved)

    def ship(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        names = ("rid", "first", "weight", "codes", "kept")
        for batch in batches:
            (ptr, codes), (kept_ptr, kept) = (
                (p, flat.to_numpy(zero_copy_only=False))
                for p, flat in map(lists, (batch.column("codes"), batch.column("kept")))
            )
            home = lots.of_records(ptr, codes)
            lossy = np.diff(kept_ptr) < np.diff(ptr)
            owner = np.repeat(np.arange(len(kept_ptr) - 1), np.diff(kept_ptr))
            plain = ~policy.sensitive[kept]
            pairs = np.unique(owner[plain] * groups + lots.lot[kept[plain]])
            row, lot = pairs // groups, pairs % groups
            other = ~(lossy[row] & (home[row] == lot))  # these are owned there
            row, lot = np.concatenate([np.flatnonzero(lossy), row[other]]), np.concatenate([home[lossy], lot[other]])
            own = np.arange(len(row)) < np.count_nonzero(lossy)
            taken = pa.array(row)
            columns = [batch.column(name).take(taken) for name in names]
            yield pa.RecordBatch.from_arrays(
                [pa.array(label[lot]), pa.array(own), *columns], names=[LABEL, "own", *names]
            )

    def work(table: Any) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        if not pc.any(table.column("own")).as_py():
            empty = pa.schema([(n, pa.int64()) for n in ("rid", "first", "weight")])
            lists_ = pa.schema([(n, pa.list_(pa.int32())) for n in ("codes", "kept", "old")])
            return pa.schema([*empty, *lists_]).empty_table()
        table = table.sort_by([("own", "descending"), ("rid", "ascending"), ("first", "ascending")])
        own = table.column("own").to_numpy(zero_copy_only=False)
        weight = table.column("weight").to_numpy().astype(np.int64)
        sides = [lists(table.column(name)) for name in ("codes", "kept")]
        (ptr, codes), (kept_ptr, kept) = ((p, f.to_numpy(zero_copy_only=False).astype(np.int32)) for p, f in sides)
        # Of others only what they show is there.
        full_ptr, full = _joined(ptr, codes, kept_ptr, kept, own)
        row = np.repeat(np.arange(len(own)), weight)
        out, places = _taken(full_ptr, row)
        piece, here = compact(out, full[places])
        shown = _inside(full_ptr, full, kept_ptr, kept)[places]
        with first_alone("retry"):
            after = Retry(piece, of_codes(policy, here), jobs=1, watch=Watch(), only_sensitive=only).retried(shown)
        mine = np.flatnonzero(own[row])
        upto = int(out[len(mine)])
        before = np.zeros(upto + 1, dtype=np.int64)
        np.cumsum(after[:upto], out=before[1:])
        originals = replace(piece, indptr=out[: len(mine) + 1], items=piece.items[:upto])
        left = replace(originals, indptr=before[out[: len(mine) + 1]], items=piece.items[:upto][after[:upto]])
        rid, first = (table.column(name).to_numpy().astype(np.int64)[row[mine]] for name in ("rid", "first"))
        found = kept_rows(rid, first, originals, left, here)
        # What each row showed before: found by its class and the number from which its equals are counted.
        starts = table.column("first").to_numpy()[own], table.column("rid").to_numpy()[own]
        keys = np.lexsort(starts)
        at = _last_not_after(
            starts[1][keys], starts[0][keys], found.column("rid").to_numpy(), found.column("first").to_numpy()
        )
        old_ptr, old_places = _taken(kept_ptr, np.flatnonzero(own)[keys][at])
        return found.append_column("old", arrow_lists(old_ptr, kept[old_places]))

    return sent(rows.mapInArrow(ship, SHIPPED), groups).applyInArrow(work, f"{KEPT}, old array<int>")


def _joined(ptr: I64, codes: I32, kept_ptr: I64, kept: I32, own: npt.NDArray[np.bool_]) -> tuple[I64, I32]:
    """Of own rows the codes, of the others what is kept."""
    lengths = np.where(own, np.diff(ptr), np.diff(kept_ptr))
    out = np.zeros(len(own) + 1, dtype=np.int64)
    np.cumsum(lengths, out=out[1:])
    row = np.repeat(np.arange(len(own)), lengths)
    at = np.arange(int(out[-1])) - out[row]
    mine = own[row]
    items = np.empty(len(row), dtype=np.int32)
    items[mine] = codes[(ptr[row] + at)[mine]]
    items[~mine] = kept[(kept_ptr[row] + at)[~mine]]
    return out, items


def _taken(ptr: I64, rows: I64) -> tuple[I64, I64]:
    """Where the items of these rows begin when they are taken one after the other, and their places."""
    lengths = np.diff(ptr)[rows]
    out = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(lengths, out=out[1:])
    return out, np.repeat(ptr[:-1][rows] - out[:-1], lengths) + np.arange(int(out[-1]))


def _inside(ptr: I64, items: I32, kept_ptr: I64, kept: I32) -> npt.NDArray[np.bool_]:
    """Which of the items are kept."""
    width = 1 + int(max(items.max(initial=0), kept.max(initial=0)))
    rows = np.arange(len(ptr) - 1)
    return np.isin(np.repeat(rows, np.diff(ptr)) * width + items, np.repeat(rows, np.diff(kept_ptr)) * width + kept)


def _last_not_after(rid: I64, first: I64, asked_rid: I64, asked_first: I64) -> I64:
    """For each asked (rid, first) the last of the given ones, which ascend, that does not come after it."""
    span = 1 + int(max(first.max(initial=0), asked_first.max(initial=0)))
    codes, dense = np.unique(np.concatenate([rid, asked_rid]), return_inverse=True)
    del codes
    return np.searchsorted(dense[: len(rid)] * span + first, dense[len(rid) :] * span + asked_first, side="right") - 1
