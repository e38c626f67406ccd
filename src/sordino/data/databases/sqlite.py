"""SQLite files, by Python's own library: opened for reading only, one SELECT, as an Arrow table."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sordino.data.databases.address import Address
from sordino.errors import InputError, did_you_mean

__all__ = ["columns_of", "opened", "read_sqlite"]

AT_ONCE = 100_000  # rows
WHOLE = 2.0**63  # below it a whole number may be stored as one
WRITES = "the query must be a single SELECT that only reads"
NOT_RUN = "Statements that write or attach are not run."


@contextmanager
def opened(address: Address, *, write: bool = False) -> Iterator[sqlite3.Connection]:
    """The database file; for reading it must be there, and cannot be written."""
    file = address.place
    if not write and not os.path.isfile(file):
        raise InputError("there is no such database file", where=address.where)
    uri = f"{Path(os.path.abspath(file)).as_uri()}?mode={'rwc' if write else 'ro'}"
    try:
        connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    except sqlite3.Error as error:
        raise InputError(f"the database cannot be opened ({error})", where=address.shown) from None
    try:
        if not write:
            connection.execute("PRAGMA query_only = ON")
        yield connection
    finally:
        connection.close()


def read_sqlite(address: Address) -> Any:
    """The result of one SELECT."""
    where = address.where
    with opened(address) as connection:
        try:
            if address.table is None and address.query is None:
                known = ", ".join(tables(connection))
                raise InputError(
                    "this is a database: which table or query of it?",
                    where=address.shown,
                    hint=f"Name it: --table NAME or --query SQL. The tables are: {known}.",
                )
            cursor = connection.cursor()
            _check_reads_only(connection, address)
            cursor.execute(address.select)
            names = [entry[0] for entry in cursor.description or ()]
            if not names:
                raise InputError(WRITES, where=where)
            return columns_of(cursor, names, where)
        except sqlite3.Error as error:
            raise _failure(error, connection, address) from None


def _check_reads_only(connection: sqlite3.Connection, address: Address) -> None:
    """InputError if the query would write or attach; the file is open for reading only besides."""
    refused = []

    def judge(action: int, *_: object) -> int:
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        refused.append(action)
        return sqlite3.SQLITE_DENY

    connection.set_authorizer(judge)
    try:
        connection.execute(f"EXPLAIN {address.select}").fetchall()
    except sqlite3.Error as error:
        if refused or "one statement" in str(error):
            raise InputError(WRITES, where=address.where, hint=NOT_RUN) from None
        raise
    # The judge stays for the query itself.


def columns_of(cursor: Any, names: Sequence[str], where: str | None) -> Any:
    """What a cursor returns as an Arrow table; each column of one type. Rows come in batches."""
    import pyarrow as pa

    if len(set(names)) < len(names):
        double = next(name for name in names if list(names).count(name) > 1)
        raise InputError(f"there is more than one column '{double}'", where=where)
    chunks: list[list[Any]] = [[] for _ in names]
    while rows := cursor.fetchmany(AT_ONCE):
        for cells, chunk in zip(zip(*rows, strict=True), chunks, strict=True):
            chunk.append(cells)
    columns = []
    for name, chunk in zip(names, chunks, strict=True):
        try:
            columns.append(_joined([pa.array(cells) for cells in chunk]))
        except (pa.ArrowException, TypeError, ValueError, OverflowError):  # their texts can quote values
            texts = [[_text(cell, name, where) for cell in cells] for cells in chunk]
            columns.append(pa.chunked_array([pa.array(cells, pa.string()) for cells in texts]))
    return pa.table(columns, names=list(names))


def _text(cell: object, name: str, where: str | None) -> str | None:
    """A cell of a column of mixed types: numbers by their text, which is one for 3 and 3.0, as they are equal there."""
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, float) and abs(cell) < WHOLE and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, int | float):
        return str(cell)
    raise InputError(f"mixed types in the column '{name}'", where=where, hint=f"In the query: CAST({name} AS TEXT).")


def _joined(arrays: list[Any]) -> Any:
    """The arrays as one column; those of nothing but null take the type of the others, whole numbers that of decimal
    ones."""
    import pyarrow as pa

    types = {array.type for array in arrays if not pa.types.is_null(array.type)}
    if not types:
        return pa.chunked_array(arrays, type=pa.null())
    if types == {pa.int64(), pa.float64()}:
        types = {pa.float64()}
    if len({str(type_) for type_ in types}) > 1:
        raise TypeError
    type_ = types.pop()
    return pa.chunked_array([array.cast(type_) for array in arrays], type=type_)


def tables(connection: sqlite3.Connection) -> list[str]:
    """The names of tables and views."""
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name")
    return [str(name) for (name,) in rows if not str(name).startswith("sqlite_")]


def _failure(error: sqlite3.Error, connection: sqlite3.Connection, address: Address) -> InputError:
    text = str(error)
    if "not authorized" in text or "authorization denied" in text:
        return InputError(WRITES, where=address.where, hint=NOT_RUN)
    if address.table is not None and text.startswith("no such table"):
        connection.set_authorizer(None)
        near = did_you_mean(address.table, tables(connection))
        return InputError(f"there is no table '{address.table}'.{near}", where=address.shown)
    if isinstance(error, sqlite3.OperationalError | sqlite3.ProgrammingError | sqlite3.Warning):
        return InputError(f"SQLite says: {text}", where=address.where)  # these speak of the query and the file
    return InputError(f"SQLite cannot run this ({type(error).__name__})", where=address.where)
