"""A second chance for records that lost something: the table has changed since, and another part may now be kept.

Records were made safe one after the other, the longest first, while the others were still to lose items. Now that all
have, the best part of a record, with everyone else as they are, may be a larger one, and not only the old part with
something added. Nothing is promised here: whoever relied on what changes is queued again, and the caller audits.
"""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.common.decide import SPARE, keep_weights
from sordino.protect.kernels.common.ledger import (
    ABOUT,
    BACK,
    GONE,
    NEXT_BY,
    WATCHER,
    delete,
    end_watch,
    end_watches,
    enqueue,
    renew_signature,
)
from sordino.protect.kernels.common.part import MOST, best_part, plain_part, reach_of_part
from sordino.protect.kernels.store import put_in


@inner
def restore(g, u, at):  # type: ignore[no-untyped-def]
    """Puts back the deleted item that lies at place `at`, behind record u; who relied on its absence is queued."""
    t = put_in(g, u, at)
    renew_signature(g, u)
    end_watches(g, u)
    w = g.head[u, 1]
    while w >= 0:
        after = g.watch[w, NEXT_BY]
        if g.watch[w, ABOUT] == t:
            watcher = np.int64(g.watch[w, WATCHER])
            end_watch(g, w)
            enqueue(g, watcher)
        w = after
    g.gone[g.tally[GONE], 0] = u
    g.gone[g.tally[GONE], 1] = -1 - t
    g.tally[GONE] += 1
    g.tally[BACK] += 1


@kernel
def second_chance(g, records, choice, room):  # type: ignore[no-untyped-def]
    """Gives each of the records, if it is short enough, its best part; returns how many changed."""
    stop = g.stop
    wanted = np.zeros(MOST, dtype=np.int32)
    weight = np.zeros(MOST, dtype=np.float64)
    changed = 0
    for u in records:
        if raised(stop):
            break
        base = g.ptr[u]
        n = g.ptr[u + 1] - base
        if g.length[u] == n or n > MOST:
            continue
        if g.tally[GONE] + 2 * n + len(g.items) > len(g.gone):  # all that is left must find room as well
            break
        least = g.length[u] + 1
        if reach_of_part(g, u, n, least, room.order) > choice.effort:
            continue
        held = keep_weights(g, u, n, choice.original, choice.even, weight)
        best = best_part(g, u, n, least, weight, SPARE, room)
        if best == 0:
            continue
        if held > 0:
            plain = plain_part(g, u, n, weight)
            if best & plain != plain:  # what must stay is there now
                continue
        changed += 1
        count = 0
        for k in range(n):
            if best >> k & 1:
                wanted[count] = g.items[base + k]
                count += 1
        # first out, then in: nobody may rely on what never stands together
        for at in range(base + g.length[u] - 1, base - 1, -1):
            keep = False
            for k in range(count):
                keep |= wanted[k] == g.items[at]
            if not keep:
                delete(g, u, at)
        for k in range(count):
            for at in range(base + g.length[u], base + n):
                if g.items[at] == wanted[k]:
                    restore(g, u, at)
                    break
        enqueue(g, u)
    return changed
