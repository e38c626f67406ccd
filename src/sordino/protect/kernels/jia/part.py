"""One step of Algorithm 2 (SanitizeBuffer) of Jia et al. 2014, on one part of the table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sordino.audit.kernels.growth import grown
from sordino.engine.kernels.compiled import inner
from sordino.engine.kernels.flag import raised
from sordino.engine.kernels.sorting import sort_part


class Part(NamedTuple):
    """A part T of the table that shrinks in place, with codes of its own: records, and the records of every item."""

    ptr: Any
    items: Any  # record r holds items[ptr[r] : ptr[r] + size[r]], ascending
    size: Any
    post_ptr: Any
    post: Any  # item x is in the records post[post_ptr[x] : post_ptr[x] + sup[x]], ascending
    sup: Any  # sup_T of every item
    before: Any  # sup_T0 of every item
    total: Any  # occurrences in T and in T0
    sensitive: Any
    num: Any
    den: Any
    count: Any  # scratch, one an item: zero between calls
    chosen: Any  # scratch, one a record
    stop: Any  # the flag of the watch (engine/local.py)
    astray: Any  # 1 once two counts of the same differed: then what is unsafe here would be found without end


@inner
def suppress(part, q, dist, rng):  # type: ignore[no-untyped-def]
    """Deletes what the heuristic chooses for the qid q (codes, ascending), if q is unsafe.

    Lines 4 to 17: E, the best (d, e) with d in q + {e}, and N_s occurrences of d deleted from records drawn among those
    that contain q + {e}. Returns d and N_s (-1 and 0 if q is safe); the records drawn are then chosen[:N_s].
    """
    chosen, count = part.chosen, part.count
    held = records_of(part, q)
    consequents = consequents_of(part, q, chosen, held)
    best_d, best_e, best_n = np.int32(-1), np.int32(-1), np.int64(0)
    for e in consequents:
        over = count[e] * part.den[e] - held * part.num[e]
        count[e] = 0
        if over <= 0:
            continue
        for i in range(-1, len(q)):
            d = e if i < 0 else q[i]
            unit = part.den[e] if i < 0 else part.den[e] - part.num[e]
            n = (over + unit - 1) // unit
            if best_n == 0 or is_better(part, dist, d, n, best_d, best_n):
                best_d, best_e, best_n = d, e, n
    if best_n == 0:
        return best_d, best_n
    held_with = 0
    for i in range(held):
        t = chosen[i]
        if place(part, t, best_e) >= 0:
            chosen[held_with] = t
            held_with += 1
    stop = part.stop
    for i in range(best_n):
        if raised(stop):
            break
        j = rng.integers(i, held_with)
        chosen[i], chosen[j] = chosen[j], chosen[i]
        delete(part, chosen[i], best_d)
    return best_d, best_n


@inner
def consequents_of(part, q, held, number):  # type: ignore[no-untyped-def]
    """The sensitive items, ascending, of the records held[:number], which contain q; `count` says in how many of these
    each is, 0 for those in q. Who asks sets the counts back to 0."""
    count = part.count
    consequents = np.empty(64, dtype=np.int32)
    found = np.int64(0)
    for i in range(number):
        t = held[i]
        for p in range(part.ptr[t], part.ptr[t] + part.size[t]):
            x = part.items[p]
            if part.sensitive[x]:
                if count[x] == 0:
                    if found == len(consequents):
                        consequents = grown(consequents, found)
                    consequents[found] = x
                    found += 1
                count[x] += 1
    sort_part(consequents, np.int64(0), found)
    for x in q:
        count[x] = 0
    return consequents[:found]


@inner
def is_better(part, dist, d, n, other, other_n):  # type: ignore[no-untyped-def]
    """Whether deleting d n times is better than `other` other_n times (section 3.2); fewer deletions break a tie."""
    if dist:
        gain, other_gain = surplus(part, d) / n, surplus(part, other) / other_n
        return gain > other_gain or (gain == other_gain and n < other_n)
    left = part.sup[d] * n * part.before[other]  # leftover(d) * N_s, over a common denominator
    other_left = part.sup[other] * other_n * part.before[d]
    return left < other_left or (left == other_left and n < other_n)


@inner
def surplus(part, x):  # type: ignore[no-untyped-def]
    """T(x) log(T(x) / T0(x)): positive if x now has a larger share of all occurrences than at first."""
    share = part.sup[x] / part.total[0]
    return share * np.log(share / (part.before[x] / part.total[1]))


@inner
def records_of(part, q):  # type: ignore[no-untyped-def]
    """Puts the records that contain q into `chosen`, ascending; returns how many."""
    rarest = q[0]
    for x in q:
        if part.sup[x] < part.sup[rarest]:
            rarest = x
    held = 0
    for p in range(part.post_ptr[rarest], part.post_ptr[rarest] + part.sup[rarest]):
        t = part.post[p]
        whole = part.size[t] >= len(q)
        if whole:
            for x in q:
                if x != rarest and place(part, t, x) < 0:
                    whole = False
                    break
        if whole:
            part.chosen[held] = t
            held += 1
    return held


@inner
def place(part, t, x):  # type: ignore[no-untyped-def]
    """Where record t holds item x, or -1."""
    low = part.ptr[t]
    end = high = low + part.size[t]
    while low < high:
        middle = (low + high) // 2
        if part.items[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low if low < end and part.items[low] == x else np.int64(-1)


@inner
def delete(part, t, x):  # type: ignore[no-untyped-def]
    """Takes item x out of record t, and t out of the records of x."""
    for p in range(place(part, t, x), part.ptr[t] + part.size[t] - 1):
        part.items[p] = part.items[p + 1]
    part.size[t] -= 1
    end = part.post_ptr[x] + part.sup[x]
    low = part.post_ptr[x] + np.searchsorted(part.post[part.post_ptr[x] : end], t)
    for p in range(low, end - 1):
        part.post[p] = part.post[p + 1]
    part.sup[x] -= 1
    part.total[0] -= 1
