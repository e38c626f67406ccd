"""The buffer B of Algorithm 1 of Jia et al. 2014: all qids of a few records, each once, and which of them are unsafe.

Supports are counted over the whole part T. The rules of a qid q are q -> e for every sensitive e outside q that some
record holds beside q, in whatever record that is. Only qids that may be unsafe are counted (met.py).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sordino.audit.kernels.growth import grown
from sordino.engine.kernels.compiled import inner
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.jia.met import (
    LINE,
    MET,
    forget,
    has_room,
    hashed,
    keep_records,
    kept_records,
    line_of,
    nothing_met,
    number_of,
    with_room,
)
from sordino.protect.kernels.jia.part import place, records_of

ENOUGH = 1 << 21  # qids: of more than these is forgotten what is known


class Buffer(NamedTuple):
    """Qids in the order in which they were generated."""

    met: Any  # of all qids of the part, also those of other buffers
    length: Any  # how many qids it has, and how many of these are unsafe
    number: Any  # of each, in `met`
    unsafe: Any  # their places in `number`
    beside: Any  # scratch, one an item


class Walk(NamedTuple):
    """The qid at hand: the first items of q; by how many of these, in turn."""

    q: Any
    code: Any  # its hash; of none of them, one of some, ...
    spent: Any  # as in met.py
    number: Any
    rows: Any  # the records that contain it, ascending
    filled: Any  # how many these are; -1: not looked for


@inner
def new_buffer(part, room):  # type: ignore[no-untyped-def]
    return Buffer(
        nothing_met(room),
        np.zeros(2, dtype=np.int64),
        np.empty(room, dtype=np.int32),
        np.empty(room, dtype=np.int32),
        np.empty(len(part.sup) + 1, dtype=np.int32),
    )


@inner
def new_walk(part, deepest):  # type: ignore[no-untyped-def]
    """Room for qids of so many items."""
    longest = np.int64(1)
    for x in range(len(part.sup)):
        longest = max(longest, part.sup[x])
    return Walk(
        np.zeros(deepest, dtype=np.int32),
        np.zeros(deepest + 1, dtype=np.int64),
        np.zeros(deepest + 1, dtype=np.int64),
        np.zeros(deepest, dtype=np.int64),
        np.empty((deepest, longest), dtype=np.int32),
        np.zeros(deepest, dtype=np.int64),
    )


@inner
def emptied(buffer):  # type: ignore[no-untyped-def]
    """The buffer without qids; what was found out about them is known on."""
    buffer.length[:] = 0
    if buffer.met.length[0] > ENOUGH:
        forget(buffer.met)
    buffer.met.length[2] += 1
    return buffer


@inner
def made_larger(buffer, longest):  # type: ignore[no-untyped-def]
    """The buffer with room for one more qid of at most `longest` items, and for all that it begins with."""
    if buffer.length[0] < len(buffer.number) and has_room(buffer.met, longest):
        return buffer
    number, unsafe = buffer.number, buffer.unsafe
    if buffer.length[0] == len(number):
        number, unsafe = grown(number, len(number) + 1), grown(unsafe, len(number) + 1)
    return Buffer(with_room(buffer.met, longest), buffer.length, number, unsafe, buffer.beside)


@inner
def enter(part, walk, j, x):  # type: ignore[no-untyped-def]
    """Makes x the item of the walk behind the first j."""
    walk.q[j] = x
    walk.code[j + 1] = hashed(walk.code[j], x)
    walk.spent[j + 1] = walk.spent[j] + part.before[x] - part.sup[x]
    walk.filled[j] = -1


@inner
def add(part, buffer, walk, j):  # type: ignore[no-untyped-def]
    """Puts the qid of the first j + 1 items of the walk into the buffer, which has room for it."""
    met = buffer.met
    q = walk.q[: j + 1]
    k = walk.number[j] = number_of(met, q, walk.code[j + 1])
    if met.about[k, MET] == met.length[2]:
        return
    met.about[k, MET] = met.length[2]
    n = buffer.length[0]
    buffer.number[n] = k
    buffer.length[0] = n + 1
    if walk.spent[j + 1] <= met.about[k, LINE]:
        return
    find_rows(part, met, walk, j)
    line = met.about[k, LINE] = line_of(part, q, walk.rows[j], walk.filled[j], buffer.beside)
    keep_records(met, k, walk.rows[j], walk.filled[j])
    if line < 0:
        buffer.unsafe[buffer.length[1]] = n
        buffer.length[1] += 1


@inner
def find_rows(part, met, walk, j):  # type: ignore[no-untyped-def]
    """Fills row j of the walk: from a row before, from what is kept, or from the records of the rarest item."""
    rows, filled = walk.rows, walk.filled
    first = j
    while first >= 0 and filled[first] < 0:
        filled[first] = kept_records(part, met, walk.number[first], rows[first])
        if filled[first] < 0:
            first -= 1
    rarest = np.int64(0)
    for i in range(1, j + 1):
        if part.sup[walk.q[i]] < part.sup[walk.q[rarest]]:
            rarest = np.int64(i)
    x = walk.q[rarest]
    if first < 0 or part.sup[x] < filled[first]:
        kept = np.int64(0)
        for p in range(part.post_ptr[x], part.post_ptr[x] + part.sup[x]):
            t = part.post[p]
            whole = part.size[t] > j
            if whole:
                for i in range(j + 1):
                    if i != rarest and place(part, t, walk.q[i]) < 0:
                        whole = False
                        break
            if whole:
                rows[j, kept] = t
                kept += 1
        filled[j] = kept
        return
    while first < j:
        first += 1
        kept = np.int64(0)
        for i in range(filled[first - 1]):
            t = rows[first - 1, i]
            if place(part, t, walk.q[first]) >= 0:
                rows[first, kept] = t
                kept += 1
        filled[first] = kept


@inner
def add_all(part, buffer, walk, r, most):  # type: ignore[no-untyped-def]
    """The buffer with all qids of record r of at most `most` items, in the order a, ab, abc, ac, b, bc, c."""
    own = part.items[part.ptr[r] : part.ptr[r] + part.size[r]]
    length = np.int64(len(own))
    depths = min(length, most)
    at = np.zeros(depths + 1, dtype=np.int64)
    at[0] = -1
    j = np.int64(0 if length > 0 else -1)
    while j >= 0 and not raised(part.stop):
        at[j] += 1
        if at[j] >= length:
            j -= 1
            continue
        enter(part, walk, j, own[at[j]])
        buffer = made_larger(buffer, length)
        add(part, buffer, walk, j)
        if j + 1 < depths:
            at[j + 1] = at[j]
            j += 1
    return buffer


@inner
def add_smallest(part, buffer, walk, r, most, b_max):  # type: ignore[no-untyped-def]
    """The buffer with b_max qids of record r: those of one item first, then those of two, and so on."""
    own = part.items[part.ptr[r] : part.ptr[r] + part.size[r]]
    length = np.int64(len(own))
    k = np.int64(1)
    while k <= min(length, most):
        at = np.arange(k)
        first = np.int64(0)  # items before are those of the qid before
        while first >= 0:
            if buffer.length[0] >= b_max or raised(part.stop):
                return buffer
            for i in range(first, k):
                enter(part, walk, i, own[at[i]])
                if i < k - 1:
                    walk.number[i] = number_of(buffer.met, walk.q[: i + 1], walk.code[i + 1])
            buffer = made_larger(buffer, length)
            add(part, buffer, walk, k - 1)
            first = k - 1
            while first >= 0 and at[first] == length - k + first:
                first -= 1
            if first >= 0:
                at[first] += 1
                for i in range(first + 1, k):
                    at[i] = at[i - 1] + 1
        k += 1
    return buffer


@inner
def add_one(part, buffer, q):  # type: ignore[no-untyped-def]
    """The buffer, which is empty, with the qid q."""
    buffer = made_larger(buffer, np.int64(len(q)))
    code = np.int64(0)
    for x in q:
        code = hashed(code, x)
    met = buffer.met
    k = number_of(met, q, code)
    met.about[k, MET] = met.length[2]
    buffer.number[0] = k
    buffer.length[0] = 1
    held = records_of(part, q)
    line = met.about[k, LINE] = line_of(part, q, part.chosen, held, buffer.beside)
    keep_records(met, k, part.chosen, held)
    if line < 0:
        buffer.unsafe[0] = 0
        buffer.length[1] = 1
    return buffer
