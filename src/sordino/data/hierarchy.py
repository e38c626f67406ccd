"""A hierarchy of names: items of baskets, or values of a column, under ever wider groups up to one root.

A node is known by its level and its name: a name may stand again on another level (in Groceries "sausage" is an item
and the group that holds it), but not twice on one level, and no two leaves share one. The depth of a node is its
distance from the root.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.errors import InputError, did_you_mean, problem_with

__all__ = ["ROOT", "Hierarchy", "hierarchy_of"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

ROOT = "ALL"  # the name of a root that had to be added
SHOWN = 5  # names listed in one message at most


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Nodes in preorder: node 0 is the root, and the nodes below v are v + 1 .. v + size[v] - 1.

    `parent[v]` is -1 for the root and smaller than v for all others. Made by `hierarchy_of`, which checks.
    """

    parent: Int32
    depth: Int32
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.parent)

    def __repr__(self) -> str:
        return f"Hierarchy({len(self.leaves):,} leaves, {len(self):,} nodes, height {self.height})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return self.names == other.names and np.array_equal(self.parent, other.parent)

    def __hash__(self) -> int:
        return hash((self.names, self.parent.tobytes()))

    @property
    def height(self) -> int:
        """The depth of the deepest leaf."""
        return int(self.depth.max())

    @cached_property
    def size(self) -> Int32:
        """How many nodes there are at and below each node."""
        size = np.ones(len(self), dtype=np.int32)
        for v in range(len(self) - 1, 0, -1):
            size[self.parent[v]] += size[v]
        return size

    @cached_property
    def leaves(self) -> Int32:
        """The leaves, ascending."""
        return np.flatnonzero(self.size == 1).astype(np.int32)

    @cached_property
    def leaf_counts(self) -> Int64:
        """How many leaves there are under each node; 1 for a leaf itself."""
        before = np.concatenate([[0], np.cumsum(self.size == 1)])
        ends = np.arange(len(self)) + self.size
        counts: Int64 = before[ends] - before[:-1]
        return counts

    @cached_property
    def leaf_of(self) -> dict[str, int]:
        """The leaf of each leaf name."""
        return {self.names[v]: int(v) for v in self.leaves}

    @cached_property
    def _child_order(self) -> tuple[Int64, Int64]:
        order = np.argsort(self.parent[1:], kind="stable") + 1
        bounds = np.searchsorted(self.parent[order], np.arange(len(self) + 1)).astype(np.int64)
        return bounds, order.astype(np.int64)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """A text for each node that names it alone: its name, or the name with its level where others share it.

        A leaf always keeps its name. So a published file can show leaves and inner nodes side by side.
        """
        return self.labels_beside(())

    def labels_beside(self, others: Iterable[str]) -> tuple[str, ...]:
        """The labels, of which those of inner nodes and of the root also differ from all these other names.

        The root may have nothing below it: where all items are sensitive, or none is shown any more.
        """
        inner = self.size > 1
        inner[0] = True
        taken = {name for name, v in self.leaf_of.items() if not inner[v]}.union(others)
        shared = taken.copy()
        seen: set[str] = set()
        for v, name in enumerate(self.names):
            if inner[v]:
                (shared if name in seen else seen).add(name)
        labels: list[str] = []
        for v, name in enumerate(self.names):
            label = name
            if inner[v]:
                if name in shared:
                    label = f"{name}@{int(self.depth[v])}"
                while label in taken:
                    label += "'"
                taken.add(label)
            labels.append(label)
        return tuple(labels)

    def leaf(self, name: str) -> int:
        """The leaf of this name, or an InputError that names it."""
        if name not in self.leaf_of:
            problem = problem_with(name, f"'{name}' is not in the hierarchy.", self.leaf_of)
            raise InputError(problem, suggestions=[problem.suggestion] if problem.suggestion else ())
        return self.leaf_of[name]

    def node(self, name: str, depth: int) -> int:
        """The node of this name on a level, or an InputError."""
        for v in np.flatnonzero(self.depth == depth):
            if self.names[v] == name:
                return int(v)
        raise InputError(f"there is no '{name}' on level {depth} of the hierarchy")

    def children(self, node: int) -> Int64:
        """The nodes right below a node."""
        bounds, order = self._child_order
        return order[bounds[node] : bounds[node + 1]]

    def path(self, node: int) -> tuple[int, ...]:
        """A node and its ancestors, up to the root."""
        path = [int(node)]
        while self.parent[path[-1]] >= 0:
            path.append(int(self.parent[path[-1]]))
        return tuple(path)

    def leaves_under(self, node: int) -> Int32:
        """The leaves at or below a node, ascending."""
        lo, hi = np.searchsorted(self.leaves, (node, node + int(self.size[node])))
        return self.leaves[lo:hi]

    def is_under(self, node: int, above: int) -> bool:
        """Whether a node lies at or below another one."""
        return above <= node < above + int(self.size[above])

    def ancestors_at(self, depth: int) -> Int32:
        """For every node its ancestor at this depth; the node itself if it is not deeper."""
        up = np.arange(len(self), dtype=np.int32)
        for v in range(len(self)):
            if self.depth[v] > depth:
                up[v] = up[self.parent[v]]
        return up

    def node_at(self, node: int, depth: int) -> int:
        """The ancestor of a node at this depth; the node itself if it is not deeper."""
        while self.depth[node] > depth:
            node = int(self.parent[node])
        return int(node)

    def cut(self, nodes: Iterable[int]) -> Int32:
        """For every node: the one of `nodes` at or above it, or -1.

        An InputError unless the nodes are a cut: every leaf has exactly one of them at or above it.
        """
        shown = np.full(len(self), -1, dtype=np.int32)
        for v in sorted(set(map(int, nodes))):
            if not 0 <= v < len(self):
                raise InputError("a cut names a node that is not there")
            if shown[v] >= 0:
                raise InputError(f"a cut shows '{self.names[v]}' twice")
            shown[v : v + int(self.size[v])] = v
        bare = self.leaves[shown[self.leaves] < 0]
        if len(bare):
            raise InputError(f"a cut does not show '{self.names[bare[0]]}'")
        return shown

    def covers(self, items: Iterable[str], where: str | None = None) -> None:
        """An InputError if some items are no leaves; its suggestions name them."""
        bare = [item for item in items if item not in self.leaf_of]
        if not bare:
            return
        more = f" and {len(bare) - SHOWN:,} more" if len(bare) > SHOWN else ""
        near = did_you_mean(bare[0], self.leaf_of) if len(bare) == 1 else ""
        raise InputError(
            f"the hierarchy does not cover {len(bare):,} name{'' if len(bare) == 1 else 's'} that the data hold",
            where=where,
            hint="Every item needs a leaf of its own name.",
            suggestions=[f"It lacks {_listed(bare[:SHOWN])}{more}.{near}"],
        )

    def restricted(self, items: Iterable[str]) -> Hierarchy:
        """The hierarchy of these items alone: other leaves go, and so do inner nodes that are left without a leaf."""
        items = list(items)
        self.covers(items)
        keep = np.zeros(len(self), dtype=np.bool_)
        keep[[self.leaf(item) for item in items]] = True
        if not keep.any():
            raise InputError("a hierarchy needs at least one item")
        for v in range(len(self) - 1, 0, -1):
            if keep[v]:
                keep[self.parent[v]] = True
        kept = np.flatnonzero(keep)
        place = np.full(len(self), -1, dtype=np.int32)
        place[kept] = np.arange(len(kept), dtype=np.int32)
        parent = place[self.parent[kept]]
        parent[0] = -1
        return Hierarchy(parent, self.depth[kept], tuple(self.names[v] for v in kept))

    def paths(self) -> Iterator[tuple[str, ...]]:
        """The names from each leaf up to the root."""
        return (tuple(self.names[v] for v in self.path(int(leaf))) for leaf in self.leaves)

    def to_dict(self) -> dict[str, Any]:
        """The tree as plain data: {"name": ..., "children": [...]}, without children for a leaf."""
        made: list[dict[str, Any]] = []
        for v, name in enumerate(self.names):
            made.append({"name": name, "children": []} if self.size[v] > 1 else {"name": name})
            if v:
                made[int(self.parent[v])]["children"].append(made[v])
        return made[0]


