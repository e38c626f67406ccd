"""Equal rows once, with a count: rules and groups see rows only through a few coded columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["row_classes"]

ROOM = 1 << 62


def row_classes(
    columns: Sequence[npt.NDArray[np.integer]], sizes: Sequence[int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(first, class_of, count): the first row of each class of equal rows, the class of each row, rows in each class.

    sizes[j] is more than the largest code of column j. Classes are in the order of their codes, column by column.
    """
    rows = len(columns[0])
    key = np.zeros(rows, dtype=np.int64)
    width = 1
    for column, size in zip(columns, sizes, strict=True):
        if width * max(size, 1) >= ROOM:  # renumber: what occurs is never more than the rows
            distinct, key = np.unique(key, return_inverse=True)
            key, width = key.astype(np.int64), len(distinct)
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
    _, first, class_of, count = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    return first.astype(np.int64), class_of.astype(np.int64), count.astype(np.int64)
