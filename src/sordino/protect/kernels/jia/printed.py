"""Algorithm 1 (PartialSuppressor) of Jia et al. 2014 as printed, on one part: fill the buffer, sanitize it, go on.

A record with more qids than the buffer takes is a buffer of its own. Its smallest b_max qids are sanitized; then any
that is still unsafe, one by one, found as in the audit (model.md 1.2, points 1 and 2), until there is none.
"""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.jia.buffer import add_all, add_one, add_smallest, empty_buffer
from sordino.protect.kernels.jia.long_records import holds_sensitive, unsafe_qid
from sordino.protect.kernels.jia.sanitize import sanitize

ROOM = 1024  # qids that an empty buffer has room for


@kernel
def suppress_as_printed(part, most, b_max, dist, rng):  # type: ignore[no-untyped-def]
    """Deletes until no qid of at most `most` items is unsafe: a whole pass over the records found none. Returns how
    many passes that took, or -1 if counts went astray."""
    records = len(part.size)
    i = np.int64(0)
    passes = np.int64(0)
    safe = True
    stop, astray = part.stop, part.astray
    while not raised(stop):
        buffer = empty_buffer(ROOM)
        while i < records and buffer.length[0] < b_max and not is_too_long(part, i, most, b_max):
            buffer = add_all(part, buffer, i, most)
            i += 1
        if raised(stop):
            break
        if buffer.length[0] > 0:
            if sanitize(part, buffer, dist, rng):
                safe = False
        elif i < records:
            if sanitize_long(part, i, most, b_max, dist, rng):
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
def sanitize_long(part, r, most, b_max, dist, rng):  # type: ignore[no-untyped-def]
    """Sanitizes qids of record r until none is unsafe, or the buffer takes them all; returns whether one was unsafe.

    A record without sensitive items needs nothing: what is unsafe in it is so in a record that holds q + e.
    """
    if not holds_sensitive(part, r):
        return False
    found = sanitize(part, add_smallest(part, empty_buffer(ROOM), r, most, b_max), dist, rng)
    while not raised(part.stop) and not part.astray[0] and is_too_long(part, r, most, b_max):
        q = unsafe_qid(part, r, most)
        if len(q) == 0:
            break
        if not sanitize(part, add_one(part, empty_buffer(ROOM), q), dist, rng):
            part.astray[0] = 1
        found = True
    return found
