"""Looking at one record of the ledger: who stands against it, what is hopeless in it, what a deletion would help.

Nothing here changes the ledger. One scan of the posting list of a record's rarest item finds all records that lack at
most one of its items, and with them the counts of all its leaves at once (see audit/kernels/leaves.py).
"""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner

WATCHES = 6  # an occurrence that needs more alibis than this has many, and is only looked at again by the next audit


@inner
def bit_index(b):  # type: ignore[no-untyped-def]
    """Which bit is set in a word that has just one."""
    index = 0
    for step in (32, 16, 8, 4, 2, 1):
        high = b >> np.uint64(step)
        if high != np.uint64(0):
            b = high
            index += step
    return index


@inner
def may_lack_one(a, b):  # type: ignore[no-untyped-def]
    """Whether the signature bits (a, b) that are missing allow for at most one missing item."""
    zero = np.uint64(0)
    if a != zero and b != zero:
        return False
    word = a | b
    return word == zero or (word & (word - np.uint64(1))) == zero


@inner
def lacks(items, at, stop, base, start, shared, missing):  # type: ignore[no-untyped-def]
    """Which item of those at `base` the record items[at:stop] lacks: its place, -1 for none, -2 for several.

    `missing` is what the signature says of the items from `shared` on, which have a bit of their own; those before
    `start` are known to be there.
    """
    for k in range(start, shared):
        want = items[base + k]
        while at < stop and items[at] < want:
            at += 1
        if at >= stop or items[at] != want:
            if missing >= 0:
                return -2
            missing = k
    return missing


@inner
def posting_from(post, lo, hi, least):  # type: ignore[no-untyped-def]
    """The first place in post[lo:hi] that stands for a record number of at least `least`."""
    while lo < hi:
        mid = (lo + hi) >> 1
        u = post[mid] if post[mid] >= 0 else -1 - post[mid]
        if u < least:
            lo = mid + 1
        else:
            hi = mid
    return lo


@inner
def look(g, u, place, without, alibi, members):  # type: ignore[no-untyped-def]
    """Counts for record u: returns (sup(u), records equal to u); without[k] = sup_B of the leaf of its k-th item.

    alibi[k] holds the first WATCHES of those records (but not those that hold one item only: they never change),
    members the first records equal to u.
    """
    # Bound to names once: taking an array out of the ledger counts references, which threads pay dearly in a loop.
    post_sig, post, post_ptr = g.post_sig, g.post, g.post_ptr
    length, ptr, items = g.length, g.ptr, g.items
    sensitive = g.sensitive
    base = ptr[u]
    n = length[u]
    own = len(g.num) - 64
    shared = np.int64(0)
    for k in range(n):
        x = items[base + k]
        without[k] = 0
        if x >= own:
            place[x - own] = k
        else:
            shared = np.int64(k + 1)
    s0, s1 = g.sig[u, 0], g.sig[u, 1]
    zero = np.uint64(0)
    total = np.int64(0)
    equal = np.int64(0)
    rare = items[base]
    end = post_ptr[rare + 1]
    for p in range(posting_from(post, post_ptr[rare], end, g.from_length[n - 1]), end):
        b = s1 & ~post_sig[p, 1]
        a = s0 & ~post_sig[p, 0]
        if not may_lack_one(a, b) or post[p] < 0:
            continue
        v = post[p]
        lacking = np.int64(-1) if b == zero else place[bit_index(b)]
        if shared > 1:
            lacking = lacks(items, ptr[v], ptr[v] + length[v], base, np.int64(1), shared, lacking)
        if lacking == -1:
            total += 1
            if length[v] == n:
                if equal < len(members):
                    members[equal] = v
                equal += 1
        elif lacking > 0:
            if without[lacking] < WATCHES:
                alibi[lacking, without[lacking]] = v
            without[lacking] += 1
    if sensitive[rare]:
        second = items[base + 1]
        end = post_ptr[second + 1]
        for p in range(posting_from(post, post_ptr[second], end, g.from_length[n - 1]), end):
            b = s1 & ~post_sig[p, 1]
            a = s0 & ~post_sig[p, 0]
            if not may_lack_one(a, b) or post[p] < 0:
                continue
            v = post[p]
            lacking = np.int64(-1) if b == zero else place[bit_index(b)]
            if shared > 0:
                lacking = lacks(items, ptr[v], ptr[v] + length[v], base, np.int64(0), shared, lacking)
            if lacking == 0:
                if without[0] < WATCHES:
                    alibi[0, without[0]] = v
                without[0] += 1
    if n == 2:
        without[0] += g.alone[items[base + 1]]
        without[1] += g.alone[rare]
    return total, equal


