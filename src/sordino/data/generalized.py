"""Set-valued data with items shown as groups of items: every group of records has its own cut of a hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets, vocabulary_order
from sordino.data.hierarchy import Hierarchy
from sordino.errors import InputError

__all__ = ["Generalized"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Generalized:
    """Records in groups. Within a group every item of the hierarchy is shown at one node, or not at all.

    `opened[g]` are the inner nodes that group g shows the children of; the root is shown itself unless it is opened. So
    the cut of the group are the nodes that are not opened below those that are. Records hold the labels of nodes, and
    names of items that are not in the cut: the sensitive ones. Groups are numbered by their first records.
    """

    baskets: Baskets
    group: Int32
    hierarchy: Hierarchy
    opened: tuple[tuple[int, ...], ...]
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.group) != len(self.baskets):
            raise InputError("the number of group numbers differs from the number of records")
        if len(self.group) and not 0 <= int(self.group.min()) <= int(self.group.max()) < len(self.opened):
            raise InputError("a record is in a group that is not there")

    def __len__(self) -> int:
        return len(self.baskets)

    @property
    def groups(self) -> int:
        return len(self.opened)

    def cut(self, group: int) -> list[int]:
        """The nodes at which a group shows the items, ascending."""
        tree = self.hierarchy
        opened = set(self.opened[group])
        if 0 not in opened:
            return [0]
        return sorted(int(v) for up in opened for v in tree.children(up) if int(v) not in opened)

    def shown(self, group: int) -> Int32:
        """For every node of the hierarchy the node of the cut at or above it, or -1."""
        return self.hierarchy.cut(self.cut(group))

    def shown_nodes(self, groups: Int64, leaves: Int64) -> Int64:
        """For each pair of a group and a leaf the node at which the group shows the leaf."""
        tree = self.hierarchy
        width = len(tree)
        opened = np.array([g * width + v for g, nodes in enumerate(self.opened) for v in nodes], dtype=np.int64)
        found = np.zeros(len(leaves), dtype=np.int64)
        for depth in range(tree.height):
            inside = np.isin(groups * width + found, opened) & (tree.depth[found] == depth)
            if not inside.any():
                break
            found[inside] = tree.ancestors_at(depth + 1)[leaves[inside]]
        return found

    @cached_property
    def node_of(self) -> dict[str, int]:
        """The node of each label."""
        return {label: v for v, label in enumerate(self.labels)}

    def tagged(self) -> Baskets:
        """The records with every name led by the number of its group.

        Nothing is the same in two groups any more, so what holds for this table holds for every group by itself.
        """
        baskets = self.baskets
        width = max(len(baskets.names), 1)
        owner = np.repeat(np.arange(len(baskets), dtype=np.int64), baskets.lengths)
        keys = self.group[owner].astype(np.int64) * width + baskets.items
        used, codes = np.unique(keys, return_inverse=True)
        names = [f"{key // width}:{baskets.names[key % width]}" for key in used.tolist()]
        order = vocabulary_order(names)
        rank = {name: k for k, name in enumerate(order)}
        moved = np.fromiter((rank[name] for name in names), dtype=np.int64, count=len(names))
        return Baskets.from_pairs(owner, moved[codes], order, len(baskets))

    def at_leaves(self) -> Baskets:
        """The records with every node replaced by all items under it.

        Somebody who knows items of the hierarchy finds a record of the release if, and only if, it holds in its group
        the nodes that show what is known: if, and only if, what is known is a part of this record. So this is the table
        to judge at leaf knowledge. It can be large.
        """
        tree, baskets = self.hierarchy, self.baskets
        under = {v: [tree.names[leaf] for leaf in tree.leaves_under(v)] for v in set(self.node_of.values())}
        spread = {name: under[self.node_of[name]] if name in self.node_of else [name] for name in baskets.names}
        return Baskets.from_sets([[leaf for name in record for leaf in spread[name]] for record in baskets])
