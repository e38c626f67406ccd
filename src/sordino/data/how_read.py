"""How a source was read, in plain sentences: what counts as one person, and what it was taken to look like."""

from __future__ import annotations

from sordino.data.baskets import Baskets, Origin
from sordino.data.grouped import Grouped
from sordino.data.sources.delimiters import delimiter_name
from sordino.data.spilled import Spilled
from sordino.data.table import Table

__all__ = ["how_read"]

FORMATS = {
    "parquet": "Parquet",
    "jsonl": "JSON lines",
    "duckdb": "a DuckDB result",
    "postgresql": "a PostgreSQL result",
    "sqlite": "an SQLite result",
}
SHOWN = 5  # names of columns listed at most


def how_read(data: Baskets | Spilled | Table | Grouped) -> str:
    """One or two sentences, in which nothing of the records stands but how many there are, and names of columns."""
    if isinstance(data, Grouped):
        return f"{_table(data.table)} The column '{data.group}' tells the groups."
    return _table(data) if isinstance(data, Table) else _baskets(data)


def _baskets(data: Baskets | Spilled) -> str:
    origin = data.origin
    empty = data.empty if isinstance(data, Spilled) else int((data.lengths == 0).sum())
    void = f" ({empty:,} empty)" if empty else ""
    sizes = f"{_count(len(data), 'record')}{void}, {_count(data.distinct_items, 'item')}"
    return f"Read {_as(origin)}: {_person(origin)}; {sizes}{_form(origin)}.{_rest(origin)}{_missing(origin)}"


def _as(origin: Origin) -> str:
    if origin.shape == "onehot":
        return "as baskets from columns that say yes or no"
    if origin.layout == "long":
        return "as a long table"
    return "as lists" if origin.format in ("parquet", "jsonl", "memory") else "as baskets"


def _person(origin: Origin) -> str:
    if origin.shape == "onehot":
        known = "" if origin.record is None else f", the id in the column '{origin.record}'"
        return f"one row is one person, every column an item{known}"
    if origin.layout == "long":
        return f"one value of the column '{origin.record}' is one person, with the items in the column '{origin.item}'"
    if origin.format in ("csv", "fimi"):
        return "one line is one person"
    held = "" if origin.item is None else f", with the items in the column '{origin.item}'"
    known = "" if origin.record is None else f", the id in the column '{origin.record}'"
    one = {"jsonl": "one line", "parquet": "one row"}.get(origin.format, "one entry" if not held else "one row")
    return f"{one} is one person{held}{known}"


def _form(origin: Origin) -> str:
    if origin.database is not None:
        return f", from {FORMATS[origin.database]}"
    if origin.format == "fimi":
        return f", separated by blanks, no header{_from(origin.packed)}"
    if origin.format == "csv":
        header = "with a header" if origin.layout == "long" or origin.shape else "no header"
        apart = (
            _from(origin.packed)
            if "workbook" in origin.packed
            else f", separated by {delimiter_name(origin.delimiter)}"
        )
        return f"{apart}, {header}{'' if 'workbook' in origin.packed else _from(origin.packed)}"
    return _from(origin.packed) or (f", from {FORMATS[origin.format]}" if origin.format in FORMATS else "")


def _from(packed: str) -> str:
    """What the source was packed in."""
    return f", from {packed}" if packed else ""


def _rest(origin: Origin) -> str:
    unused = origin.unused
    if not unused:
        return ""
    names = ", ".join(f"'{name}'" for name in unused[:SHOWN])
    more = f" and {len(unused) - SHOWN:,} more" if len(unused) > SHOWN else ""
    return f" Not read: the column{'' if len(unused) == 1 else 's'} {names}{more}."


def _table(data: Table) -> str:
    origin = data.origin
    sizes = f"{_count(data.people, 'row')}, {_count(len(data.columns) + data.left_out, 'column')}"
    if data.weight is not None:
        sizes += f" ({len(data.columns):,} of them read, in {_count(len(data), 'distinct row')})"
    form = ""
    if origin.format == "csv" and "workbook" not in origin.packed:
        form = f", separated by {delimiter_name(origin.delimiter)}, with a header"
    elif origin.format in FORMATS and not origin.packed:
        form = f", from {FORMATS[origin.format]}"
    form += _from(origin.packed)
    return f"Read as a table: one row is one person; {sizes}{form}.{_lacking(data)}"


def _missing(origin: Origin) -> str:
    """Which texts were taken for missing values, and are no items."""
    if not origin.missing:
        return ""
    number = sum(times for _, times in origin.missing)
    texts = " or ".join(f"'{text}'" for text, _ in origin.missing)
    return f" {_count(number, 'entry', 'entries')} {_say(number)} {texts}: missing, and no item (else: --null '')."


def _lacking(table: Table) -> str:
    """How many cells are missing, and which texts say so."""
    number = sum(column.lacking for column in table.columns)
    if not number:
        return ""
    texts = ", ".join(repr(text) if text else "empty" for text in table.origin.missing)
    what = f" ({texts}; else: --null TEXT)" if table.origin.missing else ""
    return f" {_count(number, 'cell')} {'is' if number == 1 else 'are'} missing{what}."


def _say(number: int) -> str:
    return "says" if number == 1 else "say"


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
