"""What differs between a table and what became of it, cell by cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.table import Table

__all__ = ["table_changes"]


def table_changes(before: Table, after: Table, number: npt.NDArray[np.int64]) -> Any:
    """An Arrow table: row (from 0), published (its number in the published file, from 1), column, from, to
    (dictionary-coded texts); a missing value is null."""
    import pyarrow as pa

    parts = []
    for old, new in zip(before.columns, after.columns, strict=True):
        rows = np.flatnonzero(old.differs(new)) if old is not new else np.empty(0, dtype=np.int64)
        texts = []
        for column in (old, new):
            codes = column.codes[rows]
            values = pa.array(column.texts, type=pa.string())
            texts.append(pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), values))
        name = pa.DictionaryArray.from_arrays(np.zeros(len(rows), dtype=np.int32), pa.array([old.name]))
        where = {"row": pa.array(rows), "published": pa.array(number[rows])}
        parts.append(pa.table({**where, "column": name, "from": texts[0], "to": texts[1]}))
    return pa.concat_tables(parts).unify_dictionaries()
