"""The repair of one rule as published by Nakagawa et al. (2018), Algorithm 1, steps 11 to 14 (model.md 1.4)."""

from __future__ import annotations

import numpy as np

from sordino.audit.kernels.personal import SHORT, bad_parts, part_table
from sordino.audit.kernels.personal_long import COLLECT, explore, people_sharing, records_sharing
from sordino.audit.kernels.sampled import who_holds
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.personal.look import SETS, has_bit
from sordino.protect.kernels.personal.state import delete


@inner
def draw(rng, below):  # type: ignore[no-untyped-def]
    """A number from 0 to below - 1 (splitmix64); the generator moves on."""
    rng[0] += np.uint64(0x9E3779B97F4A7C15)
    z = rng[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.int64(z % np.uint64(below))


@inner
def touch(store, v, touched):  # type: ignore[no-untyped-def]
    """An occurrence is about to be deleted from record v: the clock, which is last, moves on, and so do its items'."""
    clock = touched[-1] + 1
    touched[-1] = clock
    for k in range(store.ptr[v], store.ptr[v] + store.length[v]):
        touched[store.items[k]] = clock


@inner
def repair_rule(state, sig, known, e, totals, rng, touched):  # type: ignore[no-untyped-def]
    """Makes known -> e safe, if it is not: deletes the d of known + e with the greatest F from N_s records.

    F(d) = D'(d) log(D'(d) / D(d)) / N_s(d), with D the share of d among all occurrences; totals holds how many there
    are now, and were at first. The records are drawn from those with known + e. Returns how many occurrences went.
    `touched` tells when, if it is not empty.
    """
    store = state.store
    ptr, items, length = store.ptr, store.items, store.length
    both = np.empty(store.support[known[0]], dtype=np.int64)
    total = who_holds(store, sig, known, both)
    n = 0
    for t in range(total):
        v = both[t]
        for k in range(ptr[v], ptr[v] + length[v]):
            if items[k] == e:
                both[n] = v
                n += 1
                break
    num, den = store.num[e], store.den[e]
    over = n * den - num * total
    if over <= 0:
        return 0
    best = e
    number = -(-over // den)
    best_value = -np.inf
    for t in range(len(known) + 1):
        d = e if t == 0 else known[t - 1]
        times = -(-over // den) if t == 0 else -(-over // (den - num))
        now = store.support[d] / max(totals[0], 1)
        value = now * np.log(now / (state.original[d] / totals[1])) / times
        if value > best_value:
            best, number, best_value = d, times, value
    for t in range(min(number, n)):
        j = t + draw(rng, n - t)
        v = both[j]
        both[j] = both[t]
        for k in range(ptr[v], ptr[v] + length[v]):
            if items[k] == best:
                if len(touched):
                    touch(store, v, touched)
                delete(state, v, k)
                totals[0] -= 1
                break
    return number


@inner
def suppress_record(state, sig, u, most, room, totals, rng):  # type: ignore[no-untyped-def]
    """Repairs the rules of antecedents of at most `most` items inside record u, small ones first.

    Returns how many occurrences went; 0 means that there was no such rule to repair.
    """
    store, owners, s, stop = state.store, state.owners, room.scratch, state.stop
    base = store.ptr[u]
    n = store.length[u]
    lost = 0
    untouched = np.empty(0, dtype=np.int64)  # nobody asks when
    here = store.items[base : base + n].copy()
    if n <= SHORT:
        part_table(store, owners, u, s, np.empty(0, dtype=np.int64))
        if bad_parts(store, store.items, base, n, most, s) == 0:
            return 0
        rules = s.bad[: 1 << n].copy()
        for size in range(1, min(most, n - 1) + 1):
            for q in range(1, 1 << n):
                if rules[q] == 0 or raised(stop):
                    continue
                known = np.empty(n, dtype=np.int32)
                t = 0
                for k in range(n):
                    if q >> k & 1:
                        known[t] = here[k]
                        t += 1
                if t == size:
                    for k in range(n):
                        if rules[q] >> k & 1:
                            lost += repair_rule(state, sig, known[:t], here[k], totals, rng, untouched)
        return lost
    people = people_sharing(store, owners, u, np.empty(0, dtype=np.bool_), s, room.place, stop)
    others = records_sharing(store, u, s, room.place, stop)
    words = (n + 63) >> 6
    sets = np.zeros((SETS, 2 * words), dtype=np.uint64)
    risk = np.zeros(1, dtype=np.uint8)
    gone = np.zeros(n, dtype=np.bool_)
    count = explore(store, owners, u, most, np.int64(COLLECT), others, people, gone, sets, risk, stop)
    known = np.empty(n, dtype=np.int32)
    for i in range(count):
        if raised(stop):
            break
        t = 0
        for k in range(n):
            if has_bit(sets[i], np.int64(0), k):
                known[t] = here[k]
                t += 1
        for k in range(n):
            if has_bit(sets[i], words, k):
                lost += repair_rule(state, sig, known[:t], here[k], totals, rng, untouched)
    return lost


@kernel
def suppress_records(state, sig, order, most, room, totals, rng):  # type: ignore[no-untyped-def]
    """suppress_record for the dirty records of `order`, each until it has no rule to repair. Returns what went.

    Each turn deletes something, or else the record is clean.
    """
    lost = 0
    stop, dirty, length = state.stop, state.dirty, state.store.length
    for u in order:
        while dirty[u] and length[u] > 1 and not raised(stop):
            gone = suppress_record(state, sig, u, most, room, totals, rng)
            lost += gone
            if gone == 0:
                dirty[u] = False
    return lost
