"""Rows dealt to groups, in a few bytes a person: who is in which group, for tables that stand for many people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sordino.errors import InputError

__all__ = ["MOST", "PIECE", "Dealt", "each_person", "stable_order"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

PIECE = 1 << 20  # people of the groups that are looked at together, about
MOST = (1 << 31) - 1  # people, whose numbers take four bytes


@dataclass(frozen=True, eq=False)
class Dealt:
    """Group g holds the rows member[start[g] : start[g + 1]], ascending; each as often as people of it are there."""

    member: Int32 = field(repr=False)
    start: Int64 = field(repr=False)

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def people(self) -> int:
        return len(self.member)

    @property
    def sizes(self) -> Int32:
        """How many people each group has."""
        return np.diff(self.start).astype(np.int32)

    @classmethod
    def of(cls, group: npt.NDArray[np.integer], weight: Int64 | None) -> Dealt:
        """From the group of every person, counted from 0 without gaps; people are in the order of their rows."""
        rows = len(group) if weight is None else len(weight)
        sizes = np.bincount(group)
        packed = group.astype(np.uint64)
        packed <<= np.uint64(32)
        packed |= each_person(np.arange(rows, dtype=np.int32), weight).view(np.uint32)
        packed.sort()  # in its place, and there are no equals that anybody could tell apart
        return cls(packed.astype(np.uint32).view(np.int32), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))

    def pieces(
        self, order: npt.NDArray[np.integer] | None = None, people: int | None = None
    ) -> Iterator[tuple[Int64, Int32]]:
        """Whole groups, about so many people at a time, in this order of the groups (default: as they are numbered).

        Of every person the place of the group in the piece, from 0, ascending; and the row.
        """
        sizes = self.sizes if order is None else self.sizes[order]
        end = np.cumsum(sizes, dtype=np.int64)
        lo = 0
        while lo < len(sizes):
            done = int(end[lo - 1]) if lo else 0
            hi = max(lo + 1, int(np.searchsorted(end, done + (people or PIECE), side="right")))
            which = np.arange(lo, hi) if order is None else order[lo:hi]
            here = sizes[lo:hi]
            place = np.repeat(np.arange(hi - lo), here)
            at = np.arange(len(place)) + np.repeat(self.start[which] - (end[lo:hi] - here - done), here)
            yield place, self.member[at]
            lo = hi


def each_person(of_row: Int32, weight: Int64 | None) -> Int32:
    """What rows have, for every person: a row stands for as many people as its weight says."""
    people = len(of_row) if weight is None else int(weight.sum())
    if people > MOST:
        raise InputError(f"there are more than {MOST:,} rows")
    return of_row.astype(np.int32, copy=False) if weight is None else np.repeat(of_row.astype(np.int32), weight)


def stable_order(keys: Int32) -> Int32:
    """The places of the keys, which are not negative, in their order; of equal ones the first comes first.

    In eight bytes a key while it sorts: NumPy's own takes twelve, and longer.
    """
    packed = keys.astype(np.uint64)
    packed <<= np.uint64(32)
    packed |= np.arange(len(keys), dtype=np.uint32)
    packed.sort()
    order: Int32 = packed.astype(np.uint32).view(np.int32)
    return order
