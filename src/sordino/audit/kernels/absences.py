"""How few absences must be known, beside items that a person has, to infer a sensitive item of her?

The question for one class W of equal records, and one item e of it: is there a non-empty part P of V = W - e, and a
set N of one or two items outside of W, such that e is too frequent among the records that hold P and nothing of N? In
whole numbers: with H and A the numbers of records, and of those with e, that hold P, and h(x) and a(x) of those that
also hold x, one absence x suffices if den * (A - a(x)) > num * (H - h(x)).

P = V comes first: it is the likeliest. Then all other parts, if V is small; each with the list of those who hold it,
which is narrowed item by item. `excess` of an occurrence of e in a record is (den - num) times those equal to the
record less num times its twins. What agrees with P and N is a union of such pairs, and beside the pair of W only those
with a positive excess can help: where they do not outweigh it, no N can, nor for any larger P.
"""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel

__all__ = ["FOUND", "NONE", "OPEN", "most_beside", "search_absences"]

NONE, FOUND, OPEN = 0, 1, 2  # OPEN: nothing found, but not all was looked at
WITH_E, FIXED = 1, 2  # of an entry of a list, below the class: it holds e; it holds nothing outside of W


@kernel
def most_beside(ptr, items, weight, post_ptr, post, stop):  # type: ignore[no-untyped-def]
    """For every item: of all others, how often does the one occur beside it that does so most often?"""
    width = len(post_ptr) - 1
    h = np.zeros(width, dtype=np.int64)
    most = np.zeros(width, dtype=np.int64)
    for v in range(width):
        if stop[0]:
            break
        for p in range(post_ptr[v], post_ptr[v + 1]):
            c = post[p]
            for k in range(ptr[c], ptr[c + 1]):
                if items[k] != v:
                    h[items[k]] += weight[c]
                    most[v] = max(most[v], h[items[k]])
        for p in range(post_ptr[v], post_ptr[v + 1]):
            for k in range(ptr[post[p]], ptr[post[p] + 1]):
                h[items[k]] = 0
    return most


@inner
def _enter(c, own, e, ptr, items, excess):  # type: ignore[no-untyped-def]
    """A class as an entry of a list, and its positive excess of e."""
    flags = FIXED
    more = np.int64(0)
    for k in range(ptr[c], ptr[c + 1]):
        if items[k] == e:
            flags |= WITH_E
            more = max(excess[k], more)
        elif not own[items[k]]:
            flags &= ~FIXED
    return (np.int64(c) << 2) | flags, more


@inner
def _holds(c, want, ptr, items):  # type: ignore[no-untyped-def]
    for k in range(ptr[c], ptr[c + 1]):
        if items[k] >= want:
            return items[k] == want
    return False


@inner
def _tally(entries, lo, hi, lacking, own, ptr, items, weight, h, a, seen):  # type: ignore[no-untyped-def]
    """Counts the items outside of W in all records of a list that lack an item (-1: any); returns which are seen."""
    n = 0
    for k in range(lo, hi):
        if entries[k] & FIXED:
            continue
        c = entries[k] >> 2
        if lacking >= 0 and _holds(c, lacking, ptr, items):
            continue
        for m in range(ptr[c], ptr[c + 1]):
            x = items[m]
            if own[x]:
                continue
            if h[x] == 0:
                seen[n] = x
                n += 1
            h[x] += weight[c]
            if entries[k] & WITH_E:
                a[x] += weight[c]
    return n


