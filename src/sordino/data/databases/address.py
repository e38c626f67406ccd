"""Where in which database data lie: what the user wrote, taken apart, and fit to be shown.

An address may hold a password. It is kept out of whatever can be seen: `shown` has none, and nothing else of an address
goes into messages, logs, manifests or reports.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote

from sordino.errors import InputError

__all__ = [
    "SYSTEMS",
    "Address",
    "address_of",
    "is_address",
    "name_parts",
    "quoted",
    "shown_uri",
    "spelled",
    "target_of",
]

SYSTEMS = {"postgresql": "PostgreSQL", "duckdb": "DuckDB", "sqlite": "SQLite"}
SERVER = re.compile(r"(postgresql|postgres)://", re.IGNORECASE)
FILE = re.compile(r"(duckdb|sqlite):", re.IGNORECASE)
HARMLESS = (
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "service",
    "sslmode",
    "table",
    "query",
)  # parameters that may be shown
ENDINGS = {".duckdb": "duckdb", ".ddb": "duckdb", ".sqlite": "sqlite", ".sqlite3": "sqlite"}
SQLITE_MAGIC, DUCKDB_MAGIC = b"SQLite format 3\0", b"DUCK"
NAME = re.compile(r'"((?:[^"]|"")+)"|([^".]+)')
WHICH = "Name it: --table NAME or --query SQL (in Python table= or query=)."


@dataclass(frozen=True)
class Address:
    """A database, and the table or the query that is meant in it.

    place: how to connect: the URI of a server, or the path of a file ("": no file, for queries over files).
    """

    system: str
    place: str = field(repr=False)
    shown: str
    table: str | None = None
    query: str | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """What the system is called."""
        return SYSTEMS[self.system]

    @property
    def file(self) -> str | None:
        """The file of the database; None of a server."""
        return self.place or None if self.system != "postgresql" else None

    @property
    def where(self) -> str:
        """How messages and reports name it."""
        if self.table is None:
            return self.shown
        mark = "&" if "?" in self.shown else "?"
        return f"{self.shown}{mark}table={self.table}"

    @property
    def select(self) -> str:
        """The one SELECT that is to be run; InputError if neither a table nor a query is stated."""
        if self.query is not None:
            return self.query
        if self.table is None:
            raise InputError("this is a database: which table or query of it?", where=self.shown, hint=WHICH)
        return f"SELECT * FROM {quoted(name_parts(self.table))}"


def is_address(text: object) -> bool:
    """Whether a text is the address of a database, by how it begins."""
    return isinstance(text, str) and (SERVER.match(text) is not None or FILE.match(text) is not None)


def address_of(source: object, query: str | None = None, table: str | None = None) -> Address | None:
    """The address that a text or path is, with the table or query stated; None if it is no database.

    A file is one if its first bytes say so. InputError if a table or query is stated of something else, or both.
    """
    if not isinstance(source, str | os.PathLike):
        return None
    text = os.fspath(source)
    found = _address(text) if isinstance(text, str) else None
    if found is None:
        if query is None and table is None:
            return None
        where = str(text)
        if not Path(text).exists():
            raise InputError("there is no such database file", where=where)
        raise InputError(
            f"{'--query' if table is None else '--table'} is for databases, and this is none",
            where=where,
            hint="Databases: postgresql://USER@HOST/NAME, and files of DuckDB and SQLite.",
        )
    return found.of(query, table) if isinstance(found, _Open) else _stated(found, query, table)


def target_of(text: str, table: str | None) -> Address:
    """The address of a table to be written, in a database that may have to be made (if it is a file)."""
    found = _address(text)
    if found is None and text and Path(text).suffix.lower() in ENDINGS and not Path(text).exists():
        found = Address(ENDINGS[Path(text).suffix.lower()], text, text)
    if isinstance(found, _Open):
        found = found.of(None, None)
    if found is None:
        raise InputError(
            "this is no database to write into",
            where=shown_uri(text),
            hint="Databases: postgresql://USER@HOST/NAME, duckdb:FILE, sqlite:FILE.",
        )
    if found.query is not None:
        raise InputError("a query cannot be written into; name a table", where=found.shown)
    target = _stated(found, None, table)
    if target.table is None:
        raise InputError(
            "which table of the database?",
            where=target.shown,
            hint="Name it: --to-table NAME; --table NAME of verify.",
        )
    if not target.place:
        raise InputError("which file is to be written into?", where=target.shown, hint="Write duckdb:FILE.")
    name_parts(target.table)
    return target


class _Open:
    """`duckdb:FILE?...` that says neither a table nor a query as it should."""

    def __init__(self, text: str) -> None:
        self.text = text

    def of(self, query: str | None, table: str | None) -> Address:
        del query, table
        raise InputError(
            "a database source says which table or query",
            where=self.text,
            hint="Write duckdb:FILE?table=NAME, duckdb:FILE?query=SQL, or duckdb:?query=SQL for a query over files; "
            "sqlite: likewise.",
        )


def _address(text: str) -> Address | _Open | None:
    if SERVER.match(text):
        return _server(text)
    start = FILE.match(text)
    if start is None:
        system = _system_of_file(text)
        return None if system is None else Address(system, text, text)
    system, rest = start[1].lower(), text[start.end() :]
    file, mark, stated = rest.partition("?")
    file = file[3:] if file.startswith("///") else file
    if not mark:
        return _Open(text) if not file else Address(system, file, f"{system}:{file}")
    key, sign, value = stated.partition("=")
    if key not in ("table", "query") or not sign or not value.strip() or (not file and key == "table"):
        return _Open(text)
    return _stated(Address(system, file, f"{system}:{file}"), value if key == "query" else None,
                   value if key == "table" else None)  # fmt: skip


def _server(text: str) -> Address:
    """The address of a server: what is ours among its parameters (table, query) is not handed on to it."""
    base, mark, stated = text.partition("?")
    ours: dict[str, str] = {}
    theirs = []
    for entry in stated.split("&") if mark else ():
        key, sign, value = entry.partition("=")
        if key in ("table", "query") and sign:
            ours[key] = unquote(value)
        elif entry:
            theirs.append(entry)
    place = "?".join([base, "&".join(theirs)]) if theirs else base
    return _stated(Address("postgresql", place, shown_uri(place)), ours.get("query"), ours.get("table"))


def shown_uri(text: str) -> str:
    """The address without password, and without parameters that could hold a secret. Of what is none, the text."""
    start = SERVER.match(text)
    if start is None:
        return text
    rest = text[start.end() :]
    if "@" in rest:
        # A password may hold any sign that should have been escaped: all before the last "@" is taken for it.
        head, _, tail = rest.rpartition("@")
        user = re.split(r"[:/?#@]", head)[0]
        rest = f"{user}@{tail}"
    rest, _, stated = rest.partition("?")
    harmless = [entry for entry in stated.split("&") if entry.partition("=")[0] in HARMLESS]
    return start[0] + rest.partition("#")[0] + (f"?{'&'.join(harmless)}" if harmless else "")


def _stated(address: Address, query: str | None, table: str | None) -> Address:
    held = [one for one in (address.query, address.table, query, table) if one is not None]
    if len(held) > 1:
        raise InputError("a table or a query is stated once", where=address.shown, hint="Leave one of them out.")
    for name, value in (("query", query), ("table", table)):
        if value is not None and not value.strip():
            raise InputError(f"the {name} is empty", where=address.shown)
    if table is not None:
        name_parts(table)
    return replace(address, query=query or address.query, table=table or address.table)


def _system_of_file(path: str) -> str | None:
    """The system whose database a file is, by its first bytes."""
    try:
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            start = file.read(16)
    except (OSError, ValueError):
        return None
    if start == SQLITE_MAGIC:
        return "sqlite"
    return "duckdb" if start[8:12] == DUCKDB_MAGIC else None


def name_parts(name: str) -> tuple[str, ...]:
    """The parts of the name of a table: schema.table is two; what has a point in it stands in quotation marks."""
    parts: list[str] = []
    place = 0
    while True:
        found = NAME.match(name, place)
        if found is None:
            break
        parts.append(found[1].replace('""', '"') if found[1] is not None else found[2])
        place = found.end()
        if place == len(name) and 1 <= len(parts) <= 3 and "\0" not in name:
            return tuple(parts)
        if name[place : place + 1] != ".":
            break
        place += 1
    raise InputError(f"'{name}' is no name of a table", hint='Write NAME, SCHEMA.NAME, or "A NAME.WITH A POINT".')


def spelled(parts: tuple[str, ...]) -> str:
    """The name as the user would write it: in quotation marks only where it needs them."""
    return ".".join(part if re.fullmatch(r'[^".]+', part) else quoted((part,)) for part in parts)


def quoted(parts: tuple[str, ...]) -> str:
    """The name as SQL takes it, letter by letter."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)
