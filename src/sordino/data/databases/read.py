"""What a database holds, as an Arrow table, whichever it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sordino.data.databases.address import Address, address_of
from sordino.data.databases.connections import is_connection, read_connection
from sordino.errors import InputError

__all__ = ["Queried", "found_in_database", "in_database", "queried"]


@dataclass(frozen=True)
class Queried:
    """A connection that is open, and what is asked over it."""

    connection: Any
    query: str | None = None
    table: str | None = None


def in_database(source: object, query: str | None = None, table: str | None = None) -> Address | Queried | None:
    """The source as one in a database, if it is; InputError if a query or table is stated for another."""
    if isinstance(source, Address | Queried):
        if query is not None or table is not None:
            raise InputError("a table or a query is stated once", hint="Leave one of them out.")
        return source
    if is_connection(source):
        return Queried(source, query, table)
    found = address_of(source, query, table)
    if found is None and (query is not None or table is not None):
        raise InputError(
            f"{'query' if table is None else 'table'} cannot be stated for objects in Python that are no connections"
        )
    return found


def queried(source: object, query: str | None, table: str | None) -> object:
    """The source with the query or table that is stated beside it, as one thing; the source itself if none is."""
    return source if query is None and table is None else in_database(source, query, table)


def found_in_database(source: Address | Queried) -> tuple[Any, str | None]:
    """The Arrow table, and how messages name the place."""
    if isinstance(source, Queried):
        from sordino.data.databases.postgresql import without_notes

        return without_notes(read_connection(source.connection, source.query, source.table)), None
    if source.system == "postgresql":
        from sordino.data.databases.postgresql import read_postgresql

        return read_postgresql(source), source.where
    if source.system == "sqlite":
        from sordino.data.databases.sqlite import read_sqlite

        return read_sqlite(source), source.where
    from sordino.data.sources.duckdb import read_duckdb

    asked = None if source.table is None and source.query is None else source.select
    return read_duckdb(source.place, asked, source.where), source.where
