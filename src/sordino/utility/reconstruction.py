"""What can be computed from groups: everybody in a group has each of its values to the value's share in the group."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

__all__ = ["GroupShares", "group_shares"]

Int64 = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


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


def group_shares(group: npt.NDArray[np.integer], value: npt.NDArray[np.integer], values: int) -> GroupShares:
    """The shares of a grouped table; the value of a row only says that its group holds it."""
    _, dense = np.unique(group, return_inverse=True)
    dense = dense.astype(np.int64)
    pairs, count = np.unique(dense * values + value, return_counts=True)
    owner = pairs // values
    size = np.bincount(dense)
    start = np.searchsorted(owner, np.arange(len(size) + 1)).astype(np.int64)
    return GroupShares(dense, size.astype(np.int64), start, pairs % values, count / size[owner])
