"""Equal rows that do not all become the same: those of a kind take their shares in turn, as they come.

How large each share of a kind is can be decided from counts alone, without a look at any row. Who is in which share
follows from the order of the rows: the first so many of a kind take the first share, and so on. So a table that is held
and a source that is read in pieces are divided in the same way, and it takes a counter a kind to do so.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from sordino.data.counted import Counted
from sordino.data.known_rows import CHANGED, KnownRows
from sordino.data.table import Table, weighted
from sordino.errors import InputError, InternalError

__all__ = ["Parted", "Shares", "Turns", "part"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

WAITING = 1 << 22  # parts of rows that wait to be added up


@dataclass(frozen=True, eq=False)
class Shares:
    """`kind` of every row of a table; kind k has the shares first[k] .. first[k + 1] - 1, of so many rows each.

    The rows of all shares of a kind are as many as the kind has.
    """

    kind: Int32 = field(repr=False)
    first: Int64 = field(repr=False)
    rows: Int64 = field(repr=False)

    def __len__(self) -> int:
        return len(self.rows)

    def turns(self) -> Turns:
        """From the first row on."""
        return Turns(self)


class Turns:
    """Which share each row takes; rows come in their order, in pieces."""

    def __init__(self, shares: Shares) -> None:
        self._upto = np.cumsum(shares.rows)
        ends = np.concatenate([[0], self._upto])[shares.first]
        self._next, self._end = ends[:-1].copy(), ends[1:]

    def take(self, kinds: npt.NDArray[np.integer]) -> Int64:
        """The shares of rows of these kinds; an InputError if there are more of a kind than it has shares for."""
        order = np.argsort(kinds, kind="stable")
        ordered = kinds[order]
        begin = np.flatnonzero(np.diff(ordered, prepend=-1))
        each = np.diff(begin, append=len(ordered))
        there = ordered[begin]
        place = np.empty(len(kinds), dtype=np.int64)
        place[order] = np.arange(len(ordered)) + np.repeat(self._next[there] - begin, each)
        self._next[there] += each
        if (self._next[there] > self._end[there]).any():
            raise InputError(CHANGED)
        return np.searchsorted(self._upto, place, side="right")


@dataclass(frozen=True, eq=False)
class Parted(Counted):
    """The rows of a counted table in parts: row k is the part of its row `whole[k]` that takes the share `share[k]`."""

    whole: Int64 = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)
    share: Int64 = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)
    shares: Shares | None = field(default=None, repr=False)

    def again(self, table: Table) -> Table:
        """Another table with the rows that were parted, in the same parts."""
        weight = self.weight
        columns = (replace(column, codes=column.codes[self.whole], weight=weight) for column in table.columns)
        return replace(table, columns=tuple(columns))


def part(table: Counted, other: Table, shares: Shares) -> Parted:
    """`other`, whose rows are those of the counted table, in parts: its source is read to see how large they are."""
    known, turns = KnownRows(table), shares.turns()
    width = max(len(shares), 1)
    keys, many = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    waiting: list[tuple[Int64, Int64]] = []
    with table.pieces(known.names) as pieces:
        for piece in pieces:
            row = known.find(known.codes(piece))
            here = row * width + turns.take(shares.kind[row])
            waiting.append(_added_up([(here, np.ones(len(here), dtype=np.int64))]))
            if sum(len(some) for some, _ in waiting) > WAITING + len(keys):
                keys, many = _added_up([(keys, many), *waiting])
                waiting = []
    keys, many = _added_up([(keys, many), *waiting])
    whole, share = np.divmod(keys, width)
    alike = known.find([column.codes for column in table.columns])  # what is missing may be written in several ways
    if not np.array_equal(weighted(whole, many, len(table)), weighted(alike, table.weight, len(table))):
        raise InputError(CHANGED, where=table.origin.path)
    if other.names != table.names or len(other) != len(table):
        raise InternalError("rows cannot be divided as those of another table are")
    columns = (replace(column, codes=column.codes[whole], weight=many) for column in other.columns)
    return Parted(
        tuple(columns), other.origin, table.left_out,
        source=table.source, schema=table.schema, whole=whole, share=share, shares=shares,
    )  # fmt: skip


def _added_up(parts: list[tuple[Int64, Int64]]) -> tuple[Int64, Int64]:
    keys, many = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    order = np.argsort(keys, kind="stable")
    keys, many = keys[order], many[order]
    begin = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[begin], np.add.reduceat(many, begin).astype(np.int64) if len(begin) else many
