"""Frames of any library that speaks the Arrow PyCapsule interface: pandas, polars, Arrow, DuckDB and others."""

from __future__ import annotations

from typing import Any

from sordino.data.baskets import Origin
from sordino.data.sources.arrow import code_table
from sordino.data.sources.coded import Coded
from sordino.errors import InputError

__all__ = ["arrow_table", "is_frame", "read_frame"]

ITEMS = "items"  # the name of a column that has none


def is_frame(source: object) -> bool:
    """Whether the object can hand itself over as Arrow data."""
    return hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")


def read_frame(source: object, layout: str | None, record: str | None, item: str | None) -> tuple[Coded, Origin]:
    """Records of a frame in the long or the list layout; a single column must be one of lists."""
    return code_table(arrow_table(_whole_frame(source)), layout, record, item, None)


def _whole_frame(source: Any) -> Any:
    """The frame that a single column belongs to: a column of lists is a frame, and a named index holds the ids."""
    import pyarrow as pa

    if isinstance(source, pa.Array | pa.ChunkedArray):
        return source if pa.types.is_struct(source.type) else pa.table({ITEMS: source})
    if not hasattr(source, "to_frame") or hasattr(source, "columns"):
        return source
    column = source if source.name else source.rename(ITEMS)
    ids = getattr(getattr(column, "index", None), "name", None)
    return column.to_frame() if ids is None else column.reset_index()


def arrow_table(source: object) -> Any:
    """The frame as an Arrow table."""
    import pyarrow as pa

    try:
        if hasattr(source, "__arrow_c_stream__"):
            return pa.RecordBatchReader.from_stream(source).read_all()
        return pa.Table.from_batches([pa.record_batch(source)])
    except (pa.ArrowException, ValueError, TypeError, OverflowError):  # their texts can quote values
        raise InputError(
            "mixed types: the frame cannot be taken over as columns of one type each",
            hint="Make the record and item columns all text or all whole numbers, and pass a frame, not one column.",
        ) from None
