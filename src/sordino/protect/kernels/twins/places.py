"""Places: the records that may be published, how many people show each, and what that demands of others.

A place is a set of items. Places are made from the harmless parts of records, which need nothing, by adding sensitive
items one at a time. The *twin* of a place W for a sensitive e in it is W - e. Who shows W needs enough people at each
of its twins: (den - num) * count(W) <= num * count(W - e). The empty record demands nothing as a twin: somebody of whom
nothing else is known is outside of the promise.

An *edge* joins a place with one of its twins. The edges of a place lie together; those of one twin are a chain. That is
the whole order of sets: a place is made only when all its twins are there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sordino.engine.kernels.compiled import inner

__all__ = ["EDGES", "PLACES", "Places", "at", "fits", "make", "may_leave", "may_open", "new_places"]

PLACES, EDGES = 0, 1  # in `used`

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]


class Places(NamedTuple):
    """Arrays by place: people, size, base (the harmless part, a place itself), free, edge_ptr (one longer), head. By
    edge: twin, item, of, after. `slots` is an open hash table of edges by (twin, item); used: how many places and edges
    there are."""

    people: I64
    size: I32
    base: I32
    free: npt.NDArray[np.bool_]
    edge_ptr: I64
    head: I64
    twin: I32
    item: I32
    of: I32
    after: I64
    slots: I64
    used: I64
    num: I64
    den: I64


def new_places(sizes: I32, more: int, num: I64, den: I64) -> Places:
    """Places of harmless parts of these sizes, and room for `more` besides; the last of them is the empty record."""
    roots = len(sizes)
    room, edges = roots + more, 3 * more
    size = np.zeros(room, dtype=np.int32)
    size[:roots] = sizes
    free = np.zeros(room, dtype=np.bool_)
    free[roots - 1] = True
    slots = 1 << max(4, int(2 * edges).bit_length())
    return Places(
        people=np.zeros(room, dtype=np.int64),
        size=size,
        base=np.arange(room, dtype=np.int32),
        free=free,
        edge_ptr=np.zeros(room + 1, dtype=np.int64),
        head=np.full(room, -1, dtype=np.int64),
        twin=np.zeros(edges, dtype=np.int32),
        item=np.zeros(edges, dtype=np.int32),
        of=np.zeros(edges, dtype=np.int32),
        after=np.full(edges, -1, dtype=np.int64),
        slots=np.full(slots, -1, dtype=np.int64),
        used=np.array([roots, 0], dtype=np.int64),
        num=num,
        den=den,
    )


@inner
def _slot(p, twin, item):  # type: ignore[no-untyped-def]
    """Where the edge (twin, item) is, or would be."""
    mask = len(p.slots) - 1
    h = np.int64(twin) * 2654435761 ^ np.int64(item) * 2246822519  # both below 2^31: no overflow with the JIT off
    h = (h ^ (h >> 32) ^ (h >> 15)) & mask
    while p.slots[h] >= 0 and (p.twin[p.slots[h]] != twin or p.item[p.slots[h]] != item):
        h = (h + 1) & mask
    return h


@inner
def at(p, place, item):  # type: ignore[no-untyped-def]
    """The place that has one item more, or -1."""
    edge = p.slots[_slot(p, place, item)]
    return p.of[edge] if edge >= 0 else -1


@inner
def _suffices(p, twin, item, number):  # type: ignore[no-untyped-def]
    return p.free[twin] or (p.den[item] - p.num[item]) * number <= p.num[item] * p.people[twin]


@inner
def fits(p, place):  # type: ignore[no-untyped-def]
    """Whether one more may show a place. (It makes nothing else unsafe: elsewhere it can only be a twin.)"""
    people = p.people[place] + 1
    for edge in range(p.edge_ptr[place], p.edge_ptr[place + 1]):
        if not _suffices(p, p.twin[edge], p.item[edge], people):
            return False
    return True


@inner
def may_leave(p, place):  # type: ignore[no-untyped-def]
    """Whether those who need this place as a twin have enough with one less."""
    if p.free[place]:
        return True
    people = p.people[place] - 1
    edge = p.head[place]
    while edge >= 0:
        item = p.item[edge]
        if (p.den[item] - p.num[item]) * p.people[p.of[edge]] > p.num[item] * people:
            return False
        edge = p.after[edge]
    return True


@inner
def may_open(p, place, item):  # type: ignore[no-untyped-def]
    """Whether the place with one item more, which does not exist yet, could be made and shown by one."""
    first, last = p.edge_ptr[place], p.edge_ptr[place + 1]
    if p.used[PLACES] + 1 >= len(p.people) or p.used[EDGES] + last - first + 1 > len(p.twin):
        return False  # no room left: what is there stays good
    if not _suffices(p, place, item, 1):
        return False
    for edge in range(first, last):
        other = at(p, p.twin[edge], item)
        if other < 0 or not _suffices(p, other, p.item[edge], 1):
            return False
    return True


@inner
def make(p, place, item):  # type: ignore[no-untyped-def]
    """The new place with one item more; `may_open` must have allowed it."""
    made = p.used[PLACES]
    edge = p.used[EDGES]
    p.size[made] = p.size[place] + 1
    p.base[made] = p.base[place]
    p.edge_ptr[made] = edge
    for k in range(p.edge_ptr[place], p.edge_ptr[place + 1]):
        p.twin[edge] = at(p, p.twin[k], item)
        p.item[edge] = p.item[k]
        edge += 1
    p.twin[edge] = place
    p.item[edge] = item
    edge += 1
    for k in range(p.used[EDGES], edge):
        p.of[k] = made
        p.after[k] = p.head[p.twin[k]]
        p.head[p.twin[k]] = k
        p.slots[_slot(p, p.twin[k], p.item[k])] = k
    p.edge_ptr[made + 1] = edge
    p.used[PLACES] = made + 1
    p.used[EDGES] = edge
    return made


def items_of(places: Places) -> tuple[Any, Any]:
    """The sensitive items of every place, as the pieces that edges are: (edge_ptr, item)."""
    used = int(places.used[PLACES])
    return places.edge_ptr[: used + 1], places.item[: int(places.used[EDGES])]
