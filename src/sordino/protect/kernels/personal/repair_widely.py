"""The repair of one adversary, so that not only he is kept off (see protect/naka_sampled.py).

The paper deletes what keeps the distribution of items, from records drawn at random; the next adversary who knows other
items of the same person finds the same again. Here what an adversary infers is deleted where it helps most: first from
records whose owners find it sensitive themselves, the longest first, in which many other parts disclose it as well.
"""

from __future__ import annotations

import numpy as np

from sordino.audit.kernels.holding import find_item
from sordino.audit.kernels.sampled import disclosed_items, finds_sensitive, who_holds
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.engine.kernels.sorting import places_by
from sordino.protect.kernels.personal.state import delete


@inner
def least_missed(state, v, known):  # type: ignore[no-untyped-def]
    """The item of `known` to delete from record v: one that its owner chose, or the type of which least is left."""
    store = state.store
    best = known[0]
    best_value = -1.0
    for x in known:
        value = 1.0 - store.support[x] / state.original[x]
        if finds_sensitive(state.owners.row, state.owners.chose, v, x):
            value += 2.0
        if value > best_value:
            best, best_value = x, value
    return best


@kernel
def repair_widely(state, sig, users, known):  # type: ignore[no-untyped-def]
    """Makes the table safe against each of the adversaries in turn. Returns how many occurrences went.

    What he infers is deleted from N_s records (model.md 1.3); or, if that is cheaper and the person's own record does
    not hold all that he knows, so much of what he knows is taken out of others' records that it tells him nothing.
    """
    store, row, chose, stop = state.store, state.owners.row, state.owners.chose, state.stop
    width = len(store.num)
    count = np.zeros(width, dtype=np.int64)
    seen = np.zeros(width, dtype=np.int64)
    times = np.zeros(width, dtype=np.int64)
    holders = np.empty(len(store.length), dtype=np.int64)
    showing = np.empty(len(store.length), dtype=np.int64)
    key = np.empty(len(store.length), dtype=np.int64)
    order = np.empty(len(store.length), dtype=np.int64)
    lost = 0
    for i in range(len(users)):
        q = known[i]
        # Each turn but the last deletes something: where anything is inferred, some holder shows it.
        while not raised(stop):
            total = who_holds(store, sig, q, holders)
            inferred = 0
            for t in range(disclosed_items(store, holders[:total], q, count, seen)):
                if finds_sensitive(row, chose, users[i], seen[t]):
                    seen[inferred] = seen[t]
                    inferred += 1
            if inferred == 0:
                break
            own = False
            for j in range(total):
                own |= holders[j] == users[i]
            deleting = np.int64(0)
            hiding = np.int64(0)
            for t in range(inferred):
                e = seen[t]
                both = np.int64(0)
                for j in range(total):
                    both += find_item(store, holders[j], e) >= 0
                over = both * store.den[e] - store.num[e] * total
                times[t] = -(-over // store.den[e])
                deleting += times[t]
                hiding = max(hiding, -(-over // max(store.den[e] - store.num[e], 1)))
            if own or deleting <= hiding:
                for t in range(inferred):
                    e = seen[t]
                    m = 0
                    for j in range(total):
                        v = holders[j]
                        if find_item(store, v, e) >= 0:
                            showing[m] = v
                            first = np.int64(finds_sensitive(row, chose, v, e)) << 20
                            key[m] = -(((first + store.length[v]) << 32) + v)
                            m += 1
                    places_by(key, m, order)
                    for j in range(min(times[t], m)):
                        v = showing[order[j]]
                        delete(state, v, find_item(store, v, e))
                        lost += 1
                break
            m = 0
            for j in range(total):
                v = holders[j]
                shown = np.int64(0)
                for t in range(inferred):
                    shown += find_item(store, v, seen[t]) >= 0
                if shown:
                    showing[m] = v
                    key[m] = -((((shown << 20) + store.length[v]) << 32) + v)
                    m += 1
            places_by(key, m, order)
            for j in range(np.minimum(hiding, m)):
                v = showing[order[j]]
                delete(state, v, find_item(store, v, least_missed(state, v, q)))
                lost += 1
    return lost
