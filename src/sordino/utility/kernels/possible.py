"""Which parts of a short record can be kept at all, in any safe release made by deletion (docs/notes/bound.md).

Let W be a part with something sensitive and two or more items. For each sensitive e of W, need_e published records must
contain W - e and lack e. In the original these either lack e themselves (a_e others do), or contain all of W (a_W do)
and lose e. A record that lacks e serves only e; one that contains W serves one e, the only item of W that it loses. So
W can be kept only if the sum over e of max(0, need_e - a_e) is at most a_W.

All other records are projected on the items of the record, and sums over supersets give all a_e and a_W at once. Of
parts of `least` items or more, only records that share least - 1 items matter: they hold one of the rarest ones.
"""

from __future__ import annotations

import numpy as np

from sordino.audit.kernels.growth import grown
from sordino.audit.kernels.leaves import posting_start
from sordino.audit.kernels.supersets import add_supersets
from sordino.engine.kernels.bits import ones
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised

MOST = 15  # items of a record of which all parts are tried, at most


@inner
def shared_masks(index, by_length, c, unit, start, n, share, seen, stamp, support, stop):  # type: ignore[no-untyped-def]
    """support[w]: how many records but one of class c have just the part w of the unit, if it is `share` (>= 1) items.

    The unit is unit[start:start + n], items of class c, ascending; `stamp` is in `seen` nowhere yet.
    """
    ptr, items, weight = index.ptr, index.items, index.weight
    post_ptr, post, post_sig = index.post_ptr, index.post, index.post_sig
    s0 = s1 = np.uint64(0)  # of a piece no signature is kept
    if n == ptr[c + 1] - ptr[c]:
        s0, s1 = index.sig0[c], index.sig1[c]
    full = 1 << n
    for w in range(full):
        support[w] = 0
    support[full - 1] = weight[c] - 1
    seen[c] = stamp
    for j in range(n - share + 1):
        x = unit[start + j]
        last = post_ptr[x + 1]
        for p in range(posting_start(post, post_ptr[x], last, by_length[share]), last):
            if p & 0xFFFF == 0 and raised(stop):
                return
            if ones(s0 & ~post_sig[p, 0]) + ones(s1 & ~post_sig[p, 1]) > n - share:
                continue
            v = post[p]
            if seen[v] == stamp:
                continue
            seen[v] = stamp
            w = 0
            common = 0
            at = ptr[v]
            end = ptr[v + 1]
            for i in range(j, n):  # what comes before j it does not have, or it would have been seen
                want = unit[start + i]
                while at < end and items[at] < want:
                    at += 1
                if at >= end:
                    break
                if items[at] == want:
                    w |= 1 << i
                    common += 1
            if common >= share:
                support[w] += weight[v]


@inner
def project(index, by_length, c, n, share, seen, support, stop):  # type: ignore[no-untyped-def]
    """support[w]: how many records but one of class c contain its part w, if w has at least `share` (>= 1) items."""
    shared_masks(index, by_length, c, index.items, index.ptr[c], n, share, seen, c, support, stop)
    add_supersets(support, n)


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
def needs_of(c, index, sensitive, demand, need):  # type: ignore[no-untyped-def]
    """need[k]: the alibis that the k-th item of class c needs, 0 if it is harmless. Returns which are sensitive."""
    start = index.ptr[c]
    secret = np.int64(0)
    for k in range(index.ptr[c + 1] - start):
        x = index.items[start + k]
        need[k] = demand[x] if sensitive[x] else 0
        if sensitive[x]:
            secret |= 1 << k
    return secret


@kernel
def exact_kept(lo, hi, index, by_length, sensitive, demand, known, effort, seen, support, kept, stop):  # type: ignore[no-untyped-def]
    """Lowers kept[c] of the short classes in lo..hi to the size of the largest part that can be kept.

    `kept` must be an upper bound already. By rank: `sensitive`, and `demand`, the alibis that a sensitive item needs.
    Who knows at most `known` items asks only for parts of known + 1 items; a larger one is possible if all parts inside
    it are. Classes for which more than `effort` postings would be read are left as they are. `seen` (by class, at first
    -1) and `support` (2^MOST) are room of one thread.
    """
    ptr, items, post_ptr = index.ptr, index.items, index.post_ptr
    ok, need = np.zeros(1 << MOST, dtype=np.uint8), np.zeros(MOST, dtype=np.int64)
    for c in range(lo, hi):
        if raised(stop):
            return
        start = ptr[c]
        n = ptr[c + 1] - start
        if n < 2 or n > MOST:
            continue
        secret = needs_of(c, index, sensitive, demand, need)
        least = np.int64(max(n - ones(np.uint64(secret)), 1))  # so much can always be kept
        if kept[c] <= least:
            continue
        share = np.int64(max(1, min(least, known)))
        reach = 0
        for j in range(n - share + 1):
            reach += post_ptr[items[start + j] + 1] - post_ptr[items[start + j]]
        if reach > effort:
            continue
        project(index, by_length, c, n, share, seen, support, stop)
        best = least
        for w in range(1, 1 << n):
            size = ones(np.uint64(w))
            if size <= share:
                continue
            ok[w] = part_is_possible(w, size, share, known, n, need, support, ok)
            if ok[w] and size > best:
                best = size
        kept[c] = min(best, kept[c])


@kernel
def possible_parts(  # type: ignore[no-untyped-def]
    lo, hi, index, by_length, sensitive, demand, known, least, whole, effort, seen, support, begin, stop
):
    """All possible parts of the classes in lo..hi that have something sensitive, and least[c] items; none if it is -1.

    With `whole` only those that have everything harmless. Returns their bit masks; those of class c are from
    begin[c - lo] on. A class for which more than `effort` postings would be read has none. `known` as above.
    """
    ptr, items, post_ptr = index.ptr, index.items, index.post_ptr
    ok, need = np.zeros(1 << MOST, dtype=np.uint8), np.zeros(MOST, dtype=np.int64)
    found = np.empty(1024, dtype=np.int32)
    count = np.int64(0)
    for c in range(lo, hi):
        begin[c - lo] = count
        if least[c] < 0:
            continue
        if raised(stop):
            break
        start = ptr[c]
        n = ptr[c + 1] - start
        size = np.int64(max(1, least[c]))
        share = np.int64(max(1, min(size - 1, known)))
        reach = 0
        for j in range(n - share + 1):
            reach += post_ptr[items[start + j] + 1] - post_ptr[items[start + j]]
        if reach > effort:
            continue
        project(index, by_length, c, n, share, seen, support, stop)
        secret = needs_of(c, index, sensitive, demand, need)
        plain = ((1 << n) - 1) ^ secret if whole else 0
        for w in range(1, 1 << n):
            has = ones(np.uint64(w))
            if has <= share:
                ok[w] = 1
            else:
                ok[w] = part_is_possible(w, has, share, known, n, need, support, ok)
            if ok[w] and w & secret and w & plain == plain and has >= size:
                if count == len(found):
                    found = grown(found, count + 1)
                found[count] = w
                count += 1
    begin[hi - lo] = count
    return found[:count]
