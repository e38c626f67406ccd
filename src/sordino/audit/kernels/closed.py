"""Closed sets: of all antecedents with the same records, one is enough (model.md 1.2, point 1)."""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner


@inner
def shared_by_all(lists, a, b, least, r, common, begin):  # type: ignore[no-untyped-def]
    """Writes what the classes of the list [a:b] share, at least `least` items, to common[begin:]; gives its end."""
    stack_class, ptr, items = lists.classes, r.ptr, r.items
    c = stack_class[a]
    end = begin
    for at in range(ptr[c], ptr[c + 1]):
        common[end] = items[at]
        end += 1
    for p in range(a + 1, b):
        if end - begin == least:
            break
        end = shrunk(common, begin, end, items, ptr[stack_class[p]], ptr[stack_class[p] + 1])
    return end


@inner
def shrunk(kept, begin, end, items, at, stop):  # type: ignore[no-untyped-def]
    """Keeps of kept[begin:end] what is in items[at:stop], both ascending; returns where it ends."""
    to = begin
    for k in range(begin, end):
        x = kept[k]
        while at < stop and items[at] < x:
            at += 1
        if at < stop and items[at] == x:
            kept[to] = x
            to += 1
    return to


@inner
def first_way(lists, a, b, x, common, begin, end, r, buffer):  # type: ignore[no-untyped-def]
    """Whether adding x, to a node whose classes share common[begin:end], is the first way to the list [a:b].

    It is not if all classes of the list, but not all of the node's, share an item rarer than x. Every list is then
    reached exactly once (the prefix-preserving extension of closed-set mining), and with it every confidence but those
    of 1: these show at leaves.
    """
    stack_class, stack_at, ptr, items = lists.classes, lists.at, r.ptr, r.items
    least = 0
    while begin + least < end and common[begin + least] < x:
        least += 1
    n = np.int64(0)
    for at in range(ptr[stack_class[a]], stack_at[a] - 1):
        buffer[n] = items[at]
        n += 1
    for p in range(a + 1, b):
        if n == least:
            break
        n = shrunk(buffer, np.int64(0), n, items, ptr[stack_class[p]], stack_at[p] - 1)
    return n == least
