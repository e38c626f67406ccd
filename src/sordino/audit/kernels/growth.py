"""Room for more: an array that became too small is copied to a bigger one."""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner


@inner
def grown(array, least):  # type: ignore[no-untyped-def]
    """A copy with room for `least` entries and as many again."""
    bigger = np.empty(2 * least, dtype=array.dtype)
    for k in range(len(array)):
        bigger[k] = array[k]
    return bigger
