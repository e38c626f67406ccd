"""Negative rules X => not s, depth first over conjunctions X of nodes (LI, section IV; model.md 2.2).

The rows of X are kept with their weights; adding a node of a later attribute takes those of its values out of them. A
sensitive value stays *open* below X while a rule about it may still be found there: X has support enough for it, and
no rule about it was found at X. Support only falls on the way down, so a branch without an open value ends.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised

# The nodes of attribute j are attr_ptr[j] .. attr_ptr[j + 1]; node v has the values node_value[node_ptr[v] :
# node_ptr[v + 1]], each to the share node_share / unit[j] (whole where unit[j] is 1).
NodeTables = namedtuple("NodeTables", "attr_ptr node_ptr node_value node_share unit")


@inner
def _sort_by_value(d, rows, size, columns, j, start, order):  # type: ignore[no-untyped-def]
    """Counting sort of the rows at depth d by their value of attribute j.

    The places of those of value v are order[d, start[d, v] : start[d, v + 1]].
    """
    values = start.shape[1] - 1
    for v in range(values + 1):
        start[d, v] = 0
    for p in range(size):
        start[d, columns[j, rows[d, p]] + 1] += 1
    for v in range(values):
        start[d, v + 1] += start[d, v]
    for p in range(size):
        v = columns[j, rows[d, p]]
        order[d, start[d, v]] = p
        start[d, v] += 1
    for v in range(values, 0, -1):
        start[d, v] = start[d, v - 1]
    start[d, 0] = 0


@inner
def _wider(table, least):  # type: ignore[no-untyped-def]
    bigger = np.empty((2 * least, table.shape[1]), dtype=table.dtype)
    for i in range(table.shape[0]):
        for k in range(table.shape[1]):
            bigger[i, k] = table[i, k]
    return bigger


@kernel
def find_rules(  # type: ignore[no-untyped-def]
    columns, sensitive, weight, trees, need, doubt_num, doubt_den, longest, keep_open, root_lo, root_hi, stop
):
    """The rules whose first node (in the order of the attributes) is one of root_lo .. root_hi.

    columns[j, r] is the value of attribute j in row r, sensitive[r] its sensitive value, weight[r] its weight in units
    of support. A rule needs support need[s] and at most doubt_num / doubt_den of X with s. `keep_open` goes on below a
    rule that was found. Returned, a row a rule: s, support of X, support of X with s, length; and its nodes, ascending,
    -1 after the last; and how many rows count. Ends early once the flag `stop` is up.

    Long: one walk through a tree whose steps share all arrays; as functions they would be compiled with them again.
    """
    attr_ptr, node_ptr, node_value = trees.attr_ptr, trees.node_ptr, trees.node_value
    node_share, unit = trees.node_share, trees.unit
    attributes, total_rows = columns.shape
    values = 1
    for j in range(attributes):
        for r in range(total_rows):
            values = max(values, columns[j, r] + 1)
    for k in range(len(node_value)):
        values = max(values, node_value[k] + 1)
    depth_max = min(attributes, longest)
    rows = np.empty((depth_max + 1, total_rows), dtype=np.int32)
    share = np.empty((depth_max + 1, total_rows), dtype=np.int64)
    order = np.empty((depth_max + 1, total_rows), dtype=np.int32)
    start = np.zeros((depth_max + 1, values + 1), dtype=np.int64)
    size = np.zeros(depth_max + 1, dtype=np.int64)
    attr = np.zeros(depth_max + 1, dtype=np.int64)
    node = np.zeros(depth_max + 1, dtype=np.int64)
    chosen = np.full(attributes + 1, -1, dtype=np.int32)
    opened = np.empty((depth_max + 1, len(need)), dtype=np.int64)
    open_count = np.zeros(depth_max + 1, dtype=np.int64)
    counts = np.zeros(len(need), dtype=np.int64)
    facts = np.empty((64, 4), dtype=np.int64)
    nodes = np.empty((64, attributes), dtype=np.int32)
    found = np.int64(0)
    for r in range(total_rows):
        rows[0, r] = r
        share[0, r] = weight[r]
    size[0] = total_rows
    for s in range(len(need)):
        opened[0, s] = s
    open_count[0] = len(need)
    d = np.int64(0)
    attr[0] = 0
    while attr_ptr[attr[0] + 1] <= root_lo:
        attr[0] += 1
    node[0] = root_lo
    _sort_by_value(d, rows, size[0], columns, attr[0], start, order)
    while d >= 0 and not raised(stop):
        if d == 0 and node[0] >= root_hi:
            break
        if node[d] == attr_ptr[attr[d] + 1]:
            attr[d] += 1
            if attr[d] == attributes:
                d -= 1
            else:
                _sort_by_value(d, rows, size[d], columns, attr[d], start, order)
            continue
        v = node[d]
        node[d] += 1
        one = unit[attr[d]]
        support = 0
        for k in range(node_ptr[v], node_ptr[v + 1]):
            for p in range(start[d, node_value[k]], start[d, node_value[k] + 1]):
                part = share[d, order[d, p]]
                support += part if one == 1 else part // one * node_share[k]
        possible = False
        for k in range(open_count[d]):
            possible |= support >= need[opened[d, k]]
        if not possible:
            continue
        deeper = d + 1 < depth_max and attr[d] + 1 < attributes
        held = 0
        for k in range(node_ptr[v], node_ptr[v + 1]):
            for p in range(start[d, node_value[k]], start[d, node_value[k] + 1]):
                place = order[d, p]
                part = share[d, place]
                if one > 1:
                    part = part // one * node_share[k]
                counts[sensitive[rows[d, place]]] += part
                rows[d + 1, held] = rows[d, place]
                share[d + 1, held] = part
                held += 1
        chosen[d] = v
        still = 0
        for k in range(open_count[d]):
            s = opened[d, k]
            if support < need[s]:
                continue
            if counts[s] * doubt_den <= support * doubt_num:
                if found == len(facts):
                    facts = _wider(facts, found)
                    nodes = _wider(nodes, found)
                facts[found, 0] = s
                facts[found, 1] = support
                facts[found, 2] = counts[s]
                facts[found, 3] = d + 1
                for a in range(attributes):
                    nodes[found, a] = chosen[a] if a <= d else -1
                found += 1
                if not keep_open:
                    continue
            opened[d + 1, still] = s
            still += 1
        for p in range(held):
            counts[sensitive[rows[d + 1, p]]] = 0
        if still > 0 and deeper:
            size[d + 1] = held
            open_count[d + 1] = still
            attr[d + 1] = attr[d] + 1
            d += 1
            node[d] = attr_ptr[attr[d]]
            _sort_by_value(d, rows, size[d], columns, attr[d], start, order)
    return facts, nodes, found


@inner
def _is_there(table, nodes, key, want, length, hashed):  # type: ignore[no-untyped-def]
    """Whether the rule with exactly the first `length` nodes of `want` is in the table (open addressing)."""
    mask = len(table) - 1
    at = hashed & mask
    while table[at] >= 0:
        other = table[at]
        if key[other] == length:
            same = True
            for k in range(length):
                same &= nodes[other, k] == want[k]
            if same:
                return True
        at = (at + 1) & mask
    return False


@kernel
def implied(nodes, length, above, code, table, stop):  # type: ignore[no-untyped-def]
    """For each of the rules about one sensitive value: whether another one is more general.

    nodes[i, :length[i]] are the nodes of rule i, above[v] the parent of node v (-1: none below the root), code[v] a
    random number below 2^62; `table` is of a power of two, more than twice the rules, filled with -1. A rule is more
    general if each of its nodes is one of the other's or above it. All generalizations of a rule are looked up; where
    there are more of them than rules, the rules are gone through instead. Ends early once the flag `stop` is up.
    """
    count = len(nodes)
    mask = len(table) - 1
    for i in range(count):
        hashed = 0
        for k in range(length[i]):
            hashed ^= code[nodes[i, k]]
        at = hashed & mask
        while table[at] >= 0:
            at = (at + 1) & mask
        table[at] = i
    dropped = np.zeros(count, dtype=np.bool_)
    now = np.empty(nodes.shape[1], dtype=np.int32)
    packed = np.empty(nodes.shape[1], dtype=np.int32)
    for i in range(count):
        if raised(stop):
            break
        n = length[i]
        ways = 1
        for k in range(n):
            up = nodes[i, k]
            height = 1
            while up >= 0:
                up = above[up]
                height += 1
            ways = min(ways * height, 1 << 40)
        if ways > 8 * count:
            for other in range(count):
                if other == i or length[other] > n:
                    continue
                covered = 0
                for a in range(length[other]):
                    hit = False
                    for k in range(n):
                        up = nodes[i, k]
                        while up >= 0 and not hit:
                            hit = up == nodes[other, a]
                            up = above[up]
                    covered += hit
                if covered == length[other]:
                    dropped[i] = True
                    break
            continue
        for k in range(n):
            now[k] = nodes[i, k]
        while not dropped[i]:
            k = 0  # the next generalization: an odometer whose wheels climb to the root and start again
            while k < n and now[k] < 0:
                now[k] = nodes[i, k]
                k += 1
            if k == n:
                break
            now[k] = above[now[k]]
            sought = np.int64(0)
            held = np.int64(0)
            for a in range(n):
                if now[a] >= 0:
                    sought ^= code[now[a]]
                    packed[held] = now[a]
                    held += 1
            if held > 0:
                dropped[i] = _is_there(table, nodes, length, packed, held, sought)
    return dropped
