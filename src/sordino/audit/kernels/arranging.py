"""Items moved between groups of rarest items, so that records are sent to fewer of them (audit/arrange.py)."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised

# Records: record u holds items[ptr[u]:ptr[u + 1]]; post[post_ptr[x]:post_ptr[x + 1]] are the records with item x
Sample = namedtuple("Sample", "ptr items post_ptr post")
# By item: its group, the first group that may have it and the one after the last, and whether it is sensitive
Places = namedtuple("Places", "group first end sensitive")


@inner
def count_groups(u, but, sample, places, of_all, harmless):  # type: ignore[no-untyped-def]
    """Adds to of_all and harmless, by group, the items of record u but one; gives how many are sensitive, with it."""
    told = np.int64(0)
    for at in range(sample.ptr[u], sample.ptr[u + 1]):
        y = sample.items[at]
        told += places.sensitive[y]
        if y != but:
            of_all[places.group[y]] += 1
            harmless[places.group[y]] += not places.sensitive[y]
    return told


@inner
def add_record(u, sign, sample, places, of_all, harmless, load):  # type: ignore[no-untyped-def]
    """Adds to `load` (or takes away from it) what record u sends to every group."""
    told = count_groups(u, -1, sample, places, of_all, harmless)
    behind = np.int64(0)
    for g in range(len(load) - 1, -1, -1):
        behind += harmless[g]
        if of_all[g]:
            load[g] += sign * (behind + told)
        of_all[g] = harmless[g] = 0


@kernel
def group_loads(sample, places, load):  # type: ignore[no-untyped-def]
    """Adds to `load` what every group gets of all records."""
    of_all, harmless = np.zeros(len(load), dtype=np.int64), np.zeros(len(load), dtype=np.int64)
    for u in range(len(sample.ptr) - 1):
        add_record(u, 1, sample, places, of_all, harmless, load)


@kernel
def move_items(order, sample, places, load, least, most, stop):  # type: ignore[no-untyped-def]
    """Moves items, in this order, to the group that makes least be sent; places.group and `load` are kept up to date.

    A group gets nothing that would make its load more than `most`, and gives nothing that would leave less than
    `least`. Of groups as good as the one where an item is, it
    stays; of others the first counts. Gives the number of items moved. Ends early once the flag is up.
    """
    groups = len(load)
    of_all, harmless = np.zeros(groups, dtype=np.int64), np.zeros(groups, dtype=np.int64)
    cost, own = np.zeros(groups, dtype=np.int64), np.zeros(groups, dtype=np.int64)
    moved = 0
    for x in order:
        if raised(stop):
            break
        now, lo, hi = places.group[x], places.first[x], places.end[x]
        plain = not places.sensitive[x]
        cost[:] = 0
        own[:] = 0
        for p in range(sample.post_ptr[x], sample.post_ptr[x + 1]):
            u = sample.post[p]
            told = count_groups(u, x, sample, places, of_all, harmless)
            # With x in group g: one more for each group up to g that the record goes to anyway, if x is not sent there
            # as sensitive; and if g is none of these, all from there on.
            reached = np.int64(0)
            behind = np.int64(0)
            for g in range(groups):
                behind += harmless[g]
            for g in range(hi):
                reached += of_all[g] > 0
                if g >= lo:
                    new = plain + (0 if of_all[g] else behind + told)
                    own[g] += new
                    cost[g] += new + (plain * (reached - (of_all[g] > 0)))
                behind -= harmless[g]
            for at in range(sample.ptr[u], sample.ptr[u + 1]):
                of_all[places.group[sample.items[at]]] = 0
                harmless[places.group[sample.items[at]]] = 0
        best = now
        for g in range(lo, hi):
            if cost[g] < cost[best] and load[g] + own[g] <= most:
                best = g
        if best == now or load[now] - own[now] < least:
            continue
        for sign in (-1, 1):
            places.group[x] = now if sign < 0 else best
            for p in range(sample.post_ptr[x], sample.post_ptr[x + 1]):
                add_record(sample.post[p], sign, sample, places, of_all, harmless, load)
        moved += 1
    return moved
