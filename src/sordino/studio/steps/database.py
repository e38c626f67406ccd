"""Data in a database: a server by its address, or a file of the folders named at the start; a table, or a query."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from nicegui import ui

from sordino.errors import InputError
from sordino.studio.places import Place, from_here
from sordino.studio.tab import Tab

__all__ = ["build", "source_of", "without_password"]

SERVER = re.compile(r"postgres(ql)?://", re.IGNORECASE)
DUCKDB = re.compile(r"\.(duckdb|ddb)$", re.IGNORECASE)


def build(tab: Tab, open_file: Callable[..., None]) -> None:
    """The panel; `open_file` reads what is asked for."""
    session = tab.session
    found = session.shared.places.databases()
    with ui.expansion("From a database", value=bool(found)).classes("more"), ui.column().classes("panel"):
        ui.label("It is only read. A password is better kept in PGPASSFILE or PGSERVICE than typed.").classes("lead")
        files = {number: place.name for number, place in enumerate(found)}
        chosen = ui.select({-1: "PostgreSQL", **files}, value=-1, label="Database")
        address = ui.input("Address", placeholder="postgresql://USER@HOST/NAME").props("autocomplete=off")
        address.bind_visibility_from(chosen, "value", value=-1)
        table = ui.input("Table")
        query = ui.input("or query", placeholder="SELECT customer, product FROM visits")

        def go() -> None:
            number = chosen.value if isinstance(chosen.value, int) else -1
            place = found[number] if 0 <= number < len(found) else None
            try:
                source, shown, form = source_of(place, str(address.value), str(table.value), str(query.value))
            except InputError as error:
                ui.notify(str(error), type="negative", multi_line=True)
                return
            open_file(session, source, form.get("table") or "query", shown, None, form)

        ui.button("Read", on_click=go).props("no-caps outline")


def source_of(place: Place | None, address: str, table: str, query: str) -> tuple[Any, str, dict[str, str]]:
    """Where the data are, how that is shown, and what is asked there; an InputError if it leads anywhere else.

    A query of DuckDB could read any file of the machine, so only tables are taken from there.
    """
    if bool(table.strip()) == bool(query.strip()):
        raise InputError("state a table or a query, one of the two")
    form = {"table": table.strip()} if table.strip() else {"query": query.strip()}
    if place is not None:
        if "query" in form and DUCKDB.search(place.path.name):
            raise InputError("of a DuckDB file, state a table", hint="A query of it could read other files.")
        return str(place.path), from_here(place.path), form
    if not SERVER.match(address.strip()):
        raise InputError("an address begins with postgresql://", hint="Files are chosen in the list.")
    return address.strip(), without_password(address.strip()), form


def without_password(address: str) -> str:
    """The address as it may be shown."""
    try:
        parts = urlsplit(address)
        user, host, port = parts.username, parts.hostname, parts.port
    except ValueError:
        return "postgresql://..."
    name = f"{user}@" if user else ""
    return f"postgresql://{name}{host or ''}{f':{port}' if port else ''}{parts.path}"
