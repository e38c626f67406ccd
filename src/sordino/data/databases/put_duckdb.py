"""Tables into a DuckDB file, in one transaction."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sordino.data.databases.address import Address, quoted
from sordino.data.databases.put import NewTable, may_replace, named
from sordino.data.databases.storable import difference
from sordino.errors import InputError, InternalError

__all__ = ["check", "comment", "keys", "put"]


@contextmanager
def _opened(target: Address, *, write: bool) -> Iterator[Any]:
    import duckdb

    try:
        with duckdb.connect(target.place, read_only=not write) as connection:
            yield connection
    except duckdb.IOException:
        raise InputError(
            "the database file cannot be opened; does another program hold it?", where=target.where
        ) from None
    except duckdb.Error as error:  # their texts can quote values
        reason = type(error).__name__
        raise InputError(f"DuckDB cannot keep this ({reason}); the table is as it was", where=target.where) from None


def check(target: Address, force: bool, added: Sequence[str]) -> None:
    """InputError if the tables cannot be put there."""
    folder = os.path.dirname(os.path.abspath(target.place))
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        raise InputError("there is no such folder to write into", where=target.where)
    for more in added:
        parts = _parts(target, named(target, more))
        if os.path.exists(target.place):
            with _opened(target, write=False) as connection:
                _replaced(connection, parts, force, target.where)


def comment(target: Address, parts: tuple[str, ...]) -> str | None:
    """The comment of a table."""
    with _opened(target, write=False) as connection:
        found: str | None = _described(connection, _parts(target, parts))[1]
        return found


def keys(target: Address, parts: tuple[str, ...]) -> list[set[str]]:
    """The sets of columns that tell the rows of a table apart."""
    with _opened(target, write=False) as connection:
        found = connection.execute(
            "SELECT constraint_column_names FROM duckdb_constraints() WHERE schema_name = ? AND lower(table_name) = "
            "lower(?) AND constraint_type IN ('PRIMARY KEY', 'UNIQUE')", _whole(_parts(target, parts)),
        ).fetchall()  # fmt: skip
    return [set(columns) for (columns,) in found if columns]


def put(target: Address, tables: Sequence[tuple[NewTable, Any]], force: bool) -> None:
    """Put the tables there in one transaction."""
    with _opened(target, write=True) as connection:
        connection.execute("BEGIN TRANSACTION")
        for table, rows in tables:
            _put_one(connection, target, table, rows, force)
        connection.execute("COMMIT")


def _put_one(connection: Any, target: Address, table: NewTable, rows: Any, force: bool) -> None:
    parts = _parts(target, named(target, table.added))
    _replaced(connection, parts, force, target.where)
    whole = quoted(parts)
    connection.register("sordino_rows", rows)
    types = connection.execute("DESCRIBE SELECT * FROM sordino_rows").fetchall()
    columns = [f"{quoted((str(name),))} {type_}" for name, type_, *_ in types]
    if table.key:
        kind = "UNIQUE" if any(rows.column(key).null_count for key in table.key) else "PRIMARY KEY"
        columns.append(f"{kind} ({', '.join(quoted((key,)) for key in table.key)})")
    connection.execute(f"DROP TABLE IF EXISTS {whole}")
    connection.execute(f"CREATE TABLE {whole} ({', '.join(columns)})")
    connection.execute(f"INSERT INTO {whole} SELECT * FROM sordino_rows")
    connection.execute(f"COMMENT ON TABLE {whole} IS {_text(table.comment)}")
    for column, text in table.about.items():
        connection.execute(f"COMMENT ON COLUMN {whole}.{quoted((column,))} IS {_text(text)}")
    different = difference(rows, connection.sql(f"SELECT * FROM {whole}").to_arrow_table())
    connection.unregister("sordino_rows")
    if different is not None:
        raise InternalError(f"the table reads back otherwise than it was written: {different}; the old one stays")


def _described(connection: Any, parts: tuple[str, ...]) -> tuple[bool, str | None]:
    whole = _whole(parts)
    tables = connection.execute(
        "SELECT comment FROM duckdb_tables() WHERE schema_name = ? AND lower(table_name) = lower(?)", whole
    ).fetchall()
    views = connection.execute(
        "SELECT NULL FROM duckdb_views() WHERE schema_name = ? AND lower(view_name) = lower(?)", whole
    ).fetchall()
    return bool(tables or views), tables[0][0] if tables else None


def _replaced(connection: Any, parts: tuple[str, ...], force: bool, where: str) -> None:
    there, comment = _described(connection, parts)
    may_replace(where, there, comment, force)


def _parts(target: Address, parts: tuple[str, ...]) -> tuple[str, ...]:
    if len(parts) > 2:
        raise InputError("this is no name for a table", where=target.where, hint="Write NAME or SCHEMA.NAME.")
    return parts


def _whole(parts: tuple[str, ...]) -> list[str]:
    """Schema and name."""
    return [*parts] if len(parts) == 2 else ["main", parts[0]]


def _text(value: str) -> str:
    return "'" + value.replace("'", "''").replace("\0", "") + "'"
