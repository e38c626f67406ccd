"""The ledger of a running suppression: the records as they are now, who watches whom, and what was deleted.

Everything is an array, so that a kernel can stop, let Python show progress or find more room, and go on. Fields:

    ptr, items, length   record u now holds items[ptr[u] : ptr[u] + length[u]], ranks ascending; deleted ones lie behind
    sig                  its signature, two words (as in audit/kernels/classes.py)
    slot                 where each occurrence stands in the posting lists
    post_ptr, post       posting lists of records u, or -1 - u where the item was deleted; post_sig their signatures
    from_length          the first record that had at least so many items at the start (records are sorted so)
    alone                how many records hold this item only; they never change, and are not in the ledger
    sensitive, num, den  by rank
    watch                rows (watcher, watched, item, next and previous of the watcher, and of the watched)
    head                 first watch of a record, as watcher and as watched
    queue_head, queue    records to be looked at, by length: chains; queued marks them
    gone                 rows (record, item) that were deleted, or (record, -1 - item) put back, in order
    support              current support of each rank
    tally                small numbers, see the constants below
    stop                 the flag of the watch: once it is not 0, kernels return early (engine/local.py)
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.audit.kernels.holding import find_item
from sordino.engine.kernels.compiled import inner, kernel
from sordino.protect.kernels.store import take_out

LEVEL = 0  # length of the records now looked at
FREE = 1  # first watch that was used and is free again, chained; -1 if none is
LEFT = 2  # free watches left
GONE = 3  # rows of `gone` so far
OPEN = 4  # records in the queue
BACK = 5  # items put back so far
FRESH = 6  # first watch that was never used
LONG = 512  # items of a record that loses several at once, not one after another

WATCHER, WATCHED, ABOUT, NEXT_OF, PREV_OF, NEXT_BY, PREV_BY = range(7)

Ledger = namedtuple(  # numba takes namedtuples as they are
    "Ledger",
    "ptr items length sig slot post_ptr post post_sig from_length alone sensitive num den "
    "watch head queue_head queue queued gone support tally stop",
)


@inner
def add_watch(g, u, v, e):  # type: ignore[no-untyped-def]
    """Record u relies on v, which contains u \\ {e} and lacks e."""
    w = g.tally[FREE]
    watch = g.watch
    if w >= 0:
        g.tally[FREE] = watch[w, NEXT_OF]
    else:
        w = g.tally[FRESH]
        g.tally[FRESH] = w + 1
    g.tally[LEFT] -= 1
    watch[w, WATCHER] = u
    watch[w, WATCHED] = v
    watch[w, ABOUT] = e
    watch[w, PREV_OF] = -1
    watch[w, PREV_BY] = -1
    after = g.head[u, 0]
    watch[w, NEXT_OF] = after
    if after >= 0:
        watch[after, PREV_OF] = w
    g.head[u, 0] = w
    after = g.head[v, 1]
    watch[w, NEXT_BY] = after
    if after >= 0:
        watch[after, PREV_BY] = w
    g.head[v, 1] = w


@inner
def end_watch(g, w):  # type: ignore[no-untyped-def]
    """Takes a watch out of both chains."""
    watch = g.watch
    before, after = watch[w, PREV_OF], watch[w, NEXT_OF]
    if before >= 0:
        watch[before, NEXT_OF] = after
    else:
        g.head[watch[w, WATCHER], 0] = after
    if after >= 0:
        watch[after, PREV_OF] = before
    before, after = watch[w, PREV_BY], watch[w, NEXT_BY]
    if before >= 0:
        watch[before, NEXT_BY] = after
    else:
        g.head[watch[w, WATCHED], 1] = after
    if after >= 0:
        watch[after, PREV_BY] = before
    watch[w, NEXT_OF] = g.tally[FREE]
    g.tally[FREE] = w
    g.tally[LEFT] += 1


@inner
def end_watches(g, u):  # type: ignore[no-untyped-def]
    """Record u relies on nobody any more."""
    while g.head[u, 0] >= 0:
        end_watch(g, g.head[u, 0])


@inner
def enqueue(g, u):  # type: ignore[no-untyped-def]
    """Record u must be looked at (again)."""
    n = g.length[u]
    if n < 2 or g.queued[u]:
        return
    g.queued[u] = 1
    g.queue[u] = g.queue_head[n]
    g.queue_head[n] = u
    g.tally[OPEN] += 1
    if n > g.tally[LEVEL]:
        g.tally[LEVEL] = n


@kernel
def enqueue_all(g, records):  # type: ignore[no-untyped-def]
    """All of these must be looked at; of equal length, the last one first."""
    for u in records:
        enqueue(g, np.int64(u))


@inner
def renew_signature(g, u):  # type: ignore[no-untyped-def]
    """Computes the signature of record u anew and writes it beside all its postings."""
    own = len(g.num) - 64
    one = np.uint64(1)
    a = np.uint64(0)
    b = np.uint64(0)
    lo, hi = g.ptr[u], g.ptr[u] + g.length[u]
    for at in range(lo, hi):
        if g.items[at] >= own:
            b |= one << np.uint64(g.items[at] - own)
        else:
            a |= one << np.uint64(g.items[at] & 63)
    g.sig[u, 0] = a
    g.sig[u, 1] = b
    for at in range(lo, hi):
        g.post_sig[g.slot[at], 0] = a
        g.post_sig[g.slot[at], 1] = b


@inner
def delete(g, u, at):  # type: ignore[no-untyped-def]
    """Deletes the occurrence at place `at` from record u. Whoever relied on it there is queued again, and so is u."""
    freed = g.slot[at]
    g.post_sig[freed, 0] = 0
    g.post_sig[freed, 1] = 0
    t = take_out(g, u, at)
    renew_signature(g, u)
    end_watches(g, u)
    w = g.head[u, 1]
    while w >= 0:
        after = g.watch[w, NEXT_BY]
        watcher = np.int64(g.watch[w, WATCHER])
        if find_item(g, watcher, t) >= 0:
            end_watch(g, w)
            enqueue(g, watcher)
        w = after
    g.gone[g.tally[GONE], 0] = u
    g.gone[g.tally[GONE], 1] = t
    g.tally[GONE] += 1
    enqueue(g, u)


@inner
def delete_marked(g, u, out):  # type: ignore[no-untyped-def]
    """Deletes the places k of record u with out[k]; the last first. Of a long record all at once, in one pass over it.

    Both ways leave the record, the postings and the log alike.
    """
    base, n = g.ptr[u], g.length[u]
    if n <= LONG:
        for k in range(n - 1, -1, -1):
            if out[k]:
                delete(g, u, base + k)
        return
    items, slot, post, post_sig = g.items, g.slot, g.post, g.post_sig
    old_items, old_slot = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int64)
    for k in range(n):
        old_items[k], old_slot[k] = items[base + k], slot[base + k]
    kept = 0
    for k in range(n):
        if not out[k]:
            items[base + kept] = old_items[k]
            slot[base + kept] = old_slot[k]
            kept += 1
    at = base + n
    for k in range(n - 1, -1, -1):
        if out[k]:
            at -= 1
            items[at] = old_items[k]  # kept behind the record, as by `delete`
            slot[at] = old_slot[k]
            post[old_slot[k]] = -1 - u
            post_sig[old_slot[k], 0] = 0
            post_sig[old_slot[k], 1] = 0
            g.support[old_items[k]] -= 1
            g.gone[g.tally[GONE], 0] = u
            g.gone[g.tally[GONE], 1] = old_items[k]
            g.tally[GONE] += 1
    g.length[u] = kept
    renew_signature(g, u)
    end_watches(g, u)
    w = g.head[u, 1]
    while w >= 0:
        after = g.watch[w, NEXT_BY]
        watcher = np.int64(g.watch[w, WATCHER])
        if shares_item(items, at, base + n, g.ptr[watcher], g.ptr[watcher] + g.length[watcher]):
            end_watch(g, w)
            enqueue(g, watcher)
        w = after
    enqueue(g, u)


@inner
def shares_item(items, a, a_end, b, b_end):  # type: ignore[no-untyped-def]
    """Whether items[a:a_end] and items[b:b_end], both ascending, have an item in common."""
    while a < a_end and b < b_end:
        if items[a] == items[b]:
            return True
        if items[a] < items[b]:
            a += 1
        else:
            b += 1
    return False
