"""What differs between a table and what became of it, cell by cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.table import Column, Table

__all__ = ["changed_rows", "table_changes"]


def changed_rows(before: Column, after: Column) -> npt.NDArray[np.bool_]:
    """In which rows two columns show different texts."""
    place = after.code_of
    same = np.array([*(place.get(text, -2) for text in before.texts), -1], dtype=np.int64)
    changed: npt.NDArray[np.bool_] = same[before.codes] != after.codes
    return changed


def table_changes(before: Table, after: Table) -> Any:
    """An Arrow table: row (from 0), column, from, to; a missing value is null."""
    import pyarrow as pa

    parts = []
    for old, new in zip(before.columns, after.columns, strict=True):
        rows = np.flatnonzero(changed_rows(old, new)) if old is not new else np.empty(0, dtype=np.int64)
        texts = []
        for column in (old, new):
            codes = column.codes[rows]
            values = pa.array(column.texts, type=pa.string())
            texts.append(pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), values))
        name = pa.DictionaryArray.from_arrays(np.zeros(len(rows), dtype=np.int32), pa.array([old.name]))
        parts.append(pa.table({"row": pa.array(rows), "column": name, "from": texts[0], "to": texts[1]}))
    return pa.concat_tables(parts)
