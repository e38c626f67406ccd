"""Rows gathered into safe groups from below: rows alike at a pattern of levels, as many as are safe together."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised


class Kinds(NamedTuple):
    """Rows by kind: those that are alike in their leaves and templates."""

    codes: Any  # [kind, attribute]: the leaf
    sort: Any
    flag_ptr: Any
    flags: Any  # a row of sort s is in the templates flags[flag_ptr[s] : flag_ptr[s + 1]]
    num: Any
    den: Any
    left: Any  # [kind]: how many rows are in no group yet
    stop: Any


@kernel
def gather(kinds, up, active, into, took, found):  # type: ignore[no-untyped-def]
    """Groups the active kinds that agree in up[code], bucket by bucket: took[i] of the rows left of active[i] go to the
    group into[i].

    Of a bucket the largest safe part becomes a group (numbered from found[0] on). It is found by taking rows off the
    templates that are exceeded: a part that is safe never has more rows of such a template than its bound allows, so
    none of its rows need go (exact if every row is in one template at most, else a good part).
    """
    codes, left, sort = kinds.codes, kinds.left, kinds.sort
    n, width, number = codes.shape[1], len(kinds.num), len(active)
    mask = 15
    while mask < 2 * number:
        mask = 2 * mask + 1
    table = np.full(mask + 1, -1, dtype=np.int32)
    first = np.empty(number, dtype=np.int32)
    last = np.empty(number, dtype=np.int32)
    following = np.full(number, -1, dtype=np.int32)
    buckets = 0
    for i in range(number):
        if raised(kinds.stop):
            return
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
    for b in range(buckets):
        size = np.int64(0)
        i = first[b]
        while i >= 0:
            s = sort[active[i]]
            for f in range(kinds.flag_ptr[s], kinds.flag_ptr[s + 1]):
                count[kinds.flags[f]] += left[active[i]]
            took[i] = left[active[i]]
            into[i] = found[0]
            size += took[i]
            i = following[i]
        if cut_back(kinds, active, first[b], following, took, count, size) > 0:
            found[0] += 1
        for t in range(width):
            count[t] = 0


@inner
def cut_back(kinds, active, first, following, took, count, size):  # type: ignore[no-untyped-def]
    """Takes rows off the list that begins at `first` until it is safe; returns how many stay."""
    num, den = kinds.num, kinds.den
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
            s = kinds.sort[active[i]]
            inside = False
            for f in range(kinds.flag_ptr[s], kinds.flag_ptr[s + 1]):
                inside = inside or kinds.flags[f] == bad
            if inside and took[i] > 0:
                # so many that (count - fewer) * den <= num * (size - fewer); a threshold that is exceeded is below 1
                over = count[bad] * den[bad] - num[bad] * size
                fewer = min(took[i], -((-over) // (den[bad] - num[bad])))
                took[i] -= fewer
                size -= fewer
                for f in range(kinds.flag_ptr[s], kinds.flag_ptr[s + 1]):
                    count[kinds.flags[f]] -= fewer
            i = following[i]
    return size
