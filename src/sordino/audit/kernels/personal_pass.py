"""Passes over all published records (see personal.py): is anything disclosed, and about whom?

They end early once the flag `stop` is up. What they have marked, kept and counted by then is so, but it is not all.
"""

from __future__ import annotations

import numpy as np

from sordino.audit.kernels.personal import EVERYBODY, NOBODY, SHORT, bad_parts, part_table
from sordino.audit.kernels.personal_long import MARK, explore, people_sharing, records_sharing
from sordino.engine.kernels.bits import ones
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised

# A finding is kept as (people x 1, size, item, antecedent ...), the telling ones first; see `remember`.
KEPT_SIZE = 3


@inner
def mark_users(owners, g, hits, n, base, size, items, risk):  # type: ignore[no-untyped-def]
    """risk[user] becomes `size`, for users with the original record g who find one of the items `hits` sensitive."""
    member_ptr, member, row, chose = owners.member_ptr, owners.member, owners.row, owners.chose
    one = np.uint64(1)
    for m in range(member_ptr[g], member_ptr[g + 1]):
        w = member[m]
        if risk[w] != 0 and risk[w] <= size:
            continue
        for k in range(n):
            if hits >> k & 1:
                r = row[items[base + k]]
                if r == EVERYBODY or (chose[r, w >> 6] >> np.uint64(w & 63)) & one:
                    risk[w] = size
                    break


@kernel
def single_items(store, owners, roots, risk, marking, found, stop):  # type: ignore[no-untyped-def]
    """Antecedents of one item. found gets rows (item, disclosed item, support of both) as far as there is room.

    Returns how many there are.
    """
    member_ptr, member, chose = owners.member_ptr, owners.member, owners.chose
    width = len(store.num)
    count = np.zeros(width, dtype=np.int64)
    seen = np.zeros(width, dtype=np.int64)
    one = np.uint64(1)
    hits = 0
    for x in roots:
        if raised(stop):
            break
        total = store.support[x]
        marked = 0
        for p in range(store.post_ptr[x], store.post_ptr[x + 1]):
            v = store.post[p]
            if v < 0:
                continue
            for k in range(store.ptr[v], store.ptr[v] + store.length[v]):
                e = store.items[k]
                if e != x and owners.row[e] != NOBODY:
                    if count[e] == 0:
                        seen[marked] = e
                        marked += 1
                    count[e] += store.weight[v]
        for t in range(marked):
            e = seen[t]
            both = count[e]
            count[e] = 0
            if both * store.den[e] <= store.num[e] * total:
                continue
            r = owners.row[e]
            if r >= 0 and (owners.beside[x, e >> 6] >> np.uint64(e & 63)) & one == np.uint64(0):
                continue
            if hits < len(found):
                found[hits, 0] = x
                found[hits, 1] = e
                found[hits, 2] = both
            hits += 1
            if marking:
                for p in range(owners.post_ptr[x], owners.post_ptr[x + 1]):
                    if p & 0xFFFF == 0 and raised(stop):
                        break
                    g = owners.post[p]
                    for m in range(member_ptr[g], member_ptr[g + 1]):
                        w = member[m]
                        if r == EVERYBODY or (chose[r, w >> 6] >> np.uint64(w & 63)) & one:
                            risk[w] = 1
    return hits


@inner
def remember(best, key, values):  # type: ignore[no-untyped-def]
    """Keeps `values` among the rows of `best` if `key`, its first entry, is large enough; equal rows once."""
    rows = len(best)
    if key < best[rows - 1, 0]:
        return
    at = rows
    while at > 0:
        order = key - best[at - 1, 0]
        t = 1
        while order == 0 and t < len(values):
            order = best[at - 1, t] - values[t]
            t += 1
        if order == 0:
            return
        if order < 0:
            break
        at -= 1
    if at == rows:
        return
    for t in range(rows - 1, at, -1):
        best[t] = best[t - 1]
    best[at] = values


@kernel
def short_records(store, owners, records, most, s, marking, risk, best, stop):  # type: ignore[no-untyped-def]
    """Looks into short records for antecedents of two and more items. Returns how many records disclose something.

    best keeps rows (weight of q + e over |q|^2 (x 36), size, e, items of q (0-padded to 3), weights of q + e, and q).
    """
    no_length = np.empty(0, dtype=np.int64)
    up = np.zeros((3, 1 << SHORT), dtype=np.int64)
    values = np.zeros(8, dtype=np.int64)
    found = 0
    for u in records:
        if raised(stop):
            break
        n = store.length[u]
        people = part_table(store, owners, u, s, no_length)
        smallest = bad_parts(store, store.items, store.ptr[u], n, most, s)
        if smallest == 0:
            continue
        found += 1
        if not marking:
            return found
        base = store.ptr[u]
        full = np.int64(1) << n
        up[:, :full] = 0
        for q in range(1, full):
            hits = s.bad[q]
            if hits == 0:
                continue
            size = ones(q)
            if size <= KEPT_SIZE:
                for k in range(n):
                    if hits >> k & 1:
                        both = s.sup[q | (np.int64(1) << k)]
                        values[:] = 0
                        values[0] = both * 36 // (size * size)
                        values[1] = size
                        values[2] = store.items[base + k]
                        t = 3
                        for j in range(n):
                            if q >> j & 1:
                                values[t] = store.items[base + j]
                                t += 1
                        values[6] = both
                        values[7] = s.sup[q]
                        remember(best, values[0], values)
            if size > 1:
                up[min(size, 4) - 2, q] |= hits
        for level in range(3):
            for k in range(n):
                bit = np.int64(1) << k
                for q in range(full):
                    if q & bit:
                        up[level, q] |= up[level, q ^ bit]
        for j in range(people):
            g = s.touched1[j]
            part = s.mask1[g]
            for level in range(3):
                if up[level, part]:
                    mark_users(owners, g, up[level, part], n, base, level + 2, store.items, risk)
    return found


@kernel
def long_records(store, owners, records, most, mode, s, place, open_, risk, stop):  # type: ignore[no-untyped-def]
    """Looks into long records, at the original ones in `open_`, if it is not empty. Returns how many disclose
    something."""
    no_sets = np.zeros((0, 0), dtype=np.uint64)
    found = 0
    for u in records:
        people = people_sharing(store, owners, u, open_, s, place, stop)
        if len(people.record) == 0:  # antecedents of one item are counted apart
            continue
        others = records_sharing(store, u, s, place, stop)
        if raised(stop):  # then others and people are not whole
            break
        gone = np.zeros(store.length[u], dtype=np.bool_)
        hits = explore(store, owners, u, most, mode, others, people, gone, no_sets, risk, stop)
        found += hits > 0
        if hits and mode != MARK:
            return found
    return found