@inner
def _suffice(  # type: ignore[no-untyped-def]
    entries, lo, hi, most, effort, cap, own, ptr, items, weight, num, den, h, a, seen, first, told
):  # fmt: skip
    """Whether `most` (1 or 2) absences make e too frequent among entries[lo:hi]; if FOUND, told = (x, y or -1).

    No item is in more than `cap` of the records that hold P. OPEN if it would take more than `effort` to try all that
    could be the first of two.
    """
    cost = np.int64(0)
    holders = np.int64(0)
    with_e = np.int64(0)
    fixed = np.int64(0)
    for k in range(lo, hi):
        w = weight[entries[k] >> 2]
        cost += ptr[(entries[k] >> 2) + 1] - ptr[entries[k] >> 2]
        holders += w
        if entries[k] & WITH_E:
            with_e += w
        elif entries[k] & FIXED:
            fixed += w
    # even with all gone that can go, or with as many as so few absences can send away
    if (den - num) * with_e <= num * fixed or den * with_e <= num * (holders - most * cap):
        return NONE
    n = _tally(entries, lo, hi, -1, own, ptr, items, weight, h, a, seen)
    found = False
    gain = np.int64(0)
    for k in range(n):
        x = seen[k]
        gain = max(gain, num * h[x])
        if not found and den * (with_e - a[x]) > num * (holders - h[x]):
            found = True
            told[0] = x
            told[1] = -1
    tries = 0
    if most == 2 and not found:
        for k in range(n):
            x = seen[k]
            if den * (with_e - a[x]) - num * (holders - h[x]) + gain > 0:
                first[tries, 0] = x
                first[tries, 1] = h[x]
                first[tries, 2] = a[x]
                tries += 1
    for k in range(n):
        h[seen[k]] = 0
        a[seen[k]] = 0
    if tries * cost > effort:
        return OPEN
    for k in range(tries):
        left, left_e = holders - first[k, 1], with_e - first[k, 2]
        n = _tally(entries, lo, hi, first[k, 0], own, ptr, items, weight, h, a, seen)
        for m in range(n):
            y = seen[m]
            if not found and den * (left_e - a[y]) > num * (left - h[y]):
                found = True
                told[0] = first[k, 0]
                told[1] = y
            h[y] = 0
            a[y] = 0
        if found:
            break
    return FOUND if found else NONE


@inner
def _whole(c, e, own, ptr, items, post_ptr, post, post_sig, excess, entries, extra):  # type: ignore[no-untyped-def]
    """The list of all who hold V; returns its length."""
    shared = len(post_ptr) - 1 - 64
    one = np.uint64(1)
    s0 = np.uint64(0)
    s1 = np.uint64(0)
    rare = -1
    for k in range(ptr[c], ptr[c + 1]):
        if items[k] == e:
            continue
        if rare < 0:
            rare = items[k]
        if items[k] >= shared:
            s1 |= one << np.uint64(items[k] - shared)
        else:
            s0 |= one << np.uint64(items[k] & 63)
    n = 0
    zero = np.uint64(0)
    for p in range(post_ptr[rare], post_ptr[rare + 1]):
        if (s1 & ~post_sig[p, 1]) != zero or (s0 & ~post_sig[p, 0]) != zero:
            continue
        other = post[p]
        at = ptr[other]
        stop = ptr[other + 1]
        inside = True
        for k in range(ptr[c], ptr[c + 1]):
            if items[k] == e:
                continue
            while at < stop and items[at] < items[k]:
                at += 1
            if at == stop or items[at] != items[k]:
                inside = False
                break
        if inside:
            entries[n], extra[n] = _enter(other, own, e, ptr, items, excess)
            n += 1
    return n


@inner
def _hopeless(entries, extra, lo, hi, c, weight, excess_own, num, den, twins):  # type: ignore[no-untyped-def]
    """Whether no N can help, neither with this list nor with any part of it that keeps W."""
    with_e = np.int64(0)
    more = excess_own
    for k in range(lo, hi):
        if entries[k] & WITH_E:
            with_e += weight[entries[k] >> 2]
        if entries[k] >> 2 != c:
            more += extra[k]
    return more <= 0 or (den - num) * with_e <= twins


@inner
def _parts(  # type: ignore[no-untyped-def]
    c, e, most, effort, own, ptr, items, weight, post_ptr, post, excess, excess_own, num, den, twins, beside, entries,
    extra, h, a, seen, first, level, part, told
):  # fmt: skip
    """Looks at every part P of V, rarest item first, lists narrowed as P grows; `part` gets the P that was found."""
    start = ptr[c]
    n = ptr[c + 1] - start
    spent = np.int64(0)
    for root in range(n):
        if items[start + root] != e:
            spent += post_ptr[items[start + root] + 1] - post_ptr[items[start + root]]
    if 4 * spent > effort:  # to begin with, all lists of single items would be gone through
        return OPEN
    spent = np.int64(0)
    result = NONE
    for root in range(n):
        if items[start + root] == e:
            continue
        rare = items[start + root]
        size = 0
        for p in range(post_ptr[rare], post_ptr[rare + 1]):
            entries[size], extra[size] = _enter(post[p], own, e, ptr, items, excess)
            spent += ptr[post[p] + 1] - ptr[post[p]]
            size += 1
        depth = 0
        level[0, 0], level[0, 1], level[0, 2] = 0, size, root  # begin and end of the list; the last item of P
        fresh = True
        while depth >= 0:
            lo, hi, last = level[depth, 0], level[depth, 1], level[depth, 2]
            if fresh:
                for k in range(lo, hi):
                    spent += ptr[(entries[k] >> 2) + 1] - ptr[entries[k] >> 2]
                if spent > effort:
                    return OPEN
                dead = _hopeless(entries, extra, lo, hi, c, weight, excess_own, num, den, twins)
                if not dead:
                    answer = _suffice(
                        entries, lo, hi, most, effort, beside[rare], own, ptr, items, weight, num, den, h, a, seen,
                        first, told,
                    )  # fmt: skip
                    if answer == FOUND:
                        for k in range(n):
                            part[k] = False
                        for k in range(depth + 1):
                            part[level[k, 2]] = True
                        return FOUND
                    if answer == OPEN:
                        result = OPEN
                level[depth, 3] = n if dead else last + 1  # the next item to add
            at = level[depth, 3]
            if at < n and items[start + at] == e:
                at += 1
            if at >= n:
                depth -= 1
                fresh = False
                continue
            level[depth, 3] = at + 1
            end = hi
            for k in range(lo, hi):
                if _holds(entries[k] >> 2, items[start + at], ptr, items):
                    if end >= len(entries):
                        return OPEN
                    entries[end] = entries[k]
                    extra[end] = extra[k]
                    end += 1
            depth += 1
            level[depth, 0], level[depth, 1], level[depth, 2] = hi, end, at
            fresh = True
    return result


