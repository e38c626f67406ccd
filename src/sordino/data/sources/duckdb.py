"""DuckDB as a source: a table or a query of a database file, or a query over files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sordino.errors import InputError

__all__ = ["as_texts", "queried", "read_duckdb"]

TEXTS = frozenset({"time with time zone", "interval", "union"})  # types of DuckDB that are read as texts

# Nothing is installed or attached on the way, and the query cannot change that.
SETTINGS = (
    "SET preserve_insertion_order = true",
    "SET autoinstall_known_extensions = false",
    "SET allow_community_extensions = false",
    "SET lock_configuration = true",
)


def read_duckdb(file: str, query: str | None, where: str) -> Any:
    """The result of one SELECT as an Arrow table. Nothing is written: not to the database, nor to any file."""
    with queried(file, query, where) as result:
        return result.to_arrow_table()


@contextmanager
def queried(file: str, query: str | None, where: str) -> Iterator[Any]:
    """The same as a relation, of which nothing was fetched yet."""
    import duckdb

    if file and not os.path.isfile(file):
        raise InputError("there is no such database file", where=where)
    try:
        with duckdb.connect(file or ":memory:", read_only=bool(file)) as connection:
            for setting in SETTINGS:
                connection.execute(setting).fetchall()
            if query is None:
                raise _which(connection, where)
            _check_reads_only(connection, query, where)
            result = connection.sql(query)
            if result is None:
                raise InputError("the query returns no table", where=where)
            yield as_texts(result)
    except (duckdb.CatalogException, duckdb.BinderException, duckdb.ParserException) as error:
        # These speak of the query, not of the data.
        raise InputError(str(error).splitlines()[0], where=where) from None
    except duckdb.Error as error:  # others may quote a value
        raise InputError(f"DuckDB cannot run this ({type(error).__name__})", where=where) from None


def as_texts(result: Any) -> Any:
    """The relation, with texts where Arrow has no such type, or one that merges values: times lose their zone there."""
    kinds = [kind.id for kind in result.types]
    if not set(kinds) & TEXTS:
        return result
    quoted = ['"' + name.replace('"', '""') + '"' for name in result.columns]
    if len(set(quoted)) < len(quoted):
        return result  # whoever reads it refuses columns of one name
    shown = [
        f"CAST({name} AS VARCHAR) AS {name}" if kind in TEXTS else name
        for name, kind in zip(quoted, kinds, strict=True)
    ]
    return result.project(", ".join(shown))


def _which(connection: Any, where: str) -> InputError:
    names = [row[0] for row in connection.execute("SELECT table_name FROM information_schema.tables").fetchall()]
    listed = f" The tables are: {', '.join(sorted(names))}." if names else ""
    return InputError(
        "this is a database: which table or query of it?",
        where=where,
        hint=f"Name it: --table NAME or --query SQL (in Python table= or query=).{listed}",
    )


def _check_reads_only(connection: Any, query: str, where: str) -> None:
    """InputError unless the query is one SELECT (also WITH, FROM, VALUES) that does nothing but read.

    A WITH clause may hold statements that write (COPY, INSERT), but only at the top level. So a query that can be bound
    inside of another one holds none.
    """
    from duckdb import Error, StatementType

    refusal = InputError(
        "the query must be a single SELECT that only reads",
        where=where,
        hint="Statements such as COPY, INSERT, CREATE, ATTACH, PRAGMA or SET are not run.",
    )
    statements = connection.extract_statements(query)
    if len(statements) != 1 or statements[0].type != StatementType.SELECT:
        raise refusal
    bare = statements[0].query.strip().rstrip(";")
    try:
        connection.execute(f"EXPLAIN SELECT * FROM (\n{bare}\n)").fetchall()
    except Error as error:
        if "WITH clause containing" in str(error):
            raise refusal from None
        raise
