"""Connections that are open already in Python: ADBC, DB-API, DuckDB. The query is run as it is."""

from __future__ import annotations

from typing import Any

from sordino.data.databases.address import name_parts, quoted
from sordino.data.databases.sqlite import columns_of
from sordino.data.sources.duckdb import as_texts
from sordino.errors import InputError

__all__ = ["is_connection", "read_connection"]


def is_connection(source: object) -> bool:
    """Whether the object is a connection to a database (or a cursor of one) rather than data."""
    if hasattr(source, "__arrow_c_stream__"):
        return False
    return callable(getattr(source, "cursor", None)) or (
        callable(getattr(source, "execute", None)) and callable(getattr(source, "fetchmany", None))
    )


def read_connection(source: Any, query: str | None, table: str | None) -> Any:
    """What the query returns, as an Arrow table: by Arrow where the library can, else by rows in batches."""
    if (query is None) == (table is None):
        raise InputError(
            "a connection needs a query or a table" if query is None else "a table or a query is stated, not both",
            hint='Write query="SELECT ..." or table="NAME".',
        )
    if type(source).__module__.partition(".")[0] in ("duckdb", "_duckdb") and hasattr(source, "sql"):
        source = _Relations(source)
    statement = query if query is not None else f"SELECT * FROM {quoted(name_parts(str(table)))}"
    cursor = source.cursor() if callable(getattr(source, "cursor", None)) else source
    try:
        try:
            returned = cursor.execute(statement)
        except Exception as error:  # of whatever library it is; its text may quote values
            raise InputError(
                f"the database does not run the query ({type(error).__name__})",
                hint="Try it over the same connection without sordino.",
            ) from error
        return _result(cursor, returned)
    finally:
        if cursor is not source and callable(getattr(cursor, "close", None)):
            cursor.close()


class _Relations:
    """A connection to DuckDB, whose relations hand themselves over as Arrow without a copy."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def execute(self, statement: str) -> Any:
        result = self._connection.sql(statement)
        return None if result is None else as_texts(result)

    description = None


def _result(cursor: Any, returned: Any) -> Any:
    for holder in (cursor, returned):
        for method in ("to_arrow_table", "fetch_arrow_table"):
            fetch = getattr(holder, method, None)
            if callable(fetch):
                return fetch()
    described = cursor.description
    if not described:
        raise InputError("the query returns no table")
    return columns_of(cursor, [str(entry[0]) for entry in described], None)
