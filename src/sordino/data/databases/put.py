"""Putting tables into a database: all of them in one transaction, compared with what was meant before it is closed.

A table that is there already is replaced only on request, and only if it was put there in this way: its comment says
so. At every moment others see the old table or the new one, and if anything fails, the old one stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sordino.data.databases.address import Address, name_parts
from sordino.data.databases.storable import storable
from sordino.errors import InputError

__all__ = ["OURS", "NewTable", "check_place", "comment_of", "is_keyed", "put_tables"]

OURS = "Published by sordino"  # how the comment of every table begins that was put there


@dataclass(frozen=True)
class NewTable:
    """A table to be put into a database.

    added: what its name has besides the name that the user stated. key: columns that tell the rows apart.
    """

    rows: Any
    comment: str
    added: str = ""
    key: tuple[str, ...] = ()
    about: Mapping[str, str] = field(default_factory=dict)  # column -> comment


def named(target: Address, added: str) -> tuple[str, ...]:
    """The parts of the name of a table."""
    *before, last = name_parts(target.table or "")
    return (*before, f"{last}{added}")


def check_place(target: Address, *, force: bool, source: Address | None = None, added: Sequence[str] = ("",)) -> None:
    """InputError if tables could not be put there, as far as can be known before; nothing is changed."""
    same = source is not None and source.place == target.place and source.table is not None
    if same and any(named(target, more) == name_parts(source.table) for more in added):  # type: ignore[union-attr, arg-type]
        raise InputError("the table would replace its own input", where=target.where, hint="Choose another table.")
    _system(target).check(target, force, added)


def put_tables(target: Address, tables: Sequence[NewTable], *, force: bool) -> None:
    """Put the tables there, all or none."""
    kept = [(table, storable(table.rows, target.system, target.where)) for table in tables]
    _system(target).put(target, kept, force)


def comment_of(target: Address, added: str = "") -> str | None:
    """The comment of a table that is there; None if it has none."""
    found: str | None = _system(target).comment(target, named(target, added))
    return found


def is_keyed(target: Address, key: Sequence[str], added: str = "") -> bool:
    """Whether the database sees to it that no two rows of a table that is there are alike in the columns of the key."""
    return any(unique <= set(key) for unique in _system(target).keys(target, named(target, added)))


def may_replace(where: str, there: bool, comment: str | None, force: bool) -> None:
    """InputError if a table that is there must not be replaced."""
    if not there:
        return
    if not force:
        raise InputError(
            "this table is already there; it was not changed",
            where=where,
            hint="Choose another table, or replace this one with --force (in Python force=True).",
        )
    if comment is None or not comment.startswith(OURS):
        raise InputError(
            "this table was not put there by sordino; it is not replaced",
            where=where,
            hint="Choose another table, or drop or rename this one yourself.",
        )


def _system(target: Address) -> Any:
    if target.system == "postgresql":
        from sordino.data.databases import put_postgresql

        return put_postgresql
    if target.system == "sqlite":
        from sordino.data.databases import put_sqlite

        return put_sqlite
    from sordino.data.databases import put_duckdb

    return put_duckdb
