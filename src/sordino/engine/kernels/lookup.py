"""A table that finds 32-bit values by keys of up to 62 bits: open addressing, a power of two of places.

`keys` holds -1 where a place is free; whoever fills it keeps it at most half full, with `doubled`.
"""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner


@inner
def place_of(keys, key):  # type: ignore[no-untyped-def]
    """Where the key stands in the table, or would."""
    last = len(keys) - 1
    mixed = (key & 0x7FFFFFFF) * 0x5BD1E995 + (key >> 31) * 0x27D4EB2D  # below 2^63, or plain Python would complain
    at = (mixed >> 24) & last
    while keys[at] != -1 and keys[at] != key:
        at = (at + 1) & last
    return at


@inner
def doubled(keys, values):  # type: ignore[no-untyped-def]
    """A table of twice the room."""
    new_keys = np.full(2 * len(keys), -1, dtype=np.int64)
    new_values = np.empty(2 * len(keys), dtype=np.int32)
    for k in range(len(keys)):
        if keys[k] != -1:
            at = place_of(new_keys, keys[k])
            new_keys[at] = keys[k]
            new_values[at] = values[k]
    return new_keys, new_values
