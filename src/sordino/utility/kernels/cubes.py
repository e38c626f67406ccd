"""How much of a short record can be kept where somebody also knows what people lack (docs/notes/bound.md).

Let W be what is published of a record, with the sensitive items Z and the harmless ones H. Then for every part Y of Z
some records publish just W - Y (if that is not empty): one for Y = {}, and wherever m publish V + e, at least
(1 - rho_e) / rho_e * m publish V. These are different records for different Y, and whoever publishes a set has had it.
So for every part X of Z there must be as many originals that hold W - X as there are records for all Y inside X.

This is asked of parts that pass the test of presence (possible.py); for one sensitive item it asks for nothing more.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.audit.kernels.supersets import add_supersets
from sordino.engine.kernels.bits import ones
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.utility.kernels.around import MOST, Unit, begin_around, reach_of, read_around
from sordino.utility.kernels.possible import FIRST, needs_of, part_is_possible
from sordino.utility.kernels.prices import add_subsets

# By rank: the threshold num / den of what is sensitive. `many` are more records than there are.
Odds = namedtuple("Odds", "num den many")


@inner
def twins_wanted(unit, secret, odds, wanted):  # type: ignore[no-untyped-def]
    """wanted[x]: who publishes W - Y, over all Y inside the sensitive part x of W, are so many records at least."""
    n = unit.n
    wanted[0] = 1
    for y in range(1, 1 << n):
        wanted[y] = 0
        if y & secret == y:
            for k in range(n):
                if y >> k & 1:
                    e = unit.items[unit.start + k]
                    num, den, above = odds.num[e], odds.den[e], wanted[y ^ (1 << k)]
                    needed = odds.many if num == 0 else min(((den - num) * above + num - 1) // num, odds.many)
                    wanted[y] = max(wanted[y], needed)
    add_subsets(wanted, n)


@inner
def has_twins(w, secret, n, share, support, wanted, whole):  # type: ignore[no-untyped-def]
    """Whether there are records enough for all that W asks for; `support` counts others, in parts of `share` items.

    whole[v] says it of smaller parts. Who publishes W - e for W asks for the same, so it must be so there, too.
    """
    z = w & secret
    if ones(np.uint64(w)) > share + 1:
        for k in range(n):
            if z >> k & 1 and not whole[w ^ (1 << k)]:
                return False
    x = z
    while x > 0:
        v = w ^ x
        if v > 0 and ones(np.uint64(v)) >= share and support[v] + 1 < wanted[x]:
            return False
        x = (x - 1) & z
    return True


@inner
def largest_with_twins(n, secret, share, least, need, sums, wanted, ok, whole):  # type: ignore[no-untyped-def]
    """The size of the largest part that passes both tests; `least` can be kept."""
    best = least
    for w in range(1, 1 << n):
        size = ones(np.uint64(w))
        if size <= share:
            whole[w] = 1
            continue
        ok[w] = part_is_possible(w, size, share, np.int64(MOST), n, need, sums, ok)
        whole[w] = has_twins(w, secret, n, share, sums, wanted, whole)
        if size > best and ok[w] and whole[w]:
            best = size
    return best


@kernel
def kept_with_twins(lo, hi, index, by_length, asked, odds, room, kept, stop):  # type: ignore[no-untyped-def]
    """Lowers kept[c] of the short classes in lo..hi to the size of the largest part that passes both tests.

    `kept` must be an upper bound already. Classes with one sensitive item are left as they are, as are those for which
    more than `effort` postings would be read. Reading ends where it can change nothing (possible.py).
    """
    ok, whole = np.zeros(1 << MOST, dtype=np.uint8), np.zeros(1 << MOST, dtype=np.uint8)
    need, wanted = np.zeros(MOST, dtype=np.int64), np.empty(1 << MOST, dtype=np.int64)
    sums, at = np.empty(1 << MOST, dtype=np.int64), np.empty(MOST, dtype=np.int64)
    for c in range(lo, hi):
        if raised(stop):
            return
        n = index.ptr[c + 1] - index.ptr[c]
        if n < 2 or n > MOST:
            continue
        unit = Unit(index.items, index.ptr[c], n, c, len(index.weight) + c)  # a number that it did not have before
        secret = needs_of(unit, asked, need)
        secrets = ones(np.uint64(secret))
        least = np.int64(max(n - secrets, 1))  # so much can always be kept
        if kept[c] <= least or secrets < 2:
            continue
        share = max(np.int64(1), least - 1)
        if reach_of(unit, share, index) > asked.effort:
            share = least
            if reach_of(unit, share, index) > asked.effort:
                continue
        twins_wanted(unit, secret, odds, wanted)
        begin_around(unit, share, index, room, None, at)
        limit = np.int64(max(FIRST, 1 << n))
        best, more = least, True
        while more and best < kept[c]:
            more = read_around(unit, share, index, by_length, limit, room, None, at, stop)
            for w in range(1 << n):
                sums[w] = room.support[w]
            add_supersets(sums, n)
            best = largest_with_twins(n, secret, share, least, need, sums, wanted, ok, whole)
            limit *= 4
        kept[c] = min(best, kept[c])
