"""Records that draw their place anew, among all that fit, larger ones much more often: so room is made for others.

Whoever leaves must not be needed as a twin (`may_leave`), and whoever comes must fit: so everybody has enough twins
after every visit, as before it.
"""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.twins.places import at, fits, make, may_leave, may_open

__all__ = ["wander"]

DOWN = 1  # items that a place may have less than the one that is left


@inner
def _offer(more, place, item, weight, rng, found, total):  # type: ignore[no-untyped-def]
    """Takes a place instead of those before it, as often as its weight says. Without weights, only the largest count;
    found[2] is then what the best so far has more."""
    room = len(weight)
    if room == 0:
        if more > found[2]:
            found[2] = more
            total[0] = 0.0
        share = 1.0 if more == found[2] else 0.0
    else:
        share = weight[min(max(more + room // 2, 0), room - 1)]
    if share == 0.0:
        return
    total[0] += share
    rng[0] = rng[0] * 48271 % 2147483647  # Park and Miller
    if rng[0] * total[0] < share * 2147483647.0:
        found[0] = place
        found[1] = item


@inner
def _offer_above(p, items, first, last, root, now, least, weight, stack, rng, found, total):  # type: ignore[no-untyped-def]
    """All places above `root` that fit one with these sensitive items (as `_search` of insert.py looks for them)."""
    depth = 0
    if p.people[root] > 0 or p.free[root]:
        stack[0, 0] = root
        stack[0, 1] = first
        depth = 1
    while depth > 0:
        depth -= 1
        place = stack[depth, 0]
        size = p.size[place] + 1
        for k in range(stack[depth, 1], last):
            item = items[k]
            larger = at(p, place, item)
            if larger >= 0:
                if size >= least and fits(p, larger):
                    _offer(size - now, larger, -1, weight, rng, found, total)
                if p.people[larger] > 0 and k + 1 < last:
                    stack[depth, 0] = larger
                    stack[depth, 1] = k + 1
                    depth += 1
            elif size >= least and may_open(p, place, item):
                _offer(size - now, place, item, weight, rng, found, total)


@kernel
def wander(p, order, people, shown, stack, rng, weight, stop, enough):  # type: ignore[no-untyped-def]
    """Lets the records draw in this order; returns how many items more are shown. Ends early once a flag is up."""
    root_of, item_ptr, items = people.root, people.item_ptr, people.items
    inner_ptr, inside = people.inner_ptr, people.inner
    found, total = np.empty(3, dtype=np.int64), np.empty(1, dtype=np.float64)
    gained = np.int64(0)
    for u in order:
        if raised(stop) or raised(enough):
            break
        place = shown[u]
        if not may_leave(p, place):
            continue
        now = np.int64(p.size[place])
        least = now if len(weight) == 0 else now - DOWN
        root, first, last = root_of[u], item_ptr[u], item_ptr[u + 1]
        p.people[place] -= 1
        found[0], found[1], found[2] = place, -1, 0
        total[0] = 0.0
        if p.size[root] >= least:
            _offer(p.size[root] - now, root, -1, weight, rng, found, total)
        _offer_above(p, items, first, last, root, now, least, weight, stack, rng, found, total)
        for k in range(inner_ptr[root], inner_ptr[root + 1]):
            if p.size[inside[k]] + last - first >= least:
                _offer_above(p, items, first, last, inside[k], now, least, weight, stack, rng, found, total)
        to = found[0] if found[1] < 0 else make(p, found[0], found[1])
        p.people[to] += 1
        shown[u] = to
        gained += p.size[to] - now
    return gained
