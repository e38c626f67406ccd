"""Reading a large table as its distinct rows, each with how often it occurs: an audit needs nothing else.

Only the columns that the policy is about are read, in pieces, and DuckDB counts them, on the disk if it must. The rows
come in the order in which they first appear, so that whatever depends on it comes out as from the table itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sordino.data.databases.address import Address, address_of
from sordino.data.private import PrivateFolder
from sordino.data.read_table import checked_table
from sordino.data.sources.streams import Stream, number_of_rows, opened
from sordino.data.sources.table_arrow import arrow_columns
from sordino.data.table import Table, TableOrigin
from sordino.errors import InputError

__all__ = ["LARGE", "read_counted"]

LARGE = 1_000_000  # rows, from which on they are counted before they are read
MEMORY = "2GB"  # that DuckDB may take


def read_counted(source: object, wanted: Collection[str], missing: Sequence[str]) -> Table | None:
    """The distinct rows of Parquet or of DuckDB, if there are LARGE many; None if not, or if it is another source.

    None, too, if a wanted column is not there: whoever reads it all will say so.
    """
    held = address_of(source) if isinstance(source, str) else source
    if isinstance(held, Address) and (held.system != "duckdb" or number_of_rows(held) < LARGE):
        return None
    with opened(held if isinstance(held, Address) else source) as stream:
        if stream is None or (stream.rows is not None and stream.rows < LARGE):
            return None
        names = stream.schema.names
        if not set(wanted) <= set(names) or len(set(names)) < len(names):
            return None
        columns = [name for name in names if name in wanted]
        found = _counted(stream, columns)
        weight = found.column("rows").to_numpy().astype(np.int64)
        rows = found.select([f"c{k}" for k in range(len(columns))]).rename_columns(columns)
        origin = TableOrigin(
            path=stream.where, format=stream.system or "parquet", missing=tuple(missing), schema=rows.schema,
            packed=stream.packed,
        )  # fmt: skip
        table = checked_table(arrow_columns(rows, missing, stream.where), origin, stream.where)
        return Table(
            tuple(replace(column, weight=weight) for column in table.columns), table.origin, len(names) - len(columns)
        )


def _counted(stream: Stream, columns: list[str]) -> Any:
    """The distinct rows of these columns as c0, c1, ..., with `rows`, in order of first appearance."""
    import duckdb
    import pyarrow as pa

    types = [stream.schema.field(name).type for name in columns]
    plain = [type_.value_type if pa.types.is_dictionary(type_) else type_ for type_ in types]
    short = [f"c{k}" for k in range(len(columns))]
    fields = pa.schema([*zip(short, plain, strict=True), ("place", pa.int64())])

    def numbered() -> Iterator[Any]:
        at = 0
        for table in stream.batches(columns):
            numbers = pa.array(np.arange(at, at + table.num_rows))
            at += table.num_rows
            named = table.rename_columns(short).append_column("place", numbers)
            yield from named.cast(fields).to_batches()

    folder = PrivateFolder()
    try:
        with duckdb.connect(":memory:") as connection:
            for setting, value in (("memory_limit", MEMORY), ("temp_directory", str(folder.path))):
                connection.execute(f"SET {setting} = $1", [value])
            connection.execute("SET preserve_insertion_order = false")
            connection.register("given", pa.RecordBatchReader.from_batches(fields, numbered()))
            listed = ", ".join(short)
            found = connection.sql(
                f"SELECT {listed}, count(*) AS rows, min(place) AS place FROM given GROUP BY {listed} ORDER BY place"
            ).to_arrow_table()
    except duckdb.Error as error:  # its text may quote a value
        raise InputError(f"the rows cannot be counted ({type(error).__name__})", where=stream.where) from None
    finally:
        folder.remove()
    return found.select([*short, "rows"]).cast(pa.schema([*zip(short, plain, strict=True), ("rows", pa.int64())]))
