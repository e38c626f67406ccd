"""Adversaries who know certain items of a certain person: can they infer anything? (model.md 1.1, "Sampling")

Store as in personal.py. `sig` holds a signature beside each posting (as in classes.py); an item that was deleted since
may still show in it, so it only says who need not be looked at.
"""

from __future__ import annotations

import numpy as np

from sordino.audit.kernels.holding import holds_all
from sordino.audit.kernels.personal import EVERYBODY
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised


@inner
def who_holds(store, sig, known, out):  # type: ignore[no-untyped-def]
    """Writes the records that hold all of `known` to out, which has room for all. Returns how many there are."""
    ptr, items, length, post = store.ptr, store.items, store.length, store.post
    own = len(store.num) - 64
    zero = np.uint64(0)
    one = np.uint64(1)
    a = zero
    b = zero
    for x in known:
        if x >= own:
            b |= one << np.uint64(x - own)
        else:
            a |= one << np.uint64(x & 63)
    n = 0
    for p in range(store.post_ptr[known[0]], store.post_ptr[known[0] + 1]):
        if (b & ~sig[p, 1]) != zero or (a & ~sig[p, 0]) != zero:
            continue
        v = post[p]
        if v >= 0 and (len(known) == 1 or holds_all(ptr, items, length, v, known, len(known))):
            out[n] = v
            n += 1
    return n


@inner
def disclosed_items(store, holders, known, count, seen):  # type: ignore[no-untyped-def]
    """Writes the items that `known`, held by `holders`, discloses above their thresholds to seen; returns how many."""
    total = np.int64(0)
    n = 0
    for v in holders:
        w = store.weight[v]
        total += w
        for k in range(store.ptr[v], store.ptr[v] + store.length[v]):
            e = store.items[k]
            if count[e] == 0:
                seen[n] = e
                n += 1
            count[e] += w
    for x in known:
        count[x] = 0
    kept = 0
    for t in range(n):
        e = seen[t]
        if count[e] * store.den[e] > store.num[e] * total:
            seen[kept] = e
            kept += 1
        count[e] = 0
    return kept


@inner
def finds_sensitive(row, chose, u, e):  # type: ignore[no-untyped-def]
    """Whether user u finds e sensitive."""
    r = row[e]
    return r == EVERYBODY or (r >= 0 and (chose[r, u >> 6] >> np.uint64(u & 63)) & np.uint64(1) != np.uint64(0))


@kernel
def check_adversaries(store, sig, row, chose, users, known, unsafe, stop):  # type: ignore[no-untyped-def]
    """unsafe[i] becomes True if who knows known[i] (ranks ascending) of users[i] can infer what that user chose.

    Equal antecedents one after another are counted once. Ends early once the flag `stop` is up.
    """
    width = len(store.num)
    count = np.zeros(width, dtype=np.int64)
    seen = np.zeros(width, dtype=np.int64)
    holders = np.empty(len(store.length), dtype=np.int64)
    n = 0
    for i in range(len(users)):
        if raised(stop):
            break
        q = known[i]
        if i == 0 or not np.array_equal(q, known[i - 1]):
            n = disclosed_items(store, holders[: who_holds(store, sig, q, holders)], q, count, seen)
        for t in range(n):
            if finds_sensitive(row, chose, users[i], seen[t]):
                unsafe[i] = True
                break
