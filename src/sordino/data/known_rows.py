"""Distinct rows that were counted, found again in pieces of their source: which row of a piece is which of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.counted import Counted
from sordino.data.table import Column
from sordino.data.workroom import in_bits
from sordino.errors import InputError

__all__ = ["CHANGED", "KnownRows", "places_in", "plain_type", "written_values"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

CHANGED = "the source changed while it was read"
ROOM = 1 << 62


def plain_type(type_: Any) -> Any:
    """The type of the values of a column, however it is coded."""
    import pyarrow as pa

    plain = type_.value_type if pa.types.is_dictionary(type_) else type_
    plain = pa.float32() if pa.types.is_float16(plain) else plain  # as they are counted
    return pa.large_string() if pa.types.is_string_view(plain) else plain


def written_values(column: Column, type_: Any) -> Any:
    """The values of a column by their codes, as an Arrow array of the plain type of its source."""
    import pyarrow as pa

    return column.written.cast(plain_type(type_)) if len(column.values) else pa.array([], type=plain_type(type_))


def places_in(values: Any, cells: Any, void: Sequence[str]) -> Any:
    """The place of each cell among the values, as an Arrow array; after the last where it is missing.

    void: the texts that are missing values. An InputError if a cell is neither.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    place = pc.index_in(_alone(cells), value_set=_alone(values))
    lost = pc.is_null(cells, nan_is_null=True)
    if void and (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        lost = pc.or_(lost, pc.is_in(cells, value_set=pa.array(void, type=values.type)))
    if pc.any(pc.and_(pc.is_null(place), pc.invert(lost))).as_py():
        raise InputError(CHANGED)
    return pc.if_else(lost, pa.scalar(len(values), type=pa.int32()), place)


def _alone(cells: Any) -> Any:
    """Floating-point numbers as their bits, which tell two zeros apart."""
    import pyarrow as pa

    return in_bits(pa.table({"cells": cells})).column(0)


class KnownRows:
    """The rows of a counted table, by what their cells show."""

    def __init__(self, table: Counted) -> None:
        self.names = list(table.names)
        self._void = table.origin.missing
        self._values = [written_values(column, table.schema.field(column.name).type) for column in table.columns]
        self._steps: list[tuple[int, Int64 | None]] = []  # of each column: how many codes, and the keys until then
        key = np.zeros(len(table), dtype=np.int64)
        width = 1
        for column, values in zip(table.columns, self._values, strict=True):
            size, distinct = len(values) + 1, None
            if width * size >= ROOM:  # renumber: there are never more keys than rows
                distinct = np.unique(key)
                key, width = np.searchsorted(distinct, key), len(distinct)
            self._steps.append((size, distinct))
            key = key * size + np.where(column.codes < 0, size - 1, column.codes)
            width *= size
        self._order = np.argsort(key, kind="stable")
        self._keys = key[self._order]

    def codes(self, piece: Any) -> list[Int32]:
        """The codes of the cells of these columns in an Arrow table, -1 where one is missing; an InputError if a value
        is none of those that were counted."""
        found = []
        for name, values in zip(self.names, self._values, strict=True):
            cells = piece.column(name).combine_chunks()
            place = places_in(values, cells.cast(values.type), self._void)
            codes = place.to_numpy(zero_copy_only=False).astype(np.int32)
            codes[codes == len(values)] = -1
            found.append(codes)
        return found

    def find(self, codes: Sequence[Int32]) -> Int64:
        """The row that has these codes, for each of many; an InputError if there is none."""
        key = np.zeros(len(codes[0]), dtype=np.int64)
        for (size, distinct), own in zip(self._steps, codes, strict=True):
            key = key if distinct is None else _in(distinct, key)
            key = key * size + np.where(own < 0, size - 1, own)
        return self._order[_in(self._keys, key)]


def _in(keys: Int64, wanted: Int64) -> Int64:
    place = np.searchsorted(keys, wanted)
    if len(wanted) and (not len(keys) or (keys[np.minimum(place, len(keys) - 1)] != wanted).any()):
        raise InputError(CHANGED)
    return place
