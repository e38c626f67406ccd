"""Large arrays put in order, a digit at a time: one call of NumPy that sorts millions hears nothing until it has ended.

NumPy sorts numbers of 16 bits by counting, in a time that grows with their number only: ten millions take half a
second. Wider numbers are sorted by their last 16 bits, then by those before, and so on; each sort leaves equals as they
are, so in the end all is in order. Between two sorts is time to look at the flag.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sordino.engine.local import Flag, raise_if_stopped

__all__ = ["equal_rows", "order_of"]

Int64 = npt.NDArray[np.int64]

DIGIT = 16  # bits


def order_of(*keys: npt.NDArray[np.generic], stop: Flag | None = None) -> Int64:
    """The places in the order of the keys, the last of which counts most (`np.lexsort`); of equals the first first.

    Keys are whole numbers, or fractions of which none is negative. Stopped once the flag is up.
    """
    order = np.arange(len(keys[0]), dtype=np.int64)
    for key in keys:
        for digit in _digits(key):
            raise_if_stopped(stop)
            order = order[np.argsort(digit[order], kind="stable")]
    raise_if_stopped(stop)
    return order


def equal_rows(*keys: npt.NDArray[np.generic], stop: Flag | None = None) -> tuple[Int64, Int64, Int64]:
    """(first, class_of, count): the first of each class of rows with equal keys, the class of each row, and its size.

    Classes are in the order of `order_of`. Stopped once the flag is up.
    """
    order = order_of(*keys, stop=stop)
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = False
    for key in keys:
        raise_if_stopped(stop)
        ordered = key[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    begin = np.flatnonzero(new)
    class_of = np.empty(len(order), dtype=np.int64)
    class_of[order] = np.cumsum(new) - 1
    return order[begin], class_of, np.diff(begin, append=len(order))


def _digits(key: npt.NDArray[np.generic]) -> Iterator[npt.NDArray[np.uint16]]:
    """The last 16 bits of the numbers above the least of them, then those before, as far as they differ."""
    if not len(key):
        return
    if key.dtype == np.float64:
        whole = np.ascontiguousarray(key).view(np.uint64)  # of numbers from 0 on, the larger has the larger bits
    else:
        whole = key.astype(np.uint64)
        whole = whole - whole[key.argmin()]  # modulo 2^64, so exact, below 0 too
    bits = int(whole.max()).bit_length()
    for shift in range(0, bits, DIGIT):
        yield (whole >> np.uint64(shift)).astype(np.uint16)
