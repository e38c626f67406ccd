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

from collections import namedtuple

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel

__all__ = ["FOUND", "NONE", "OPEN", "Answers", "most_beside", "search_absences"]

NONE, FOUND, OPEN = 0, 1, 2  # OPEN: nothing found, but not all was looked at
WITH_E, FIXED = 1, 2  # of an entry of a list, below the class: it holds e; it holds nothing outside of W


# By occurrence that is asked about: NONE, FOUND or OPEN; the items of P, by their place in the record; what is absent
Answers = namedtuple("Answers", "result parts absent")
# The question at hand: (W, e) is an occurrence of threshold num/den; twins: num times those of W
Case = namedtuple("Case", "c e num den excess twins")
# Lists of entries, with the positive excess of each; by item: whether W holds it, h and a of its records, and which are
# seen; candidates for the first of two absences; by depth: begin and end of the list, the last item, the next; the
# items of P, and the absent ones
Room = namedtuple("Room", "entries extra own h a seen first level part pair")


@kernel
def most_beside(index, stop):  # type: ignore[no-untyped-def]
    """For every item: of all others, how often does the one occur beside it that does so most often?"""
    ptr, items, weight, post_ptr, post = index.ptr, index.items, index.weight, index.post_ptr, index.post
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
def _enter(c, e, index, excess, own):  # type: ignore[no-untyped-def]
    """A class as an entry of a list, and its positive excess of e."""
    ptr, items = index.ptr, index.items
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
def _tally(lo, hi, lacking, index, room):  # type: ignore[no-untyped-def]
    """Counts the items outside of W in all records of a list that lack an item (-1: any); returns how many are seen."""
    ptr, items, weight, entries, own = index.ptr, index.items, index.weight, room.entries, room.own
    h, a, seen = room.h, room.a, room.seen
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
def _suffice(lo, hi, most, effort, cap, case, index, room):  # type: ignore[no-untyped-def]
    """Whether `most` (1 or 2) absences make e too frequent among entries[lo:hi]; if FOUND, room.pair = (x, y or -1).

    No item is in more than `cap` of the records that hold P. OPEN if it would take more than `effort` to try all that
    could be the first of two.
    """
    ptr, weight, entries, h, a = index.ptr, index.weight, room.entries, room.h, room.a
    seen, first, pair, num, den = room.seen, room.first, room.pair, case.num, case.den
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
    n = _tally(lo, hi, np.int64(-1), index, room)
    found = False
    gain = np.int64(0)
    for k in range(n):
        x = seen[k]
        gain = max(gain, num * h[x])
        if not found and den * (with_e - a[x]) > num * (holders - h[x]):
            found = True
            pair[0] = x
            pair[1] = -1
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
        n = _tally(lo, hi, np.int64(first[k, 0]), index, room)
        for m in range(n):
            y = seen[m]
            if not found and den * (left_e - a[y]) > num * (left - h[y]):
                found = True
                pair[0] = first[k, 0]
                pair[1] = y
            h[y] = 0
            a[y] = 0
        if found:
            break
    return FOUND if found else NONE


@inner
def _whole(case, index, excess, room):  # type: ignore[no-untyped-def]
    """The list of all who hold V; returns its length."""
    c, e = case.c, case.e
    ptr, items, post_ptr, post, post_sig = index.ptr, index.items, index.post_ptr, index.post, index.post_sig
    entries, extra = room.entries, room.extra
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
            entries[n], extra[n] = _enter(np.int64(other), e, index, excess, room.own)
            n += 1
    return n


@inner
def _hopeless(lo, hi, case, index, room):  # type: ignore[no-untyped-def]
    """Whether no N can help, neither with this list nor with any part of it that keeps W."""
    weight, entries, extra = index.weight, room.entries, room.extra
    with_e = np.int64(0)
    more = case.excess
    for k in range(lo, hi):
        if entries[k] & WITH_E:
            with_e += weight[entries[k] >> 2]
        if entries[k] >> 2 != case.c:
            more += extra[k]
    return more <= 0 or (case.den - case.num) * with_e <= case.twins


