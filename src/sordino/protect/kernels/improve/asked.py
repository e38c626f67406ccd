"""The parts that a unit may show where people chose for themselves, and what is asked about inside them.

The rule q -> e is asked about if somebody who finds e sensitive has q in the original (docs/notes/bound.md). A part can
be shown only if enough original records can stand against each such rule in it, and if all parts inside it can be.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.audit.kernels.growth import grown
from sordino.audit.kernels.supersets import add_supersets, unite_supersets
from sordino.engine.kernels.bits import ones
from sordino.engine.kernels.compiled import kernel
from sordino.engine.kernels.flag import raised
from sordino.utility.kernels.around import ALL, EVERYBODY, Minds, Unit, begin_around, read_around
from sordino.utility.kernels.around import Room as Around
from sordino.utility.kernels.personal_kept import is_possible_for

# The original records, indexed; who finds what sensitive: row and wish as in utility/personal_bound.py, and beside[x],
# with a bit for each e that somebody finds sensitive who has x
Others = namedtuple("Others", "index by_length row wish beside")
# What one thread needs: seen, by class, at first -1; support and minded, by part
Room = namedtuple("Room", "seen support minded")


@kernel
def asked_parts(lo, hi, units, of, others, demand, known, room, begin, stop):  # type: ignore[no-untyped-def]
    """All possible parts of units lo..hi, those of unit c from begin[c - lo] on, ascending; and what they are asked.

    Unit c is of class of[c] of the originals. demand[e]: the alibis that a rule about e needs. asks[p] has the items e
    of the part p for which p - e -> e is asked about by one who knows at most `known` items.
    """
    ptr, items, index = units.ptr, units.items, others.index
    row, wish, beside, by_length = others.row, others.wish, others.beside, others.by_length
    support, minded = room.support, room.minded
    around, minds = Around(room.seen, support), Minds(row, wish, minded)
    at, share = np.empty(64, dtype=np.int64), np.int64(2)
    found, asks = np.empty(1024, dtype=np.int32), np.empty(1024, dtype=np.int32)
    ok, need = np.zeros(len(support), dtype=np.uint8), np.zeros(64, dtype=np.int64)
    count = np.int64(0)
    one = np.uint64(1)
    for c in range(lo, hi):
        begin[c - lo] = count
        if raised(stop):
            break
        start = ptr[c]
        n = ptr[c + 1] - start
        if n > 1:
            unit = Unit(items, start, n, np.int64(of[c]), c)
            begin_around(unit, share, index, around, minds, at)
            read_around(unit, share, index, by_length, np.int64(ALL), around, minds, at, stop)
            add_supersets(support, n)
            unite_supersets(minded, n)
        for j in range(n):  # of single items everybody counts who has them, not only who shares two
            x = items[start + j]
            need[j] = demand[x]
            support[1 << j] = index.support[x] - 1
            minded[1 << j] = 0
            for k in range(n):
                e = items[start + k]
                if row[e] == EVERYBODY or (row[e] >= 0 and beside[x, e >> 6] >> np.uint64(e & 63) & one):
                    minded[1 << j] |= 1 << k
        for w in range(1, 1 << n):
            size = ones(np.uint64(w))
            asked = 0
            ok[w] = 1
            for k in range(n):
                if w >> k & 1 and size > 1:
                    if not ok[w ^ (1 << k)]:
                        ok[w] = 0
                        break
                    if size <= known + 1:
                        asked |= minded[w ^ (1 << k)] & (1 << k)
            if not ok[w]:
                continue
            if asked and not is_possible_for(w, n, need, support, minded):
                ok[w] = 0
                continue
            if count == len(found):
                found, asks = grown(found, count), grown(asks, count)
            found[count], asks[count] = w, asked
            count += 1
    begin[hi - lo] = count
    return found[:count], asks[:count]
