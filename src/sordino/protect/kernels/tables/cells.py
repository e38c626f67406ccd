"""Groups of rows that show the same, as they grow: their nodes, their sizes, what they hold.

Rows that are alike (of one kind: the same leaves, and in the same templates) are not told apart: a group holds so many
of a kind.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sordino.engine.kernels.compiled import inner


class Groups(NamedTuple):
    """The groups of some rows. A group without rows is gone."""

    codes: Any  # [kind, attribute]: the leaf
    sort: Any  # [kind]
    flag_ptr: Any
    flags: Any  # a row of sort s is in the templates flags[flag_ptr[s] : flag_ptr[s + 1]]
    num: Any
    den: Any
    parent: Any  # of nodes
    depth: Any
    cost: Any  # what a cell that shows the node loses
    kind: Any  # [lot]: rows of this kind
    many: Any  # so many
    next_lot: Any  # of the same group, -1 at the end
    owner: Any  # the group of the lot
    head: Any  # [group]: its first lot
    size: Any  # its rows
    node: Any  # [group, attribute]: what it shows
    count: Any  # [group, template]
    plain: Any  # [group]: no row is in a template. Any of them can be taken out
    total: Any  # [number of groups, number of lots]
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
def put(groups, kind, many, g):  # type: ignore[no-untyped-def]
    """Adds so many rows of a kind to a group."""
    lot = groups.total[1]
    groups.total[1] += 1
    groups.kind[lot] = kind
    groups.many[lot] = many
    link(groups, lot, g)


@inner
def link(groups, lot, g):  # type: ignore[no-untyped-def]
    """Adds a lot that is in no group to a group."""
    kind, many = groups.kind[lot], groups.many[lot]
    for a in range(groups.codes.shape[1]):
        x = groups.codes[kind, a]
        groups.node[g, a] = x if groups.size[g] == 0 else meet(groups.parent, groups.depth, groups.node[g, a], x)
    s = groups.sort[kind]
    for f in range(groups.flag_ptr[s], groups.flag_ptr[s + 1]):
        groups.count[g, groups.flags[f]] += many
        groups.plain[g] = False
    groups.next_lot[lot] = groups.head[g]
    groups.head[g] = lot
    groups.owner[lot] = g
    groups.size[g] += many


@inner
def take_in(groups, g, h, rows):  # type: ignore[no-untyped-def]
    """Moves so many rows of h to g: all, or the first ones of a plain group. Makes one new lot at most."""
    lot = groups.head[h]
    groups.size[h] -= rows
    if groups.size[h] == 0:
        for t in range(len(groups.num)):
            groups.count[h, t] = 0
    while rows > 0:  # h has so many
        following = groups.next_lot[lot]
        if groups.many[lot] <= rows:
            rows -= groups.many[lot]
            link(groups, lot, g)
            lot = following
        else:
            groups.many[lot] -= rows
            put(groups, groups.kind[lot], rows, g)
            rows -= rows
    groups.head[h] = lot
