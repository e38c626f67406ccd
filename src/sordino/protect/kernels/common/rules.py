"""Unsafe rules as rows, and the item types that hit them all: what global suppression works on (model.md 1.3).

Items are ranks of a RecordIndex. A rule is a row of item ranks, filled up with -1: the antecedent and the consequent,
which matter alike to whoever deletes whole item types.
"""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised


@kernel
def short_rules(first, pairs, index, sensitive, num, den, rules, stop):  # type: ignore[no-untyped-def]
    """Unsafe rules of one known item, or (pairs) of two, the rarer of which is at least `first`.

    Returns (how many rows were written, the rarer item to go on with): all, unless `rules` is full before the end.

    Long: one pass over the items whose steps share all arrays; as functions they would be compiled with them again.
    """
    ptr, items, weight, post_ptr, post = index.ptr, index.items, index.weight, index.post_ptr, index.post
    width = len(post_ptr) - 1
    room = len(rules)
    count = np.zeros(width, dtype=np.int64)
    touched = np.empty(width, dtype=np.int32)
    bucket = np.zeros(width + 1, dtype=np.int64)
    beside = np.empty(width, dtype=np.int32)
    found = 0
    for x in range(first, width):
        if raised(stop):
            break
        begun = found
        lo, hi = post_ptr[x], post_ptr[x + 1]
        if not pairs:
            total = np.int64(0)
            known = 0
            for p in range(lo, hi):
                c = post[p]
                total += weight[c]
                for k in range(ptr[c], ptr[c + 1]):
                    e = items[k]
                    if sensitive[e] and e != x:
                        if count[e] == 0:
                            touched[known] = e
                            known += 1
                        count[e] += weight[c]
            for k in range(known):
                e = touched[k]
                if count[e] * den[e] > num[e] * total:
                    if found == room:
                        return begun, x
                    rules[found, 0], rules[found, 1], rules[found, 2] = x, e, -1
                    found += 1
                count[e] = 0
            continue
        others = 0
        entries = np.int64(0)
        for p in range(lo, hi):
            for k in range(ptr[post[p]], ptr[post[p] + 1]):
                y = items[k]
                if y > x:
                    if bucket[y] == 0:
                        beside[others] = y
                        others += 1
                    bucket[y] += 1
                    entries += 1
        place = np.empty(entries, dtype=np.int32)
        at = np.int64(0)
        for k in range(others):
            size = bucket[beside[k]]
            bucket[beside[k]] = at
            at += size
        for p in range(lo, hi):
            for k in range(ptr[post[p]], ptr[post[p] + 1]):
                y = items[k]
                if y > x:
                    place[bucket[y]] = post[p]
                    bucket[y] += 1
        start = np.int64(0)
        full = False
        for j in range(others):
            y = beside[j]
            end = bucket[y]
            total = np.int64(0)
            known = 0
            if raised(stop):
                break
            for p in range(start, end):
                c = place[p]
                total += weight[c]
                for k in range(ptr[c], ptr[c + 1]):
                    e = items[k]
                    if sensitive[e] and e != x and e != y:
                        if count[e] == 0:
                            touched[known] = e
                            known += 1
                        count[e] += weight[c]
            for k in range(known):
                e = touched[k]
                if not full and count[e] * den[e] > num[e] * total:
                    if found == room:
                        full = True
                    else:
                        rules[found, 0], rules[found, 1], rules[found, 2] = x, y, e
                        found += 1
                count[e] = 0
            start = end
        for j in range(others):
            bucket[beside[j]] = 0
        if full:
            return begun, x
    return found, width


