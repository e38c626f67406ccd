"""Giving every record the largest place that it fits into, and moving records where that gains something.

A record may be shown at a place (places.py) that holds its own harmless part, or a smaller one that other
records have (`inner`, largest first), and some of its sensitive items. What is shown already stays safe: a newcomer
must fit, and elsewhere only adds to twins.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.protect.kernels.twins.places import at, fits, make, may_leave, may_open

__all__ = ["People", "insert", "insert_whole", "sweep"]

# By record: root, the place of its harmless part, and its sensitive items[item_ptr[u] : item_ptr[u + 1]]. By root: the
# harmless parts inside of it, inner[inner_ptr[root] : inner_ptr[root + 1]], largest first
People = namedtuple("People", "root item_ptr items inner_ptr inner")


@inner
def _random(rng, below):  # type: ignore[no-untyped-def]
    """A number below `below`; the generator of Park and Miller."""
    rng[0] = rng[0] * 48271 % 2147483647
    return (rng[0] >> 4) % below


@inner
def _search(p, items, first, last, root, stack, rng, found):  # type: ignore[no-untyped-def]
    """The largest place above `root`, of found[0] items or more, for one who has these sensitive items.

    Fills found = (size, place, item): the item is to be added to the place, or -1. Between equals chance decides;
    found[3] counts them. Whoever shows a place has people at all its twins, so all that lies below a place that
    somebody shows is shown by somebody: extending only those, items in ascending order, passes by nothing.
    """
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
            wanted = size >= found[0]
            if larger >= 0:
                if wanted and fits(p, larger):
                    _keep(size, larger, -1, rng, found)
                if p.people[larger] > 0 and k + 1 < last:
                    stack[depth, 0] = larger
                    stack[depth, 1] = k + 1
                    depth += 1
            elif wanted and may_open(p, place, item):
                _keep(size, place, item, rng, found)


@inner
def _keep(size, place, item, rng, found):  # type: ignore[no-untyped-def]
    if size == found[0]:
        found[3] += 1
        if _random(rng, found[3]) > 0:
            return
    else:
        found[3] = 1
    found[0] = size
    found[1] = place
    found[2] = item


@inner
def _best(p, u, people, least, stack, rng, found):  # type: ignore[no-untyped-def]
    """The largest place of `least` items or more for record u, which must have one."""
    root, inner_ptr, inner = people.root[u], people.inner_ptr, people.inner
    items, first, last = people.items, people.item_ptr[u], people.item_ptr[u + 1]
    found[0] = least
    found[1] = found[2] = -1
    found[3] = 0
    if p.size[root] >= least:
        _keep(p.size[root], root, -1, rng, found)
    _search(p, items, first, last, root, stack, rng, found)
    for k in range(inner_ptr[root], inner_ptr[root + 1]):
        if p.size[inner[k]] + last - first >= found[0]:
            _search(p, items, first, last, inner[k], stack, rng, found)


@inner
def _go(p, found):  # type: ignore[no-untyped-def]
    place = found[1] if found[2] < 0 else make(p, found[1], found[2])
    p.people[place] += 1
    return place


@kernel
def insert_whole(p, record, people, shown, stop):  # type: ignore[no-untyped-def]
    """Shows records as they are. They come with short ones first, and all with the same harmless part come together,
    which are safe together: so whoever needs twins has them, and their places are there before. There must be room.
    """
    root, item_ptr, items = people.root, people.item_ptr, people.items
    for n in range(len(record)):
        if stop[0]:
            return
        u = record[n]
        place = root[u]
        for k in range(item_ptr[u], item_ptr[u + 1]):
            larger = at(p, place, items[k])
            place = larger if larger >= 0 else make(p, place, items[k])
        p.people[place] += 1
        shown[u] = place


@kernel
def insert(p, record, people, shown, stack, rng, stop):  # type: ignore[no-untyped-def]
    """Gives every record, in turn, the largest place that there is for it. Its harmless part always fits."""
    found = np.empty(4, dtype=np.int64)
    for n in range(len(record)):
        if stop[0]:
            return
        u = record[n]
        _best(p, u, people, 0, stack, rng, found)
        shown[u] = _go(p, found)


@inner
def _same(u, base, inner_ptr, inner, seen, changed):  # type: ignore[no-untyped-def]
    """Whether nothing has changed, wherever a record could be, since it looked and found just one place."""
    latest = changed[base]
    for k in range(inner_ptr[base], inner_ptr[base + 1]):
        latest = max(latest, changed[inner[k]])
    return latest <= seen[u]


@kernel
def sweep(p, record, people, shown, stack, rng, stop, seen, changed, clock):  # type: ignore[no-untyped-def]
    """Lets every record that lost something, and that others can spare, look for a place as large as its own.

    If there are several it takes any of them: moving aside makes room for others. `changed` tells when something moved,
    by harmless part, `seen` when a record looked last. Returns what was gained.
    """
    found = np.empty(4, dtype=np.int64)
    root, item_ptr = people.root, people.item_ptr
    gained = 0
    for n in range(len(record)):
        if stop[0]:
            return gained
        u = record[n]
        place = shown[u]
        now = p.size[place]
        if now == p.size[root[u]] + item_ptr[u + 1] - item_ptr[u]:
            continue
        if _same(u, root[u], people.inner_ptr, people.inner, seen, changed) or not may_leave(p, place):
            continue
        p.people[place] -= 1
        _best(p, u, people, now, stack, rng, found)
        shown[u] = _go(p, found)  # at worst it comes back: nothing else has changed meanwhile
        gained += p.size[shown[u]] - now
        if shown[u] != place:
            clock[0] += 1
            changed[p.base[place]] = clock[0]
            changed[p.base[shown[u]]] = clock[0]
        seen[u] = clock[0] if found[3] == 1 else -1
    return gained
