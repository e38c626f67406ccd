"""Reading a large table as its distinct rows, each with how often it occurs: what decides about it needs nothing else.

Only the columns that the policy is about are read, in pieces, and DuckDB counts them, on the disk if it must. The rows
come in the order in which they first appear, so that whatever depends on it comes out as from the table itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sordino.data.counted import Counted
from sordino.data.databases.address import Address, address_of
from sordino.data.read_table import checked_table
from sordino.data.sources.streams import Stream, number_of_rows, opened
from sordino.data.sources.table_arrow import arrow_columns, check_types
from sordino.data.table import TableOrigin
from sordino.data.workroom import from_bits, in_bits, plain_schema, workroom
from sordino.errors import InternalError

__all__ = ["HUGE", "LARGE", "MANY", "has_many", "read_again", "read_counted", "read_huge", "read_many"]

LARGE = 1_000_000  # rows, from which on they are counted before they are read, where only an audit follows
MANY = 4_000_000  # rows, from which on the people of a table are not held one by one, where groups are made of them
HUGE = 100_000_000  # cells, from which on a table is not held, whatever follows


def read_counted(source: object, wanted: Collection[str], missing: Sequence[str]) -> Counted | None:
    """The distinct rows of Parquet or of DuckDB, if there are LARGE many; None if not, or if it is another source.

    None, too, if a wanted column is not there: whoever reads it all will say so.
    """
    return _read(source, wanted, missing, LARGE, 0)


def read_huge(source: object, wanted: Collection[str], missing: Sequence[str]) -> Counted | None:
    """The same if there are HUGE many cells."""
    return _read(source, wanted, missing, 0, HUGE)


def read_many(source: object, wanted: Collection[str], missing: Sequence[str]) -> Counted | None:
    """The same if there are MANY rows."""
    return _read(source, wanted, missing, MANY, 0)


def has_many(path: Path) -> bool:
    """Whether a Parquet file has MANY rows."""
    import pyarrow as pa
    from pyarrow import parquet

    if not path.name.endswith(".parquet"):
        return False
    try:
        return bool(parquet.read_metadata(path).num_rows >= MANY)
    except (pa.ArrowException, OSError, ValueError):
        return False  # whoever reads it will say so


def read_again(source: object, wanted: Collection[str], missing: Sequence[str]) -> Counted:
    """The same of a Parquet file that we wrote, whatever its size."""
    found = _read(source, wanted, missing, 0, 0)
    if found is None:
        raise InternalError("the written file cannot be read back")
    return found


def _read(source: object, wanted: Collection[str], missing: Sequence[str], rows: int, cells: int) -> Counted | None:
    held = address_of(source) if isinstance(source, str) else source
    number: int | None = None
    if isinstance(held, Address):
        number = number_of_rows(held) if held.system == "duckdb" else 0
        if held.system != "duckdb" or number < rows:
            return None
    again = held if isinstance(held, Address) else source
    with opened(again) as stream:
        if stream is None:
            return None
        number = stream.rows if number is None else number
        names = stream.schema.names
        if number is not None and (number < rows or number * len(names) < cells):
            return None
        if not set(wanted) <= set(names) or len(set(names)) < len(names):
            return None
        if cells:
            check_types(stream.schema, stream.where)  # all are published, also those that are not counted
        columns = [name for name in names if name in wanted]
        found = _counted(stream, columns)
        weight = found.column("rows").to_numpy().astype(np.int64)
        counted = found.select([f"c{k}" for k in range(len(columns))]).rename_columns(columns)
        path = held.file if isinstance(held, Address) else stream.where
        origin = TableOrigin(
            path=path, format=stream.system or "parquet", missing=tuple(missing), schema=counted.schema,
            packed=stream.packed,
        )  # fmt: skip
        table = checked_table(arrow_columns(counted, missing, stream.where), origin, stream.where)
        return Counted(
            tuple(replace(column, weight=weight) for column in table.columns),
            table.origin,
            len(names) - len(columns),
            source=again,
            schema=stream.schema,
        )


def _counted(stream: Stream, columns: list[str]) -> Any:
    """The distinct rows of these columns as c0, c1, ..., with `rows`, in order of first appearance."""
    import pyarrow as pa

    short = [f"c{k}" for k in range(len(columns))]
    plain = plain_schema(stream.schema, columns, short)
    fields = plain.append(pa.field("place", pa.int64()))

    def numbered() -> Iterator[Any]:
        at = 0
        for table in stream.batches(columns):
            numbers = pa.array(np.arange(at, at + table.num_rows))
            at += table.num_rows
            named = table.rename_columns(short).append_column("place", numbers)
            yield from in_bits(named.cast(fields)).to_batches()

    with workroom("the rows cannot be counted", stream.where) as connection:
        given = in_bits(fields.empty_table()).schema
        connection.register("given", pa.RecordBatchReader.from_batches(given, numbered()))
        listed = ", ".join(short)
        found = connection.sql(
            f"SELECT {listed}, count(*) AS rows, min(place) AS place FROM given GROUP BY {listed} ORDER BY place"
        ).to_arrow_table()
    return from_bits(found.select([*short, "rows"]), plain.append(pa.field("rows", pa.int64())))
