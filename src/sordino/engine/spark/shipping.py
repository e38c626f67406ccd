"""What each group of the rarest known item gets (audit/by_rarest.py), for all groups in one pass over the records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sordino.audit.arrange import arrange, sampled_every
from sordino.audit.by_rarest import Asked, Shipped
from sordino.data.totals import Totals
from sordino.engine.spark.frames import Coded, arrow_lists, lists
from sordino.engine.spark.routing import LABEL, labels
from sordino.policy.inference import ResolvedInference

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Division", "Sent", "division_of", "repeated", "ship_all", "shipped", "shipped_part"]

Bools = npt.NDArray[np.bool_]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
OCCURRENCES_A_GROUP = 3_000_000  # that a task holds at once, about: some 100 MB
TIMES = 4  # how often an occurrence is sent, about


class Division(NamedTuple):
    """How ranks are divided among groups: group g has those from bounds[g] on, and its rows bear labels[g]."""

    rank: I32  # by code
    code: I32  # by rank
    bounds: I64
    labels: tuple[int, ...]
    asked: Asked  # by rank

    @property
    def groups(self) -> int:
        return len(self.labels)

    def roots(self, label: int) -> tuple[int, int]:
        """The ranks of the group with this label: from the first to before the second."""
        group = self.labels.index(label)
        return int(self.bounds[group]), int(self.bounds[group + 1])


def usual_groups(totals: Totals) -> int:
    """How many groups there are, if nobody says."""
    return max(2, -(-totals.occurrences * TIMES // OCCURRENCES_A_GROUP))


def division_of(coded: Coded, resolved: ResolvedInference, groups: int | None = None) -> Division:
    """The division into (at most) so many groups, on the supports of all records and a sample of them."""
    totals, number = coded.totals, groups or usual_groups(coded.totals)
    sample = None if number == 1 else _sample(coded, number)
    code, rank, bounds = arrange(totals.supports, resolved.sensitive, totals.records, number, sample)
    asked = Asked(resolved.sensitive[code], resolved.num[code], resolved.den[code], resolved.knowledge)
    session: Any = coded.frame.sparkSession
    return Division(rank, code, bounds, tuple(labels(session, len(bounds) - 1)), asked)


def _sample(coded: Coded, number: int) -> tuple[I64, I32]:
    """Some of the records, equal ones once: those whose hash says so, whatever machine looks at them."""
    from pyspark.sql import functions as F  # noqa: N812

    every = sampled_every(coded.totals.occurrences, number)
    some = coded.sampled.where(F.pmod(F.xxhash64("codes"), F.lit(every)) == 0)
    ptr, flat = lists(some.select("codes").distinct().toArrow().column("codes"))
    return ptr, flat.to_numpy(zero_copy_only=False).astype(np.int32)


class Sent(NamedTuple):
    """Rows for groups: of a record, for a group, items[ptr[k]:ptr[k + 1]]; `cut` of its items were left out."""

    record: I64
    group: I64
    cut: I64
    ptr: I64
    items: I32


def ship_all(ptr: I64, items: I32, sensitive: Bools, bounds: I64) -> Sent:
    """Of records whose items are ranks, ascending in each, what every group gets.

    A row for each record and group that holds one of its items: all from the first root on, and before them what is
    sensitive.
    """
    owner = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    group = np.searchsorted(bounds, items, side="right") - 1
    first = np.ones(len(items), dtype=np.bool_)
    first[1:] = (owner[1:] != owner[:-1]) | (group[1:] != group[:-1])
    start = np.flatnonzero(first)
    record = owner[start]
    told = np.flatnonzero(sensitive[items])
    before = np.searchsorted(told, ptr[record])  # of the sensitive places, those of the record that come before it
    head = np.searchsorted(told, start) - before
    tail = ptr[record + 1] - start
    out = np.zeros(len(start) + 1, dtype=np.int64)
    np.cumsum(head + tail, out=out[1:])
    row = np.repeat(np.arange(len(start)), head + tail)
    at = np.arange(len(row)) - out[row]
    in_head = at < head[row]
    places = np.empty(len(row), dtype=np.int64)
    places[in_head] = told[(before[row] + at)[in_head]]
    places[~in_head] = (start[row] + at - head[row])[~in_head]
    return Sent(record, group[start], start - ptr[record] - head, out, items[places])


def shipped(coded: Coded, division: Division, extra: Mapping[str, str] | None = None) -> DataFrame:
    """Rows of `label`, `rid`, `weight`, `cut` and `ranks`: all that the groups get; `extra` columns go with them."""
    more = dict(extra or {})
    rank, bounds, sensitive = division.rank, division.bounds, division.asked.sensitive
    label = np.array(division.labels, dtype=np.int32)

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            ptr, flat = lists(batch.column("codes"))
            owner = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
            ranks = rank[flat.to_numpy(zero_copy_only=False)]
            ranks = ranks[np.lexsort((ranks, owner))]
            rows = ship_all(ptr, ranks, sensitive, bounds)
            taken = pa.array(rows.record)
            yield pa.RecordBatch.from_arrays(
                [
                    pa.array(label[rows.group]),
                    *(batch.column(name).take(taken) for name in ("rid", "weight", *more)),
                    pa.array(rows.cut.astype(np.int32)),
                    arrow_lists(rows.ptr, rows.items),
                ],
                names=[LABEL, "rid", "weight", *more, "cut", "ranks"],
            )

    fields = [f"{LABEL} int", "rid long", "weight long", *(f"{name} {kind}" for name, kind in more.items())]
    return coded.frame.mapInArrow(work, ", ".join([*fields, "cut int", "ranks array<int>"]))


def shipped_part(table: Any) -> tuple[Shipped, I64]:
    """The rows of one group as its part, in the order of `rid`, each as often as it weighs; and the weight of each."""
    table = table.sort_by("rid")
    ptr, flat = lists(table.column("ranks"))
    weight = table.column("weight").to_numpy().astype(np.int64)
    rid = table.column("rid").to_numpy().astype(np.int64)
    items = flat.to_numpy(zero_copy_only=False).astype(np.int32)
    return repeated(rid, weight, ptr, items), np.repeat(weight, weight)


def repeated(rid: I64, weight: I64, ptr: I64, items: I32) -> Shipped:
    """Every record as often as it weighs."""
    lengths = np.diff(ptr)
    row = np.repeat(np.arange(len(rid)), weight)
    out = np.zeros(len(row) + 1, dtype=np.int64)
    np.cumsum(lengths[row], out=out[1:])
    places = np.repeat(ptr[:-1][row] - out[:-1], lengths[row]) + np.arange(int(out[-1]))
    return Shipped(rid[row], out, items[places])
