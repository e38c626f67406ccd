"""Words of 64 bits, for kernels."""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner


@inner
def ones(word):  # type: ignore[no-untyped-def]
    """How many bits of a 64-bit word are set."""
    x = np.uint64(word)
    x -= (x >> np.uint64(1)) & np.uint64(0x5555555555555555)
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    x += x >> np.uint64(8)
    x += x >> np.uint64(16)
    x += x >> np.uint64(32)
    return np.int64(x & np.uint64(0x7F))
