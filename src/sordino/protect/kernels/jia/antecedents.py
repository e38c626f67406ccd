"""Algorithm 1 (PartialSuppressor) of Jia et al. 2014 on one part: qids record by record, until none is unsafe.

A qid q of record r is looked at for the sensitive items of r itself: any other e with sup(q + e) > 0 is met in a record
that holds q + e. Short records are counted in a table of all their subsets, and their largest qids come first; what
long ones do until they are short is in jia_long.
"""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.jia.long_records import SHORT, TOO_MANY, search_deep, search_lists
from sordino.protect.kernels.jia.part import suppress


@kernel
def suppress_part(part, most, short, b_max, dist, rng):  # type: ignore[no-untyped-def]
    """Deletes until no qid of at most `most` items is unsafe. Returns how many passes that took, each of which but the
    last deleted something; or -1 if counts went astray.

    Records of at most `short` items are counted in a table. A record is passed over if none of its items was deleted
    anywhere since the last look at it: nothing that is asked about it has changed.
    """
    records, width = len(part.size), len(part.sup)
    place_of = np.full(width, -1, dtype=np.int64)
    mask = np.zeros(records, dtype=np.int64)
    table = np.zeros(1 << short, dtype=np.int64)
    looked = np.full(records, -1, dtype=np.int64)
    deleted = np.zeros(width, dtype=np.int64)  # when an item was last deleted, in deletions made
    passes = 0
    safe = False
    stop, astray = part.stop, part.astray
    while not safe and not raised(stop):
        safe = True
        passes += 1
        for r in range(records):
            if not needs_look(part, r, looked[r], deleted):
                continue
            looked[r] = start = part.total[1] - part.total[0]
            next_step = SHORT
            if part.size[r] > short:
                next_step = search_lists(part, r, short, most, b_max, dist, rng, place_of, deleted)
            if next_step == SHORT:
                search_table(part, r, most, dist, rng, place_of, mask, table, deleted)
            elif next_step == TOO_MANY:
                search_deep(part, r, most, dist, rng, deleted)
            if astray[0]:
                return -1
            if raised(stop):
                break
            if part.total[1] - part.total[0] > start:
                safe = False
    return passes


@inner
def needs_look(part, r, last, deleted):  # type: ignore[no-untyped-def]
    """Whether record r can have an unsafe qid: it holds two items, one of them sensitive, and something is new."""
    if part.size[r] < 2:
        return False
    fresh = sensitive = False
    for p in range(part.ptr[r], part.ptr[r] + part.size[r]):
        x = part.items[p]
        sensitive |= part.sensitive[x]
        fresh |= deleted[x] > last
    return sensitive and (fresh or last < 0)


@inner
def search_table(part, r, most, dist, rng, place_of, mask, table, deleted):  # type: ignore[no-untyped-def]
    """Sanitizes the qids of record r of at most `most` items, largest first: all their supports are in one table."""
    own = part.items[part.ptr[r] : part.ptr[r] + part.size[r]].copy()
    length = len(own)
    alive = (1 << length) - 1
    fill_table(part, own, mask, table)
    if not any_unsafe(part, own, alive, table):
        return
    for i in range(length):
        place_of[own[i]] = i
    q = np.empty(length, dtype=np.int32)
    stop, astray = part.stop, part.astray
    for k in range(min(length - 1, most), 0, -1):
        s = (1 << k) - 1
        while s <= (1 << length) - 1:
            # Each turn deletes something.
            while s & alive == s and not raised(stop) and is_unsafe(part, own, alive, table, s):
                known = 0
                for i in range(length):
                    if s >> i & 1:
                        q[known] = own[i]
                        known += 1
                d, n = suppress(part, q[:known], dist, rng)
                if n == 0:
                    astray[0] = 1
                    return
                deleted[d] = part.total[1] - part.total[0]
                if place_of[d] < 0:
                    continue
                bit = 1 << place_of[d]
                for j in range(n):
                    t = part.chosen[j]
                    kept = 0
                    for p in range(part.ptr[t], part.ptr[t] + part.size[t]):
                        if place_of[part.items[p]] >= 0:
                            kept |= 1 << place_of[part.items[p]]
                    if t == r:
                        alive &= ~bit
                    subset = kept
                    while True:
                        table[subset | bit] -= 1
                        if subset == 0:
                            break
                        subset = (subset - 1) & kept
            lowest = s & -s  # the next larger number with as many bits
            ripple = s + lowest
            s = ripple | ((s ^ ripple) >> 2) // lowest
    for x in own:
        place_of[x] = -1


@inner
def fill_table(part, own, mask, table):  # type: ignore[no-untyped-def]
    """table[s] = sup of the items of `own` whose bits are set in s, for all s but 0."""
    table[: 1 << len(own)] = 0
    near = part.chosen
    found = 0
    for i in range(len(own)):
        x = own[i]
        for p in range(part.post_ptr[x], part.post_ptr[x] + part.sup[x]):
            t = part.post[p]
            if mask[t] == 0:
                near[found] = t
                found += 1
            mask[t] |= 1 << i
    for j in range(found):
        table[mask[near[j]]] += 1
        mask[near[j]] = 0
    for i in range(len(own)):
        step = 1 << i
        for low in range(0, 1 << len(own), 2 * step):
            for s in range(low, low + step):
                table[s] += table[s + step]


@inner
def any_unsafe(part, own, alive, table):  # type: ignore[no-untyped-def]
    """Whether some subset of `own` is an unsafe qid; larger than allowed counts too."""
    for j in range(len(own)):
        e = own[j]
        if part.sensitive[e]:
            num, den, bit = part.num[e], part.den[e], 1 << j
            for high in range(0, alive + 1, 2 * bit):
                for s in range(high, high + bit):
                    if s > 0 and table[s + bit] * den > num * table[s]:
                        return True
    return False


@inner
def is_unsafe(part, own, alive, table, s):  # type: ignore[no-untyped-def]
    """Whether the subset s exposes a sensitive item that the record still holds beside it."""
    rest = alive & ~s
    for j in range(len(own)):
        if rest >> j & 1:
            e = own[j]
            if part.sensitive[e] and table[s | 1 << j] * part.den[e] > part.num[e] * table[s]:
                return True
    return False
