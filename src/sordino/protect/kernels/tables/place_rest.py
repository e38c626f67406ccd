"""Safe groups made as small as possible, and the rows that found no group from below put into them."""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.tables.cells import meet, new_group, put, take_in


@inner
def deal(groups, rows, most):  # type: ignore[no-untyped-def]
    """Makes groups of rows (by sort) that are safe together: plain rows that can be spared, and up to `most` piles.

    Row i of the others goes to pile i modulo the number of piles, so that equal rows part; piles are counted, and fewer
    are tried until all are safe.
    """
    width = len(groups.num)
    count = np.zeros(width, dtype=np.int64)
    bare = 0
    for row in rows:
        s = groups.sort[row]
        bare += groups.flag_ptr[s] == groups.flag_ptr[s + 1]
        for f in range(groups.flag_ptr[s], groups.flag_ptr[s + 1]):
            count[groups.flags[f]] += 1
    need = 0
    for t in range(width):
        need = max(need, -((-count[t] * groups.den[t]) // groups.num[t]))
    spare = min(bare, len(rows) - need)
    core = np.empty(len(rows) - spare, dtype=rows.dtype)
    n = 0
    g = new_group(groups) if spare > 0 else 0
    for row in rows:
        s = groups.sort[row]
        if spare > 0 and groups.flag_ptr[s] == groups.flag_ptr[s + 1]:
            put(groups, row, g)
            spare -= 1
        else:
            core[n] = row
            n += 1
    if n == 0:
        return
    piles = min(most, n)
    while piles > 1:  # one pile is safe, because the rows are
        held = np.zeros((piles, width), dtype=np.int64)
        for i in range(n):
            s = groups.sort[core[i]]
            for f in range(groups.flag_ptr[s], groups.flag_ptr[s + 1]):
                held[i % piles, groups.flags[f]] += 1
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
    for i in range(n):
        put(groups, core[i], first + i % piles)


@kernel
def deal_all(groups, rows, bounds, most):  # type: ignore[no-untyped-def]
    """Deals each part of the rows, rows[bounds[k] : bounds[k + 1]]."""
    stop = groups.stop
    for k in range(len(bounds) - 1):
        if raised(stop):
            return
        deal(groups, rows[bounds[k] : bounds[k + 1]], most)


@inner
def best_home(groups, row):  # type: ignore[no-untyped-def]
    """The group that this row joins at least cost, and how many rows of it are needed; -1 if none.

    A plain group gives as many rows as the row needs around it, or all it has; of any other group all rows are needed.
    """
    s = groups.sort[row]
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
            x, y = groups.codes[row, a], groups.node[h, a]
            both = groups.cost[meet(groups.parent, groups.depth, x, y)] if x != y else groups.cost[x]
            cost += both + k * (both - groups.cost[y])
            if cost >= limit:
                break
        if cost < limit:
            best, best_rows, limit = h, k, cost
    return best, best_rows


@kernel
def place_rest(groups, rows):  # type: ignore[no-untyped-def]
    """Puts each row where it costs least; the rows that no group can take stay without one."""
    stop = groups.stop
    for row in rows:
        if raised(stop):
            return
        h, k = best_home(groups, row)
        if h >= 0:
            g = h
            if k < groups.size[h]:
                g = new_group(groups)
                take_in(groups, g, h, k)
            put(groups, row, g)
