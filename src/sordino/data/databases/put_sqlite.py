"""Tables into an SQLite file, in one transaction. It has no comments, so these are in a table of their own."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from typing import Any

from sordino.data.databases.address import Address, quoted
from sordino.data.databases.put import NewTable, may_replace, named
from sordino.data.databases.sqlite import columns_of, opened
from sordino.data.databases.storable import difference
from sordino.errors import InputError, InternalError

__all__ = ["COMMENTS", "check", "comment", "keys", "put"]

COMMENTS = "sordino_comments"  # (name, comment)
TYPES = {"int64": "INTEGER", "double": "REAL", "string": "TEXT"}


def check(target: Address, force: bool, added: Sequence[str]) -> None:
    """InputError if the tables cannot be put there."""
    folder = os.path.dirname(os.path.abspath(target.place))
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        raise InputError("there is no such folder to write into", where=target.where)
    for more in added:
        name = _name(target, named(target, more))
        if os.path.exists(target.place):
            with opened(target) as connection:
                try:
                    _replaced(connection, name, force, target.where)
                except sqlite3.Error as error:
                    raise InputError(f"SQLite says: {error}", where=target.shown) from None


def comment(target: Address, parts: tuple[str, ...]) -> str | None:
    """The comment of a table."""
    with opened(target) as connection:
        return _comment(connection, _name(target, parts))


def keys(target: Address, parts: tuple[str, ...]) -> list[set[str]]:
    """The sets of columns that tell the rows of a table apart."""
    name = _name(target, parts)
    with opened(target) as connection:
        rows = connection.execute("SELECT name, pk FROM pragma_table_info(?)", (name,)).fetchall()
        found = [{column for column, place in rows if place}]
        unique = connection.execute(
            'SELECT name FROM pragma_index_list(?) WHERE "unique" AND NOT partial', (name,)
        ).fetchall()
        for (index,) in unique:
            found.append({c for (c,) in connection.execute("SELECT name FROM pragma_index_info(?)", (index,))})
    return [columns for columns in found if columns and None not in columns]


def put(target: Address, tables: Sequence[tuple[NewTable, Any]], force: bool) -> None:
    """Put the tables there in one transaction."""
    with opened(target, write=True) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"CREATE TABLE IF NOT EXISTS {COMMENTS} (name TEXT PRIMARY KEY, comment TEXT NOT NULL)")
            for table, rows in tables:
                _put_one(connection, target, table, rows, force)
            connection.execute("COMMIT")
        except sqlite3.OperationalError as error:  # of the file, or of who else has it open
            raise InputError(f"SQLite says: {error}; the table is as it was", where=target.where) from None
        except sqlite3.Error as error:
            reason = type(error).__name__
            raise InputError(
                f"SQLite cannot keep this ({reason}); the table is as it was", where=target.where
            ) from None


def _put_one(connection: sqlite3.Connection, target: Address, table: NewTable, rows: Any, force: bool) -> None:
    name = _name(target, named(target, table.added))
    _replaced(connection, name, force, target.where)
    whole = quoted((name,))
    columns = [f"{quoted((field.name,))} {TYPES[str(field.type)]}" for field in rows.schema]
    if table.key:
        kind = "UNIQUE" if any(rows.column(key).null_count for key in table.key) else "PRIMARY KEY"
        columns.append(f"{kind} ({', '.join(quoted((key,)) for key in table.key)})")
    connection.execute(f"DROP TABLE IF EXISTS {whole}")
    connection.execute(f"CREATE TABLE {whole} ({', '.join(columns)})")
    marks = ", ".join("?" * len(rows.column_names))
    for batch in rows.to_batches(max_chunksize=100_000):
        cells = zip(*(column.to_pylist() for column in batch.columns), strict=True)
        connection.executemany(f"INSERT INTO {whole} VALUES ({marks})", cells)
    connection.execute(f"INSERT OR REPLACE INTO {COMMENTS} VALUES (?, ?)", (name, table.comment))
    back = columns_of(connection.execute(f"SELECT * FROM {whole}"), rows.column_names, target.where)
    different = difference(rows, back)
    if different is not None:
        raise InternalError(f"the table reads back otherwise than it was written: {different}; the old one stays")


def _replaced(connection: sqlite3.Connection, name: str, force: bool, where: str) -> None:
    there = connection.execute("SELECT type FROM sqlite_master WHERE name = ? COLLATE NOCASE", (name,)).fetchone()
    may_replace(where, there is not None, _comment(connection, name), force)


def _comment(connection: sqlite3.Connection, name: str) -> str | None:
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (COMMENTS,)).fetchone():
        return None
    found = connection.execute(
        f"SELECT c.comment FROM {COMMENTS} c JOIN sqlite_master m ON m.name = c.name AND m.type = 'table' "
        "WHERE c.name = ?", (name,),
    ).fetchone()  # fmt: skip
    return None if found is None else str(found[0])


def _name(target: Address, parts: tuple[str, ...]) -> str:
    if len(parts) != 1 or parts[0].lower().startswith(("sqlite_", COMMENTS)):
        raise InputError(
            "this is no name for a table in SQLite", where=target.where, hint="Write NAME, without a schema."
        )
    return parts[0]
