"""What the other records share with a few items: the unit, items of one class, ranks ascending.

All others are projected on the unit. Of parts of `share` items or more, only records that share as much matter: they
hold one of the n - share + 1 rarest items of the unit, have at least `share` items, and at most n - share bits of the
unit's signature are missing in their own.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.audit.kernels.leaves import posting_start
from sordino.engine.kernels.bits import ones
from sordino.engine.kernels.compiled import inner
from sordino.engine.kernels.flag import raised

MOST = 15  # items of a unit, at most
ALL = 1 << 40  # more postings than there are
EVERYBODY = -2  # as in policy/choices.py

# The unit is items[start:start + n], of a record of class c. `stamp` is its number, which no unit had before.
Unit = namedtuple("Unit", "items start n c stamp")
# Of one thread, by class: whose turn it was seen in, at first -1; by part of a unit: how many others have just this
Room = namedtuple("Room", "seen support")
# By rank: row[x] tells who finds x sensitive: nobody, everybody, or the classes with a bit in wish[row[x]]. By part of
# a unit: which of its items somebody minds who has just this part
Minds = namedtuple("Minds", "row wish minded")


def make_room(classes: int, most: int = MOST) -> Room:
    """Room of one thread, for units of up to `most` items."""
    return Room(np.full(classes, -1, dtype=np.int32), np.empty(1 << most, dtype=np.int64))


@inner
def minded_by(unit, v, row, wish):  # type: ignore[no-untyped-def]
    """Which items of the unit somebody of class v finds sensitive."""
    mask = np.int64(0)
    for i in range(unit.n):
        r = row[unit.items[unit.start + i]]
        if r == EVERYBODY or (r >= 0 and wish[r, v >> 6] >> np.uint64(v & 63) & np.uint64(1)):
            mask |= 1 << i
    return mask


@inner
def reach_of(unit, share, index):  # type: ignore[no-untyped-def]
    """How many postings the lists of the n - share + 1 rarest items have."""
    reach = np.int64(0)
    for j in range(unit.n - share + 1):
        x = unit.items[unit.start + j]
        reach += index.post_ptr[x + 1] - index.post_ptr[x]
    return reach


@inner
def begin_around(unit, share, index, room, minds, at):  # type: ignore[no-untyped-def]
    """Nothing is read yet, but that the other records of the class have all of it; `at`: where to go on, by list."""
    full = 1 << unit.n
    for w in range(full):
        room.support[w] = 0
    room.support[full - 1] = index.weight[unit.c] - 1
    room.seen[unit.c] = unit.stamp
    if minds is not None:
        for w in range(full):
            minds.minded[w] = 0
        minds.minded[full - 1] = minded_by(unit, unit.c, minds.row, minds.wish)
    for j in range(unit.n - share + 1):
        at[j] = index.post_ptr[unit.items[unit.start + j] + 1]


@inner
def read_around(unit, share, index, by_length, limit, room, minds, at, stop):  # type: ignore[no-untyped-def]
    """Reads up to `limit` postings of each list, long records first. Whether there are more.

    Adds to support[w] the records that have just the part w of the unit, if it is `share` (>= 1) items; each record
    once. What is there after the flag `stop` went up says nothing.
    """
    ptr, items, weight = index.ptr, index.items, index.weight
    post_ptr, post, post_sig = index.post_ptr, index.post, index.post_sig
    start, n = unit.start, unit.n
    own = len(post_ptr) - 1 - 64  # from here on, items have a bit of their own
    s0 = s1 = np.uint64(0)
    shared = np.int64(0)  # the items before this one have none
    for i in range(n):
        x = unit.items[start + i]
        if x >= own:
            s1 |= np.uint64(1) << np.uint64(x - own)
        else:
            s0 |= np.uint64(1) << np.uint64(x & 63)
            shared = np.int64(i + 1)
    more = False
    for j in range(n - share + 1):
        x = unit.items[start + j]
        first = posting_start(post, post_ptr[x], post_ptr[x + 1], by_length[share])
        last = at[j]
        at[j] = max(first, last - limit)
        more |= at[j] > first
        for p in range(last - 1, at[j] - 1, -1):
            if p & 0xFFFF == 0 and raised(stop):
                return False
            has1 = s1 & post_sig[p, 1]
            if ones(s0 & ~post_sig[p, 0]) + ones(s1 ^ has1) > n - share:
                continue
            v = post[p]
            if room.seen[v] == unit.stamp:
                continue
            room.seen[v] = unit.stamp
            w = np.int64(0)
            common = np.int64(0)
            if s0 & post_sig[p, 0]:
                here, end = ptr[v], ptr[v + 1]
                for i in range(shared):
                    want = unit.items[start + i]
                    while here < end and items[here] < want:
                        here += 1
                    if here >= end:
                        break
                    if items[here] == want:
                        w |= 1 << i
                        common += 1
            for i in range(shared, n):
                if has1 >> np.uint64(unit.items[start + i] - own) & np.uint64(1):
                    w |= 1 << i
                    common += 1
            if common >= share:
                room.support[w] += weight[v]
                if minds is not None and minds.minded[w] != (1 << n) - 1:
                    minds.minded[w] |= minded_by(unit, np.int64(v), minds.row, minds.wish)
    return more
