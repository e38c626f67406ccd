"""Tables over all parts of n items, a part being a bit mask: from "just this part" to "at least this part".

In blocks, which the compiler likes.
"""

from __future__ import annotations

from sordino.engine.kernels.compiled import inner


@inner
def add_supersets(table, n):  # type: ignore[no-untyped-def]
    """Adds to the entry of each part those of all larger ones."""
    for k in range(n):
        bit = 1 << k
        for block in range(0, 1 << n, 2 * bit):
            for w in range(block, block + bit):
                table[w] += table[w + bit]


@inner
def unite_supersets(table, n):  # type: ignore[no-untyped-def]
    """The entry of each part gets the bits of all larger ones."""
    for k in range(n):
        bit = 1 << k
        for block in range(0, 1 << n, 2 * bit):
            for w in range(block, block + bit):
                table[w] |= table[w + bit]
