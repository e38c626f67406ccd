"""Why a source was read as it was, in plain sentences; and what about it may not be as it seems.

Nothing of the records stands in them but counts and names of columns, so that they may be shown with every result.
"""

from __future__ import annotations

from collections.abc import Sequence

from sordino.data.baskets import Baskets, Origin
from sordino.data.dates import are_dates
from sordino.data.grouped import Grouped
from sordino.data.sources.bytes import format_of_name
from sordino.data.sources.columns import is_item_name, is_record_name
from sordino.data.sources.delimiters import delimiter_name
from sordino.data.table import INTEGER, TEXT, Column, Table

__all__ = ["id_like", "reading_doubts", "twins", "why_read"]

LIKE_MISSING = frozenset({"na", "n/a", "#n/a", "null", "none", "nan", "?", "missing", "unknown"})
FEW = 10  # rows; with fewer, that all values differ says nothing


def why_read(data: Baskets | Table | Grouped) -> str:
    """Why this is how it was read, in one sentence."""
    if isinstance(data, Grouped):
        data = data.table
    reason = _why_table(data) if isinstance(data, Table) else _why_baskets(data.origin)
    return f"Why: {reason}."


def reading_doubts(data: Baskets | Table | Grouped) -> list[str]:
    """What whoever audits these data should have seen: ids that are not people, names that may be one and the same."""
    if isinstance(data, Grouped):
        data = data.table
    return _table_doubts(data) if isinstance(data, Table) else _basket_doubts(data)


def twins(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Names that differ from each other only in capital letters or blanks; in groups."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault("".join(name.casefold().split()), []).append(name)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def id_like(column: Column) -> bool:
    """Whether a column looks as if it told people or records apart: by its name, as texts that never recur, or counted.

    Numbers that never recur may be amounts; dates that never recur are known of people.
    """
    held = len(column) - column.lacking
    if is_record_name(column.name):
        return len(column.values) > 1
    if held < FEW or len(column.values) < held:
        return False
    if not column.numeric:
        return column.kind == TEXT and not are_dates(column.texts)
    return column.kind == INTEGER and int(column.values[0]) in (0, 1) and int(column.values[-1]) < held + 1


def _why_baskets(origin: Origin) -> str:
    if origin.shape == "onehot":
        return (
            "you said that every column is an item" if origin.stated else "its columns hold nothing but true and false"
        )
    if origin.layout == "long":
        if origin.stated:
            return "you said which column is what, or that it is a long table"
        return f"its columns say so: {_named(origin)}"
    if origin.layout == "list" and origin.item is not None:
        held = f"the column '{origin.item}' holds lists"
        return held if origin.record is None else f"{held}, and '{origin.record}' an id for each row"
    if origin.layout == "list":
        return "every entry is a list of items"
    if origin.stated:
        return "you said that every line is a basket"
    if origin.layout == "fimi":
        known = origin.path is not None and format_of_name(origin.path) == "fimi"
        return "its name says that items are apart by blanks" if known else "nothing but blanks cuts its lines"
    cut = f"{delimiter_name(origin.delimiter)} cut its lines"
    return f"{cut}, and nothing in them looks like a header, an id or a table"


def _named(origin: Origin) -> str:
    parts = []
    if origin.record is not None and is_record_name(origin.record):
        parts.append(f"'{origin.record}' is called like a person or record")
    if origin.item is not None and is_item_name(origin.item):
        parts.append(f"'{origin.item}' like an item" if parts else f"'{origin.item}' is called like an item")
    return ", and ".join(parts) or "there are just two"


def _why_table(table: Table) -> str:
    origin = table.origin
    if origin.format == "csv":
        return f"the first line names the columns, and {delimiter_name(origin.delimiter)} cut it"
    return "the columns have their names and types from the source"


def _basket_doubts(baskets: Baskets) -> list[str]:
    found = []
    origin = baskets.origin
    others = [name for name in origin.unused if is_record_name(name)]
    if origin.layout == "long" and others:
        stated = f"record={others[0]!r}" if origin.path is None else f"--record {others[0]}"
        found.append(
            f"{_columns(others)} may tell people apart, too. One person is one value of '{origin.record}' here; if "
            f"that is not so, one person would be counted as several, or several as one: state {stated}."
        )
    if len(baskets) > 1 and origin.layout in ("baskets", "fimi") and int(baskets.lengths.max()) < 2:
        found.append(
            "No record holds more than one item, so that nothing can be inferred from others: is it cut rightly?"
        )
    used = [name for name, support in zip(baskets.names, baskets.supports.tolist(), strict=True) if support]
    void = [name for name in used if name.casefold() in LIKE_MISSING]
    if void:
        said = ", ".join(f"'{name}'" for name in void)
        state = " ".join(f"--null '{name}'" for name in void)
        found.append(f"There are items called {said}: if that stands for a missing value, say so: {state}.")
    same = twins(used)
    if same:
        found.append(f"{_alike(sum(map(len, same)), 'item')}.")
    return found


def _table_doubts(table: Table) -> list[str]:
    found = []
    voids: dict[tuple[str, ...], list[str]] = {}  # texts that may stand for a missing value: the columns that hold them
    for column in table.columns:
        held = len(column) - column.lacking
        if is_record_name(column.name) and 1 < len(column.values) < held:
            found.append(
                f"'{column.name}' has {len(column.values):,} values in {held:,} rows. If one value is one person, rows "
                "are not people, and people are counted several times: bring each person into one row."
            )
        texts = column.values if isinstance(column.values, tuple) else ()
        same = twins(texts)
        if same:
            found.append(f"{_alike(sum(map(len, same)), 'value', column.name)}.")
        void = tuple(text for text in texts if text.casefold() in LIKE_MISSING)
        if void:
            voids.setdefault(void, []).append(f"'{column.name}'")
    for void, names in voids.items():
        said = ", ".join(f"'{text}'" for text in void)
        state = " ".join(f"--null '{text}'" for text in void)
        hold = f"{names[0]} holds" if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]} hold"
        found.append(f"{hold} {said}: if that stands for a missing value, say so: {state}.")
    return found


def _columns(names: Sequence[str]) -> str:
    return f"The column{'' if len(names) == 1 else 's'} " + ", ".join(f"'{name}'" for name in names)


def _alike(number: int, what: str, column: str | None = None) -> str:
    of = "" if column is None else f" of '{column}'"
    return f"{number:,} {what}s{of} differ from others only in capital letters or blanks; each counts as one of its own"