@inner
def need(num, den, with_e):  # type: ignore[no-untyped-def]
    """How many records without an item must stand against `with_e` records with it, at the threshold num / den."""
    if num == 0:
        return np.int64(1) << 60
    return -(-with_e * (den - num) // num)


@inner
def hopeless(g, u, open_, count):  # type: ignore[no-untyped-def]
    """Marks in `open_` (1 -> 2) what stays open though everything else that is open were deleted.

    With K what is not open in u: e can only be kept if enough records contain K and lack e.
    """
    post_sig, post, post_ptr = g.post_sig, g.post, g.post_ptr
    length, ptr, items = g.length, g.ptr, g.items
    num, den, alone = g.num, g.den, g.alone
    base = ptr[u]
    n = length[u]
    kept = 0
    own = len(g.num) - 64
    one = np.uint64(1)
    zero = np.uint64(0)
    s0 = zero
    s1 = zero
    rare = -1
    for k in range(n):
        count[k] = 0
        if open_[k] == 0:
            x = items[base + k]
            if kept == 0:
                rare = x
            kept += 1
            if x >= own:
                s1 |= one << np.uint64(x - own)
            else:
                s0 |= one << np.uint64(x & 63)
    if kept == 0:
        return 0
    waiting = 0
    for k in range(n):
        if open_[k]:
            waiting += 1
            if kept == 1:
                count[k] = alone[rare]
                if count[k] >= need(num[items[base + k]], den[items[base + k]], np.int64(1)):
                    waiting -= 1
    if waiting == 0:
        return 0
    end = post_ptr[rare + 1]
    for p in range(posting_from(post, post_ptr[rare], end, g.from_length[kept]), end):
        if (s1 & ~post_sig[p, 1]) != zero or (s0 & ~post_sig[p, 0]) != zero:
            continue
        v = post[p]
        if v < 0 or length[v] < kept:
            continue
        at = ptr[v]
        stop = at + length[v]
        inside = True
        for k in range(n):
            want = items[base + k]
            while at < stop and items[at] < want:
                at += 1
            if open_[k] == 0 and (at >= stop or items[at] != want):
                inside = False
                break
        if not inside:
            continue
        at = ptr[v]
        for k in range(n):
            if open_[k] == 0:
                continue
            want = items[base + k]
            while at < stop and items[at] < want:
                at += 1
            if at >= stop or items[at] != want:
                count[k] += 1
                if count[k] == need(num[want], den[want], np.int64(1)):
                    waiting -= 1
        if waiting == 0:
            return 0
    marked = 0
    for k in range(n):
        if open_[k] and count[k] < need(num[items[base + k]], den[items[base + k]], np.int64(1)):
            open_[k] = 2
            marked += 1
    return marked


@inner
def help_of_deleting(g, u, open_, gain, seen):  # type: ignore[no-untyped-def]
    """Looks one deletion ahead: gain[k] = how many open items of u find an alibi once its k-th item is deleted.

    Records that lack exactly two items of u are what matters; they are found through u's two rarest items.
    """
    post_sig, post, post_ptr = g.post_sig, g.post, g.post_ptr
    length, ptr, items = g.length, g.ptr, g.items
    base = ptr[u]
    n = length[u]
    zero = np.uint64(0)
    one = np.uint64(1)
    s0, s1 = g.sig[u, 0], g.sig[u, 1]
    for k in range(n):
        gain[k] = 0
    for k in range(n * n):
        seen[k] = 0
    for source in range(2):
        rare = items[base + source]
        end = post_ptr[rare + 1]
        for p in range(posting_from(post, post_ptr[rare], end, g.from_length[n - 2]), end):
            b = s1 & ~post_sig[p, 1]
            if b != zero:
                b &= b - one
                if b != zero and (b & (b - one)) != zero:
                    continue
            a = s0 & ~post_sig[p, 0]
            if a != zero:
                a &= a - one
                if a != zero and (a & (a - one)) != zero:
                    continue
            v = post[p]
            if v < 0 or length[v] < n - 2:
                continue
            at = ptr[v]
            stop = at + length[v]
            x = -1
            y = -1
            for k in range(n):
                want = items[base + k]
                while at < stop and items[at] < want:
                    at += 1
                if at >= stop or items[at] != want:
                    if x < 0:
                        x = k
                    elif y < 0:
                        y = k
                    else:
                        y = -2
                        break
            if y < 0:
                continue
            if open_[x] and not seen[x * n + y]:
                seen[x * n + y] = 1
                gain[y] += 1
            if open_[y] and not seen[y * n + x]:
                seen[y * n + x] = 1
                gain[x] += 1
