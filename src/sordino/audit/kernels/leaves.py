"""Leaves: can a sensitive item of a record be inferred by one who knows all the rest of it? (model.md 1.2, point 1)

For q = R \\ {e}: the records with q and e are the supersets of R, and the records with q but not e are exactly those
that lack one item of R, namely e. One scan of the posting list of R's rarest item finds both for all e but the rarest,
and one scan of the next rarest list decides that one: two scans a record, however many sensitive items it holds.
"""

from __future__ import annotations

import numpy as np

from sordino.audit.kernels.masks import PLACE
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised


@inner
def posting_start(post, lo, hi, least):  # type: ignore[no-untyped-def]
    """The first place in post[lo:hi] whose class id is at least `least` (ids rise with length)."""
    while lo < hi:
        mid = (lo + hi) >> 1
        if post[mid] < least:
            lo = mid + 1
        else:
            hi = mid
    return lo


@inner
def has_item(items, at, stop, want):  # type: ignore[no-untyped-def]
    """Whether items[at:stop], ascending, holds `want`."""
    while at < stop and items[at] < want:
        at += 1
    return at < stop and items[at] == want


@kernel
def leaf_counts(lo, hi, index, by_length, sensitive, sup_all, sup_without, stop):  # type: ignore[no-untyped-def]
    """For every class R in lo..hi that holds a sensitive occurrence: sup(R), and for each of them sup_B(R \\ e).

    `sensitive` marks occurrences; sup_all is by class, sup_without by occurrence; by_length[n] is the first class of at
    least n items. Classes without a sensitive occurrence, and those of one item, are left at 0. So are those that were
    not reached, or not counted to the end, when the flag `stop` went up; their sup_without are too low.

    Long: two scans whose steps share all arrays; as functions they would be compiled with them again.
    """
    ptr = index.ptr
    items = index.items
    weight = index.weight
    sig0 = index.sig0
    sig1 = index.sig1
    post_ptr = index.post_ptr
    post = index.post
    post_sig = index.post_sig
    own = len(post_ptr) - 1 - 64
    zero = np.uint64(0)
    one = np.uint64(1)
    modulus = np.uint64(67)
    place = np.empty(64, dtype=np.int64)
    for c in range(lo, hi):
        if raised(stop):
            return
        start = ptr[c]
        n = ptr[c + 1] - start
        if n < 2:
            continue
        wanted = False
        shared = 0  # the items before this one have no bit of their own
        for k in range(n):
            wanted |= sensitive[start + k]
            if items[start + k] >= own:
                place[items[start + k] - own] = k
            else:
                shared = k + 1
        if not wanted:
            continue
        s0, s1 = sig0[c], sig1[c]
        rare = items[start]
        total = np.int64(0)
        end = post_ptr[rare + 1]
        for p in range(posting_start(post, post_ptr[rare], end, by_length[n - 1]), end):
            b = s1 & ~post_sig[p, 1]
            if (b & (b - one)) != zero:
                continue
            a = s0 & ~post_sig[p, 0]
            if a != zero and (b != zero or (a & (a - one)) != zero):
                continue
            other = post[p]
            missing = -1
            if b != zero:
                missing = place[PLACE[b % modulus]]
                if not sensitive[start + missing]:
                    continue
            at = last = np.int64(0)
            if shared > 1:
                at = ptr[other]
                last = ptr[other + 1]
            for k in range(1, shared):
                want = items[start + k]
                while at < last and items[at] < want:
                    at += 1
                if at >= last or items[at] != want:
                    if missing >= 0:
                        missing = -2
                        break
                    missing = k
            if missing == -1:
                total += weight[other]
            elif missing >= 0 and sensitive[start + missing]:
                sup_without[start + missing] += weight[other]
        if sensitive[start]:
            second = items[start + 1]
            end = post_ptr[second + 1]
            found = np.int64(0)
            alone = rare >= own  # then the bit of the rarest item is its own, and tells whether it is there
            r0, r1 = s0, s1
            rare_bit = zero
            if alone:
                rare_bit = one << np.uint64(rare - own)
                r1 = s1 & ~rare_bit
            else:
                # its bit may be shared with other items of R: then they must be there, so the bit must be
                mine = one << np.uint64(rare & 63)
                others = False
                for k in range(1, shared):
                    others |= (items[start + k] & 63) == (rare & 63)
                if not others:
                    r0 = s0 & ~mine
            for p in range(posting_start(post, post_ptr[second], end, by_length[n - 1]), end):
                if (r1 & ~post_sig[p, 1]) != zero or (r0 & ~post_sig[p, 0]) != zero:
                    continue
                if alone:
                    if (post_sig[p, 1] & rare_bit) == zero:
                        found += weight[post[p]]
                    continue
                other = post[p]
                at = ptr[other]
                last = ptr[other + 1]
                inside = not has_item(items, at, last, rare)
                for k in range(2, shared):
                    if not inside:
                        break
                    want = items[start + k]
                    while at < last and items[at] < want:
                        at += 1
                    inside = at < last and items[at] == want
                if inside:
                    found += weight[other]
            sup_without[start] = found
        sup_all[c] = total


@kernel
def judge_leaves(lo, hi, index, sensitive, sup_all, sup_without, num, den, most, disclosed):  # type: ignore[no-untyped-def]
    """disclosed[occurrence] where one infers it who knows the rest of the record, of at most `most` items.

    For the classes in lo..hi that leaf_counts has counted; it leaves 0 records of the others, who disclose nothing.
    """
    ptr = index.ptr
    items = index.items
    for c in range(lo, hi):
        n = ptr[c + 1] - ptr[c]
        if sup_all[c] == 0 or n < 2 or n - 1 > most:
            continue
        for at in range(ptr[c], ptr[c + 1]):
            e = items[at]
            disclosed[at] |= sensitive[at] and sup_all[c] * (den[e] - num[e]) > num[e] * sup_without[at]
