"""A DuckDB of our own for more rows than fit: within some memory, and beyond it on the disk, where only we can read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sordino.data.private import PrivateFolder
from sordino.errors import InputError

__all__ = ["MEMORY", "from_bits", "in_bits", "plain_schema", "without_nan", "workroom"]

MEMORY = "2GB"  # that DuckDB may take


@contextmanager
def workroom(what: str, where: str | None, *, ordered: bool = False) -> Iterator[Any]:
    """A connection, gone afterwards with all that it put on the disk. `what` cannot be done if DuckDB cannot.

    ordered: rows that no ORDER BY moves stay in their order.
    """
    import duckdb

    folder = PrivateFolder()
    try:
        with duckdb.connect(":memory:") as connection:
            for setting, value in (("memory_limit", MEMORY), ("temp_directory", str(folder.path))):
                connection.execute(f"SET {setting} = $1", [value])
            connection.execute(f"SET preserve_insertion_order = {'true' if ordered else 'false'}")
            yield connection
    except duckdb.Error as error:  # its text may quote a value
        raise InputError(f"{what} ({type(error).__name__})", where=where) from None
    finally:
        folder.remove()


def plain_schema(schema: Any, names: list[str], called: list[str]) -> Any:
    """The types of these columns, called otherwise; what is dictionary-coded as the values that it stands for."""
    import pyarrow as pa

    types = [schema.field(name).type for name in names]
    plain = [type_.value_type if pa.types.is_dictionary(type_) else type_ for type_ in types]
    plain = [pa.large_string() if pa.types.is_string_view(type_) else type_ for type_ in plain]
    plain = [pa.float32() if pa.types.is_float16(type_) else type_ for type_ in plain]
    return pa.schema(list(zip(called, plain, strict=True)))


def without_nan(table: Any) -> Any:
    """The table with null for what is not a number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            column = table.column(place)
            lost = pc.is_null(column, nan_is_null=True)
            table = table.set_column(place, field.name, pc.if_else(lost, pa.scalar(None, type=field.type), column))
    return table


def in_bits(table: Any) -> Any:
    """The table with the bits of floating-point numbers as whole numbers: DuckDB takes -0.0 for 0.0, and these show."""
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            column = table.column(place).combine_chunks()
            column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
            table = table.set_column(place, field.name, column.view(_bits(field.type)))
    return table


def from_bits(table: Any, schema: Any) -> Any:
    """The table as it was before `in_bits`, with columns of these types."""
    import pyarrow as pa

    columns = []
    for place, field in enumerate(schema):
        column = table.column(place)
        if pa.types.is_floating(field.type):
            whole = column.cast(_bits(field.type)).combine_chunks()
            whole = pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole
            columns.append(whole.view(field.type))
        else:
            columns.append(column.cast(field.type))
    return pa.table(columns, schema=schema)


def _bits(type_: Any) -> Any:
    import pyarrow as pa

    return pa.int64() if pa.types.is_float64(type_) else pa.int32()
