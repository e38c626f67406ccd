"""Looking at a source: both readings that there are, as baskets and as a table, and the facts about each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sordino.data.baskets import Baskets
from sordino.data.codebook import names_of, read_codebook
from sordino.data.databases.address import Address
from sordino.data.databases.read import in_database
from sordino.data.dates import are_dates
from sordino.data.how_read import how_read
from sordino.data.read import read_baskets
from sordino.data.read_table import read_table
from sordino.data.sources.bytes import Raw, open_raw
from sordino.data.sources.columns import is_item_name, is_record_name
from sordino.data.sources.parts import is_parts
from sordino.data.table import MISSING, Column, Table
from sordino.data.why_read import id_like, reading_doubts, twins, why_read
from sordino.errors import InputError
from sordino.inspection.result import Inspection
from sordino.words.names import mentioned

__all__ = ["inspect", "read_either"]

SHOWN = 20  # groups of names that are nearly the same, items that everybody has
MANY = 20  # values of a number, from which on ranges are worth a thought
Plain = dict[str, Any]


def inspect(
    data: object,
    *,
    layout: str | None = None,
    record: str | None = None,
    item: str | None = None,
    delimiter: str | None = None,
    missing: Sequence[str] | None = None,
    top: int = 5,
    labels: object = None,
) -> Inspection:
    """How `data` would be read, why, and what may not be as it seems. **What it shows are contents of records.**

    data: whatever `read_baskets` or `read_table` takes. `top` records are shown. labels: a code book. InputError if
    there is no way to read it, with the refusals of both readers.
    """
    stated = {"layout": layout, "record": record, "item": item, "delimiter": delimiter}
    form: Any = {name: value for name, value in stated.items() if value is not None}
    source = _opened(data)
    baskets, refused = _baskets(source, form | ({} if missing is None else {"missing": missing}))
    table, unfit = None, None
    asked_for_baskets = bool(form.keys() & {"layout", "record", "item"})
    if baskets.origin.layout == "long" if baskets is not None else not asked_for_baskets:
        table, unfit = _table(source, delimiter, missing)
    if baskets is None and table is None:
        assert refused is not None
        if unfit is None:
            raise refused
        raise _neither(refused, unfit)
    found: Plain = {"source": _name(source), "as": "table" if baskets is None else "baskets"}
    columns = None if table is None else [_column(column) for column in table.columns]
    found["baskets"] = _refusal(refused) if baskets is None else _about_baskets(baskets, top)
    found["table"] = None
    if table is not None or unfit is not None:
        found["table"] = _refusal(unfit) if table is None else _about_table(table, top)
    found["columns"] = columns
    found["otherwise"] = _otherwise(baskets, table, form)
    if labels is not None:
        names, said = names_of(table if baskets is None else baskets, read_codebook(labels))
        found[found["as"]]["doubts"] += said
        found["labels"] = mentioned(found, names)
    return Inspection(found)


def read_either(data: object, kind: str | None, form: Any) -> Baskets | Table:
    """Baskets if that is clear, else a table; what a policy of this kind is about, if one is stated.

    InputError if it is neither, with the refusals of both readers.
    """
    source = _opened(data)
    if kind == "inference":
        return read_baskets(source, **form)
    missing = form.get("missing")
    if kind is not None:
        return read_table(source, delimiter=form.get("delimiter"), missing=MISSING if missing is None else missing)
    baskets, refused = _baskets(source, form)
    if baskets is not None:
        return baskets
    assert refused is not None
    if form.keys() & {"layout", "record", "item"}:
        raise refused
    table, unfit = _table(source, form.get("delimiter"), missing)
    if table is None:
        assert unfit is not None
        raise _neither(refused, unfit)
    return table


def _neither(refused: InputError, unfit: InputError) -> InputError:
    also = f"As a table it cannot be read either: {unfit.what}."
    return InputError(refused.what, where=refused.where, hint="\n  ".join(filter(None, (refused.hint, also))))


def _opened(data: object) -> object:
    """The bytes of a file or of standard input, which can be read only once; databases by their address; all else as
    it is."""
    held = in_database(data)
    if held is not None:
        return held
    if isinstance(data, os.PathLike | str):
        return data if is_parts(data) else open_raw(data)
    return data


def _name(source: object) -> str | None:
    if isinstance(source, Raw):
        return "standard input" if source.path == "-" else Path(source.path).name
    if isinstance(source, Address):
        return source.where
    return os.fspath(source) if isinstance(source, str | os.PathLike) else None


def _baskets(source: object, form: Any) -> tuple[Baskets | None, InputError | None]:
    if isinstance(source, Table):
        return None, InputError("this is a table, and not baskets")
    try:
        return read_baskets(source, **form), None
    except InputError as error:
        return None, error


def _table(
    source: object, delimiter: str | None, missing: Sequence[str] | None
) -> tuple[Table | None, InputError | None]:
    try:
        return read_table(source, delimiter=delimiter, missing=MISSING if missing is None else missing), None
    except InputError as error:
        return None, error


def _refusal(error: InputError | None) -> Plain | None:
    return None if error is None else {"refused": error.what, "hint": error.hint}


def _about_baskets(baskets: Baskets, top: int) -> Plain:
    origin, lengths = baskets.origin, baskets.lengths
    everywhere = [baskets.names[k] for k in np.flatnonzero(baskets.supports == len(baskets))]
    frequent = np.argsort(-baskets.supports, kind="stable")[:top].tolist()
    used = [name for name, support in zip(baskets.names, baskets.supports.tolist(), strict=True) if support]
    text = origin.format in ("csv", "fimi", "jsonl")
    return {
        "read_as": how_read(baskets),
        "because": why_read(baskets),
        "format": origin.format,
        "layout": origin.shape or origin.layout,
        "packed": origin.packed or ("gzip" if origin.gzipped else None),
        "header": origin.layout == "long" or bool(origin.shape) if origin.format == "csv" else None,
        "delimiter": origin.delimiter if origin.format == "csv" else None,
        "encoding": "UTF-8" if text else None,
        "record": origin.record,
        "item": origin.item,
        "unused": list(origin.unused),
        "records": len(baskets),
        "empty": int((lengths == 0).sum()),
        "items": baskets.distinct_items,
        "occurrences": baskets.occurrences,
        "repeated": baskets.repeated,
        "shortest": int(lengths.min()),
        "median": int(np.sort(lengths)[len(lengths) // 2]),
        "longest": int(lengths.max()),
        "first": [
            {"id": None if baskets.ids is None else baskets.ids[u], "items": sorted(baskets.record(u))}
            for u in range(min(top, len(baskets)))
        ],
        "frequent": [[baskets.names[k], int(baskets.supports[k])] for k in frequent if baskets.supports[k]],
        "everywhere": everywhere[:SHOWN],
        "once": int((baskets.supports == 1).sum()),
        "twins": [list(group) for group in twins(used)[:SHOWN]],
        "doubts": reading_doubts(baskets),
    }


def _about_table(table: Table, top: int) -> Plain:
    origin = table.origin
    return {
        "read_as": how_read(table),
        "because": why_read(table),
        "format": origin.format,
        "packed": origin.packed or ("gzip" if origin.gzipped else None),
        "delimiter": origin.delimiter if origin.format == "csv" else None,
        "encoding": "UTF-8" if origin.format in ("csv", "jsonl") else None,
        "rows": len(table),
        "first": [
            {column.name: None if column.codes[row] < 0 else column.text(column.codes[row]) for column in table.columns}
            for row in range(min(top, len(table)))
        ],
        "doubts": reading_doubts(table),
    }


def _column(column: Column) -> Plain:
    """What a column looks like: counts, and what speaks for an id, a constant, ranges, or values that are one."""
    number, held = len(column.values), len(column) - column.lacking
    same = twins(column.values) if isinstance(column.values, tuple) else []
    words = {text.lower() for text in column.texts} if number <= 2 else set()
    marks = []
    if number == 1:
        marks.append("constant" if not column.lacking else "one value, or missing")
    elif number == 0:
        marks.append("always missing")
    elif id_like(column):
        marks.append("looks like an id" if number == held else "looks like an id that recurs")
    elif column.numeric and number > MANY:
        marks.append("a number with many values: ranges ([bins])")
    elif number > MANY and are_dates(column.texts):
        marks.append("dates with many values: a year or a month would tell less ([bins])")
    elif words in ({"0", "1"}, {"true", "false"}, {"yes", "no"}, {"y", "n"}, {"t", "f"}):
        marks.append("yes or no")
    if same:
        marks.append(f"{sum(map(len, same)):,} values differ only in capital letters or blanks")
    return {
        "name": column.name,
        "kind": column.kind,
        "values": number,
        "missing": column.lacking,
        "marks": marks,
        "twins": [list(group) for group in same[:SHOWN]],
    }


def _otherwise(baskets: Baskets | None, table: Table | None, form: Any) -> list[list[str]]:
    """The options that would read it otherwise, each with what it would mean."""
    said: list[list[str]] = []
    origin = None if baskets is None else baskets.origin
    if origin is not None and baskets is not None and origin.layout == "long" and not origin.shape:
        columns = {} if table is None else {column.name: column for column in table.columns}
        for name in origin.unused:
            known = columns.get(name)
            sizes = "" if known is None else f" ({len(known.values):,} people instead of {len(baskets):,})"
            if is_record_name(name):
                said.append([f"one value of '{name}' is one person{sizes}", f"--record '{name}'"])
            elif is_item_name(name):
                said.append([f"the items are in '{name}'", f"--item '{name}'"])
    if origin is not None and origin.format in ("csv", "fimi"):
        if origin.layout != "long":
            said.append(
                ["a row is one item of a person, below a header", "--layout long --record COLUMN --item COLUMN"]
            )
        if origin.layout != "baskets" or "delimiter" not in form:
            other = "," if origin.delimiter == ";" else ";"
            said.append(
                ["a line is a person, items apart by another character", f"--layout baskets --delimiter '{other}'"]
            )
        if origin.layout != "fimi":
            said.append(["a line is a person, items apart by blanks", "--layout fimi"])
    if table is not None:
        if any(set(map(str.lower, column.texts)) <= {"0", "1", "true", "false"} for column in table.columns):
            said.append(["a row is a person, a column an item that he has (1) or not (0)", "--layout onehot"])
        if baskets is not None:
            said.append(["a row is a person, a column a property", "a policy of kind template or diversity"])
        else:
            said += _as_long(table)
            if table.origin.format == "csv":
                said.append(["a line is a person's items, without a header", "--layout baskets"])
    return said


def _as_long(table: Table) -> list[list[str]]:
    """How a table would be read as one item of a person a row: with the columns that are called like that, if any."""
    people = [column for column in table.columns if is_record_name(column.name)]
    item = next((column.name for column in table.columns if is_item_name(column.name)), None)
    if item is None or not people:
        return [["a row is one item of a person", "--layout long --record COLUMN --item COLUMN"]]
    return [
        [
            f"a row is one item, and one value of '{column.name}' is one person ({len(column.values):,} people)",
            f"--layout long --record '{column.name}' --item '{item}'",
        ]
        for column in people
    ]
