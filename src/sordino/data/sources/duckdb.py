"""DuckDB as a source: a table or a query of a database file, or a query over files."""

from __future__ import annotations

import os
from typing import Any

from sordino.errors import InputError

__all__ = ["PREFIX", "read_duckdb", "split_address"]

PREFIX = "duckdb:"


def split_address(address: str) -> tuple[str, str]:
    """File and query of "duckdb:FILE?table=NAME", "duckdb:FILE?query=SQL" or, over files only, "duckdb:?query=SQL"."""
    file, mark, rest = address.removeprefix(PREFIX).partition("?")
    key, sign, value = rest.partition("=")
    if not mark or key not in ("table", "query") or not sign or not value.strip():
        raise InputError(
            "a DuckDB source says which table or query",
            where=address,
            hint="Write duckdb:FILE?table=NAME, duckdb:FILE?query=SQL, or duckdb:?query=SQL for a query over files.",
        )
    if key == "query":
        return file, value
    parts = ('"' + part.replace('"', '""') + '"' for part in value.split("."))
    return file, f"SELECT * FROM {'.'.join(parts)}"


def read_duckdb(file: str, query: str, where: str) -> Any:
    """The result of a query as an Arrow table; the database is opened for reading only."""
    import duckdb

    if file and not os.path.isfile(file):
        raise InputError("there is no such database file", where=where)
    try:
        with duckdb.connect(file or ":memory:", read_only=bool(file)) as connection:
            connection.execute("SET preserve_insertion_order = true")
            result = connection.sql(query)
            if result is None:
                raise InputError("the query returns no table", where=where)
            return result.to_arrow_table()
    except (duckdb.CatalogException, duckdb.BinderException, duckdb.ParserException) as error:
        # These speak of the query, not of the data.
        raise InputError(str(error).splitlines()[0], where=where) from None
    except duckdb.Error as error:  # others may quote a value
        raise InputError(f"DuckDB cannot run this ({type(error).__name__})", where=where) from None