def hierarchy_of(names: Sequence[str], parent: Sequence[int], *, where: str | None = None) -> Hierarchy:
    """A hierarchy from nodes in any order; `parent[k]` is the place of node k's parent, -1 for a root.

    Siblings stay in the order given. Checked: there is one root, no cycle, and no name twice on a level or as a leaf.
    """
    roots = [k for k, up in enumerate(parent) if up < 0]
    if len(roots) > 1:
        more = f" and {len(roots) - SHOWN:,} more" if len(roots) > SHOWN else ""
        raise InputError(
            f"the hierarchy has more than one root: {_listed(names[k] for k in roots[:SHOWN])}{more}",
            where=where,
            hint="Put a common parent above them.",
        )
    below: list[list[int]] = [[] for _ in names]
    for k, up in enumerate(parent):
        if up >= 0:
            below[up].append(k)
    order: list[int] = []
    depth = np.zeros(len(names), dtype=np.int32)
    waiting = roots[:]
    while waiting:
        k = waiting.pop()
        order.append(k)
        for child in below[k]:
            depth[child] = depth[k] + 1
        waiting += reversed(below[k])
    if len(order) < len(names):
        raise InputError(
            f"the hierarchy goes round in a circle at {_listed([names[_on_cycle(parent, order)]])}", where=where
        )
    if not names:
        raise InputError("the hierarchy is empty", where=where)
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    ups = np.array([place[parent[k]] if parent[k] >= 0 else -1 for k in order], dtype=np.int32)
    tree = Hierarchy(ups, depth[order], tuple(names[k] for k in order))
    _check_names(tree, where)
    return tree


def _on_cycle(parent: Sequence[int], reached: Sequence[int]) -> int:
    """A node of a cycle: where one ends up who climbs long enough from a node that no root reaches."""
    node = min(set(range(len(parent))).difference(reached))
    for _ in parent:
        node = parent[node]
    return node


def _check_names(tree: Hierarchy, where: str | None) -> None:
    seen: dict[tuple[int, str], int] = {}
    leaves: set[str] = set()
    for v, name in enumerate(tree.names):
        if not name:
            raise InputError("a node of the hierarchy has no name", where=where)
        key = int(tree.depth[v]), name
        if key in seen:
            above = [tree.names[tree.parent[u]] for u in (seen[key], v)]
            apart = f", under {_listed(above)}" if above[0] != above[1] else ""
            raise InputError(
                f"'{name}' stands twice on level {key[0]} of the hierarchy{apart}",
                where=where,
                hint="A name may repeat on another level only; tell the two apart, as in 'fruit/other'.",
            )
        seen[key] = v
        if tree.size[v] == 1:
            if name in leaves:
                raise InputError(f"the item '{name}' stands twice in the hierarchy", where=where)
            leaves.add(name)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
