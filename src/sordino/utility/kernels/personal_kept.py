"""The most that can be kept of a record where people chose for themselves (docs/notes/bound.md).

The rule q -> e is asked about if somebody who finds e sensitive has q in the original. W can be kept only if, as in
possible.py, enough other records can stand against each e of W whose rule W - e -> e is asked about; and if every part
inside W can be.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.audit.kernels.supersets import add_supersets, unite_supersets
from sordino.engine.kernels.bits import ones
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.utility.kernels.around import ALL, MOST, Unit, begin_around, reach_of, read_around

# Unit k is items[ptr[k]:ptr[k + 1]], of a record of class of[k].
Pieces = namedtuple("Pieces", "ptr items of")
# By rank, the alibis that an item needs. Somebody may know `known` items; parts of two count as possible if more than
# `little` postings would be read for them, and everything does if more than `effort` would.
Needs = namedtuple("Needs", "demand known effort little")


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
def personal_kept(lo, hi, pieces, index, by_length, needs, minds, room, kept, stop):  # type: ignore[no-untyped-def]
    """In `kept`: of each unit in lo..hi, how many items can be kept. Parts of one item count as possible."""
    ok, need = np.zeros(1 << MOST, dtype=np.uint8), np.zeros(MOST, dtype=np.int64)
    at = np.empty(MOST, dtype=np.int64)
    for k in range(lo, hi):
        if raised(stop):
            return
        start = pieces.ptr[k]
        n = pieces.ptr[k + 1] - start
        kept[k] = n
        if n < 2:
            continue
        unit = Unit(pieces.items, start, n, np.int64(pieces.of[k]), k)
        for j in range(n):
            need[j] = needs.demand[pieces.items[start + j]]
        reach = reach_of(unit, np.int64(1), index)
        share = np.int64(1 if reach <= needs.little or needs.known < 2 else 2)
        if reach > needs.effort or n < share + 1:
            continue
        begin_around(unit, share, index, room, minds, at)
        read_around(unit, share, index, by_length, np.int64(ALL), room, minds, at, stop)
        add_supersets(room.support, n)
        unite_supersets(minds.minded, n)
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
            ok[w] = fine and (size > needs.known + 1 or is_possible_for(w, n, need, room.support, minds.minded))
            if ok[w] and size > best:
                best = np.int64(size)
        kept[k] = best
