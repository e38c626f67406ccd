"""Rows that found no group from below are settled in the groups there are; groups that lose much are dissolved."""

from __future__ import annotations

import numpy as np
from numba import njit

from sordino.protect.kernels.cells import is_plain, loss, meet, put, take_in


@njit(cache=True, nogil=True)
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
    if spare > 0:
        g = groups.total[0]
        groups.total[0] += 1
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
    first = groups.total[0]
    while True:
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
    for i in range(n):
        put(groups, core[i], first + i % piles)
    groups.total[0] = first + piles


@njit(cache=True, nogil=True)
def best_home(groups, row, barred, limit):  # type: ignore[no-untyped-def]
    """The group that this row joins at least cost (below `limit`), and how many rows of it are needed; -1 if none.

    A plain group gives as many rows as the row needs around it, or all it has; of any other group all rows are needed.
    """
    s = groups.sort[row]
    low, high = groups.flag_ptr[s], groups.flag_ptr[s + 1]
    around = np.int64(0)
    for f in range(low, high):
        t = groups.flags[f]
        around = max(around, -((-groups.den[t]) // groups.num[t]) - 1)
    best, best_rows = -1, np.int64(0)
    for h in range(groups.total[0]):
        k = groups.size[h]
        if k == 0 or h == barred:
            continue
        if k >= around and is_plain(groups, h):
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
    return best, best_rows, limit


@njit(cache=True, nogil=True)
def settle(groups, row):  # type: ignore[no-untyped-def]
    """Puts a row into the group that costs least, or into a group of its own that takes in others until it is safe.

    False, and nothing done, if no group brings it nearer to safety.
    """
    h, k, _ = best_home(groups, row, -1, np.inf)
    if h >= 0 and k == groups.size[h]:
        put(groups, row, h)
        return True
    g = groups.total[0]
    if h < 0:
        return False
    groups.total[0] += 1
    groups.size[g] = 0
    groups.count[g, :] = 0
    put(groups, row, g)
    take_in(groups, g, h, k)
    return True


@njit(cache=True, nogil=True)
def dissolve(groups, order):  # type: ignore[no-untyped-def]
    """Dissolves the groups in `order` whose rows lose less elsewhere, one row a group; returns how many went."""
    gone = 0
    home = np.empty(64, dtype=np.int64)
    part = np.empty(64, dtype=np.int64)
    for g in order:
        if groups.size[g] == 0 or groups.size[g] > 64 or is_plain(groups, g):
            continue
        limit = loss(groups, g)
        row = groups.head[g]
        n = 0
        while row >= 0 and limit > 0:
            h, k, cost = best_home(groups, row, g, limit)
            for i in range(n):
                if home[i] == h:
                    h = -1
            if h < 0:
                break
            home[n], part[n] = h, k
            n += 1
            limit -= cost
            row = groups.next_row[row]
        if row >= 0 or n < groups.size[g]:
            continue
        row = groups.head[g]
        groups.size[g] = 0
        groups.count[g, :] = 0
        for i in range(n):
            following = groups.next_row[row]
            if part[i] == groups.size[home[i]]:
                put(groups, row, home[i])
            else:
                new = groups.total[0]
                groups.total[0] += 1
                groups.size[new] = 0
                groups.count[new, :] = 0
                put(groups, row, new)
                take_in(groups, new, home[i], part[i])
            row = following
        gone += 1
    return gone
