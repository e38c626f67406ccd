"""Which items the hierarchy of a release names: those that some record still shows, as themselves or as wider ones.

An item that was deleted from every record must not be named, in `hierarchy.json` no more than anywhere else; nor must
the tree have another form because of it. Of a hierarchy that the user brought, leaves that nothing stands for are left
out, whether they were deleted, are sensitive or never occurred: which of these it was cannot be seen. A hierarchy that
was built from the data is built again without them, before the method starts (see `protect`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.data.hierarchy import Hierarchy
from sordino.policy.inference import ResolvedInference
from sordino.utility.ncp import shown_occurrences

__all__ = ["told_items", "untold_items", "with_told_items", "without_items"]


def told_items(before: Baskets, data: Generalized, policy: ResolvedInference) -> frozenset[str]:
    """The items of the hierarchy of which some occurrence of `before` is still shown."""
    shown = shown_occurrences(before, data, policy.sensitive)
    codes = np.unique(before.items[shown.left & (shown.node >= 0)])
    return frozenset(before.names[code] for code in codes.tolist())


def untold_items(before: Baskets, data: Generalized, policy: ResolvedInference) -> frozenset[str]:
    """The items that occurred before, are not sensitive, and are not shown any more."""
    codes = np.flatnonzero(~policy.sensitive & (before.supports > 0))
    return frozenset(before.names[code] for code in codes.tolist()) - told_items(before, data, policy)


def without_items(baskets: Baskets, items: frozenset[str]) -> Baskets:
    """The same records without these items."""
    stays = np.array([name not in items for name in baskets.names], dtype=np.bool_)[baskets.items]
    indptr = np.concatenate([[0], np.cumsum(stays)])[baskets.indptr]
    return replace(baskets, indptr=indptr, items=baskets.items[stays])


def with_told_items(data: Generalized, told: frozenset[str]) -> Generalized:
    """The same release with a hierarchy of these items only, and with no more nodes opened than what is shown needs.

    A node that a group has opened though it shows nothing below would tell that something was deleted there. Closing it
    changes nothing else: whoever knows an item below finds no record of that group by it, before or after. Nodes are
    named by their labels, so that a reader finds the same ones whatever else is sensitive.
    """
    tree = data.hierarchy
    keep = np.zeros(len(tree), dtype=np.bool_)
    keep[0] = True
    for leaf in (tree.leaf_of[name] for name in told):
        keep[list(tree.path(leaf))] = True
    kept = np.flatnonzero(keep)
    place = np.full(len(tree), -1, dtype=np.int32)
    place[kept] = np.arange(len(kept), dtype=np.int32)
    parent = place[tree.parent[kept]]
    parent[0] = -1
    labels = tuple(data.labels[v] for v in kept.tolist())
    opened = tuple(tuple(sorted(int(place[v]) for v in nodes)) for nodes in _needed(data))
    return replace(data, hierarchy=Hierarchy(parent, tree.depth[kept], labels), opened=opened, labels=labels)


def _needed(data: Generalized) -> list[set[int]]:
    """For every group the nodes above those that its records show."""
    baskets = data.baskets
    width = max(len(baskets.names), 1)
    owner = np.repeat(np.arange(len(baskets), dtype=np.int64), baskets.lengths)
    needed: list[set[int]] = [set() for _ in range(data.groups)]
    for key in np.unique(data.group[owner].astype(np.int64) * width + baskets.items).tolist():
        node = data.node_of.get(baskets.names[key % width])
        if node is not None:
            needed[key // width].update(data.hierarchy.path(node)[1:])
    return needed
