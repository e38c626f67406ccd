"""The smallest antecedent within one record that gives one of its items away, by counting all of them at once.

Every record is reduced to the known items that it shares with the one in question: a mask. Records with the same mask
are added up, and sums over larger masks are the supports of all antecedents (model.md 1.1). That takes one walk along
the posting lists of the record's items, where a search would walk along them anew for every antecedent.
"""

from __future__ import annotations

import numpy as np

from sordino.audit.kernels.supersets import add_supersets
from sordino.engine.kernels.bits import ones
from sordino.engine.kernels.compiled import kernel


@kernel
def smallest_antecedent(known, e, num, den, least, post_ptr, post, weight, mask):  # type: ignore[no-untyped-def]
    """The smallest of the parts of `known`, of at least `least` items, that exposes e; of several the first by rank.

    `known`: at most 30 ranks, ascending, without e; mask: a zero for every class, and again afterwards. Returns (part
    as bits, records that hold it, those of them with e); if there is none, the part is 0 and the others mean nothing.
    """
    n = len(known)
    having = np.zeros(1 << n, dtype=np.int64)
    lacking = np.zeros(1 << n, dtype=np.int64)
    for k in range(n):
        for p in range(post_ptr[known[k]], post_ptr[known[k] + 1]):
            mask[post[p]] |= np.int32(1 << k)
    for p in range(post_ptr[e], post_ptr[e + 1]):
        having[mask[post[p]]] += weight[post[p]]
        mask[post[p]] = 0
    for k in range(n):
        for p in range(post_ptr[known[k]], post_ptr[known[k] + 1]):
            lacking[mask[post[p]]] += weight[post[p]]  # nothing but part 0 twice: a class is cleared when it is counted
            mask[post[p]] = 0
    add_supersets(having, n)
    add_supersets(lacking, n)
    best = np.int64(0)
    size = n + 1
    for part in range(1, 1 << n):
        if having[part] * (den - num) <= num * lacking[part]:
            continue
        items = ones(part)
        if items < least or items > size:
            continue
        differ = part ^ best
        if items < size or part & (differ & -differ):  # the lowest bit in which they differ is the first by rank
            best, size = np.int64(part), items
    return best, having[best] + lacking[best], having[best]
