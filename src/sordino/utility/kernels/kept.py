"""The most that can be kept of a record, if the release is to be safe against unlimited knowledge (model.md 1.3).

Let R have n items, N of them not sensitive. Keeping `size` items, z of them sensitive, takes alibis: other records that
share z - 1 sensitive items and size - z others with R, need[z] of them. The kernel raises `best`, from max(|N|, 1) on,
while some z has enough alibis for best + 1.

Three things make it quick, and none changes the result. An alibi for more than `best` shares at least `best` items with
R, so (i) it holds one of the n - best + 1 rarest items of R: only their posting lists are scanned, and fewer as best
grows; (ii) it has at least `best` items: posting lists run from short to long; (iii) at most n - best bits of R's
signature are missing in its own.
"""

from __future__ import annotations

import numpy as np

from sordino.audit.kernels.leaves import posting_start
from sordino.engine.kernels.bits import ones
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.engine.kernels.sorting import sort_part


@inner
def shared_items(ptr, items, c, k, v, sensitive, least):  # type: ignore[no-untyped-def]
    """(sensitive, other) items that class v shares with class c from its k-th on; (0, 0) if fewer than `least`."""
    at, stop = ptr[v], ptr[v + 1]
    place, end = ptr[c] + k, ptr[c + 1]
    secret = plain = 0
    while place < end and at < stop:
        if secret + plain + min(end - place, stop - at) < least:
            return 0, 0
        mine, theirs = items[place], items[at]
        if mine == theirs:
            if sensitive[mine]:
                secret += 1
            else:
                plain += 1
        if mine <= theirs:
            place += 1
        if theirs <= mine:
            at += 1
    if secret + plain < least:
        return 0, 0
    return secret, plain


@inner
def count_alibis(count, best, secrets, secret, plain, number):  # type: ignore[no-untyped-def]
    """Adds records that share (secret, plain) items to the alibis for best + 1 kept items, for each z they serve."""
    for z in range(max(1, best + 1 - plain), min(secrets, secret + 1) + 1):
        count[z] += number


@inner
def raise_best(best, n, secrets, need, count, alibis, stored):  # type: ignore[no-untyped-def]
    """`best` as high as the stored alibis (rows: sensitive, other, records) allow; forgets useless ones."""
    while best < n:
        enough = False
        for z in range(1, secrets + 1):
            if count[z] >= need[z]:
                enough = True
                break
        if not enough:
            break
        best += 1
        for z in range(1, secrets + 1):
            count[z] = 0
        left = np.int64(0)
        for row in range(stored):
            secret, plain, number = alibis[row, 0], alibis[row, 1], alibis[row, 2]
            if secret + plain >= best:
                alibis[left, 0], alibis[left, 1], alibis[left, 2] = secret, plain, number
                left += 1
                count_alibis(count, best, secrets, secret, plain, number)
        stored = left
    return best, stored


@kernel
def most_kept(lo, hi, index, by_length, sensitive, demand, seen, alibis, kept, stop):  # type: ignore[no-untyped-def]
    """For every class in lo..hi: how many of its items can be kept at most, in `kept`.

    By rank: `sensitive`, and `demand`, the alibis that a sensitive item needs. by_length[n] is the first class of at
    least n items. `seen` (by class, at first -1) and `alibis` (a row a class) are room to work in, of one thread. Ends
    early once the flag `stop` is up.
    """
    ptr, items, weight, sig0, sig1 = index.ptr, index.items, index.weight, index.sig0, index.sig1
    post_ptr, post, post_sig = index.post_ptr, index.post, index.post_sig
    longest = len(by_length)
    need = np.zeros(longest + 1, dtype=np.int64)
    count = np.zeros(longest + 1, dtype=np.int64)
    for c in range(lo, hi):
        if raised(stop):
            return
        start = ptr[c]
        n = ptr[c + 1] - start
        secrets = np.int64(0)  # sensitive items
        for k in range(start, ptr[c + 1]):
            if sensitive[items[k]]:
                secrets += 1
                need[secrets] = demand[items[k]]
        best = max(n - secrets, 1)
        kept[c] = n
        if best >= n:
            continue
        # The z sensitive items that are kept need at least what the z least demanding ones need.
        sort_part(need, np.int64(1), secrets)
        for z in range(2, secrets + 1):
            need[z] += need[z - 1]
        for z in range(1, secrets + 1):
            count[z] = 0
        stored = np.int64(0)
        seen[c] = c
        if weight[c] > 1:  # the other records of the class
            alibis[0, 0], alibis[0, 1], alibis[0, 2] = secrets, n - secrets, weight[c] - 1
            stored += 1
            count_alibis(count, best, secrets, secrets, n - secrets, weight[c] - 1)
            best, stored = raise_best(best, n, secrets, need, count, alibis, stored)
        begun = np.int64(0)
        while best < n and begun <= n - best:
            item = items[start + begun]
            end = post_ptr[item + 1]
            for p in range(posting_start(post, post_ptr[item], end, by_length[best]), end):
                if p & 0xFFFF == 0 and raised(stop):
                    return
                if ones(sig0[c] & ~post_sig[p, 0]) + ones(sig1[c] & ~post_sig[p, 1]) > n - best:
                    continue
                v = post[p]
                if seen[v] == c:
                    continue
                seen[v] = c
                secret, plain = shared_items(ptr, items, c, begun, v, sensitive, best)
                if secret + plain < best:
                    continue
                alibis[stored, 0], alibis[stored, 1], alibis[stored, 2] = secret, plain, weight[v]
                stored += 1
                count_alibis(count, best, secrets, secret, plain, weight[v])
                best, stored = raise_best(best, n, secrets, need, count, alibis, stored)
                if best >= n or begun > n - best:
                    break
            begun += 1
        kept[c] = best
