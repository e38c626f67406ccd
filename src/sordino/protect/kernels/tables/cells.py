"""Groups of rows that show the same, as they grow: their nodes, their sizes, what they hold."""

from __future__ import annotations

from typing import Any, NamedTuple

from sordino.engine.kernels.compiled import inner


class Groups(NamedTuple):
    """The groups of some rows. A group without rows is gone."""

    codes: Any  # [row, attribute]: the leaf
    sort: Any
    flag_ptr: Any
    flags: Any  # a row of sort s is in the templates flags[flag_ptr[s] : flag_ptr[s + 1]]
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
    plain: Any  # [group]: no row is in a template. All rows are alike then, and any of them can be taken out
    total: Any  # [number of groups]
    stop: Any  # the flag of the watch (engine/local.py)


@inner
def meet(parent, depth, x, y):  # type: ignore[no-untyped-def]
    """The lowest node above both."""
    while x != y:
        if depth[x] >= depth[y]:
            x = parent[x]
        else:
            y = parent[y]
    return x


@inner
def new_group(groups):  # type: ignore[no-untyped-def]
    """A group without rows."""
    g = groups.total[0]
    groups.total[0] += 1
    groups.size[g] = 0
    groups.head[g] = -1
    groups.plain[g] = True
    return g


@inner
def put(groups, row, g):  # type: ignore[no-untyped-def]
    """Adds a row to a group."""
    for a in range(groups.codes.shape[1]):
        x = groups.codes[row, a]
        groups.node[g, a] = x if groups.size[g] == 0 else meet(groups.parent, groups.depth, groups.node[g, a], x)
    s = groups.sort[row]
    for f in range(groups.flag_ptr[s], groups.flag_ptr[s + 1]):
        groups.count[g, groups.flags[f]] += 1
        groups.plain[g] = False
    groups.next_row[row] = groups.head[g]
    groups.head[g] = row
    groups.of[row] = g
    groups.size[g] += 1


@inner
def take_in(groups, g, h, k):  # type: ignore[no-untyped-def]
    """Moves k rows of h to g: all, or the first ones of a plain group."""
    row = groups.head[h]
    groups.size[h] -= k
    if groups.size[h] == 0:
        for t in range(len(groups.num)):
            groups.count[h, t] = 0
    for _ in range(k):
        following = groups.next_row[row]
        put(groups, row, g)
        row = following
    groups.head[h] = row
