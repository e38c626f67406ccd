"""Groups of rows that show the same, as they grow: their nodes, their sizes, what they hold."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import njit


class Groups(NamedTuple):
    """The groups of some rows. A group without rows is gone."""

    codes: Any  # [row, attribute]: the leaf
    sort: Any
    flag_ptr: Any
    flags: Any
    num: Any
    den: Any
    parent: Any  # of nodes
    depth: Any
    cost: Any  # what a cell that shows the node loses
    of: Any  # the group of each row, -1 for none
    next_row: Any  # of the same group, -1 at the end
    head: Any  # [group]: its first row
    size: Any
    node: Any  # [group, attribute]: what it shows
    count: Any  # [group, template]
    total: Any  # [number of groups]


@njit(cache=True, nogil=True)
def meet(parent, depth, x, y):  # type: ignore[no-untyped-def]
    """The lowest node above both."""
    while x != y:
        if depth[x] >= depth[y]:
            x = parent[x]
        else:
            y = parent[y]
    return x


@njit(cache=True, nogil=True)
def put(groups, row, g):  # type: ignore[no-untyped-def]
    """Adds a row to a group."""
    if groups.size[g] == 0:
        groups.node[g] = groups.codes[row]
        groups.head[g] = -1
    for a in range(groups.codes.shape[1]):
        groups.node[g, a] = meet(groups.parent, groups.depth, groups.node[g, a], groups.codes[row, a])
    s = groups.sort[row]
    for f in range(groups.flag_ptr[s], groups.flag_ptr[s + 1]):
        groups.count[g, groups.flags[f]] += 1
    groups.next_row[row] = groups.head[g]
    groups.head[g] = row
    groups.of[row] = g
    groups.size[g] += 1


@njit(cache=True, nogil=True)
def empty(groups, g):  # type: ignore[no-untyped-def]
    """Leaves a group without rows; they keep their list from the head on."""
    groups.size[g] = 0
    groups.count[g, :] = 0


@njit(cache=True, nogil=True)
def is_plain(groups, g):  # type: ignore[no-untyped-def]
    """Whether no row of the group is in a template; then all its rows are alike, and any of them can be taken out."""
    held = 0
    for t in range(len(groups.num)):
        held += groups.count[g, t]
    return held == 0


@njit(cache=True, nogil=True)
def loss(groups, g):  # type: ignore[no-untyped-def]
    """What the cells of a group lose."""
    cost = 0.0
    for a in range(groups.codes.shape[1]):
        cost += groups.cost[groups.node[g, a]]
    return cost * groups.size[g]


@njit(cache=True, nogil=True)
def take_in(groups, g, h, k):  # type: ignore[no-untyped-def]
    """Moves k rows of h to g: all, or the first ones of a plain group."""
    row = groups.head[h]
    left = groups.size[h] - k
    if left == 0:
        groups.count[h, :] = 0
    groups.size[h] = left
    for _ in range(k):
        following = groups.next_row[row]
        put(groups, row, g)
        row = following
    groups.head[h] = row
