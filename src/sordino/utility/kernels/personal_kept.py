"""The most that can be kept of a record where people chose for themselves (docs/notes/bound.md).

The rule q -> e is asked about if somebody who finds e sensitive has q in the original. W can be kept only if, as in
possible.py, enough other records can stand against each e of W whose rule W - e -> e is asked about; and if every part
inside W can be.
"""

from __future__ import annotations

import numpy as np

from sordino.audit.kernels.leaves import posting_start
from sordino.audit.kernels.supersets import add_supersets, unite_supersets
from sordino.engine.kernels.bits import ones
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.utility.kernels.possible import MOST

EVERYBODY = -2  # as in policy/choices.py


@inner
def minded_by(unit, start, n, v, row, wish):  # type: ignore[no-untyped-def]
    """Which items of the unit somebody of class v finds sensitive."""
    mask = np.int64(0)
    for i in range(n):
        r = row[unit[start + i]]
        if r == EVERYBODY or (r >= 0 and wish[r, v >> 6] >> np.uint64(v & 63) & np.uint64(1)):
            mask |= 1 << i
    return mask


@inner
def look_around(index, by_length, c, unit, start, n, share, row, wish, seen, stamp, support, minded, stop):  # type: ignore[no-untyped-def]
    """By part w of the unit, of `share` items or more: how many others contain it, and what anybody with it minds."""
    ptr, items, weight = index.ptr, index.items, index.weight
    post_ptr, post = index.post_ptr, index.post
    full = 1 << n
    for w in range(full):
        support[w] = minded[w] = 0
    support[full - 1] = weight[c] - 1
    minded[full - 1] = minded_by(unit, start, n, c, row, wish)
    seen[c] = stamp
    for j in range(n - share + 1):
        x = unit[start + j]
        last = post_ptr[x + 1]
        for p in range(posting_start(post, post_ptr[x], last, by_length[share]), last):
            if p & 0xFFFF == 0 and raised(stop):
                return
            v = post[p]
            if seen[v] == stamp:
                continue
            seen[v] = stamp
            w = 0
            common = 0
            at = ptr[v]
            end = ptr[v + 1]
            for i in range(j, n):
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
                if minded[w] != full - 1:
                    minded[w] |= minded_by(unit, start, n, np.int64(v), row, wish)
    add_supersets(support, n)
    unite_supersets(minded, n)


@inner
def is_possible_for(w, n, need, support, minded):  # type: ignore[no-untyped-def]
    """Whether enough records can stand against each item of the part w (of two or more) that is asked about."""
    free = with_it = support[w]
    for k in range(n):
        if w >> k & 1 and minded[w ^ (1 << k)] >> k & 1:
            lacking = need[k] - (support[w ^ (1 << k)] - with_it)
            if lacking > 0:
                free -= lacking
                if free < 0:
                    return False
    return True


@kernel
def personal_kept(  # type: ignore[no-untyped-def]
    lo, hi, unit_ptr, unit, of, index, by_length, demand, row, wish, known, effort, little, seen, support, minded, kept,
    stop,
):  # fmt: skip
    """In `kept`: of each unit in lo..hi, items unit[unit_ptr[k]:unit_ptr[k + 1]] of class of[k], how many can be kept.

    row[x] and wish (by rank) tell who finds x sensitive: nobody, everybody, or the classes with a bit in wish[row[x]].
    Parts of one item, and of two if more than `little` postings would be read for those, count as possible; of a unit
    for which more than `effort` postings would be read, everything does.
    """
    ok, need = np.zeros(1 << MOST, dtype=np.uint8), np.zeros(MOST, dtype=np.int64)
    for k in range(lo, hi):
        if raised(stop):
            return
        start = unit_ptr[k]
        n = unit_ptr[k + 1] - start
        kept[k] = n
        if n < 2:
            continue
        reach = 0
        for j in range(n):
            x = unit[start + j]
            need[j] = demand[x]
            reach += index.post_ptr[x + 1] - index.post_ptr[x]
        share = np.int64(1 if reach <= little or known < 2 else 2)
        if reach > effort or n < share + 1:
            continue
        look_around(index, by_length, np.int64(of[k]), unit, start, n, share, row, wish, seen, k, support, minded, stop)
        best = share
        for w in range(1, 1 << n):
            size = ones(np.uint64(w))
            if size <= share:
                continue
            fine = True
            if size > share + 1:
                for j in range(n):
                    if w >> j & 1 and not ok[w ^ (1 << j)]:
                        fine = False
                        break
            ok[w] = fine and (size > known + 1 or is_possible_for(w, n, need, support, minded))
            if ok[w] and size > best:
                best = size
        kept[k] = best
