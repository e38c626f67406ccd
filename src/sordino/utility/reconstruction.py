"""What can be computed from groups: everybody in a group has each of its values to the value's share in the group."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sordino.data.dealt import Dealt

__all__ = ["ExpectedCounts", "GroupShares", "expected_counts", "group_shares"]

Int64 = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

AT_ONCE = 1 << 24  # sums that wait before they are put together


@dataclass(frozen=True, eq=False)
class GroupShares:
    """The values of each group, a pair (group, value) at a time: pairs of group g are start[g] .. start[g + 1]."""

    group_of: Int64 = field(repr=False)  # by row
    size: Int64 = field(repr=False)  # by group
    start: Int64 = field(repr=False)
    value: Int64 = field(repr=False)  # by pair
    share: Floats = field(repr=False)

    def of_values(self, wanted: npt.NDArray[np.bool_]) -> Floats:
        """For every group the share of the wanted values."""
        owner = np.repeat(np.arange(len(self.size)), np.diff(self.start))
        total: Floats = np.bincount(owner, weights=self.share * wanted[self.value], minlength=len(self.size)).astype(
            np.float64
        )
        return total

    def sums(self, classes: Int64, count: int, values: int) -> Floats:
        """The expected number of people of each (class, value); rows of class -1 are left out."""
        rows = np.flatnonzero(classes >= 0)
        group = self.group_of[rows]
        width = np.diff(self.start)[group]
        place = np.arange(int(width.sum())) - np.repeat(np.cumsum(width) - width, width)
        pair = np.repeat(self.start[group], width) + place
        key = np.repeat(classes[rows], width) * values + self.value[pair]
        sums: Floats = np.bincount(key, weights=self.share[pair], minlength=count * values).astype(np.float64)
        return sums.reshape(count, values)

    def expected(self, fits: npt.NDArray[np.bool_], wanted: npt.NDArray[np.bool_]) -> float:
        """How many of the rows that fit have a wanted value, as far as the groups tell."""
        return float(self.of_values(wanted)[self.group_of[fits]].sum())


@dataclass(frozen=True, eq=False)
class ExpectedCounts:
    """The same of a table whose rows stand for many people, without a look at each: of rows with the same
    quasi-identifiers, together, how many people have which value, as far as the groups tell.

    A pair is such a kind of row, told by one of them (`row`), and a value.
    """

    size: Int64 = field(repr=False)  # by group
    row: Int64 = field(repr=False)  # by pair
    value: Int64 = field(repr=False)
    people: Floats = field(repr=False)

    def sums(self, classes: Int64, count: int, values: int) -> Floats:
        """The expected number of people of each (class, value); rows of class -1 are left out."""
        own = classes[self.row]
        which = own >= 0
        key = own[which] * values + self.value[which]
        sums: Floats = np.bincount(key, weights=self.people[which], minlength=count * values).astype(np.float64)
        return sums.reshape(count, values)

    def expected(self, fits: npt.NDArray[np.bool_], wanted: npt.NDArray[np.bool_]) -> float:
        """How many of the rows that fit have a wanted value, as far as the groups tell."""
        return float(self.people[fits[self.row] & wanted[self.value]].sum())


def group_shares(group: npt.NDArray[np.integer], value: npt.NDArray[np.integer], values: int) -> GroupShares:
    """The shares of a grouped table; the value of a row only says that its group holds it."""
    _, dense = np.unique(group, return_inverse=True)
    dense = dense.astype(np.int64)
    pairs, count = np.unique(dense * values + value, return_counts=True)
    owner = pairs // values
    size = np.bincount(dense)
    start = np.searchsorted(owner, np.arange(len(size) + 1)).astype(np.int64)
    return GroupShares(dense, size.astype(np.int64), start, pairs % values, count / size[owner])


def expected_counts(
    dealt: Dealt, kind: Int64, first: Int64, value: npt.NDArray[np.integer], values: int
) -> ExpectedCounts:
    """What groups of rows tell: kind[row] numbers its quasi-identifiers, first[kind] is a row that has them."""
    held: list[tuple[Int64, Floats]] = []
    waiting = 0
    for group, rows in dealt.pieces():
        shares = group_shares(group, value[rows], values)
        width = np.diff(shares.start)[group]
        place = np.arange(int(width.sum())) - np.repeat(np.cumsum(width) - width, width)
        pair = np.repeat(shares.start[group], width) + place
        held.append(_summed(np.repeat(kind[rows], width) * values + shares.value[pair], shares.share[pair]))
        waiting += len(held[-1][0])
        if waiting > AT_ONCE:
            held = [_summed(np.concatenate([k for k, _ in held]), np.concatenate([s for _, s in held]))]
            waiting = len(held[0][0]) // 2
    key, people = _summed(np.concatenate([k for k, _ in held]), np.concatenate([s for _, s in held]))
    return ExpectedCounts(dealt.sizes.astype(np.int64), first[key // values], key % values, people)


def _summed(keys: Int64, shares: Floats) -> tuple[Int64, Floats]:
    """The distinct keys, and the sum of the shares of each."""
    order = np.argsort(keys, kind="stable")
    keys, shares = keys[order], shares[order]
    new = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[new], np.add.reduceat(shares, new) if len(new) else shares