@inner
def _unsafe(q, size, e, num, den, index):  # type: ignore[no-untyped-def]
    """Whether the rule q[:size] -> e (q ascending) is unsafe at num/den."""
    ptr, items, weight = index.ptr, index.items, index.weight
    post_ptr, post, post_sig = index.post_ptr, index.post, index.post_sig
    own = len(post_ptr) - 1 - 64
    one = np.uint64(1)
    s0 = s1 = np.uint64(0)
    for k in range(size):
        if q[k] >= own:
            s1 |= one << np.uint64(q[k] - own)
        else:
            s0 |= one << np.uint64(q[k] & 63)
    total = np.int64(0)
    both = np.int64(0)
    for p in range(post_ptr[q[0]], post_ptr[q[0] + 1]):
        if (s0 & ~post_sig[p, 0]) != np.uint64(0) or (s1 & ~post_sig[p, 1]) != np.uint64(0):
            continue
        c = post[p]
        at, stop = ptr[c], ptr[c + 1]
        inside = True
        for k in range(size):
            while at < stop and items[at] < q[k]:
                at += 1
            if at >= stop or items[at] != q[k]:
                inside = False
                break
        if not inside:
            continue
        total += weight[c]
        for k in range(ptr[c], stop):
            if items[k] == e:
                both += weight[c]
                break
    return both * den > num * total


@kernel
def shrink_leaves(places, owner, index, num, den, longest, out, lengths, stop):  # type: ignore[no-untyped-def]
    """For each disclosed leaf (a place in `items`) an unsafe rule inside it from which nothing more can be dropped.

    Items are dropped from the most frequent down. Row k of `out` holds the antecedent and the consequent of leaf
    places[k]; lengths[k] is 0 if they do not fit, or the record is longer than `longest`, which would take for ever.
    """
    ptr, items = index.ptr, index.items
    for k in range(len(places)):
        c = owner[places[k]]
        e = items[places[k]]
        size = ptr[c + 1] - ptr[c] - 1
        lengths[k] = 0
        if size >= longest:
            continue
        q = np.empty(size, dtype=np.int32)
        trial = np.empty(size, dtype=np.int32)
        at = 0
        for j in range(ptr[c], ptr[c + 1]):
            if items[j] != e:
                q[at] = items[j]
                at += 1
        at = size - 1
        while at >= 0 and size > 1 and not raised(stop):
            for j in range(at):
                trial[j] = q[j]
            for j in range(at + 1, size):
                trial[j - 1] = q[j]
            if _unsafe(trial, size - 1, e, num[e], den[e], index):
                size -= 1
                for j in range(size):
                    q[j] = trial[j]
            at -= 1
        if size + 1 <= out.shape[1]:
            for j in range(size):
                out[k, j] = q[j]
            out[k, size] = e
            lengths[k] = size + 1


@kernel
def hit_all(rules, price, sensitive, gone, stop):  # type: ignore[no-untyped-def]
    """Deletes item types until every rule has lost an item: always the one that removes most rules per occurrence.

    Ties: more rules, then a sensitive type, then the lower rank. `gone` is marked; rules that
    it hits already do not count.
    """
    width = len(price)
    rows, long = rules.shape
    live = np.ones(rows, dtype=np.bool_)
    count = np.zeros(width, dtype=np.int64)
    ptr = np.zeros(width + 1, dtype=np.int64)
    left = 0
    for r in range(rows):
        for k in range(long):
            t = rules[r, k]
            if t >= 0 and gone[t]:
                live[r] = False
        if live[r]:
            left += 1
            for k in range(long):
                if rules[r, k] >= 0:
                    count[rules[r, k]] += 1
    for t in range(width):
        ptr[t + 1] = ptr[t] + count[t]
    member = np.empty(ptr[width], dtype=np.int64)
    at = ptr[:-1].copy()
    for r in range(rows):
        if live[r]:
            for k in range(long):
                t = rules[r, k]
                if t >= 0:
                    member[at[t]] = r
                    at[t] += 1
    while left > 0 and not raised(stop):  # each turn hits a rule that was left, and it has an item
        best = -1
        for t in range(width):
            if count[t] == 0:
                continue
            if best >= 0:
                mine, theirs = count[t] * price[best], count[best] * price[t]
                if mine < theirs or (mine == theirs and count[t] < count[best]):
                    continue
                if mine == theirs and count[t] == count[best] and sensitive[t] <= sensitive[best]:
                    continue
            best = t
        gone[best] = True
        for p in range(ptr[best], ptr[best + 1]):
            r = member[p]
            if live[r]:
                live[r] = False
                left -= 1
                for k in range(long):
                    if rules[r, k] >= 0:
                        count[rules[r, k]] -= 1
