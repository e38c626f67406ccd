"""Algorithm 1 (PartialSuppressor) of Jia et al. 2014 as printed, on one part: fill the buffer, sanitize it, go on.

A record with more qids than the buffer takes is a buffer of its own. Its smallest b_max qids are sanitized; then any
that is still unsafe, one by one, found as in the audit (model.md 1.2, points 1 and 2), until there is none.

What is known of a qid is kept from buffer to buffer (met.py), which changes nothing but the time this takes.
"""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.jia.buffer import (
    add_all,
    add_one,
    add_smallest,
    emptied,
    new_buffer,
    new_walk,
)
from sordino.protect.kernels.jia.choices import new_scratch
from sordino.protect.kernels.jia.long_records import holds_sensitive, unsafe_qid
from sordino.protect.kernels.jia.met import spent_by
from sordino.protect.kernels.jia.sanitize import sanitize

ROOM = 1024  # qids that there is room for at first


@kernel
def suppress_as_printed(part, most, b_max, dist, rng):  # type: ignore[no-untyped-def]
    """Deletes until no qid of at most `most` items is unsafe: a whole pass over the records found none. Returns how
    many passes that took, or -1 if counts went astray."""
    records = len(part.size)
    buffer, scratch, walk = new_buffer(part, ROOM), new_scratch(part), new_walk(part, deepest(part, most, b_max))
    clean = np.full((records, 2), -1, dtype=np.int64)  # of a long record that was safe: its size, and `spent`
    i = np.int64(0)
    passes = np.int64(0)
    safe = True
    stop, astray = part.stop, part.astray
    while not raised(stop):
        buffer = emptied(buffer)
        while i < records and buffer.length[0] < b_max and not is_too_long(part, i, most, b_max):
            buffer = add_all(part, buffer, walk, i, most)
            i += 1
        if raised(stop):
            break
        if buffer.length[0] > 0:
            if sanitize(part, buffer, scratch, dist, rng):
                safe = False
        elif i < records:
            buffer, found = sanitize_long(part, buffer, walk, scratch, clean[i], i, most, b_max, dist, rng)
            if found:
                safe = False
            if is_too_long(part, i, most, b_max):  # otherwise it fits by now, and is generated like all others
                i += 1
        if astray[0]:
            return np.int64(-1)
        if i >= records:
            passes += 1
            if safe:
                break
            i = np.int64(0)
            safe = True
    return passes


@inner
def deepest(part, most, b_max):  # type: ignore[no-untyped-def]
    """The most items of a qid that is generated: a record with longer ones has more than b_max."""
    longest = np.int64(1)
    for r in range(len(part.size)):
        longest = max(longest, part.size[r])
    depth = np.int64(1)
    while depth < min(longest, most) and (1 << depth) <= b_max:
        depth += 1
    return depth


@inner
def is_too_long(part, r, most, b_max):  # type: ignore[no-untyped-def]
    """Whether record r has more qids of at most `most` items than the buffer takes."""
    length = part.size[r]
    number, of_size = np.float64(0.0), np.float64(1.0)
    for k in range(min(length, most)):
        of_size = of_size * (length - k) / (k + 1)
        number += of_size
        if number > b_max:
            return True
    return False


@inner
def sanitize_long(part, buffer, walk, scratch, clean, r, most, b_max, dist, rng):  # type: ignore[no-untyped-def]
    """Sanitizes qids of record r until none is unsafe, or the buffer takes them all; returns the buffer, and whether
    one was unsafe.

    A record without sensitive items needs nothing: what is unsafe in it is so in a record that holds q + e. Nor does
    one that was safe, if none of its items was deleted anywhere since: `clean` says when it was.
    """
    own = part.items[part.ptr[r] : part.ptr[r] + part.size[r]]
    if not holds_sensitive(part, r) or (clean[0] == len(own) and clean[1] == spent_by(part, own)):
        return buffer, False
    buffer = add_smallest(part, buffer, walk, r, most, b_max)
    found = sanitize(part, buffer, scratch, dist, rng)
    while not raised(part.stop) and not part.astray[0] and is_too_long(part, r, most, b_max):
        q = unsafe_qid(part, r, most)
        if len(q) == 0:
            own = part.items[part.ptr[r] : part.ptr[r] + part.size[r]]
            clean[0], clean[1] = len(own), spent_by(part, own)
            break
        buffer = add_one(part, emptied(buffer), q)
        if not sanitize(part, buffer, scratch, dist, rng):
            part.astray[0] = 1
        found = True
    return buffer, found
