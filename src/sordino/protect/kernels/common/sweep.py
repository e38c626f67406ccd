"""Suppression against limited knowledge: every antecedent of at most m items is tried, and repaired where it
discloses.

This is the paper's rule (JIA 3.2) on our search: of e and the items of q, the type t with the least worth * N_s is
deleted from N_s records with q and e. A deletion may open what was safe before, so the caller sweeps until one sweep
deletes nothing: then every antecedent was seen safe in one and the same table.
"""

from __future__ import annotations

import numpy as np

from sordino.audit.kernels.growth import grown
from sordino.audit.kernels.holding import find_item, holds_all
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.common.ledger import GONE, delete


@inner
def worth(g, x, original, even):  # type: ignore[no-untyped-def]
    """How dear a deletion of item x is: the paper's leftover, or the dearer the less of x is left (even > 0). What must
    stay has a negative `original`."""
    if original[x] < 0:
        return 1e300
    left = g.support[x] / original[x]
    return (1.0 / max(left, 1e-9)) ** even if even > 0 else left


@inner
def repair(g, records, size, path, original, even, count, touched):  # type: ignore[no-untyped-def]
    """Makes path[:size] safe. Returns whether a longer one could matter: some record has a sensitive item beside it."""
    ptr, items, length, sensitive = g.ptr, g.items, g.length, g.sensitive
    num, den, stop = g.num, g.den, g.stop
    while not raised(stop):  # each turn deletes something: some record holds the path and e, and t is one of these
        total = np.int64(0)
        n = 0
        for u in records:
            if not holds_all(ptr, items, length, u, path, size):
                continue
            total += 1
            k = 0
            for at in range(ptr[u], ptr[u] + length[u]):
                x = items[at]
                if k < size and path[k] == x:
                    k += 1
                elif sensitive[x]:
                    if count[x] == 0:
                        touched[n] = x
                        n += 1
                    count[x] += 1
        if size == 1:
            total += g.alone[path[0]]
        worst = -1
        worst_over = np.int64(0)
        for k in range(n):
            e = touched[k]
            over = count[e] * den[e] - num[e] * total
            if over > 0 and (over > worst_over or (over == worst_over and e < worst)):
                worst, worst_over = e, over
            count[e] = 0
        if worst < 0:
            return n > 0
        e = worst
        t = e
        lose = -(-worst_over // den[e])
        least = worth(g, e, original, even) * lose
        for k in range(size):
            times = -(-worst_over // (den[e] - num[e]))
            price = worth(g, path[k], original, even) * times
            if price < least:
                t, lose, least = path[k], times, price
        for j in range(len(records) - 1, -1, -1):
            if lose == 0 or raised(stop):
                break
            u = records[j]
            if holds_all(ptr, items, length, u, path, size) and find_item(g, u, e) >= 0:
                delete(g, u, find_item(g, u, t))
                lose -= 1
    return False


@kernel
def sweep(g, roots, most, original, even):  # type: ignore[no-untyped-def]
    """Repairs all antecedents of at most `most` items whose rarest item is in `roots`. Returns how much it deleted.

    Long: one walk through a tree whose steps share all arrays; as functions they would be compiled with them again.
    """
    ptr, items, length = g.ptr, g.items, g.length
    post_ptr, post, stop = g.post_ptr, g.post, g.stop
    width = len(g.num)
    before = g.tally[GONE]
    count = np.zeros(width, dtype=np.int64)
    slot_of = np.zeros(width, dtype=np.int64)
    touched = np.zeros(width, dtype=np.int32)
    path = np.zeros(most + 1, dtype=np.int32)
    stack = np.empty(1024, dtype=np.int64)
    extension = np.empty(1024, dtype=np.int32)
    begins = np.empty(1024, dtype=np.int64)
    cursor = np.zeros(most + 2, dtype=np.int64)
    last = np.zeros(most + 2, dtype=np.int64)
    top = np.zeros(most + 2, dtype=np.int64)
    for root in roots:
        lo, hi = post_ptr[root], post_ptr[root + 1]
        if hi - lo > len(stack):
            stack = grown(stack, hi - lo)
        size = 0
        for p in range(lo, hi):
            if post[p] >= 0:
                stack[size] = post[p]
                size += 1
        path[0] = root
        d = 0
        a = np.int64(0)
        b = np.int64(size)
        top[0] = b
        last[0] = 0
        # Node by node through a tree that is finite: paths ascend, and have at most `most` items.
        while not raised(stop):
            alive = b > a and repair(g, stack[a:b], d + 1, path, original, even, count, touched)
            if alive and d + 1 < most:
                base = last[d]
                marked = 0
                need = top[d]
                members = 0
                for p in range(a, b):
                    u = stack[p]
                    if not holds_all(ptr, items, length, u, path, d + 1):
                        continue
                    members += 1
                    for at in range(ptr[u], ptr[u] + length[u]):
                        x = items[at]
                        if x > path[d]:
                            if slot_of[x] == 0:
                                if base + marked + 1 >= len(extension):
                                    extension = grown(extension, base + marked + 2)
                                    begins = grown(begins, base + marked + 2)
                                extension[base + marked] = x
                                marked += 1
                            slot_of[x] += 1
                found = 0
                if d == 0:
                    members += g.alone[root]  # they hold nothing beside the root
                for k in range(marked):
                    x = extension[base + k]
                    size = slot_of[x]
                    if size == members:  # all records of the node share it: it would change no confidence
                        slot_of[x] = 0
                        continue
                    extension[base + found] = x
                    begins[base + found] = need
                    slot_of[x] = need + 1
                    need += size
                    found += 1
                if need > len(stack):
                    stack = grown(stack, need)
                for p in range(a, b):
                    u = stack[p]
                    if not holds_all(ptr, items, length, u, path, d + 1):
                        continue
                    for at in range(ptr[u], ptr[u] + length[u]):
                        slot = slot_of[items[at]]
                        if slot > 0 and items[at] > path[d]:
                            stack[slot - 1] = u
                            slot_of[items[at]] = slot + 1
                for k in range(found):
                    slot_of[extension[base + k]] = 0
                d += 1
                cursor[d] = base
                last[d] = base + found
                top[d] = need
            while d > 0 and cursor[d] >= last[d]:
                d -= 1
            if d == 0:
                break
            k = cursor[d]
            cursor[d] = k + 1
            a = begins[k]
            b = begins[k + 1] if k + 1 < last[d] else top[d]
            path[d] = extension[k]
    return g.tally[GONE] - before
