"""Suppression where people chose for themselves: record by record, until no part of any record discloses anything.

Looking into a record R (audit/kernels/personal.py) shows every disclosure q -> e with q + e inside R, as things stand.
R is then cut down to the part worth most in which there is none (look.py): by a table over all parts if R is
short, else by hitting the disclosures one after another. Deleting an item x from R makes others less safe only where x
was in an antecedent that R held: records that share x and something else with R are looked at again (`dirty`), and
antecedents of one item are counted apart.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.audit.kernels.sampled import finds_sensitive, who_holds
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.store import take_out

HOPELESS_FROM = 4  # who knows fewer items seldom knows enough to single out a long record

# store: the records as they are now (weight 1 each); dirty: records to be looked at; flag: scratch by item; original:
# supports at first; stop: the flag of the watch (engine/local.py)
State = namedtuple("State", "store owners dirty flag original stop")


@inner
def delete(state, u, at):  # type: ignore[no-untyped-def]
    """Deletes the occurrence at place `at` from record u; who may have relied on it is dirty afterwards."""
    store, flag = state.store, state.flag
    ptr, items, length, post = store.ptr, store.items, store.length, store.post
    x = take_out(store, u, at)
    state.dirty[u] = True
    if length[u] == 0 or len(flag) == 0:  # who keeps no account of dirty records gives no flags
        return
    for k in range(ptr[u], ptr[u] + length[u]):
        flag[items[k]] = True
    for p in range(store.post_ptr[x], store.post_ptr[x + 1]):
        v = post[p]
        if v < 0 or state.dirty[v]:
            continue
        for k in range(ptr[v], ptr[v] + length[v]):
            if flag[items[k]]:
                state.dirty[v] = True
                break
    for k in range(ptr[u], ptr[u] + length[u]):
        flag[items[k]] = False


@inner
def best_part(s, n, worth, must):  # type: ignore[no-untyped-def]
    """The part of a record of n items worth most that has all of `must` and no disclosure s.bad; 0 if there is none.

    `worth` holds what single items are worth, and gets what all parts are.
    """
    bad, unsafe = s.bad, s.avail  # who finds what sensitive is not needed any more
    best = np.int64(0)
    best_worth = 0.0
    worth[0] = 0.0
    unsafe[0] = 0
    bad[0] = 0
    for w in range(1, np.int64(1) << n):
        low = w & -w
        if w != low:
            worth[w] = worth[w ^ low] + worth[low]
        unsafe[w] = 0
        for k in range(n):
            bit = np.int64(1) << k
            if w & bit and (unsafe[w ^ bit] or bad[w ^ bit] & bit):
                unsafe[w] = 1
                break
        if not unsafe[w] and w & must == must and worth[w] > best_worth:
            best, best_worth = np.int64(w), worth[w]
    return best


@kernel
def drop_hopeless_first(state, sig, records):  # type: ignore[no-untyped-def]
    """Deletes what the owners of these records find sensitive, where nobody else holds all the rest (drop_hopeless).

    Deleting elsewhere only makes it more hopeless, so this need not wait its turn, and the looks that follow are at
    shorter records. Everybody is to be looked at anyway. Returns how many occurrences were deleted.
    """
    store, row, chose, stop = state.store, state.owners.row, state.owners.chose, state.stop
    holders = np.empty(len(store.length), dtype=np.int64)
    alone = np.zeros(len(records), dtype=np.bool_)
    for i in range(len(records)):
        if raised(stop):
            return 0
        u = records[i]
        kept = np.empty(store.length[u], dtype=np.int64)
        n = 0
        for k in range(store.ptr[u], store.ptr[u] + store.length[u]):
            if not finds_sensitive(row, chose, u, store.items[k]):
                kept[n] = store.items[k]
                n += 1
        alone[i] = n > 0 and who_holds(store, sig, kept[:n], holders) <= 1
    lost = 0
    for u in records[alone]:
        for k in range(store.ptr[u] + store.length[u] - 1, store.ptr[u] - 1, -1):
            if finds_sensitive(row, chose, u, store.items[k]):
                delete(state, u, k)
                lost += 1
    return lost
