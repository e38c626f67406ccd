"""Safe groups made as small as possible, and the rows that found no group from below put into them."""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.tables.cells import meet, new_group, put, take_in


@inner
def deal(groups, kinds, many, most):  # type: ignore[no-untyped-def]
    """Makes groups of rows (many[i] of kinds[i], by sort) that are safe together: plain rows that can be spared, and up
    to `most` piles.

    Row i of the others goes to pile i modulo the number of piles, so that equal rows part; piles are counted, and fewer
    are tried until all are safe.
    """
    width = len(groups.num)
    count = np.zeros(width, dtype=np.int64)
    bare = np.int64(0)
    rows = np.int64(0)
    for i in range(len(kinds)):
        s = groups.sort[kinds[i]]
        rows += many[i]
        if groups.flag_ptr[s] == groups.flag_ptr[s + 1]:
            bare += many[i]
        for f in range(groups.flag_ptr[s], groups.flag_ptr[s + 1]):
            count[groups.flags[f]] += many[i]
    need = np.int64(0)
    for t in range(width):
        need = max(need, -((-count[t] * groups.den[t]) // groups.num[t]))
    spare = min(bare, rows - need)
    n = rows - spare
    core = many.copy()
    if spare > 0:
        g = new_group(groups)
        for i in range(len(kinds)):
            s = groups.sort[kinds[i]]
            if spare > 0 and groups.flag_ptr[s] == groups.flag_ptr[s + 1]:
                given = min(spare, core[i])
                put(groups, kinds[i], given, g)
                core[i] -= given
                spare -= given
    if n == 0:
        return
    piles = min(np.int64(most), n)
    while piles > 1:  # one pile is safe, because the rows are
        held = np.zeros((piles, width), dtype=np.int64)
        at = np.int64(0)
        for i in range(len(kinds)):
            s = groups.sort[kinds[i]]
            for f in range(groups.flag_ptr[s], groups.flag_ptr[s + 1]):
                for j in range(piles):
                    held[j, groups.flags[f]] += dealt(at + core[i], j, piles) - dealt(at, j, piles)
            at += core[i]
        safe = True
        for j in range(piles):
            size = n // piles + (j < n % piles)
            for t in range(width):
                if held[j, t] * groups.den[t] > groups.num[t] * size:
                    safe = False
        if safe:
            break
        piles -= 1
    first = groups.total[0]
    for _ in range(piles):
        new_group(groups)
    at = np.int64(0)
    for i in range(len(kinds)):
        for j in range(piles):
            given = dealt(at + core[i], j, piles) - dealt(at, j, piles)
            if given > 0:
                put(groups, kinds[i], given, first + j)
        at += core[i]


@inner
def dealt(rows, pile, piles):  # type: ignore[no-untyped-def]
    """How many of the first so many rows go to this pile, if row i goes to pile i modulo their number."""
    return (rows + piles - 1 - pile) // piles


@kernel
def deal_all(groups, kinds, many, bounds, most):  # type: ignore[no-untyped-def]
    """Deals each part of the rows: many[i] of kinds[i], for i from bounds[k] to bounds[k + 1]."""
    stop = groups.stop
    for k in range(len(bounds) - 1):
        if raised(stop):
            return
        deal(groups, kinds[bounds[k] : bounds[k + 1]], many[bounds[k] : bounds[k + 1]], most)


@inner
def best_home(groups, kind):  # type: ignore[no-untyped-def]
    """The group that a row of this kind joins at least cost, and how many rows of it are needed; -1 if none.

    A plain group gives as many rows as the row needs around it, or all it has; of any other group all rows are needed.
    """
    s = groups.sort[kind]
    low, high = groups.flag_ptr[s], groups.flag_ptr[s + 1]
    around = np.int64(0)
    for f in range(low, high):
        t = groups.flags[f]
        around = max(around, -((-groups.den[t]) // groups.num[t]) - 1)
    best, best_rows, limit = -1, np.int64(0), np.inf
    for h in range(groups.total[0]):
        k = groups.size[h]
        if k == 0:
            continue
        if k >= around and groups.plain[h]:
            k = around
        safe = True
        for f in range(low, high):
            t = groups.flags[f]
            if (groups.count[h, t] + 1) * groups.den[t] > groups.num[t] * (k + 1):
                safe = False
        if not safe:
            continue
        cost = 0.0
        for a in range(groups.codes.shape[1]):
            x, y = groups.codes[kind, a], groups.node[h, a]
            both = groups.cost[meet(groups.parent, groups.depth, x, y)] if x != y else groups.cost[x]
            cost += both + k * (both - groups.cost[y])
            if cost >= limit:
                break
        if cost < limit:
            best, best_rows, limit = h, k, cost
    return best, best_rows


@inner
def room_for(groups, kind, h):  # type: ignore[no-untyped-def]
    """How many rows of this kind a group can take and stay safe."""
    s = groups.sort[kind]
    room = np.int64(1) << 62
    for f in range(groups.flag_ptr[s], groups.flag_ptr[s + 1]):
        t = groups.flags[f]
        if groups.den[t] > groups.num[t]:
            free = groups.num[t] * groups.size[h] - groups.count[h, t] * groups.den[t]
            room = min(room, free // (groups.den[t] - groups.num[t]))
    return room


@kernel
def place_rest(groups, kinds, many, at):  # type: ignore[no-untyped-def]
    """Puts rows, many[i] of kinds[i], where each costs least; how many no group can take stays in `many`.

    Of a kind as many go the same way as that way is open for. Returns False if there is no room for more groups or
    lots: with more of it, this goes on at at[0].
    """
    while at[0] < len(kinds):
        kind, left = kinds[at[0]], many[at[0]]
        while left > 0:
            if raised(groups.stop):
                return True
            if groups.total[0] == len(groups.size) or groups.total[1] + 2 > len(groups.many):
                many[at[0]] = left
                return False
            h, k = best_home(groups, kind)
            if h < 0:
                break
            if k < groups.size[h]:
                given = left if k == 0 else min(left, groups.size[h] // k)
                g = new_group(groups)
                take_in(groups, g, h, given * k)
            else:
                given, g = min(left, room_for(groups, kind, h)), h
            put(groups, kind, given, g)
            left -= given
        many[at[0]] = left
        at[0] += 1
    return True
