"""The rows of a table as distinct combinations with counts: what is the same is looked at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sordino.audit.kernels.grouping import group_keys
from sordino.data.table import weighted
from sordino.engine.local import Flag, raise_if_stopped

__all__ = ["Combinations", "combine"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
LARGEST = 2**62  # keys stay below


class Combinations(NamedTuple):
    """`group[row]` is the row's combination; `first` and `rows` are a row that has it, and how many do (by weight)."""

    group: Int32
    first: Int64
    rows: Int64


def combine(
    columns: Sequence[npt.NDArray[np.integer]],
    sizes: Sequence[int],
    rows: int,
    stop: Flag | None = None,
    weight: Int64 | None = None,
) -> Combinations:
    """Groups rows that agree in all columns, whose codes are 0 .. size - 1. Groups are in order of appearance.

    `weight`: as how many rows each counts.

    Stopped if the flag goes up meanwhile.
    """
    key: Int64 = np.zeros(rows, dtype=np.int64)
    width = 1
    for codes, size in zip(columns, sizes, strict=True):
        if width * size >= LARGEST:  # renumber what there is so far
            found = _group(key, stop)
            key, width = found.group.astype(np.int64), max(len(found.first), 1)
            if width * size >= LARGEST:  # far more codes than rows: only those that occur count
                column = _group(codes.astype(np.int64), stop)
                codes, size = column.group, max(len(column.first), 1)
        key *= size
        key += codes
        width *= size
    found = _group(key, stop)
    return found if weight is None else found._replace(rows=weighted(found.group, weight, len(found.first)))


def _group(key: Int64, stop: Flag | None) -> Combinations:
    rows = len(key)
    size = 1 << max(4, (2 * rows - 1).bit_length())
    group = np.empty(rows, dtype=np.int32)
    first, held = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
    flag = np.zeros(1, dtype=np.uint8) if stop is None else stop
    n = group_keys(key, group, first, held, np.full(size, -1, dtype=np.int32), flag)
    raise_if_stopped(stop)
    return Combinations(group, first[:n].copy(), held[:n].copy())
