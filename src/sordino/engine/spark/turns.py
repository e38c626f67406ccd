"""A turn of putting together: every group sees the records that show one of its items, and decides about its own.

Rows are those of KEPT (parts.py), before and after. Groups are those of the audit (audit/arrange.py): what occurs
together lies together, so few records go to many groups. Whose a record is depends on the turn:

- repairs: whose is the rarest item that it shows, harmless ones first. So who shows the same has the same owner.
- giving back: whose is the rarest item that it had (FIRST), or who has most of its harmless items (MOST). What a group
  may not give back, as it does not see all who could tell, another one may.

Some groups may rest, so that not all give back at once: what is theirs goes through them as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sordino.engine.local import Watch
from sordino.engine.spark.frames import arrow_lists, lists
from sordino.engine.spark.node import first_alone
from sordino.engine.spark.parts import KEPT, compact, kept_rows, of_codes
from sordino.engine.spark.routing import LABEL, sent
from sordino.engine.spark.shipping import Division
from sordino.policy.inference import ResolvedInference
from sordino.protect.retry import Seen, give_back, repair

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["FIRST", "MOST", "Roots", "given_back", "repaired"]

Bools = npt.NDArray[np.bool_]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
FIRST, MOST = "first", "most"
SHIPPED = f"{LABEL} int, own boolean, {KEPT}"
NAMES = ("rid", "first", "weight", "codes", "kept")


class Roots:
    """Whose items are whose, by code."""

    def __init__(self, division: Division) -> None:
        self.rank, self.groups = division.rank, division.groups
        self.group: I64 = np.searchsorted(division.bounds, division.rank, side="right").astype(np.int64) - 1
        self.by_rank = self.group[division.code]
        self.plain: Bools = ~division.asked.sensitive[division.rank]

    def first(self, ptr: I64, codes: I32) -> I64:
        """For each record the group of its first item in the order of ranks; who has none belongs to the first."""
        home = np.zeros(len(ptr) - 1, dtype=np.int64)
        filled = np.flatnonzero(np.diff(ptr))
        if len(filled):
            home[filled] = self.by_rank[np.minimum.reduceat(self.rank[codes], ptr[:-1][filled])]
        return home

    def most(self, ptr: I64, codes: I32) -> I64:
        """For each record the first of the groups that have most of its harmless items; without any, `first`."""
        home = self.first(ptr, codes)
        owner = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
        plain = self.plain[codes]
        pairs, counts = np.unique(owner[plain] * self.groups + self.group[codes[plain]], return_counts=True)
        order = np.lexsort((pairs, -counts, pairs // self.groups))
        row = pairs[order] // self.groups
        best = np.ones(len(row), dtype=np.bool_)
        best[1:] = row[1:] != row[:-1]
        home[row[best]] = pairs[order][best] % self.groups
        return home

    def seeing(self, ptr: I64, codes: I32) -> tuple[I64, I64]:
        """Records, and the groups one of whose items they hold, each pair once."""
        owner = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
        pairs = np.unique(owner * self.groups + self.group[codes])
        return pairs // self.groups, pairs % self.groups


class _How(NamedTuple):
    """What groups do in a turn: `home`, whose a record is, or None if they repair; `resting` does nothing."""

    home: str | None
    resting: frozenset[int]
    only: bool  # delete nothing harmless


def given_back(
    rows: DataFrame, division: Division, policy: ResolvedInference, home: str, resting: Collection[int], *, only: bool
) -> DataFrame:
    """The rows once all groups but those that rest gave back what they could."""
    return _turn(rows, division, policy, _How(home, frozenset(resting), only))


def repaired(rows: DataFrame, division: Division, policy: ResolvedInference, *, only: bool) -> DataFrame:
    """The rows once all groups repaired what they found."""
    return _turn(rows, division, policy, _How(None, frozenset(), only))


def _turn(rows: DataFrame, division: Division, policy: ResolvedInference, how: _How) -> DataFrame:
    roots = Roots(division)
    label = np.array(division.labels, dtype=np.int32)
    rests = np.isin(np.arange(division.groups), list(how.resting))

    def ship(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            (ptr, codes), (kept_ptr, kept) = (_listed(batch.column(name)) for name in ("codes", "kept"))
            if how.home is None:
                home = roots.first(kept_ptr, kept)
            else:
                home = roots.first(ptr, codes) if how.home == FIRST else roots.most(ptr, codes)
            seen, by = roots.seeing(kept_ptr, kept)
            other = (home[seen] != by) & ~rests[by]
            row = np.concatenate([np.arange(len(home)), seen[other]])
            group = np.concatenate([home, by[other]])
            own = np.arange(len(row)) < len(home)
            taken = pa.array(row)
            rest = [batch.column(name).take(taken) for name in ("rid", "first", "weight")]
            had_ptr, had = _taken(ptr, row[own])  # of others nobody needs it
            had_ptr = np.concatenate([had_ptr, np.full(len(row) - len(home), had_ptr[-1])])
            lists_ = [arrow_lists(had_ptr, codes[had]), batch.column("kept").take(taken)]
            yield pa.RecordBatch.from_arrays(
                [pa.array(label[group]), pa.array(own), *rest, *lists_], names=[LABEL, "own", *NAMES]
            )

    def work(table: Any) -> Any:
        group = division.labels.index(table.column(LABEL)[0].as_py())
        table = table.sort_by([("own", "descending"), ("rid", "ascending"), ("first", "ascending")])
        if rests[group]:
            return _as_it_is(table)
        return _worked(table, roots.group == group, policy, how)

    return sent(rows.mapInArrow(ship, SHIPPED), division.groups).applyInArrow(work, KEPT)


def _as_it_is(table: Any) -> Any:
    """Rows of KEPT of what a group that rests was sent: nothing but its own."""
    import pyarrow as pa

    columns = [table.column(name) for name in NAMES[:3]]
    return pa.table([*columns, *(arrow_lists(*_listed(table.column(name))) for name in NAMES[3:])], names=list(NAMES))


def _worked(table: Any, root: Bools, policy: ResolvedInference, how: _How) -> Any:
    """Rows of KEPT: the group's own records, as they are after its work."""
    own = table.column("own").to_numpy(zero_copy_only=False)
    weight = table.column("weight").to_numpy().astype(np.int64)
    (ptr, codes), (kept_ptr, kept) = (_listed(table.column(name)) for name in ("codes", "kept"))
    full_ptr, full = _joined(ptr, codes, kept_ptr, kept, own)
    row = np.repeat(np.arange(len(own)), weight)
    out, places = _taken(full_ptr, row)
    piece, here = compact(out, full[places])
    shown = _inside(full_ptr, full, kept_ptr, kept)[places]
    seen = Seen(piece, shown, own[row], root[here], of_codes(policy, here))
    if how.home is None:
        with first_alone("repair"):
            after = repair(seen, watch=Watch(), only_sensitive=how.only)
    else:
        with first_alone("giving back"):
            after = give_back(seen, watch=Watch(), only_sensitive=how.only)
    mine = np.flatnonzero(own[row])
    upto = int(out[len(mine)])
    before = np.zeros(upto + 1, dtype=np.int64)
    np.cumsum(after[:upto], out=before[1:])
    originals = replace(piece, indptr=out[: len(mine) + 1], items=piece.items[:upto])
    left = replace(originals, indptr=before[out[: len(mine) + 1]], items=piece.items[:upto][after[:upto]])
    rid, first = (table.column(name).to_numpy().astype(np.int64)[row[mine]] for name in ("rid", "first"))
    return kept_rows(rid, first, originals, left, here)


def _listed(column: Any) -> tuple[I64, I32]:
    ptr, flat = lists(column)
    return ptr, flat.to_numpy(zero_copy_only=False).astype(np.int32)


def _joined(ptr: I64, codes: I32, kept_ptr: I64, kept: I32, own: Bools) -> tuple[I64, I32]:
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


def _inside(ptr: I64, items: I32, kept_ptr: I64, kept: I32) -> Bools:
    """Which of the items are kept."""
    width = 1 + int(max(items.max(initial=0), kept.max(initial=0)))
    rows = np.arange(len(ptr) - 1)
    return np.isin(np.repeat(rows, np.diff(ptr)) * width + items, np.repeat(rows, np.diff(kept_ptr)) * width + kept)
