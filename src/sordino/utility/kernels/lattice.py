"""The sets of items about which prices are asked (docs/notes/bound.md): a number for each, and the rules among them.

A *unit* is a class of short records: up to MOST items, ranks ascending. Its parts are bit masks. A set that is inside a
part which some unit may show is a *node*; nodes are found as paths of a tree, each by its prefix and its last item.
Node 0 is the empty set, and stands for "no node" as well.
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
from sordino.utility.kernels.around import Unit, reach_of
from sordino.utility.kernels.possible import needs_of, part_is_possible, project

MOST = 12  # items of a unit, at most

# Unit k is items[ptr[k]:ptr[k + 1]], of a record of class of[k]; parts of fewer than least[k] items are not looked at.
# state[at[k] + w] tells of part w: IMPOSSIBLE, OPEN, or LISTED; of the empty one UNKNOWN if nothing was found out
Units = namedtuple("Units", "ptr items of least at state")
# table of (prefix, item): keys, values; by node: its rarest sensitive item, or NONE; by rule: source, target, about;
# how many nodes and rules
Nodes = namedtuple("Nodes", "keys values rarest source target about size")
IMPOSSIBLE, OPEN, LISTED, UNKNOWN = 0, 1, 2, 3
NONE = -1


@kernel
def parts_of_units(lo, hi, units, index, by_length, asked, room, stop):  # type: ignore[no-untyped-def]
    """Tells of the parts of the units in lo..hi whether they can be shown; LISTED if they matter for the rules.

    These are possible, have something sensitive, and least[k] items. A unit for which more than `effort` postings would
    be read remains UNKNOWN.
    """
    need = np.zeros(MOST, dtype=np.int64)
    for k in range(lo, hi):
        if raised(stop):
            break
        start = units.ptr[k]
        n = units.ptr[k + 1] - start
        unit = Unit(units.items, start, n, np.int64(units.of[k]), k)
        state = units.state[units.at[k] : units.at[k + 1]]
        share = np.int64(max(1, min(units.least[k] - 1, asked.known)))
        if reach_of(unit, share, index) > asked.effort:
            state[0] = UNKNOWN
            continue
        secret = needs_of(unit, asked, need)
        project(unit, share, index, by_length, room, stop)
        state[0] = OPEN
        for w in range(1, 1 << n):
            size = ones(np.uint64(w))
            if size <= share or part_is_possible(w, size, share, asked.known, n, need, room.support, state):
                state[w] = LISTED if w & secret and size >= units.least[k] else OPEN
            else:
                state[w] = IMPOSSIBLE


@inner
def mark_inside(state, n, mark):  # type: ignore[no-untyped-def]
    """mark[w]: whether w is inside a part that is listed."""
    for w in range(1 << n):
        mark[w] = state[w] == LISTED
    unite_supersets(mark, n)


@kernel
def number_nodes(units, sensitive, known, room, stop):  # type: ignore[no-untyped-def]
    """The nodes: all sets of up to known + 1 items inside parts that are listed; once there are `room`, no more."""
    width = len(sensitive)
    keys, values = np.full(1 << 16, -1, dtype=np.int64), np.empty(1 << 16, dtype=np.int32)
    rarest = np.empty(1 << 14, dtype=np.int32)
    source, target = np.empty(1 << 14, dtype=np.int32), np.empty(1 << 14, dtype=np.int32)
    about = np.empty(1 << 14, dtype=np.int32)
    rarest[0] = NONE
    nodes, rules = np.int64(1), np.int64(0)
    mark, node = np.zeros(1 << MOST, dtype=np.uint8), np.zeros(1 << MOST, dtype=np.int32)
    for k in range(len(units.of)):
        if raised(stop) or nodes > room:
            break
        start = units.ptr[k]
        n = units.ptr[k + 1] - start
        mark_inside(units.state[units.at[k] : units.at[k + 1]], n, mark)
        top = 0
        for w in range(1, 1 << n):
            if w >> (top + 1):
                top += 1
            if not mark[w] or ones(np.uint64(w)) > known + 1:
                continue
            key = np.int64(node[w ^ (1 << top)]) * width + units.items[start + top]
            at = place_of(keys, key)
            if keys[at] != -1:
                node[w] = values[at]
                continue
            if nodes == len(rarest):
                rarest = grown(rarest, nodes)
            keys[at], values[at], node[w] = key, nodes, nodes
            above, x = rarest[node[w ^ (1 << top)]], units.items[start + top]
            rarest[nodes] = x if above == NONE and sensitive[x] else above
            if rules + n > len(source):
                source, target, about = grown(source, rules + n), grown(target, rules + n), grown(about, rules + n)
            for j in range(n):
                e = units.items[start + j]
                if w >> j & 1 and w ^ (1 << j) and sensitive[e]:
                    source[rules], target[rules], about[rules] = node[w ^ (1 << j)], nodes, e
                    rules += 1
            nodes += 1
            if 2 * nodes > len(keys):
                keys, values = doubled(keys, values)
    return Nodes(keys, values, rarest, source, target, about, np.array([nodes, rules]))


@kernel
def nodes_of_units(units, weight, nodes, width, node, able, stop):  # type: ignore[no-untyped-def]
    """node[at[k] + w]: the node of part w of unit k, 0 if there is none. Adds to able[q] how many may show q."""
    mark = np.zeros(1 << MOST, dtype=np.uint8)
    for k in range(len(units.of)):
        if raised(stop):
            break
        start, base = units.ptr[k], units.at[k]
        n = units.ptr[k + 1] - start
        for w in range(1 << n):
            mark[w] = units.state[base + w] != IMPOSSIBLE
        unite_supersets(mark, n)
        node[base] = 0
        top = 0
        for w in range(1, 1 << n):
            if w >> (top + 1):
                top += 1
            above = node[base + (w ^ (1 << top))]
            node[base + w] = 0
            if above > 0 or w == 1 << top:
                place = place_of(nodes.keys, np.int64(above) * width + units.items[start + top])
                if nodes.keys[place] != -1:
                    node[base + w] = nodes.values[place]
                    if mark[w]:
                        able[nodes.values[place]] += weight[units.of[k]]


@inner
def append_inside(nodes, width, row, found, count):  # type: ignore[no-untyped-def]
    """The nodes inside a row, behind the first `count` that were found; and how many there are then."""
    stack, after = np.empty(1 << 6, dtype=np.int64), np.empty(1 << 6, dtype=np.int64)
    depth = 1
    stack[0] = after[0] = 0
    while depth > 0:
        depth -= 1
        q, first = stack[depth], after[depth]
        if depth + len(row) - first > len(stack):
            stack, after = grown(stack, depth + len(row) - first), grown(after, depth + len(row) - first)
        for p in range(first, len(row)):
            place = place_of(nodes.keys, q * width + row[p])
            if nodes.keys[place] == -1:
                continue
            if count == len(found):
                found = grown(found, count)
            found[count] = nodes.values[place]
            count += 1
            stack[depth], after[depth] = nodes.values[place], p + 1
            depth += 1
    return found, count


@kernel
def nodes_inside(nodes, width, row_ptr, row_items, stop):  # type: ignore[no-untyped-def]
    """The nodes inside each row: where those of a row begin, and the nodes."""
    begin = np.zeros(len(row_ptr), dtype=np.int64)
    found, count = np.empty(1 << 14, dtype=np.int32), np.int64(0)
    for row in range(len(row_ptr) - 1):
        begin[row] = count
        if not raised(stop):
            found, count = append_inside(nodes, width, row_items[row_ptr[row] : row_ptr[row + 1]], found, count)
    begin[-1] = count
    return begin, found[:count]


@kernel
def count_inside(nodes, width, row_ptr, row_items, weight, support, stop):  # type: ignore[no-untyped-def]
    """Adds the weight of each row to the support of the nodes inside it."""
    found = np.empty(1 << 14, dtype=np.int32)
    for row in range(len(row_ptr) - 1):
        if raised(stop):
            return
        inside = row_items[row_ptr[row] : row_ptr[row + 1]]
        found, count = append_inside(nodes, width, inside, found, np.int64(0))
        for k in range(count):
            support[found[k]] += weight[row]


@kernel
def most_with_secrets(classes, index, sensitive, demand, begin, stop):  # type: ignore[no-untyped-def]
    """How many items a record of each given class can show at most, if z of them are sensitive; -1 if that cannot be.

    That of class classes[k] and z stands at begin[k] + z. By sizes only, as in kernels/kept.py.
    """
    most = np.full(begin[-1], -1, dtype=np.int64)
    common = np.zeros((len(index.weight), 2), dtype=np.int32)
    touched = np.empty(len(index.weight), dtype=np.int32)
    for k in range(len(classes)):
        if raised(stop):
            break
        c = classes[k]
        secrets = begin[k + 1] - begin[k] - 1
        plain = index.ptr[c + 1] - index.ptr[c] - secrets
        need = np.zeros(secrets, dtype=np.int64)
        count = seen = 0
        for p in range(index.ptr[c], index.ptr[c + 1]):
            x = index.items[p]
            if sensitive[x]:
                need[seen] = demand[x]
                seen += 1
            for place in range(index.post_ptr[x], index.post_ptr[x + 1]):
                v = index.post[place]
                if common[v, 0] + common[v, 1] == 0:
                    touched[count] = v
                    count += 1
                common[v, 1 if sensitive[x] else 0] += 1
        need.sort()
        shared = np.zeros((secrets + 1, plain + 1), dtype=np.int64)  # how many others share so many of each sort
        for t in range(count):
            v = touched[t]
            shared[common[v, 1], common[v, 0]] += index.weight[v] - (1 if v == c else 0)
            common[v, 0] = common[v, 1] = 0
        most[begin[k]] = plain
        wanted = np.int64(0)
        for z in range(1, secrets + 1):
            wanted += need[z - 1]
            found = np.int64(0)
            for h in range(plain, 0, -1):
                for a in range(z - 1, secrets + 1):
                    found += shared[a, h]
                if found >= wanted:
                    most[begin[k] + z] = z + h
                    break
            if most[begin[k] + z] < 0:
                for a in range(max(z - 1, 1), secrets + 1):  # nothing harmless is shown
                    found += shared[a, 0]
                if found >= wanted or z == 1:
                    most[begin[k] + z] = z
    return most
