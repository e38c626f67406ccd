"""The qids that Algorithm 1 of Jia et al. 2014 has met in a part T: each is counted once, and again only if it must be.

**The line.** When a qid q is counted, `need` is the least support at which all its rules are safe: the largest
ceil(sup(q + e) * den / num). Later sup(q + e) is no larger, and sup(q) has lost no more than the items of q have lost
in the whole part, `spent`. So q is safe for certain while the spent of its items is at most

    line = spent + sup(q) - need, as they were when it was counted.

Whether a qid must be counted is then a sum of a few numbers. Of those in FEW records these are kept beside it: a
deletion takes records out of T(q), and never brings one in.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sordino.audit.kernels.growth import grown
from sordino.engine.kernels.compiled import inner
from sordino.protect.kernels.jia.part import place

CODE, AT, LINE, MET = 0, 1, 2, 3  # columns of `about`: hash, place in `store`, line, the last buffer that had it
FEW = 8
FOREVER = 1 << 60  # as a line: there is no rule, and there will be none
NEVER = -1  # as a line: it is not known to be safe


class Met(NamedTuple):
    """In the order in which they were met."""

    length: Any  # how many qids, numbers in the store; how many buffers have begun
    slot: Any  # where a qid is by its hash: its number + 1, or 0; as many as a power of two
    about: Any
    store: Any  # of each qid: how many items, how many records (-1: not kept), its items ascending, these records


@inner
def nothing_met(room):  # type: ignore[no-untyped-def]
    slots = np.int64(4)
    while slots < 2 * room:
        slots *= 2
    return Met(
        np.zeros(3, dtype=np.int64),
        np.zeros(slots, dtype=np.int32),
        np.empty((room, 4), dtype=np.int64),
        np.empty(8 * room, dtype=np.int32),
    )


@inner
def forget(met):  # type: ignore[no-untyped-def]
    """Empties it: what was known of qids is found out again."""
    met.length[0] = met.length[1] = 0
    met.slot[:] = 0


@inner
def has_room(met, longest):  # type: ignore[no-untyped-def]
    """Whether there is room for one more qid of at most `longest` items."""
    return met.length[0] < len(met.about) and met.length[1] + longest + FEW + 2 <= len(met.store)


@inner
def with_room(met, longest):  # type: ignore[no-untyped-def]
    """The same with room for one more qid of at most `longest` items, and for as many again as there are."""
    number, taken = met.length[0], met.length[1]
    slot, about, store = met.slot, met.about, met.store
    if number == len(about):
        about = np.empty((2 * number + 2, 4), dtype=np.int64)
        for k in range(number):
            for j in range(4):
                about[k, j] = met.about[k, j]
        slots = len(slot)
        while slots < 2 * len(about):
            slots *= 2
        slot = np.zeros(slots, dtype=np.int32)
        for k in range(number):
            i = first_slot(about[k, CODE], slots)
            while slot[i] != 0:
                i = (i + 1) & (slots - 1)
            slot[i] = k + 1
    if taken + longest + FEW + 2 > len(store):
        store = grown(store, taken + longest + FEW + 2)
    return Met(met.length, slot, about, store)


@inner
def hashed(code, x):  # type: ignore[no-untyped-def]
    """The hash of a qid with one more item, below 2^61."""
    mixed = (code ^ (np.int64(x) + 0x9E3779B9)) & 0x3FFFFFFF
    return (mixed * 0x5BD1E995 + (code >> 13) + np.int64(x)) & 0x1FFFFFFFFFFFFFFF


@inner
def first_slot(code, slots):  # type: ignore[no-untyped-def]
    return (code ^ (code >> 31)) & (slots - 1)


@inner
def number_of(met, q, code):  # type: ignore[no-untyped-def]
    """The number of the qid, which is met now if it never was. There must be room."""
    slot, about, store = met.slot, met.about, met.store
    length = np.int64(len(q))
    i = first_slot(code, len(slot))
    while slot[i] != 0:
        k = np.int64(slot[i]) - 1
        at = about[k, AT]
        if about[k, CODE] == code and store[at] == length:
            same = True
            for j in range(length):
                if store[at + 2 + j] != q[j]:
                    same = False
                    break
            if same:
                return k
        i = (i + 1) & (len(slot) - 1)
    k, at = met.length[0], met.length[1]
    slot[i] = k + 1
    about[k, CODE], about[k, AT], about[k, LINE], about[k, MET] = code, at, NEVER, 0
    store[at], store[at + 1] = length, -1
    for j in range(length):
        store[at + 2 + j] = q[j]
    met.length[0], met.length[1] = k + 1, at + 2 + length + FEW
    return k


@inner
def items_of(met, k):  # type: ignore[no-untyped-def]
    at = met.about[k, AT]
    return met.store[at + 2 : at + 2 + met.store[at]]


@inner
def keep_records(met, k, records, number):  # type: ignore[no-untyped-def]
    """Keeps the records[:number] that contain qid k, if they are FEW."""
    if number <= FEW:
        at = met.about[k, AT]
        first = at + 2 + met.store[at]
        met.store[at + 1] = number
        for i in range(number):
            met.store[first + i] = records[i]


@inner
def kept_records(part, met, k, target):  # type: ignore[no-untyped-def]
    """Puts those of the kept records that still contain qid k into `target`, ascending; how many, or -1 if none are
    kept."""
    at = met.about[k, AT]
    number = np.int64(met.store[at + 1])
    if number < 0:
        return number
    first = at + 2 + met.store[at]
    held = np.int64(0)
    for i in range(number):
        t = met.store[first + i]
        whole = True
        for p in range(at + 2, first):
            if place(part, t, met.store[p]) < 0:
                whole = False
                break
        if whole:
            met.store[first + held] = t
            target[held] = t
            held += 1
    met.store[at + 1] = held
    return held


@inner
def spent_by(part, q):  # type: ignore[no-untyped-def]
    """How often the items of q were deleted, anywhere."""
    spent = np.int64(0)
    for x in q:
        spent += part.before[x] - part.sup[x]
    return spent


@inner
def count_beside(part, q, held, number, beside):  # type: ignore[no-untyped-def]
    """Puts the sensitive items beside q in the records held[:number], which contain q, into `beside`; returns how many.

    `count` says in how many of these records each is; who asks sets that back to 0. `beside` has room for all items.
    """
    count = part.count
    found = np.int64(0)
    for i in range(number):
        t = held[i]
        for p in range(part.ptr[t], part.ptr[t] + part.size[t]):
            x = part.items[p]
            if part.sensitive[x]:
                if count[x] == 0:
                    beside[found] = x
                    found += 1
                count[x] += 1
    kept = np.int64(0)
    for i in range(found):
        x = beside[i]
        inside = False
        for y in q:
            inside |= x == y
        if inside:
            count[x] = 0
        else:
            beside[kept] = x
            kept += 1
    return kept


@inner
def line_of(part, q, held, number, beside):  # type: ignore[no-untyped-def]
    """The line of the qid q, which the records held[:number] contain; NEVER if it is unsafe."""
    count = part.count
    need = np.int64(0)
    unsafe = False
    found = count_beside(part, q, held, number, beside)
    for i in range(found):
        e = beside[i]
        if count[e] * part.den[e] > number * part.num[e]:
            unsafe = True
        elif part.num[e] > 0:
            need = max(need, -(-count[e] * part.den[e] // part.num[e]))
        count[e] = 0
    if unsafe:
        return np.int64(NEVER)
    return np.int64(FOREVER) if found == 0 else spent_by(part, q) + number - need
