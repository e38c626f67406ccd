"""Forming the groups of CAHD along an order of the records (Ghinita et al. 2008, Section V)."""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised


@inner
def _shared(ptr, items, u, v):  # type: ignore[no-untyped-def]
    """How many items (ascending) two records share."""
    a, b = ptr[u], ptr[v]
    found = 0
    while a < ptr[u + 1] and b < ptr[v + 1]:
        if items[a] == items[b]:
            found += 1
            a += 1
            b += 1
        elif items[a] < items[b]:
            a += 1
        else:
            b += 1
    return found


@kernel
def form_groups(order, open_ptr, open_items, secret_ptr, secret_items, need, num, den, count, reach, stop):  # type: ignore[no-untyped-def]
    """The group of every record; the records that belong to none (-1) are the last group.

    order: the records in the order that puts similar ones side by side; open_ptr.. and secret_ptr..: their items that
    are not sensitive, and those that are; need[e]: the least size of a group with e once; count[e]: how often e occurs
    (changed). After each group the rest of the records could still be one group: count[e] * den[e] <= num[e] * rest.

    Long: one pass over the records whose steps share all arrays; as functions they would be compiled with them again.
    """
    n = len(order)
    group = np.full(n, -1, dtype=np.int64)
    before = np.arange(-1, n - 1)
    after = np.arange(1, n + 1)
    groups = 0
    rest = n
    longest = 1
    for e in range(len(need)):
        if count[e] > 0 and need[e] <= n:
            longest = max(longest, need[e])
    room = 2 * min(reach * longest, n)
    candidate = np.empty(room, dtype=np.int64)
    merit = np.empty(room, dtype=np.int64)
    chosen = np.empty(longest, dtype=np.int64)
    taken = np.zeros(len(need), dtype=np.int64)  # by item: the seed (from 1) of the group in the making that has it
    for at in range(n):
        u = order[at]
        if raised(stop):
            break
        if group[u] >= 0 or secret_ptr[u] == secret_ptr[u + 1]:
            continue
        size = 1
        for k in range(secret_ptr[u], secret_ptr[u + 1]):
            size = max(size, need[secret_items[k]])
            taken[secret_items[k]] = at + 1
        if size > rest:
            continue
        found = 0
        for back in range(2):
            place = before[at] if back == 1 else after[at]
            got = 0
            while 0 <= place < n and got < reach * size:
                v = order[place]
                fits = True
                for k in range(secret_ptr[v], secret_ptr[v + 1]):
                    e = secret_items[k]
                    if taken[e] == at + 1 or need[e] > size:
                        fits = False
                        break
                if fits:
                    candidate[found] = place
                    merit[found] = _shared(open_ptr, open_items, u, v)
                    found += 1
                    got += 1
                place = before[place] if back == 1 else after[place]
        members = 1
        chosen[0] = at
        while members < size and not raised(stop):  # each turn tries one candidate
            best = -1
            for k in range(found):
                if candidate[k] >= 0 and (best < 0 or merit[k] > merit[best]):
                    best = k
            if best < 0:
                break
            v = order[candidate[best]]
            fits = True
            for k in range(secret_ptr[v], secret_ptr[v + 1]):
                fits &= taken[secret_items[k]] != at + 1
            if fits:
                for k in range(secret_ptr[v], secret_ptr[v + 1]):
                    taken[secret_items[k]] = at + 1
                chosen[members] = candidate[best]
                members += 1
            candidate[best] = -1
        if members < size:
            continue
        for k in range(size):
            v = order[chosen[k]]
            for j in range(secret_ptr[v], secret_ptr[v + 1]):
                count[secret_items[j]] -= 1
        possible = True
        for e in range(len(need)):
            if count[e] * den[e] > num[e] * (rest - size):
                possible = False
                break
        if not possible:
            for k in range(size):
                v = order[chosen[k]]
                for j in range(secret_ptr[v], secret_ptr[v + 1]):
                    count[secret_items[j]] += 1
            continue
        rest -= size
        for k in range(size):
            place = chosen[k]
            group[order[place]] = groups
            if before[place] >= 0:
                after[before[place]] = after[place]
            if after[place] < n:
                before[after[place]] = before[place]
        groups += 1
    return group
