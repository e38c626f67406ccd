"""The proof of a release in a cluster: alibis (audit/kernels/alibis.py), found by groups of the rarest item.

Every alibi of a record R for its item e holds the rest of R, and so the rarest item of that rest. The group of that
item sees all who hold it: it finds alibis for (R, e), and no other group does. But one record may vouch in several
groups for the same e, and must not give more than it has. So what all groups gave is added up; who was promised more
than there was is open again, with all that he got, and a second round serves him from what is left. Whoever is open
in the end is listed, and the verifier searches all parts of his record.

Only what is published enters: the proof tells nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sordino.audit.index import index_records
from sordino.audit.kernels.alibis import assign_alibis
from sordino.engine.spark.frames import Coded, lists
from sordino.engine.spark.node import first_alone
from sordino.engine.spark.parts import compact
from sordino.engine.spark.place import Held
from sordino.engine.spark.routing import LABEL, sent
from sordino.engine.spark.shipping import Division, shipped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["prove"]

I64 = npt.NDArray[np.int64]
ROUNDS = 3
GIVEN = "item int, rid long, alibi long, units long, cap long"
MORE = {"asks": "array<int>", "used_item": "array<int>", "used_units": "array<long>"}


def prove(coded: Coded, division: Division, held: Held) -> DataFrame:
    """Rows of `item` (a rank), `rid`, `alibi` and `units`; where alibi is null, (item, rid) is open."""
    from pyspark.sql import functions as F  # noqa: N812
    from pyspark.sql.window import Window

    proof: DataFrame | None = None
    state, pending = coded, None
    for turn in range(ROUNDS):
        given = held(_round(state, division, first=turn == 0))
        before = Window.partitionBy("item", "alibi").orderBy("rid").rowsBetween(Window.unboundedPreceding, 0)
        grants = given.where("alibi is not null")
        over = grants.withColumn("sum", F.sum("units").over(before)).where("sum > cap")
        losers = held(over.select("item", "rid").distinct())
        good = grants.join(losers, ["item", "rid"], "left_anti").select("item", "rid", "alibi", "units")
        proof = held(good if proof is None else proof.unionByName(good))
        pending = held(given.where("alibi is null").select("item", "rid").unionByName(losers))
        if losers.isEmpty():
            break
        state = _left(coded, proof, pending)
    assert proof is not None
    assert pending is not None
    nobody, nothing = F.lit(None).cast("long").alias("alibi"), F.lit(None).cast("long").alias("units")
    return proof.unionByName(pending.select("item", "rid", nobody, nothing))


def _left(coded: Coded, proof: DataFrame, pending: DataFrame) -> Coded:
    """The classes, with which items they still ask for, and what they have given of which."""
    from pyspark.sql import functions as F  # noqa: N812

    asks = pending.groupBy("rid").agg(F.sort_array(F.collect_set("item")).alias("asks"))
    spent = proof.groupBy("alibi", "item").agg(F.sum("units").alias("units"))
    pair = F.sort_array(F.collect_list(F.struct("item", "units"))).alias("used")
    used = spent.groupBy(F.col("alibi").alias("rid")).agg(pair)
    frame = coded.frame.join(asks, "rid", "left").join(used, "rid", "left")
    none = F.array().cast("array<int>")
    return Coded(
        frame.select(
            "rid", "codes", "weight", F.coalesce("asks", none).alias("asks"),
            F.coalesce(F.col("used.item"), none).alias("used_item"),
            F.coalesce(F.col("used.units"), F.array().cast("array<long>")).alias("used_units"),
        ),
        coded.totals,
    )  # fmt: skip


def _round(coded: Coded, division: Division, *, first: bool) -> DataFrame:
    """What all groups give, each as if it were alone: rows of GIVEN; where alibi is null, somebody stays open."""

    def work(table: Any) -> Any:
        table = table.sort_by("rid")
        with first_alone("proof"):
            return _Group(table, division, first=first).served()

    rows = shipped(coded, division, None if first else MORE)
    return sent(rows, division.groups).applyInArrow(work, GIVEN)


class _Group:
    """The records of one group, equal ones (as far as they were sent) together."""

    def __init__(self, table: Any, division: Division, *, first: bool) -> None:
        self.table, self.first = table, first
        ptr, flat = lists(table.column("ranks"))
        baskets, self.here = compact(ptr, flat.to_numpy(zero_copy_only=False).astype(np.int32))
        roots = division.roots(table.column(LABEL)[0].as_py())
        lo, hi = np.searchsorted(self.here, roots).tolist()
        self.roots = (lo, hi)
        asked = division.asked
        self.sensitive, self.num, self.den = asked.sensitive[self.here], asked.num[self.here], asked.den[self.here]
        self.rid, self.weight = (table.column(name).to_numpy().astype(np.int64) for name in ("rid", "weight"))
        index = index_records(baskets, None, True)
        self.class_of = index.class_of
        together = np.bincount(self.class_of, weights=self.weight, minlength=index.classes).astype(np.int64)
        self.index = index._replace(weight=together)
        order = np.argsort(self.class_of, kind="stable")
        self.members = order  # rows by class
        self.member_ptr = np.searchsorted(self.class_of[order], np.arange(index.classes + 1))
        # Of records that were sent whole there is one a class: others may be equal to it only in what was sent.
        whole = np.flatnonzero(table.column("cut").to_numpy() == 0)
        self.asking = np.full(index.classes, -1, dtype=np.int64)
        self.asking[self.class_of[whole]] = whole

    def served(self) -> Any:
        """Rows of GIVEN."""
        import pyarrow as pa

        index = self.index
        lengths = np.diff(index.ptr)
        longest = int(lengths.max(initial=0))
        by_length = np.searchsorted(lengths, np.arange(longest + 2)).astype(np.int64)
        left, stamp = np.zeros(index.classes, dtype=np.int64), np.full(index.classes, -1, dtype=np.int64)
        everybody = np.where(self.asking >= 0, self.weight[self.asking], 0)
        asks, used = ({}, {}) if self.first else (self._asks(), self._used())
        columns: list[list[int | None]] = [[], [], [], [], []]
        flag = np.zeros(1, dtype=np.uint8)
        items = np.flatnonzero(self.sensitive & (np.diff(index.post_ptr) > 0))
        for e in items.tolist() if self.first else sorted(asks):
            need = everybody
            if not self.first:
                need = np.zeros(index.classes, dtype=np.int64)
                need[asks[e]] = everybody[asks[e]]
            num, den = self.num[e], self.den[e]
            spent = used.get(e, {})
            for c in {int(self.class_of[row]) for row in spent}:
                stamp[c] = e
                left[c] = index.weight[c] * num - sum(n for row, n in spent.items() if self.class_of[row] == c)
            found = assign_alibis(e, num, den, index, by_length, need, self.roots, left, stamp, e, flag)
            self._tell(int(self.here[e]), int(num), found, spent, columns)
        names = ("item", "rid", "alibi", "units", "cap")
        kinds = (pa.int32(), *(pa.int64(),) * 4)
        return pa.table({n: pa.array(c, k) for n, c, k in zip(names, columns, kinds, strict=True)})

    def _tell(self, item: int, num: int, found: Any, spent: dict[int, int], columns: list[list[int | None]]) -> None:
        """What classes give, as what records give: one after the other, each what it has."""
        classes, alibis, units, unserved = (part.tolist() for part in found)
        failed = set(unserved)
        left: dict[int, int] = {}
        at = dict[int, int]()
        for c, alibi, number in zip(classes, alibis, units, strict=True):
            if c in failed:  # what an open class got in part proves nothing
                continue
            while number:
                row = int(self.members[self.member_ptr[alibi] + at.get(alibi, 0)])
                cap = int(self.weight[row]) * num - spent.get(row, 0)
                free = left.setdefault(row, cap)
                given = min(free, number)
                if given:
                    self._add(columns, item, int(self.rid[self.asking[c]]), int(self.rid[row]), given, cap)
                left[row] = free - given
                number -= given
                if left[row] == 0:
                    at[alibi] = at.get(alibi, 0) + 1
        for c in unserved:
            self._add(columns, item, int(self.rid[self.asking[c]]), None, None, None)

    @staticmethod
    def _add(columns: list[list[int | None]], *values: int | None) -> None:
        for column, value in zip(columns, values, strict=True):
            column.append(value)

    def _asks(self) -> dict[int, list[int]]:
        """For each item the classes that still ask for alibis, if it is this group that sees to them."""
        found: dict[int, list[int]] = {}
        index = self.index
        ptr, flat = lists(self.table.column("asks"))
        wanted = np.searchsorted(self.here, flat.to_numpy(zero_copy_only=False)).tolist()
        for row in np.flatnonzero(np.diff(ptr)).tolist():
            c = int(self.class_of[row])
            if self.asking[c] != row:
                continue
            held = index.items[index.ptr[c] : index.ptr[c + 1]].tolist()
            for e in wanted[ptr[row] : ptr[row + 1]]:
                rarest = next(x for x in held if x != e)
                if self.roots[0] <= rarest < self.roots[1]:
                    found.setdefault(e, []).append(c)
        return found

    def _used(self) -> dict[int, dict[int, int]]:
        """For each item what rows have given already."""
        found: dict[int, dict[int, int]] = {}
        ptr, flat = lists(self.table.column("used_item"))
        units = lists(self.table.column("used_units"))[1].to_numpy(zero_copy_only=False).tolist()
        ranks = flat.to_numpy(zero_copy_only=False)
        known = np.searchsorted(self.here, ranks)
        there = (known < len(self.here)) & (self.here[np.minimum(known, len(self.here) - 1)] == ranks)
        row = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
        for k in np.flatnonzero(there).tolist():
            found.setdefault(int(known[k]), {})[int(row[k])] = units[k]
        return found
