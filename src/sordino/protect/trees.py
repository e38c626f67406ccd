"""What the cells of the masking attributes may show: for each attribute a tree of its values, numbered together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sordino.data.hierarchy import Hierarchy
from sordino.data.table import Column, Table

__all__ = ["Trees", "grow_trees", "with_nodes"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Trees:
    """The trees of some columns. Attribute a has the nodes first[a] .. first[a + 1] - 1.

    Of these, the first are its leaves: value code c is node first[a] + c, and behind the values comes one for "no
    value". The last is the root, which stands for a suppressed cell. `parent` is -1 for a root; `labels` are texts for
    inner nodes ("" for leaves and roots, which have their own ways to be shown).
    """

    columns: tuple[int, ...]
    first: Int64
    values: Int64  # how many values (without "no value") each attribute has
    parent: Int32
    labels: tuple[str, ...]
    share: npt.NDArray[np.float64]  # leaves under a node / leaves of the attribute, by the whole hierarchy

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def attribute(self) -> Int32:
        """The attribute of each node."""
        return np.repeat(np.arange(len(self.columns), dtype=np.int32), np.diff(self.first))

    @cached_property
    def depth(self) -> Int32:
        """The distance of each node from its root; parents of inner nodes come behind them."""
        depth = np.zeros(len(self), dtype=np.int32)
        node = self.parent.copy()
        while (node >= 0).any():  # up by one level with each turn; a tree has a root
            depth += node >= 0
            node = np.where(node >= 0, self.parent[node], -1)
        return depth

    @cached_property
    def _child_order(self) -> tuple[Int64, Int64]:
        order = np.argsort(self.parent, kind="stable")
        bounds = np.searchsorted(self.parent[order], np.arange(len(self) + 1))
        return bounds.astype(np.int64), order.astype(np.int64)

    @cached_property
    def _leaf_order(self) -> tuple[Int64, Int64, Int64]:
        """Leaves in depth-first order, and the places where those under each node begin and end."""
        order: list[int] = []
        begin, end = np.zeros(len(self), dtype=np.int64), np.zeros(len(self), dtype=np.int64)
        waiting = [(self.root(a), False) for a in reversed(range(len(self.columns)))]
        while waiting:
            node, done = waiting.pop()
            if done:
                end[node] = len(order)
                continue
            begin[node] = len(order)
            children = self.children(node).tolist()
            if not children and node - self.first[self.attribute[node]] <= self.values[self.attribute[node]]:
                order.append(node)
            waiting.append((node, True))
            waiting += [(child, False) for child in reversed(children)]
        return np.array(order, dtype=np.int64), begin, end

    def root(self, attribute: int) -> int:
        return int(self.first[attribute + 1]) - 1

    def children(self, node: int) -> Int64:
        bounds, order = self._child_order
        return order[bounds[node] : bounds[node + 1]]

    def leaves_under(self, node: int) -> Int64:
        """The leaves at or below a node, "no value" included."""
        order, begin, end = self._leaf_order
        return order[begin[node] : end[node]]

    def leaf_codes(self, table: Table, attribute: int) -> Int32:
        """The leaf of every row."""
        codes = table.columns[self.columns[attribute]].codes
        width = int(self.values[attribute])
        leaf: Int32 = np.where(codes < 0, width, codes).astype(np.int32) + np.int32(self.first[attribute])
        return leaf


def grow_trees(table: Table, columns: Sequence[int], hierarchies: Mapping[int, Hierarchy]) -> Trees:
    """The trees of these columns: the hierarchy where there is one, else every value right under the root.

    A value that a hierarchy lacks (as "no value" always is) lies right under the root.
    """
    parents, labels, shares, first, values = [], [], [], [0], []
    for number in columns:
        parent, label, share = _tree(table.columns[number], hierarchies.get(number), first[-1])
        parents.append(parent)
        labels += label
        shares.append(share)
        first.append(first[-1] + len(parent))
        values.append(len(table.columns[number].values))
    return Trees(
        tuple(columns),
        np.array(first, dtype=np.int64),
        np.array(values, dtype=np.int64),
        np.concatenate(parents) if parents else np.empty(0, dtype=np.int32),
        tuple(labels),
        np.concatenate(shares) if shares else np.empty(0),
    )


def _tree(column: Column, hierarchy: Hierarchy | None, first: int) -> tuple[Int32, list[str], npt.NDArray[np.float64]]:
    """Parents, labels and shares of one attribute's nodes: leaves, inner nodes, root."""
    width = len(column.values) + 1
    if hierarchy is None:
        parent = np.full(width + 1, first + width, dtype=np.int32)
        parent[width] = -1
        share = np.full(width + 1, 1 / max(width - 1, 1))
        share[width] = 1.0
        return parent, [""] * (width + 1), share
    inner = [v for v in range(1, len(hierarchy)) if hierarchy.size[v] > 1]
    root = first + width + len(inner)
    place = {v: first + width + k for k, v in enumerate(inner)} | {0: root, -1: root}
    leaves = [hierarchy.leaf_of.get(text, -1) for text in column.texts] + [-1]
    parents = [place[int(hierarchy.parent[v])] if v > 0 else root for v in leaves]
    parents += [place[int(hierarchy.parent[v])] for v in inner] + [-1]
    domain = len(hierarchy.leaves)
    share = np.array([1 / domain] * width + [hierarchy.leaf_counts[v] / domain for v in inner] + [1.0])
    labels = [""] * width + [hierarchy.labels[v] for v in inner] + [""]
    return np.array(parents, dtype=np.int32), labels, share


def with_nodes(table: Table, trees: Trees, attribute: int, nodes: Int32, symbol: str) -> Table:
    """The table in which this attribute shows the given node in every row."""
    column = table.columns[trees.columns[attribute]]
    first, width = int(trees.first[attribute]), int(trees.values[attribute])
    code = np.arange(int(trees.first[attribute + 1]) - first, dtype=np.int32)
    code[width] = -1
    code[width + 1 :] -= 1
    extra = [*trees.labels[first + width + 1 : trees.root(attribute)], symbol]
    return table.with_column(column.replaced(code[nodes - np.int32(first)], extra))
