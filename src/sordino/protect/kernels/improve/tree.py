"""All sets of items that are tracked while published parts change, as a tree: each is its prefix and one more item.

Items are ranks, ascending on every path; node 0 is the empty set. A table of (prefix, item) finds nodes. Beside the
tree stand the rules among its nodes: the edge (q, q + e) for each sensitive e, if q is not empty. Where people chose
for themselves, these are only the rules that somebody asks about: `asks` has for each part w the bits of those e for
which w - e -> e is one. It is empty where all ask about the same items, `secret` in each unit.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.audit.kernels.growth import grown
from sordino.audit.kernels.supersets import unite_supersets
from sordino.engine.kernels.bits import ones
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.engine.kernels.lookup import doubled, place_of

# What moves: unit c has items[ptr[c]:ptr[c + 1]], ranks ascending; bits of `secret`: those that anybody may ask about
Units = namedtuple("Units", "ptr items secret")
# keys, values: the table, empty where a key is -1; parent, item: by node; source, target, about: by edge;
# size: how many nodes and edges there are
FOUND = 1 << 30
Tree = namedtuple("Tree", "keys values parent item source target about size")


@inner
def mark_inner(found, lo, hi, n, mark):  # type: ignore[no-untyped-def]
    """mark[w]: whether w is inside one of the parts found[lo:hi] of n items."""
    for w in range(1 << n):
        mark[w] = 0
    for p in range(lo, hi):
        mark[found[p]] = 1
    unite_supersets(mark, n)


@inner
def asked_about(units, asks, begin, found, c, ask):  # type: ignore[no-untyped-def]
    """ask[w]: the items e of the part w of unit c for which w - e -> e is asked about, for all w inside those found."""
    if len(asks):
        for p in range(begin[c], begin[c + 1]):
            ask[found[p]] = asks[p]
        return
    for w in range(1 << (units.ptr[c + 1] - units.ptr[c])):
        ask[w] = w & units.secret[c] if w & (w - 1) else 0


@kernel
def plant(units, width, begin, found, asks, known, most, room, moving, stop):  # type: ignore[no-untyped-def]
    """The tree of all sets of up to known + 1 items inside parts found[begin[c]:begin[c + 1]] of `moving` units c.

    `most` items has the longest of these. Once there are more than `room` nodes, further units stop moving.
    """
    ptr, items = units.ptr, units.items
    keys, values = np.full(1 << 16, -1, dtype=np.int64), np.empty(1 << 16, dtype=np.int32)
    parent, item = np.empty(1 << 14, dtype=np.int32), np.empty(1 << 14, dtype=np.int32)
    source, target = np.empty(1 << 14, dtype=np.int32), np.empty(1 << 14, dtype=np.int32)
    about = np.empty(1 << 14, dtype=np.int32)
    parent[0], item[0] = -1, -1
    nodes, edges = np.int64(1), np.int64(0)
    mark, node = np.zeros(1 << most, dtype=np.uint8), np.zeros(1 << most, dtype=np.int32)
    ask = np.zeros(1 << most, dtype=np.int32)
    for c in range(len(ptr) - 1):
        if not moving[c]:
            continue
        if nodes > room or raised(stop):
            moving[c] = False
            continue
        start = ptr[c]
        n = ptr[c + 1] - start
        mark_inner(found, begin[c], begin[c + 1], n, mark)
        asked_about(units, asks, begin, found, c, ask)
        top = 0
        for w in range(1, 1 << n):
            if w >> (top + 1):
                top += 1
            if not mark[w] or ones(np.uint64(w)) > known + 1:
                continue
            above = node[w ^ (1 << top)]
            key = np.int64(above) * width + items[start + top]
            at = place_of(keys, key)
            if keys[at] != -1:
                node[w] = values[at]
                continue
            if nodes == len(parent):
                parent, item = grown(parent, nodes), grown(item, nodes)
            keys[at], values[at], node[w] = key, nodes, nodes
            parent[nodes], item[nodes] = above, items[start + top]
            if edges + n > len(source):
                source, target, about = grown(source, edges + n), grown(target, edges + n), grown(about, edges + n)
            for k in range(n):
                if ask[w] >> k & 1:
                    source[edges], target[edges], about[edges] = node[w ^ (1 << k)], nodes, items[start + k]
                    edges += 1
            nodes += 1
            if 2 * nodes > len(keys):
                keys, values = doubled(keys, values)
    return Tree(keys, values, parent, item, source, target, about, np.array([nodes, edges]))


@kernel
def add_paths(tree, sensitive, row_ptr, row_items, stop):  # type: ignore[no-untyped-def]
    """The tree with the given sets, and each of them without one sensitive item; and the rules between these."""
    keys, values, parent, item = tree.keys, tree.values, tree.parent, tree.item
    source, target, about = tree.source, tree.target, tree.about
    nodes, edges = tree.size[0], tree.size[1]
    width = len(sensitive)
    for row in range(len(row_ptr) - 1):
        if raised(stop):
            break
        lo, hi = row_ptr[row], row_ptr[row + 1]
        whole = np.int64(0)
        for without in range(lo - 1, hi):
            if without >= lo and not sensitive[row_items[without]]:
                continue
            here = np.int64(0)
            for p in range(lo, hi):
                if p == without:
                    continue
                key = here * width + row_items[p]
                at = place_of(keys, key)
                if keys[at] != -1:
                    here = np.int64(values[at])
                    continue
                if nodes == len(parent):
                    parent, item = grown(parent, nodes), grown(item, nodes)
                keys[at], values[at] = key, nodes
                parent[nodes], item[nodes] = here, row_items[p]
                here = nodes
                nodes += 1
                if 2 * nodes > len(keys):
                    keys, values = doubled(keys, values)
            if without < lo:
                whole = here
            elif here > 0:
                if edges == len(source):
                    source, target, about = grown(source, edges), grown(target, edges), grown(about, edges)
                source[edges], target[edges], about[edges] = here, whole, row_items[without]
                edges += 1
    return Tree(keys, values, parent, item, source, target, about, np.array([nodes, edges]))


@inner
def last_of(part):  # type: ignore[no-untyped-def]
    """The number after the last of those that have all bits of the part, and others only below its lowest."""
    w = part & ~FOUND
    return w + (w & -w)


@kernel
def inner_nodes(units, width, tree, begin, found, asks, most, moving, stop):  # type: ignore[no-untyped-def]
    """For each moving unit c, its parts that are nodes: parts[begins[c]:begins[c + 1]] and their nodes, ascending.

    A part that is inside one of those found for the unit has the bit FOUND as well; then all that is inside it is
    there, too. What nobody can ask for (`plant`) is no node, and has node 0. Then: which items of the part are asked
    about, knowing the rest of it. And last: where those parts end that have all items of this one, and others only
    before its first.
    """
    ptr, items = units.ptr, units.items
    keys, values = tree.keys, tree.values
    begins = np.zeros(len(ptr), dtype=np.int64)
    parts, nodes = np.empty(1 << 14, dtype=np.int32), np.empty(1 << 14, dtype=np.int32)
    asked, ask = np.empty(1 << 14, dtype=np.int32), np.zeros(1 << most, dtype=np.int32)
    after = np.empty(1 << 14, dtype=np.int32)
    count = np.int64(0)
    mark, node = np.zeros(1 << most, dtype=np.uint8), np.zeros(1 << most, dtype=np.int32)
    open_ = np.empty(most + 1, dtype=np.int64)
    for c in range(len(ptr) - 1):
        begins[c] = count
        if not moving[c] or raised(stop):
            continue
        start = ptr[c]
        n = ptr[c + 1] - start
        mark_inner(found, begin[c], begin[c + 1], n, mark)
        asked_about(units, asks, begin, found, c, ask)
        top = depth = 0
        for w in range(1, 1 << n):
            if w >> (top + 1):
                top += 1
            above = node[w ^ (1 << top)]
            node[w] = -1
            if above >= 0:
                at = place_of(keys, np.int64(above) * width + items[start + top])
                if keys[at] != -1:
                    node[w] = values[at]
            if node[w] < 0 and not mark[w]:
                continue
            if count == len(parts):
                parts, nodes, asked = grown(parts, count), grown(nodes, count), grown(asked, count)
                after = grown(after, count)
            while depth > 0 and w >= last_of(parts[open_[depth - 1]]):
                depth -= 1
                after[open_[depth]] = count
            open_[depth] = count
            depth += 1
            parts[count] = w | FOUND if mark[w] else w
            nodes[count] = max(node[w], 0)
            asked[count] = ask[w] if mark[w] and node[w] > 0 else 0
            count += 1
        while depth > 0:
            depth -= 1
            after[open_[depth]] = count
    begins[-1] = count
    return begins, parts[:count], nodes[:count], asked[:count], after[:count]


@kernel
def add_rows(tree, width, kid_ptr, kids, row_ptr, row_items, support, stop):  # type: ignore[no-untyped-def]
    """Adds to the support of every node the rows that contain it. Node q's children are kids[kid_ptr[q]:...]."""
    keys, values, item = tree.keys, tree.values, tree.item
    held, place = np.full(width, -1, dtype=np.int64), np.zeros(width, dtype=np.int64)
    stack, after = np.empty(1 << 12, dtype=np.int64), np.empty(1 << 12, dtype=np.int64)
    for row in range(len(row_ptr) - 1):
        if raised(stop):
            return
        lo, hi = row_ptr[row], row_ptr[row + 1]
        for p in range(lo, hi):
            held[row_items[p]] = row
            place[row_items[p]] = p
        depth = 1
        stack[0], after[0] = 0, lo
        while depth > 0:
            depth -= 1
            q, begin = stack[depth], after[depth]
            support[q] += 1
            few = min(hi - begin, kid_ptr[q + 1] - kid_ptr[q])
            if depth + few > len(stack):
                stack, after = grown(stack, depth + few), grown(after, depth + few)
            if few < hi - begin:  # whichever is less to look at: the children, or the rest of the row
                for k in range(kid_ptr[q], kid_ptr[q + 1]):
                    x = item[kids[k]]
                    if held[x] == row:
                        stack[depth], after[depth] = kids[k], place[x] + 1
                        depth += 1
            else:
                for p in range(begin, hi):
                    at = place_of(keys, q * width + row_items[p])
                    if keys[at] != -1:
                        stack[depth], after[depth] = values[at], p + 1
                        depth += 1
