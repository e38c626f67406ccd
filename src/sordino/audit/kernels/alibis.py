"""Alibis: a certificate that a sensitive item is safe against unlimited knowledge (model.md 1.2, point 3).

Guarantee. If every record R with e gets (den - num) units from records that contain R \\ {e} but not e, none of which
gives more than num units, then for every antecedent q: the records with q and e draw (den - num) * sup_A(q) units, all
from records that contain q and lack e, which have num * sup_B(q). So sup_A(q) (den - num) <= sup_B(q) num.
Whatever the assignment leaves unserved is all that must be searched: a q inside no unserved record is served.

Longest records are served first, each from the shortest free alibi: short records have alibis enough left.
"""

from __future__ import annotations

import numpy as np

from sordino.audit.kernels.growth import grown
from sordino.audit.kernels.leaves import posting_start
from sordino.engine.kernels.compiled import kernel
from sordino.engine.kernels.flag import raised


@kernel
def assign_alibis(e, num, den, index, by_length, need, roots, left, stamp, now, flag):  # type: ignore[no-untyped-def]
    """Greedy assignment for item e. Returns (class, alibi, units) rows and the classes left unserved.

    `need[c]` records of class c ask for alibis; of a class, only if the rarest of its other items is from roots[0] on
    and before roots[1]. `left[c]` holds the free units of class c if stamp[c] == now, else c is untouched and has
    weight * num. What is returned after `flag` went up says nothing.

    Long: one scan whose steps share all arrays; as functions they would be compiled with them again.
    """
    ptr = index.ptr
    items = index.items
    weight = index.weight
    post_ptr = index.post_ptr
    post = index.post
    post_sig = index.post_sig
    own = len(post_ptr) - 1 - 64
    zero = np.uint64(0)
    one = np.uint64(1)
    rows_class = np.empty(256, dtype=np.int32)
    rows_alibi = np.empty(256, dtype=np.int32)
    rows_units = np.empty(256, dtype=np.int64)
    rows = np.int64(0)
    unserved = np.empty(16, dtype=np.int32)
    missed = np.int64(0)
    e_bit0 = zero
    e_bit1 = zero
    alone = e >= own
    if alone:
        e_bit1 = one << np.uint64(e - own)
    else:
        e_bit0 = one << np.uint64(e & 63)
    for p_class in range(post_ptr[e + 1] - 1, post_ptr[e] - 1, -1):
        if raised(flag):
            break
        c = post[p_class]
        start = ptr[c]
        n = ptr[c + 1] - start
        if n < 2:
            continue
        rare_at = 1 if items[start] == e else 0
        rare = items[start + rare_at]
        if need[c] == 0 or rare < roots[0] or rare >= roots[1]:
            continue
        demand = need[c] * (den - num)
        s0 = zero
        s1 = zero
        shared = 0
        for k in range(n):
            x = items[start + k]
            if x == e:
                continue
            if x >= own:
                s1 |= one << np.uint64(x - own)
            else:
                s0 |= one << np.uint64(x & 63)
                shared = k + 1
        end = post_ptr[rare + 1]
        for p in range(posting_start(post, post_ptr[rare], end, by_length[n - 1]), end):
            if (s1 & ~post_sig[p, 1]) != zero or (s0 & ~post_sig[p, 0]) != zero:
                continue
            if alone and (post_sig[p, 1] & e_bit1) != zero:
                continue
            other = post[p]
            if stamp[other] == now and left[other] == 0:
                continue
            at = ptr[other]
            stop = ptr[other + 1]
            inside = True
            if not alone and (post_sig[p, 0] & e_bit0) != zero:
                k = at
                while k < stop and items[k] < e:
                    k += 1
                if k < stop and items[k] == e:
                    continue
            for k in range(rare_at + 1, shared):
                want = items[start + k]
                if want == e:
                    continue
                while at < stop and items[at] < want:
                    at += 1
                if at >= stop or items[at] != want:
                    inside = False
                    break
            if not inside:
                continue
            if stamp[other] != now:
                stamp[other] = now
                left[other] = weight[other] * num
            units = min(demand, left[other])
            if units == 0:
                continue
            left[other] -= units
            demand -= units
            if rows == len(rows_class):
                rows_class = grown(rows_class, rows)
                rows_alibi = grown(rows_alibi, rows)
                rows_units = grown(rows_units, rows)
            rows_class[rows] = c
            rows_alibi[rows] = other
            rows_units[rows] = units
            rows += 1
            if demand == 0:
                break
        if demand > 0:
            if missed == len(unserved):
                unserved = grown(unserved, missed)
            unserved[missed] = c
            missed += 1
    return rows_class[:rows], rows_alibi[:rows], rows_units[:rows], unserved[:missed]
