"""Rows gathered into safe groups from below: rows alike at a pattern of levels, as many as are safe together."""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised


@kernel
def gather(codes, sort, flag_ptr, flags, num, den, up, active, group, found, stop):  # type: ignore[no-untyped-def]
    """Groups the active rows that agree in up[code], bucket by bucket; returns the rows that stay active.

    Of a bucket the largest safe part becomes a group (numbered from found[0] on). It is found by taking rows off the
    templates that are exceeded: a part that is safe never has more rows of such a template than its bound allows, so
    none of its rows need go (exact if every row is in one template at most, else a good part).
    """
    n, width = codes.shape[1], len(num)
    rows = len(active)
    mask = 15
    while mask < 2 * rows:
        mask = 2 * mask + 1
    table = np.full(mask + 1, -1, dtype=np.int32)
    first = np.empty(rows, dtype=np.int32)
    last = np.empty(rows, dtype=np.int32)
    following = np.full(rows, -1, dtype=np.int32)
    buckets = 0
    for i in range(rows):
        if raised(stop):
            return active[:0]
        h = np.int64(0)
        for a in range(n):
            h = ((h * 1000003) ^ np.int64(up[codes[active[i], a]])) & 0xFFFFFFFFFF
        h = (h ^ (h >> 19)) & mask
        while True:  # half of the table at least is free
            b = table[h]
            if b < 0:
                table[h] = buckets
                first[buckets] = i
                last[buckets] = i
                buckets += 1
                break
            same = True
            for a in range(n):
                if up[codes[active[i], a]] != up[codes[active[first[b]], a]]:
                    same = False
                    break
            if same:
                following[last[b]] = i
                last[b] = i
                break
            h = (h + 1) & mask
    count = np.zeros(width, dtype=np.int64)
    inside = np.zeros(rows, dtype=np.bool_)
    for b in range(buckets):
        size = 0
        i = first[b]
        while i >= 0:
            s = sort[active[i]]
            for f in range(flag_ptr[s], flag_ptr[s + 1]):
                count[flags[f]] += 1
            inside[i] = True
            size += 1
            i = following[i]
        if size > 1 or flag_ptr[sort[active[first[b]]]] == flag_ptr[sort[active[first[b]]] + 1]:
            size = cut_back(sort, flag_ptr, flags, num, den, active, first[b], following, inside, count, size)
        else:
            inside[first[b]] = False
            size = 0
        i = first[b]
        while i >= 0:
            if inside[i]:
                group[active[i]] = found[0]
            i = following[i]
        if size > 0:
            found[0] += 1
        for t in range(width):
            count[t] = 0
    left = np.empty(rows, dtype=np.int32)
    k = 0
    for i in range(rows):
        if not inside[i]:
            left[k] = active[i]
            k += 1
    return left[:k]


@inner
def cut_back(sort, flag_ptr, flags, num, den, active, first, following, inside, count, size):  # type: ignore[no-untyped-def]
    """Takes rows off the list that begins at `first` until it is safe; returns how many stay."""
    while size > 0:  # each turn takes one off at least: a template that is exceeded has rows
        bad = -1
        for t in range(len(num)):
            if count[t] * den[t] > num[t] * size:
                bad = t
                break
        if bad < 0:
            return size
        i = first
        while i >= 0 and count[bad] * den[bad] > num[bad] * size:
            if inside[i]:
                s = sort[active[i]]
                for f in range(flag_ptr[s], flag_ptr[s + 1]):
                    if flags[f] == bad:
                        inside[i] = False
                if not inside[i]:
                    size -= 1
                    for f in range(flag_ptr[s], flag_ptr[s + 1]):
                        count[flags[f]] -= 1
            i = following[i]
    return 0
