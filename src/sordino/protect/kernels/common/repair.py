"""The repair of one rule that the audit found: its consequent goes, from as many records as it takes (N_s)."""

from __future__ import annotations

import numpy as np

from sordino.audit.kernels.holding import find_item, holds_all
from sordino.engine.kernels.compiled import kernel
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.common.ledger import delete


@kernel
def repair_rule(g, records, known, e):  # type: ignore[no-untyped-def]
    """Makes the rule known -> e safe (known: ranks, ascending), if it is not; returns how many records lost e.

    `records` are all that may hold `known`; of those that hold e too, the first ones lose it.
    """
    ptr, items, length, stop = g.ptr, g.items, g.length, g.stop
    size = len(known)
    total = np.int64(g.alone[known[0]] if size == 1 else 0)
    both = np.int64(0)
    for u in records:
        if holds_all(ptr, items, length, u, known, size):
            total += 1
            both += find_item(g, u, e) >= 0
    over = both * g.den[e] - g.num[e] * total
    lose = max(np.int64(0), -(-over // g.den[e]))
    lost = np.int64(0)
    for u in records:
        if lost == lose or raised(stop):
            break
        if holds_all(ptr, items, length, u, known, size):
            at = find_item(g, u, e)
            if at >= 0:
                delete(g, u, at)
                lost += 1
    return lost
