"""Equal rows once, with a count: rules and groups see rows only through a few coded columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sordino.engine.local import Flag, raise_if_stopped
from sordino.engine.sorted import equal_rows

__all__ = ["row_classes"]

ROOM = 1 << 62


def row_classes(
    columns: Sequence[npt.NDArray[np.integer]], sizes: Sequence[int], stop: Flag | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(first, class_of, count): the first row of each class of equal rows, the class of each row, rows in each class.

    sizes[j] is more than the largest code of column j. Classes are in the order of their codes, column by column.
    Stopped once the flag `stop` is up.
    """
    rows = len(columns[0])
    key = np.zeros(rows, dtype=np.int64)
    width = 1
    for column, size in zip(columns, sizes, strict=True):
        raise_if_stopped(stop)
        if width * max(size, 1) >= ROOM:  # renumber: what occurs is never more than the rows
            distinct, key, _ = equal_rows(key, stop=stop)
            width = len(distinct)
        key = key * max(size, 1) + column
        width *= max(size, 1)
    if width <= 4 * rows + 1024:  # few keys: counting beats sorting
        count = np.bincount(key, minlength=width)
        used = np.flatnonzero(count)
        place = np.full(width, -1, dtype=np.int64)
        place[used] = np.arange(len(used))
        class_of = place[key]
        first = np.full(len(used), -1, dtype=np.int64)
        first[class_of[::-1]] = np.arange(rows - 1, -1, -1)
        return first, class_of, count[used]
    return equal_rows(key, stop=stop)
