"""A second chance for records that lost something: the table has changed since, and another part may now be kept.

Records were settled one after the other, the longest first, while the others were still to lose items. Now that all
have, the best part of a record, with everyone else as they are, may be a larger one, and not only the old part with
something added. Nothing is promised here: whoever relied on what changes is queued again, and the caller audits.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sordino.protect.kernels.ledger import (
    ABOUT,
    BACK,
    GONE,
    NEXT_BY,
    WATCHER,
    delete,
    end_watch,
    end_watches,
    enqueue,
    resign,
)
from sordino.protect.kernels.look import need


@njit(cache=True, nogil=True)
def best_again(g, u, n, stamp, mask, touched, sup):  # type: ignore[no-untyped-def]
    """The largest part of record u as it was, its first n places, that is safe at its leaves as things stand now."""
    post, post_ptr = g.post, g.post_ptr
    items = g.items
    sensitive, num, den = g.sensitive, g.num, g.den
    base = g.ptr[u]
    m = 0
    for k in range(n):
        x = items[base + k]
        for p in range(post_ptr[x], post_ptr[x + 1]):
            v = post[p]
            if v < 0 or v == u:
                continue
            if stamp[v] != u:
                stamp[v] = u
                mask[v] = 0
                touched[m] = v
                m += 1
            mask[v] |= 1 << k
    full = 1 << n
    sup[:full] = 0
    sup[full - 1] = 1
    for j in range(m):
        v = touched[j]
        sup[mask[v]] += 1
        stamp[v] = -1
    for k in range(n):
        sup[1 << k] += g.alone[items[base + k]]
    for k in range(n):
        bit = 1 << k
        for w in range(full):
            if not w & bit:
                sup[w] += sup[w | bit]
    best = 0
    best_size = g.length[u]
    for w in range(1, full):
        size = 0
        for k in range(n):
            size += w >> k & 1
        if size <= best_size:
            continue
        safe = True
        for k in range(n):
            if w >> k & 1:
                e = items[base + k]
                if sensitive[e] and sup[w & ~(1 << k)] - sup[w] < need(num[e], den[e], sup[w]):
                    safe = False
                    break
        if safe:
            best = w
            best_size = size
    return best


@njit(cache=True, nogil=True)
def restore(g, u, at):  # type: ignore[no-untyped-def]
    """Puts back the deleted item that lies at place `at`, behind record u; who relied on its absence is queued."""
    t = g.items[at]
    place = g.slot[at]
    end = g.ptr[u] + g.length[u]
    # the item that lay first behind the record goes where this one was
    g.items[at] = g.items[end]
    g.slot[at] = g.slot[end]
    k = end
    while k > g.ptr[u] and g.items[k - 1] > t:
        g.items[k] = g.items[k - 1]
        g.slot[k] = g.slot[k - 1]
        k -= 1
    g.items[k] = t
    g.slot[k] = place
    g.length[u] += 1
    g.post[place] = u
    resign(g, u)
    end_watches(g, u)
    w = g.head[u, 1]
    while w >= 0:
        after = g.watch[w, NEXT_BY]
        if g.watch[w, ABOUT] == t:
            watcher = g.watch[w, WATCHER]
            end_watch(g, w)
            enqueue(g, watcher)
        w = after
    g.support[t] += 1
    g.gone[g.tally[GONE], 0] = u
    g.gone[g.tally[GONE], 1] = -1 - t
    g.tally[GONE] += 1
    g.tally[BACK] += 1


@njit(cache=True, nogil=True)
def revive(g, records, most, effort):  # type: ignore[no-untyped-def]
    """Gives each of the records, if it had at most `most` items, its best part; returns how many changed."""
    stamp = np.full(len(g.length), -1, dtype=np.int64)
    mask = np.zeros(len(g.length), dtype=np.int64)
    touched = np.zeros(len(g.length), dtype=np.int64)
    sup = np.zeros(1 << most, dtype=np.int64)
    wanted = np.zeros(most, dtype=np.int32)
    changed = 0
    for u in records:
        base = g.ptr[u]
        n = g.ptr[u + 1] - base
        if g.length[u] == n or n > most:
            continue
        if g.tally[GONE] + 2 * n + len(g.items) > len(g.gone):  # all that is left must find room as well
            break
        reach = 0
        for at in range(base, base + n):
            reach += g.post_ptr[g.items[at] + 1] - g.post_ptr[g.items[at]]
        if reach > effort:
            continue
        best = best_again(g, u, n, stamp, mask, touched, sup)
        if best == 0:
            continue
        changed += 1
        count = 0
        for k in range(n):
            if best >> k & 1:
                wanted[count] = g.items[base + k]
                count += 1
        # first out, then in: nobody may rely on what never stands together
        for at in range(base + g.length[u] - 1, base - 1, -1):
            keep = False
            for k in range(count):
                keep |= wanted[k] == g.items[at]
            if not keep:
                delete(g, u, at)
        for k in range(count):
            for at in range(base + g.length[u], base + n):
                if g.items[at] == wanted[k]:
                    restore(g, u, at)
                    break
        enqueue(g, u)
    return changed
