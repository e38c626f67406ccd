"""The rows of a table by kind: what a method that makes groups of rows needs to know of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sordino.policy.template import ResolvedTemplate
from sordino.protect.requirement import over_all_columns, summarize
from sordino.protect.trees import Trees

__all__ = ["RowKinds", "membership"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]
Float = npt.NDArray[np.float64]


class RowKinds:
    """Kinds of rows: their leaves, the templates they are in, how many there are; and what a shown node costs.

    Rows of a kind agree in their leaves, in the protected values and in the columns that may not be changed. Kinds are
    numbered as they appear.
    """

    def __init__(self, policy: ResolvedTemplate, trees: Trees) -> None:
        summary = summarize(policy, trees, over_all_columns(policy.templates))
        (self.need,) = summary.requirements
        self.policy = policy
        self.trees = trees
        self.of_row: Int32 = summary.group
        self.many: Int64 = summary.rows
        self.codes: Int32 = np.stack(summary.leaves, axis=1)
        self.sort = self.need.sort
        self.fixed = self.need.fixed
        self.cost = node_costs(trees)
        self.member = membership(self.need.flag_ptr, self.need.flags, len(self.need.num))
        self.lead = np.empty(len(self), dtype=np.int64)  # a row of each kind: the first
        self.lead[self.of_row[::-1]] = np.arange(len(self.of_row) - 1, -1, -1)

    def __len__(self) -> int:
        return len(self.many)

    def is_safe(self, counts: Int64) -> Bool:
        """For each line of counts (rows of each sort): whether such a group is safe."""
        held = counts @ self.member
        safe: Bool = (held * self.need.den <= counts.sum(axis=1, keepdims=True) * self.need.num).all(axis=1)
        return safe


def node_costs(trees: Trees) -> Float:
    """What a cell loses that shows a node: 0 for a leaf, 1 for the root, by the share of leaves below (as ARX does)."""
    least = trees.share[trees.first[:-1]][trees.attribute]
    cost: Float = np.where(least < 1, (trees.share - least) / np.where(least < 1, 1 - least, 1), 0.0)
    return cost


def membership(flag_ptr: Int64, flags: Int32, templates: int) -> Int64:
    """[sort, template]: whether rows of the sort are in the template."""
    member = np.zeros((len(flag_ptr) - 1, templates), dtype=np.int64)
    member[np.repeat(np.arange(len(member)), np.diff(flag_ptr)), flags] = 1
    return member
