"""Sources that can be read in pieces: Parquet (a file or a folder of files) and what a query returns, as Arrow batches.

Records of which the rows may lie anywhere (the long layout, or lists with ids) are brought together by DuckDB, which
sorts on the disk what does not fit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sordino.data.databases.address import Address
from sordino.data.sources.bytes import STDIN
from sordino.data.sources.parts import PARQUET, Parts, is_parts, open_parts
from sordino.data.sources.stores import is_address
from sordino.errors import InputError

__all__ = ["Stream", "number_of_rows", "opened", "together"]

ROWS = 1 << 16  # of a batch
MEMORY = "1GB"  # that DuckDB may take


@dataclass(frozen=True)
class Stream:
    """A source of Arrow batches: its columns, and how many rows it has, if it says so."""

    where: str
    schema: Any
    rows: int | None
    packed: str
    system: str | None
    batches: Callable[[list[str]], Iterator[Any]]  # of the given columns, as Arrow tables; once


@contextmanager
def opened(source: object, *, plain: bool = False) -> Iterator[Stream | None]:
    """The source as a stream, if it can be read so: Parquet files, and databases with a table or a query.

    plain: decimal numbers of a database are texts, as names are. In tables they are numbers: a policy may cut them into
    ranges, or name 30 where 30.00 stands.
    """
    if isinstance(source, Address):
        if source.system not in ("duckdb", "postgresql") or (source.table is None and source.query is None):
            yield None
            return
        shape = _plain if plain else _table
        with _reader(source) as reader:
            schema = shape(reader.schema.empty_table()).schema

            def batches(columns: list[str]) -> Iterator[Any]:
                return (shape(batch).select(columns) for batch in reader)

            yield Stream(source.where, schema, None, "", source.system, batches)
        return
    parts = _parts(source)
    yield None if parts is None else _over(parts)


def _parts(source: object) -> Parts | None:
    if not isinstance(source, str | os.PathLike) or os.fspath(source) == STDIN:
        return None
    name = os.fspath(source)
    if is_parts(name):
        return open_parts(name)
    if is_address(name) or not name.lower().endswith(PARQUET) or not Path(name).is_file():
        return None
    return _one_file(name)


def number_of_rows(address: Address) -> int:
    """How many rows a query of DuckDB returns; 0 if none is stated."""
    from sordino.data.sources.duckdb import queried

    if address.table is None and address.query is None:
        return 0
    with queried(address.place, address.select, address.where) as result:
        return int(result.aggregate("count(*)").fetchall()[0][0])


def _one_file(name: str) -> Parts:
    import pyarrow as pa
    from pyarrow import fs, parquet

    try:
        schema = parquet.read_schema(name).remove_metadata()
    except (pa.ArrowException, OSError, ValueError):
        raise _damaged(name) from None
    return Parts(name, fs.LocalFileSystem(), (str(Path(name).resolve()),), ({},), schema)


def _over(parts: Parts) -> Stream:
    import pyarrow as pa
    from pyarrow import parquet

    rows = 0
    for number, file in enumerate(parts.files, 1):
        try:
            with parts.system.open_input_file(file) as handle:
                rows += parquet.read_metadata(handle).num_rows
        except (pa.ArrowException, OSError, ValueError):
            raise _damaged(f"{parts.name}, file {number}") from None
    packed = parts.packed if len(parts.files) > 1 or any(parts.partitions) else ""
    return Stream(parts.name, parts.schema, rows, packed, None, partial(_of_parts, parts))


def _of_parts(parts: Parts, columns: list[str]) -> Iterator[Any]:
    import pyarrow as pa
    from pyarrow import parquet

    for number, (file, places) in enumerate(zip(parts.files, parts.partitions, strict=True), 1):
        stored = [name for name in columns if name not in places]
        try:
            with parts.system.open_input_file(file) as handle:
                for batch in parquet.ParquetFile(handle).iter_batches(ROWS, columns=stored, use_threads=False):
                    batch.validate(full=True)
                    yield parts.completed(pa.Table.from_batches([batch]), columns, places)
        except (pa.ArrowException, OSError, ValueError):
            raise _damaged(f"{parts.name}, file {number}") from None


@contextmanager
def _reader(address: Address) -> Iterator[Any]:
    if address.system == "duckdb":
        from sordino.data.sources.duckdb import queried

        with queried(address.place, address.select, address.where) as result:
            reader = result.to_arrow_reader(ROWS)
            try:
                yield reader
            finally:
                # One that was not read to its end holds the file, and who opens it again waits for ever. A traceback
                # that is kept, as notebooks do, would keep it.
                reader.close()
        return
    from sordino.data.databases.postgresql import batches

    with batches(address) as reader:
        yield reader


def _table(batch: Any) -> Any:
    import pyarrow as pa

    return pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch


def _plain(batch: Any) -> Any:
    """The batch as a table in which decimal numbers are texts, as `code_items` has them."""
    import pyarrow as pa

    table = _table(batch)
    for place, column in enumerate(table.schema):
        if pa.types.is_decimal(column.type):
            table = table.set_column(place, column.name, table.column(place).cast(pa.string()))
    return table


@contextmanager
def together(batches: Iterator[Any], schema: Any, record: str, item: str, folder: Path) -> Iterator[Iterator[Any]]:
    """The rows (record, item) with those of one record together; lists are taken apart, empty ones to a row of null."""
    import duckdb
    import pyarrow as pa

    types = [schema.field(name).type for name in (record, item)]
    plain = [type_.value_type if pa.types.is_dictionary(type_) else type_ for type_ in types]
    fields = pa.schema(list(zip(("record", "item"), plain, strict=True)))

    def renamed() -> Iterator[Any]:
        for table in batches:
            yield from table.select([record, item]).rename_columns(["record", "item"]).cast(fields).to_batches()

    entry = "item"
    if any(getattr(pa.types, kind)(fields.field("item").type) for kind in ("is_list", "is_large_list")):
        entry = "unnest(CASE WHEN len(item) > 0 THEN item ELSE [NULL] END) AS item"
    with duckdb.connect(":memory:") as connection:
        for setting, value in (("memory_limit", MEMORY), ("temp_directory", str(folder)), ("threads", 2)):
            connection.execute(f"SET {setting} = $1", [value])
        reader = pa.RecordBatchReader.from_batches(fields, renamed())
        connection.register("given", reader)
        try:
            found = connection.sql(f"SELECT record, {entry} FROM given ORDER BY record NULLS FIRST")
            yield (pa.Table.from_batches([batch]) for batch in found.to_arrow_reader(ROWS))
        except duckdb.Error as error:  # its text may quote a value
            raise InputError(f"the records cannot be brought together ({type(error).__name__})") from None


def _damaged(where: str) -> InputError:
    return InputError("this is not a readable Parquet file: damaged, cut short or of another format", where=where)
