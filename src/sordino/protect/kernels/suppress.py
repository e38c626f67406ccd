"""Suppression on the whole table: leaves first, longest records first (SPEC 1.2, 1.3).

A record R is settled when for each sensitive e in it the leaf R \\ {e} -> e is safe: enough records contain R \\ {e}
and lack e. It then watches just enough of those (point 6): as long as they keep R's items, R needs no second look.
What cannot be settled loses items and is queued again at its new length. Leaves are not all: the caller audits the
result, and queues what the audit finds.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sordino.protect.kernels.ledger import LEFT, LEVEL, OPEN, add_watch, delete, end_watches, enqueue
from sordino.protect.kernels.look import WATCHES, help_of_deleting, hopeless, look, need
from sordino.protect.kernels.part import MOST, best_part, ones, plain_part, reach_of_part, scratch

SMALL = 8  # items of a record of which `dist` tries all parts, at most: there, even the smallest one may be best
SPARE = 0.02  # an alibi to spare is worth so much of an item


@njit(cache=True, nogil=True)
def keep_weights(g, u, n, original, even, weight):  # type: ignore[no-untyped-def]
    """How much each of u's first n items is worth keeping.

    even = 0: 1 each, plus a little for item types of which most is left (the paper's leftover rule: whole rules stay
    whole). even > 0: the more, the less of its type is left.
    """
    for k in range(n):
        x = g.items[g.ptr[u] + k]
        left = g.support[x] / original[x]
        if even > 0:
            weight[k] = (1.0 / max(left, 1e-9)) ** even
        else:
            weight[k] = 1.0 + 0.01 * left


@njit(cache=True, nogil=True)
def thin(g, u, size, weight):  # type: ignore[no-untyped-def]
    """Deletes what is least worth keeping, until u has only `size` items.

    Whichever item types are plentiful pay for it, sensitive or not; so what is left of the types stays even, which
    deleting just the item that is disclosed would not do.
    """
    while g.length[u] > size:
        worst = 0
        for k in range(g.length[u]):
            if weight[k] < weight[worst]:
                worst = k
        delete(g, u, g.ptr[u] + worst)
        for k in range(worst, g.length[u]):
            weight[k] = weight[k + 1]


@njit(cache=True, nogil=True)
def settle(  # type: ignore[no-untyped-def]
    g, u, original, even, effort, place, without, alibi, members, open_, gain, seen, weight, room
):
    """Makes all leaves of u safe, or deletes what prevents it; whoever lost something is queued again."""
    end_watches(g, u)
    num, den = g.num, g.den
    total, equal = look(g, u, place, without, alibi, members)
    base = g.ptr[u]
    n = g.length[u]
    opened = 0
    for k in range(n):
        e = g.items[base + k]
        open_[k] = g.sensitive[e] and without[k] < need(num[e], den[e], total)
        if open_[k]:
            opened += 1
    for j in range(min(equal, len(members))):  # this look was for all of them
        if g.queued[members[j]]:
            g.queued[members[j]] = 2
    if opened == 0:
        for k in range(n):
            e = g.items[base + k]
            if g.sensitive[e]:
                wanted = need(num[e], den[e], total)
                if n == 2:
                    wanted -= g.alone[g.items[base + 1 - k]]
                if wanted <= WATCHES and wanted <= g.tally[LEFT]:
                    for j in range(wanted):
                        add_watch(g, u, alibi[k, j], e)
        return
    keep_weights(g, u, n, original, even, weight)
    if total == 1:
        if even > 0 and n > SMALL:  # down to what can be solved exactly
            thin(g, u, SMALL, weight)
            return
        if n <= MOST:
            plain = plain_part(g, u, n, weight)
            least = 1 if even > 0 else ones(plain) + 1
            if reach_of_part(g, u, n, least, room.order) <= effort:
                kept = best_part(g, u, n, least, weight, 0.0 if even > 0 else SPARE, room)
                if kept == 0:
                    kept = plain
                for k in range(n - 1, -1, -1):
                    if not kept >> k & 1:
                        delete(g, u, base + k)
                return
        if even > 0:  # too much to try all parts: it is shortened, and looked at again
            thin(g, u, n - 1, weight)
            return
        if opened > 1 and hopeless(g, u, open_, gain) > 0:
            for k in range(n - 1, -1, -1):
                if open_[k] == 2:
                    delete(g, u, base + k)
            return
    near = g.post_ptr[g.items[base] + 1] - g.post_ptr[g.items[base]]
    near += g.post_ptr[g.items[base + 1] + 1] - g.post_ptr[g.items[base + 1]]
    looked = total == 1 and opened > 1 and n * n <= len(seen) and near <= effort
    if looked:
        help_of_deleting(g, u, open_, gain, seen)
    # The item to delete: the one that leaves fewest open; among equals the one least worth keeping.
    best = -1
    best_worth = 0.0
    for k in range(n):
        worth = 1 if open_[k] else 0
        if looked:
            worth += gain[k]
        if worth == 0:
            continue
        value = worth / weight[k]
        if best < 0 or value > best_worth:
            best, best_worth = k, value
    t = g.items[base + best]
    lose = np.int64(1)
    if open_[best]:
        # N_s of the paper: sup(q + e) - rho sup(q), rounded up
        over = total * g.den[t] - g.num[t] * (total + without[best])
        lose = max(np.int64(1), -(-over // g.den[t]))
    for j in range(min(equal, len(members)) - 1, -1, -1):
        if lose == 0:
            break
        delete(g, members[j], g.ptr[members[j]] + best)
        lose -= 1
    if g.length[u] == n:
        enqueue(g, u)


@njit(cache=True, nogil=True)
def suppress(g, original, even, effort, budget, longest):  # type: ignore[no-untyped-def]
    """Works on the queue, longest records first, for about `budget` records. Returns True when the queue is empty."""
    place = np.zeros(64, dtype=np.int64)
    without = np.zeros(longest + 1, dtype=np.int64)
    alibi = np.zeros((longest + 1, WATCHES), dtype=np.int64)
    members = np.zeros(4096, dtype=np.int64)
    open_ = np.zeros(longest + 1, dtype=np.int64)
    gain = np.zeros(longest + 1, dtype=np.int64)
    weight = np.zeros(longest + 1, dtype=np.float64)
    seen = np.zeros(min(longest + 1, 64) ** 2, dtype=np.uint8)
    room = scratch(len(g.length))
    worked = 0
    while worked < budget:
        n = g.tally[LEVEL]
        while n >= 2 and g.queue_head[n] < 0:
            n -= 1
        g.tally[LEVEL] = n
        if n < 2:
            return True
        u = g.queue_head[n]
        g.queue_head[n] = g.queue[u]
        state = g.queued[u]
        g.queued[u] = 0
        g.tally[OPEN] -= 1
        if g.length[u] != n:
            enqueue(g, u)
        elif state == 1:
            settle(g, u, original, even, effort, place, without, alibi, members, open_, gain, seen, weight, room)
            worked += 1
    return False
