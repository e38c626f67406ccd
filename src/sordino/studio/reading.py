"""Opening data: read by the public readers, with what was read in words, and a first look."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import sordino
from sordino.data.how_read import how_read
from sordino.errors import InputError
from sordino.studio.prepared import More, Prepared, Title, prepare, prepare_head, prepare_sections
from sordino.studio.session import Opened
from sordino.words.blocks import Block, Card, Cards, Table, Text
from sordino.words.seen import seen_cards
from sordino.words.text import clean

__all__ = ["BASKETS", "DATABASE", "TABLE", "open_data"]

BASKETS, TABLE = "baskets", "table"
DATABASE = ("query", "table")  # what says that it is one
FIRST = 6  # records that are shown
WIDE = 60  # letters of a cell
FOLDED = ("items", "columns")  # sections that look closer
FIRST_RECORDS = Title("The first records")  # of a section of one table, whose caption says the same
HOUSE = "These are contents of records: they are for your screen only."


def open_data(
    path: Path | str, name: str, shown: str, taken_as: str | None, form: dict[str, Any], *, sample: bool = False
) -> Opened:
    """The data in a file or a database, as baskets or as a table; as what they seem to be, if that is not stated."""
    stated = {key: value for key, value in form.items() if value}
    base, why = any(key in stated for key in DATABASE), ""
    seen = None if base else _looked(path, stated, taken_as)
    if taken_as is None:
        taken_as, why = _seems(path, stated) if seen is None else (seen.kind, "")
    data: Any
    if taken_as == TABLE:
        data = sordino.read_table(
            path, **{key: value for key, value in stated.items() if key in ("delimiter", *DATABASE)}
        )
    else:
        data = sordino.read_baskets(path, **stated)
    report = _report(data, taken_as, why, seen)
    found = {} if seen is None else seen.found
    return Opened(
        name, path, shown, {"as": taken_as, **stated}, data, report, tuple(_ways(found)), _names(data, found), sample
    )


def _looked(path: Path | str, stated: dict[str, Any], taken_as: str | None) -> Any:
    """How the file seems to lie. None if it cannot be told, which the reader then says better."""
    try:
        return sordino.inspect(path, **stated)
    except InputError:
        if taken_as is None:
            raise
        return None


def _seems(path: Path | str, stated: dict[str, Any]) -> tuple[str, str]:
    """What a database seems to hold, and why."""
    try:
        sordino.read_baskets(path, **stated)
    except InputError as refused:
        try:
            sordino.read_table(path, **{key: value for key, value in stated.items() if key in DATABASE})
        except InputError:
            raise refused from None
        return TABLE, f"It is no file of baskets: {refused.what}."
    return BASKETS, ""


def _ways(found: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What would read it otherwise, as the command says it, where nothing more needs to be stated for it."""
    for what, flags in found.get("otherwise", ()):
        words = shlex.split(flags)
        if not words[0].startswith("--"):
            yield clean(what), {"as": TABLE}
        elif not {"COLUMN", ";"} & set(words):
            form = {key.removeprefix("--"): value for key, value in zip(words[::2], words[1::2], strict=True)}
            yield clean(what), {"as": BASKETS, **form}


def _names(data: Any, found: Mapping[str, Any]) -> tuple[str, ...]:
    """The columns of the file, as far as they are known."""
    if isinstance(data, sordino.Table):
        return tuple(data.names)
    known = [column["name"] for column in found.get("columns") or ()]
    known += [name for name in (data.origin.record, data.origin.item, *data.origin.unused) if name]
    return tuple(dict.fromkeys(known))


def _report(data: Any, taken_as: str, why: str, seen: Any) -> Prepared:
    if seen is not None and seen.kind == taken_as:
        page = seen.page()
        read = prepare((Text(page.verdict, strong=True),))
        told = prepare_sections(page, without=("otherwise", *FOLDED))
        told = tuple(part for part in told if part != FIRST_RECORDS)
        more = tuple(More(prepare(one.blocks), one.title) for one in page.sections if one.name in FOLDED)
        return (*read, *prepare_head(page, verdict=False), *told, *more)
    blocks: list[Block] = [Text(clean(how_read(data)), strong=True)]
    blocks += [Text(clean(why))] if why else []
    if taken_as == TABLE:
        blocks += [_table_cards(data), _first_rows(data), _columns(data)]
    else:
        blocks += [Cards(seen_cards(len(data), data.occurrences, data.distinct_items)), _first_records(data)]
    return prepare((*blocks, Text(HOUSE)))


def _table_cards(data: Any) -> Cards:
    return Cards((Card(f"{len(data):,}", "people, one a row"), Card(f"{len(data.columns):,}", "columns")))


def _first_records(data: Any) -> Table:
    rows = tuple((str(k + 1), _short(", ".join(sorted(data.record(k))))) for k in range(min(FIRST, len(data))))
    return Table("The first records, each as the set of items that it is taken for", ("person", "items"), rows)


def _first_rows(data: Any) -> Table:
    rows = tuple(tuple(_short(cell or "") for cell in data.row(k)) for k in range(min(FIRST, len(data))))
    return Table("The first rows, each taken for a person", tuple(map(clean, data.names)), rows)


def _columns(data: Any) -> Table:
    rows = tuple((clean(c.name), c.kind, f"{len(c.texts):,}", f"{c.lacking:,}") for c in data.columns)
    return Table("The columns", ("column", "kind", "different values", "missing"), rows, (2, 3))


def _short(text: str) -> str:
    shown = clean(text)
    return shown if len(shown) <= WIDE else f"{shown[: WIDE - 1]}…"