@inner
def _parts(case, most, effort, index, excess, beside, room):  # type: ignore[no-untyped-def]
    """Looks at every part P of V, rarest item first, lists narrowed as P grows; room.part gets the P that was found."""
    c, e = case.c, case.e
    ptr, items, post_ptr, post = index.ptr, index.items, index.post_ptr, index.post
    entries, extra, level, part = room.entries, room.extra, room.level, room.part
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
            entries[size], extra[size] = _enter(np.int64(post[p]), e, index, excess, room.own)
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
                dead = _hopeless(lo, hi, case, index, room)
                if not dead:
                    answer = _suffice(lo, hi, most, effort, beside[rare], case, index, room)
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
                if _holds(entries[k] >> 2, np.int64(items[start + at]), ptr, items):
                    if end >= len(entries):
                        return OPEN
                    entries[end] = entries[k]
                    extra[end] = extra[k]
                    end += 1
            depth += 1
            level[depth, 0], level[depth, 1], level[depth, 2] = hi, end, at
            fresh = True
    return result


@inner
def _make_room(index, small):  # type: ignore[no-untyped-def]
    width = len(index.post_ptr) - 1
    longest = 0
    for k in range(width):
        longest = max(longest, index.post_ptr[k + 1] - index.post_ptr[k])
    return Room(
        np.empty(4 * longest + 1024, dtype=np.int64),
        np.empty(4 * longest + 1024, dtype=np.int64),
        np.zeros(width, dtype=np.bool_),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.empty(width, dtype=np.int64),
        np.empty((width, 3), dtype=np.int64),
        np.empty((small + 2, 4), dtype=np.int64),
        np.empty(small + 1, dtype=np.bool_),
        np.empty(2, dtype=np.int64),
    )


@kernel
def search_absences(  # type: ignore[no-untyped-def]
    places, owner, most, small, effort, index, beside, excess, num, den, answers, stop
):
    """For each of the given occurrences of sensitive items whether `most` (1 or 2) absences suffice: NONE, FOUND, OPEN.

    All parts of V are looked at if it has at most `small` items and that takes no more than `effort`; else V itself,
    and what is not found there is OPEN. Where it is FOUND, the answer tells P (as far as there is room for it) and the
    absent items. `beside` is from `most_beside`.
    """
    ptr, items, weight = index.ptr, index.items, index.weight
    result, parts, absent = answers.result, answers.parts, answers.absent
    room = _make_room(index, small)
    own, part, pair = room.own, room.part, room.pair
    for n in range(len(places)):
        if stop[0]:
            return
        c = np.int64(owner[places[n]])
        e = np.int64(items[places[n]])
        length = ptr[c + 1] - ptr[c]
        result[n] = NONE
        if length < 2:
            continue
        for k in range(ptr[c], ptr[c + 1]):
            own[items[k]] = True
        more = excess[places[n]]
        case = Case(c, e, num[e], den[e], more, (den[e] - num[e]) * weight[c] - more)
        size = _whole(case, index, excess, room)
        if _hopeless(np.int64(0), size, case, index, room):
            answer = NONE
        else:
            rare = items[ptr[c]] if items[ptr[c]] != e else items[ptr[c] + 1]
            answer = _suffice(np.int64(0), size, most, effort, beside[rare], case, index, room)
        if answer == FOUND:
            for k in range(min(length, parts.shape[1])):
                parts[n, k] = items[ptr[c] + k] != e
        elif length > 2 and length - 1 <= small:
            answer = _parts(case, most, effort, index, excess, beside, room)
            if answer == FOUND:
                for k in range(min(length, parts.shape[1])):
                    parts[n, k] = part[k]
        elif length > 2:
            answer = OPEN
        result[n] = answer
        if result[n] == FOUND:
            absent[n, 0] = pair[0]
            absent[n, 1] = pair[1]
        for k in range(ptr[c], ptr[c + 1]):
            own[items[k]] = False
