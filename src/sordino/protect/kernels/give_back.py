"""Items that records get back once all others are settled (personal.py).

*Argument.* An item x put back into record R raises the support of parts of R + x only. Of rules q -> e, those with q in
R + x and e outside it become safer, all others outside R + x stay as they are. So what is put back is safe exactly if
no part of R + x discloses anything, which one table over all its parts shows; nobody else need be looked at again.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sordino.audit.kernels.personal import SHORT, bad_parts, part_table
from sordino.protect.kernels.personal import best_part, keep_weight


@njit(cache=True, nogil=True)
def put_back(board, u, at):  # type: ignore[no-untyped-def]
    """The deleted item at place `at`, behind record u, is in it again."""
    shelf = board.shelf
    items, slot = shelf.items, board.slot
    x, place = items[at], slot[at]
    end = shelf.ptr[u] + shelf.length[u]
    items[at], slot[at] = items[end], slot[end]  # what lay first behind the record goes where this was
    k = end
    while k > shelf.ptr[u] and items[k - 1] > x:
        items[k], slot[k] = items[k - 1], slot[k - 1]
        k -= 1
    items[k], slot[k] = x, place
    shelf.length[u] += 1
    shelf.post[place] = u
    shelf.support[x] += 1


@njit(cache=True, nogil=True)
def take_out(board, u, at):  # type: ignore[no-untyped-def]
    """The item at place `at` of record u is deleted; nobody is told, as nobody relied on it."""
    shelf = board.shelf
    items, slot = shelf.items, board.slot
    x, place = items[at], slot[at]
    last = shelf.ptr[u] + shelf.length[u] - 1
    for k in range(at, last):
        items[k], slot[k] = items[k + 1], slot[k + 1]
    items[last], slot[last] = x, place
    shelf.length[u] -= 1
    shelf.post[place] = -1 - u
    shelf.support[x] -= 1


@njit(cache=True, nogil=True)
def give_back(board, order, most, even, s, worth):  # type: ignore[no-untyped-def]
    """Gives each record the best of what it lost that discloses nothing. Returns how many occurrences came back.

    Of a record that had more than SHORT items, the most frequent of the lost ones are tried.
    """
    shelf = board.shelf
    items, support = shelf.items, shelf.support
    no_length = np.empty(0, dtype=np.int64)
    gained = 0
    for u in order:
        base = shelf.ptr[u]
        had = shelf.ptr[u + 1] - base
        before = shelf.length[u]
        if before == had or before >= SHORT:
            continue
        old = items[base : base + before].copy()
        while shelf.length[u] < min(had, SHORT):
            best = base + shelf.length[u]
            for at in range(best + 1, base + had):
                if support[items[at]] > support[items[best]]:
                    best = at
            put_back(board, u, best)
        n = shelf.length[u]
        part_table(shelf, board.crowd, u, s, no_length)
        kept = (np.int64(1) << n) - 1
        if bad_parts(shelf, u, most, s) > 0:
            must = np.int64(0)
            j = 0
            for k in range(n):
                if j < before and items[base + k] == old[j]:
                    must |= np.int64(1) << k
                    j += 1
                worth[np.int64(1) << k] = keep_weight(board, items[base + k], even)
            kept = best_part(s, n, worth, must) | must
        for k in range(n - 1, -1, -1):
            if not kept >> k & 1:
                take_out(board, u, base + k)
        gained += shelf.length[u] - before
    return gained