@kernel
def search_absences(  # type: ignore[no-untyped-def]
    places, owner, most, small, effort, ptr, items, weight, post_ptr, post, post_sig, beside, excess, num, den, result,
    parts, absent, stop,
):  # fmt: skip
    """For each of the given occurrences of sensitive items whether `most` (1 or 2) absences suffice: NONE, FOUND, OPEN.

    All parts of V are looked at if it has at most `small` items and that takes no more than `effort`; else V itself,
    and what is not found there is OPEN. Where it is FOUND, parts[n] marks the items of P by their place in the record
    (as far as it is wide enough), and absent[n] holds the absent items. `beside` is from `most_beside`.
    """
    width = len(post_ptr) - 1
    longest = 0
    for k in range(width):
        longest = max(longest, post_ptr[k + 1] - post_ptr[k])
    room = 4 * longest + 1024
    entries = np.empty(room, dtype=np.int64)
    extra = np.empty(room, dtype=np.int64)
    own = np.zeros(width, dtype=np.bool_)
    h = np.zeros(width, dtype=np.int64)
    a = np.zeros(width, dtype=np.int64)
    seen = np.empty(width, dtype=np.int64)
    first = np.empty((width, 3), dtype=np.int64)
    level = np.empty((small + 2, 4), dtype=np.int64)
    part = np.empty(small + 1, dtype=np.bool_)
    told = np.empty(2, dtype=np.int64)
    for n in range(len(places)):
        if stop[0]:
            return
        c = owner[places[n]]
        e = items[places[n]]
        length = ptr[c + 1] - ptr[c]
        result[n] = NONE
        if length < 2:
            continue
        for k in range(ptr[c], ptr[c + 1]):
            own[items[k]] = True
        twins = (den[e] - num[e]) * weight[c] - excess[places[n]]  # num times those of W
        size = _whole(c, e, own, ptr, items, post_ptr, post, post_sig, excess, entries, extra)
        if _hopeless(entries, extra, 0, size, c, weight, excess[places[n]], num[e], den[e], twins):
            answer = NONE
        else:
            rare = items[ptr[c]] if items[ptr[c]] != e else items[ptr[c] + 1]
            answer = _suffice(
                entries, 0, size, most, effort, beside[rare], own, ptr, items, weight, num[e], den[e], h, a, seen,
                first, told,
            )  # fmt: skip
        if answer == FOUND:
            for k in range(min(length, parts.shape[1])):
                parts[n, k] = items[ptr[c] + k] != e
        elif length > 2 and length - 1 <= small:
            answer = _parts(
                c, e, most, effort, own, ptr, items, weight, post_ptr, post, excess, excess[places[n]], num[e],
                den[e], twins, beside, entries, extra, h, a, seen, first, level, part, told,
            )  # fmt: skip
            if answer == FOUND:
                for k in range(min(length, parts.shape[1])):
                    parts[n, k] = part[k]
        elif length > 2:
            answer = OPEN
        result[n] = answer
        if result[n] == FOUND:
            absent[n, 0] = told[0]
            absent[n, 1] = told[1]
        for k in range(ptr[c], ptr[c + 1]):
            own[items[k]] = False
