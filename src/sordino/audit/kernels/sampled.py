"""Adversaries who know certain items of a certain person: can they infer anything? (SPEC 1.1, "Sampling")

Shelf and Crowd as in personal.py.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sordino.audit.kernels.personal import EVERYBODY


@njit(cache=True, nogil=True)
def holds_known(ptr, items, length, v, known):  # type: ignore[no-untyped-def]
    """Whether record v holds all of `known`, ranks ascending."""
    at = ptr[v]
    stop = at + length[v]
    for x in known:
        while at < stop and items[at] < x:
            at += 1
        if at >= stop or items[at] != x:
            return False
    return True


@njit(cache=True, nogil=True)
def check_adversaries(shelf, row, voice, users, known, unsafe):  # type: ignore[no-untyped-def]
    """unsafe[i] becomes True if who knows known[i] (ranks ascending) of users[i] can infer what that user minds."""
    ptr, items, length, weight = shelf.ptr, shelf.items, shelf.length, shelf.weight
    post_ptr, post = shelf.post_ptr, shelf.post
    width = len(shelf.num)
    count = np.zeros(width, dtype=np.int64)
    seen = np.zeros(width, dtype=np.int64)
    one = np.uint64(1)
    for i in range(len(users)):
        u = users[i]
        q = known[i]
        total = np.int64(0)
        n = 0
        for p in range(post_ptr[q[0]], post_ptr[q[0] + 1]):
            v = post[p]
            if v < 0 or not holds_known(ptr, items, length, v, q):
                continue
            total += weight[v]
            for k in range(ptr[v], ptr[v] + length[v]):
                e = items[k]
                if count[e] == 0:
                    seen[n] = e
                    n += 1
                count[e] += weight[v]
        for x in q:
            count[x] = 0
        for t in range(n):
            e = seen[t]
            both = count[e]
            count[e] = 0
            if both * shelf.den[e] > shelf.num[e] * total:
                r = row[e]
                if r == EVERYBODY or (r >= 0 and (voice[r, u >> 6] >> np.uint64(u & 63)) & one != np.uint64(0)):
                    unsafe[i] = True
