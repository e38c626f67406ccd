"""Personal choices: everything that can be inferred from parts of one published record (model.md 1.1, 1.2).

A disclosure q -> e has sup(q + e) > 0, so some published record R holds q and e: looking into every published record
finds all. It counts only if somebody who finds e sensitive has q in his *original* record. So R is compared with all
published records (how often does q occur, and q with e) and with all original ones (who has q, and finds e sensitive).

    Store   what is published: record u holds items[ptr[u] : ptr[u] + length[u]], ranks ascending; weight[u] of them;
            post the records that hold an item (-1 - u: once held), support the total weight of them; num / den by item
    Owners  the original records, equal ones once, in the same ranks; wish[row[e]] has a bit for each in which somebody
            finds e sensitive (row NOBODY, EVERYBODY as in policy/choices.py); beside[x] a bit for each e that somebody
            finds sensitive who has x. member lists the people of each, and chose[row[e]] has a bit for each person

A short record is solved as a table over all its parts: every other record is projected on it, and sums over supersets
give all supports at once (this file). A long one is searched depth-first (personal_long.py).
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.audit.kernels.supersets import add_supersets, unite_supersets
from sordino.engine.kernels.bits import ones
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised

NOBODY = -1
EVERYBODY = -2
SHORT = 12  # items of a record that is solved as a table, of 2^12 entries

# slot: where each occurrence stands in post, for who deletes (protect/kernels/store.py)
Store = namedtuple("Store", "ptr items length weight slot post_ptr post support num den")
Owners = namedtuple("Owners", "ptr items post_ptr post wish row beside member_ptr member chose")
# stamp, mask, touched: who shares items with the record at hand, which, and the list of them; here among the published
# (0) and the original records (1). sup, avail, bad: by part of the record. tick: counts the looks.
Scratch = namedtuple("Scratch", "stamp0 mask0 touched0 stamp1 mask1 touched1 sup avail bad tick")


def make_scratch(published: int, original: int) -> Scratch:
    """Room for looks at one record after another."""
    lists = [
        np.full(size, -1, dtype=np.int64) if kind == 0 else np.zeros(size, dtype=np.int64)
        for size in (published, original)
        for kind in range(3)
    ]
    tables = [np.zeros(1 << SHORT, dtype=np.int64) for _ in range(3)]
    return Scratch._make([*lists, *tables, np.zeros(1, dtype=np.int64)])


@inner
def is_sensitive_to(owners, e, g):  # type: ignore[no-untyped-def]
    """Whether somebody with the original record g finds e sensitive."""
    r = owners.row[e]
    if r < 0:
        return r == EVERYBODY
    return (owners.wish[r, g >> 6] >> np.uint64(g & 63)) & np.uint64(1) != np.uint64(0)


@inner
def wished_beside(owners, e, x):  # type: ignore[no-untyped-def]
    """Whether somebody who has x finds e sensitive."""
    r = owners.row[e]
    if r < 0:
        return r == EVERYBODY
    return (owners.beside[x, e >> 6] >> np.uint64(e & 63)) & np.uint64(1) != np.uint64(0)


@kernel
def unite_wishes(class_of, bits, wish, stop=None):  # type: ignore[no-untyped-def]
    """wish[k] gets a bit for the class of every record that has one in bits[k]."""
    one = np.uint64(1)
    for k in range(len(bits)):
        if raised(stop):
            break
        for w in range(bits.shape[1]):
            word = bits[k, w]
            u = w << 6
            while word:
                if word & one and class_of[u] >= 0:
                    c = class_of[u]
                    wish[k, c >> 6] |= one << np.uint64(c & 63)
                word >>= one
                u += 1


@kernel
def wishes_beside(ptr, items, post_ptr, post, row, wish, beside, stop=None):  # type: ignore[no-untyped-def]
    """beside[x] gets a bit for each item that a holder of x finds sensitive."""
    one = np.uint64(1)
    zero = np.uint64(0)
    width = len(row)
    for e in range(width):
        r = row[e]
        if r < 0:
            continue
        if raised(stop):
            break
        bit = one << np.uint64(e & 63)
        people = 0
        for w in range(wish.shape[1]):
            people += wish[r, w] != zero
        if 8 * people > wish.shape[1]:  # many: among the holders of x one is soon found
            for x in range(width):
                if x & 0xFFF == 0 and raised(stop):
                    break
                for p in range(post_ptr[x], post_ptr[x + 1]):
                    if (wish[r, post[p] >> 6] >> np.uint64(post[p] & 63)) & one != zero:
                        beside[x, e >> 6] |= bit
                        break
            continue
        for w in range(wish.shape[1]):
            word = wish[r, w]
            g = w << 6
            while word != zero:
                if word & one != zero:
                    for k in range(ptr[g], ptr[g + 1]):
                        beside[items[k], e >> 6] |= bit
                word >>= one
                g += 1


@inner
def shares(ptr, length, items, post_ptr, post, of, base, n, stamp, mask, touched, now):  # type: ignore[no-untyped-def]
    """All records that share one of the first n - 1 items of[base : base + n]; mask tells which they have of all n.

    `length` is empty if records reach from ptr[v] to ptr[v + 1]. Returns how many were touched.
    """
    m = 0
    for k in range(n - 1):
        x = of[base + k]
        bit = np.int64(1) << k
        for p in range(post_ptr[x], post_ptr[x + 1]):
            v = post[p]
            if v < 0:
                continue
            if stamp[v] != now:
                stamp[v] = now
                mask[v] = 0
                touched[m] = v
                m += 1
            mask[v] |= bit
    x = of[base + n - 1]
    bit = np.int64(1) << (n - 1)
    for j in range(m):
        v = touched[j]
        at = ptr[v] + length[v] - 1 if len(length) else ptr[v + 1] - 1
        while at >= ptr[v] and items[at] > x:
            at -= 1
        if at >= ptr[v] and items[at] == x:
            mask[v] |= bit
    return m


@inner
def part_table(store, owners, u, s, no_length):  # type: ignore[no-untyped-def]
    """Fills s.sup and s.avail for all parts of the short record u: how many records hold the part, and which items of u
    (bits) somebody finds sensitive who originally has it. Returns how many original records share something with u, its
    last item apart; if nobody finds anything sensitive that is -1, and s.sup is not filled.
    """
    n = store.length[u]
    people = project(store, owners, store.items, store.ptr[u], n, s, no_length)
    if people >= 0:
        add_supersets(s.sup, n)
        unite_supersets(s.avail, n)
    return people


@inner
def project(store, owners, of, base, n, s, no_length):  # type: ignore[no-untyped-def]
    """As part_table for the items of[base : base + n], but s.sup and s.avail are about records that share exactly the
    part with them, before add_supersets.
    """
    full = np.int64(1) << n
    sup, avail, mask0, mask1 = s.sup, s.avail, s.mask0, s.mask1
    weight = store.weight
    s.tick[0] += 1
    now = s.tick[0]
    avail[:full] = 0
    last = full >> 1
    people = shares(
        owners.ptr, no_length, owners.items, owners.post_ptr, owners.post, of, base, n, s.stamp1, mask1, s.touched1, now
    )
    for j in range(people):
        g = s.touched1[j]
        part = mask1[g]
        known = avail[part]  # one need not ask again
        if known == full - 1:
            continue
        for k in range(n):
            if not known >> k & 1 and is_sensitive_to(owners, of[base + k], g):
                avail[part] |= np.int64(1) << k
    for k in range(n - 1):
        if wished_beside(owners, of[base + k], of[base + n - 1]):
            avail[last] |= np.int64(1) << k
    wanted_by_any = np.int64(0)
    for q in range(full):
        wanted_by_any |= avail[q]
    if wanted_by_any == 0:  # nobody finds anything sensitive here
        return -1
    m = shares(
        store.ptr, store.length, store.items, store.post_ptr, store.post, of, base, n, s.stamp0, mask0, s.touched0, now
    )
    sup[:full] = 0
    both = np.int64(0)
    for j in range(m):
        v = s.touched0[j]
        sup[mask0[v]] += weight[v]
        if mask0[v] & last:
            both += weight[v]
    sup[last] += store.support[of[base + n - 1]] - both  # those that have the last item only were not touched
    return people


@inner
def bad_parts(store, of, base, n, most, s):  # type: ignore[no-untyped-def]
    """s.bad[q] gets the items of[base : base + n] (bits) that q discloses to somebody's harm, after part_table.

    Returns the size of the smallest such q, or 0.
    """
    full = np.int64(1) << n
    sup, avail, bad = s.sup, s.avail, s.bad
    num, den = store.num, store.den
    smallest = 0
    for q in range(1, full):
        bad[q] = 0
        size = ones(q)
        if size > most:
            continue
        hits = np.int64(0)
        wanted = avail[q] & ~q
        total = sup[q]
        k = 0
        while wanted >> k:
            if wanted >> k & 1:
                e = of[base + k]
                if sup[q | (np.int64(1) << k)] * den[e] > num[e] * total:
                    hits |= np.int64(1) << k
            k += 1
        if hits:
            bad[q] = hits
            if smallest == 0 or size < smallest:
                smallest = size
    return smallest
