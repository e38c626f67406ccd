"""Which parts of a short record can be kept at all, in any safe release made by deletion (docs/notes/bound.md).

Let W be a part with something sensitive and two or more items. For each sensitive e of W, need_e published records must
contain W - e and lack e. In the original these either lack e themselves (a_e others do), or contain all of W (a_W do)
and lose e. A record that lacks e serves only e; one that contains W serves one e, the only item of W that it loses. So
W can be kept only if the sum over e of max(0, need_e - a_e) is at most a_W.

All a_e and a_W follow from what other records share with the record (around.py), by sums over supersets.

Whether a part is possible can only change from no to yes as more of the others are read. So reading ends as soon as a
part of the size of the upper bound is found to be possible.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.audit.kernels.growth import grown
from sordino.audit.kernels.supersets import add_supersets
from sordino.engine.kernels.bits import ones
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.utility.kernels.around import ALL, MOST, Unit, begin_around, reach_of, read_around

# By rank: what is sensitive, and how many alibis it needs. Somebody may know `known` items; units for which more than
# `effort` postings would be read are not looked at.
Asked = namedtuple("Asked", "sensitive demand known effort")
FIRST = 64  # postings of each list that are read before anything is tried, at least; then four times as many


@inner
def is_possible(w, n, need, support):  # type: ignore[no-untyped-def]
    """Whether enough records can stand against each sensitive item of the part w (of two or more items)."""
    with_it = support[w]
    free = with_it
    for k in range(n):
        if need[k] > 0 and w >> k & 1:
            lacking = need[k] - (support[w ^ (1 << k)] - with_it)
            if lacking > 0:
                free -= lacking
                if free < 0:
                    return False
    return True


@inner
def part_is_possible(w, size, share, known, n, need, support, ok):  # type: ignore[no-untyped-def]
    """Whether the part w can be kept, and all inside it of more than `share` items."""
    if size > share + 1:
        for k in range(n):
            if w >> k & 1 and not ok[w ^ (1 << k)]:
                return False
    return size > known + 1 or is_possible(w, n, need, support)


@inner
def project(unit, share, index, by_length, room, stop):  # type: ignore[no-untyped-def]
    """support[w]: how many others contain the part w of the unit, if w has at least `share` (>= 1) items."""
    at = np.empty(MOST, dtype=np.int64)
    begin_around(unit, share, index, room, None, at)
    read_around(unit, share, index, by_length, np.int64(ALL), room, None, at, stop)
    add_supersets(room.support, unit.n)


@inner
def needs_of(unit, asked, need):  # type: ignore[no-untyped-def]
    """need[k]: the alibis that the k-th item of the unit needs, 0 if it is harmless. Returns which are sensitive."""
    secret = np.int64(0)
    for k in range(unit.n):
        x = unit.items[unit.start + k]
        need[k] = asked.demand[x] if asked.sensitive[x] else 0
        if asked.sensitive[x]:
            secret |= 1 << k
    return secret


@inner
def largest_possible(n, share, least, known, need, support, ok):  # type: ignore[no-untyped-def]
    """The size of the largest part that can be kept; `least` can be."""
    best = least
    for w in range(1, 1 << n):
        size = ones(np.uint64(w))
        if size <= share:
            continue
        ok[w] = part_is_possible(w, size, share, known, n, need, support, ok)
        if ok[w] and size > best:
            best = size
    return best


@kernel
def exact_kept(lo, hi, index, by_length, asked, counted, room, kept, stop):  # type: ignore[no-untyped-def]
    """Lowers kept[c] of the short classes in lo..hi to the size of the largest part that can be kept.

    `kept` must be an upper bound already. If it is `counted` (kept.py), classes with one sensitive item are done: that
    can be kept if enough others have all the rest, and nothing else is asked here. Who knows at most `known` items asks
    only for parts of known + 1 items; a larger one is possible if all parts inside it are. Classes for which more than
    `effort` postings would be read are left as they are.
    """
    ok, need = np.zeros(1 << MOST, dtype=np.uint8), np.zeros(MOST, dtype=np.int64)
    sums, at = np.empty(1 << MOST, dtype=np.int64), np.empty(MOST, dtype=np.int64)
    for c in range(lo, hi):
        if raised(stop):
            return
        n = index.ptr[c + 1] - index.ptr[c]
        if n < 2 or n > MOST:
            continue
        unit = Unit(index.items, index.ptr[c], n, c, c)
        secrets = ones(np.uint64(needs_of(unit, asked, need)))
        least = np.int64(max(n - secrets, 1))  # so much can always be kept
        if kept[c] <= least or (counted and secrets == 1):
            continue
        share = np.int64(max(1, min(least, asked.known)))
        if reach_of(unit, share, index) > asked.effort:
            continue
        begin_around(unit, share, index, room, None, at)
        limit = np.int64(max(FIRST, 1 << n))
        best, more = least, True
        while more and best < kept[c]:
            more = read_around(unit, share, index, by_length, limit, room, None, at, stop)
            for w in range(1 << n):  # (to copy a slice, Numba compiles what makes the text of an error)
                sums[w] = room.support[w]
            add_supersets(sums, n)
            best = largest_possible(n, share, least, asked.known, need, sums, ok)
            limit *= 4
        kept[c] = min(best, kept[c])


@kernel
def possible_parts(lo, hi, index, by_length, asked, least, whole, room, begin, stop):  # type: ignore[no-untyped-def]
    """All possible parts of the classes in lo..hi that have something sensitive, and least[c] items; none if it is -1.

    With `whole` only those that have everything harmless. Returns their bit masks; those of class c are from
    begin[c - lo] on. A class for which more than `effort` postings would be read has none. `known` as above.
    """
    ok, need = np.zeros(1 << MOST, dtype=np.uint8), np.zeros(MOST, dtype=np.int64)
    found = np.empty(1024, dtype=np.int32)
    count = np.int64(0)
    for c in range(lo, hi):
        begin[c - lo] = count
        if least[c] < 0:
            continue
        if raised(stop):
            break
        n = index.ptr[c + 1] - index.ptr[c]
        unit = Unit(index.items, index.ptr[c], n, c, c)
        size = np.int64(max(1, least[c]))
        share = np.int64(max(1, min(size - 1, asked.known)))
        if reach_of(unit, share, index) > asked.effort:
            continue
        project(unit, share, index, by_length, room, stop)
        secret = needs_of(unit, asked, need)
        plain = ((1 << n) - 1) ^ secret if whole else 0
        for w in range(1, 1 << n):
            has = ones(np.uint64(w))
            if has <= share:
                ok[w] = 1
            else:
                ok[w] = part_is_possible(w, has, share, asked.known, n, need, room.support, ok)
            if ok[w] and w & secret and w & plain == plain and has >= size:
                if count == len(found):
                    found = grown(found, count + 1)
                found[count] = w
                count += 1
    begin[hi - lo] = count
    return found[:count]
