"""Parquet files: the columns that are needed, and no others, as an Arrow table."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from sordino.data.baskets import Origin
from sordino.data.sources.arrow import code_table, column_kinds
from sordino.data.sources.coded import Coded
from sordino.data.sources.columns import table_layout
from sordino.data.sources.limits import check_size
from sordino.data.sources.onehot import all_true_or_false
from sordino.errors import InputError

__all__ = ["check_parquet_size", "parquet_size", "read_parquet"]

LEAST = 8  # bytes that a value takes in memory, however well it is packed


def read_parquet(
    data: bytes, layout: str | None, record: str | None, item: str | None, where: str
) -> tuple[Coded, Origin]:
    """Records of a Parquet file in the long or the list layout."""
    if not data:
        raise InputError("there are no records: the file is empty", where=where)
    import pyarrow as pa
    from pyarrow import parquet

    # Arrow's own texts can quote values, so none is passed on.
    damaged = InputError("this is not a readable Parquet file: damaged, cut short or of another format", where=where)
    try:
        file = parquet.ParquetFile(pa.BufferReader(data))
        schema = file.schema_arrow
    except (pa.ArrowException, OSError, ValueError):
        raise damaged from None
    kinds = column_kinds(schema, where)
    if layout == "onehot" or (layout is record is item is None and all_true_or_false(schema)):
        wanted = list(kinds)
        layout = "onehot"
    else:
        layout, record, item = table_layout(kinds, layout, record, item, where)
        wanted = [item] if record is None else [record, item]
    check_parquet_size(file.metadata, wanted, where)
    try:
        table = file.read(columns=wanted, use_threads=False).select(wanted)
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError):
        raise damaged from None
    coded, origin = code_table(table, layout, record, item, where)
    unused = tuple(name for name in kinds if name not in wanted)
    return coded, replace(origin, format="parquet", unused=unused)


def check_parquet_size(metadata: Any, columns: Collection[str], where: str) -> None:
    """InputError if these columns unpack to more than the limit, by what the file says of itself."""
    check_size(parquet_size(metadata, columns), "the Parquet file", where)


def parquet_size(metadata: Any, columns: Collection[str]) -> int:
    """How many bytes these columns take unpacked, at least, by what the file says of itself."""
    size = 0
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            if column.path_in_schema.split(".")[0] in columns or column.path_in_schema in columns:
                size += max(column.total_uncompressed_size, LEAST * column.num_values)
    return size
