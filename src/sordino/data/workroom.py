"""A DuckDB of our own for more rows than fit: within some memory, and beyond it on the disk, where only we can read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sordino.data.private import PrivateFolder
from sordino.errors import InputError

__all__ = ["MEMORY", "plain_schema", "workroom"]

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
    return pa.schema(list(zip(called, plain, strict=True)))
