"""Long CSV: a header, then a row for every (record, item) pair."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

import numpy as np

from sordino.data.baskets import Int64, Origin
from sordino.data.sources.arrow import code_column
from sordino.data.sources.coded import Coded, Values, code_values, grouped, without_blanks
from sordino.data.sources.columns import is_item_name, is_record_name, long_columns, which_person
from sordino.data.sources.delimiters import DELIMITERS
from sordino.data.sources.text import blocks, strict_rows
from sordino.errors import InputError

__all__ = ["has_long_header", "read_long_csv"]


def has_long_header(data: bytes, where: str, delimiter: str | None = None) -> bool:
    """Whether the first line is two fields, one named like a record and one like an item.

    Fields without a name do not count: frames write such a column for their index, spreadsheets an empty last one. A
    longer first line with just one name of each sort is neither clearly a header nor clearly a basket: InputError.
    """
    fields = [field for field in _header(data, None, None, delimiter)[0] if field]
    records = sum(map(is_record_name, fields))
    items = sum(map(is_item_name, fields))
    if len(fields) == 2:
        return any(is_record_name(a) and is_item_name(b) for a, b in (fields, fields[::-1]))
    if len(fields) > 2 and records > 1 and items == 1:
        people = [field for field in fields if is_record_name(field)]
        raise InputError(
            f"the first line looks like a header; {records:,} columns may tell people apart: {', '.join(people)}",
            where=f"{where}, line 1",
            hint=which_person(people, where),
        )
    if len(fields) > 2 and records == 1 and items == 1:
        raise InputError(
            "the first line looks like the header of a table with more than two columns",
            where=f"{where}, line 1",
            hint="Say which columns to use with --record and --item, or that there is no header with --layout baskets.",
        )
    return False


def read_long_csv(
    data: bytes, record: str | None, item: str | None, where: str, stated: str | None = None
) -> tuple[Coded, Origin]:
    """Records in order of first appearance; a row with an empty item only declares its record.

    The delimiter is found unless it is stated.
    """
    if not data.strip():
        raise InputError("there are no records: the file is empty", where=where)
    header, delimiter = _header(data, record, item, stated)
    named = [field for field in header if field]
    if not {record, item} <= set(named) and (not named or any(field.isdecimal() for field in named)):
        raise _no_header("a column name is empty or a number", where)
    if len(header) < 2:
        raise InputError("the long layout needs at least two columns", where=f"{where}, line 1")
    guessed = record is None and item is None and not any(is_record_name(f) or is_item_name(f) for f in named)
    if guessed and _recurs(named, data, delimiter):
        raise _no_header("its fields are found again further down", where)
    try:
        record, item = long_columns(named, record, item, where)
    except InputError:
        # The message lists the columns; if the first line is in truth a record, it must not be shown.
        if _recurs(named, data, delimiter):
            raise _no_header("its fields are found again further down", where) from None
        raise
    columns = (header.index(record), header.index(item))
    parse = _quoted_columns if b'"' in data else _plain_columns
    ids, items, lines = parse(data, delimiter, len(header), columns, where)
    ids, items = without_blanks(ids), without_blanks(items)
    again = _header_again(ids, items, record, item)
    if again is not None:
        raise InputError(
            "the header stands there once more",
            where=f"{where}, line {lines[again]}",
            hint="Were files put together? Remove all headers but the first.",
        )
    origin = Origin(
        format="csv",
        layout="long",
        record=record,
        item=item,
        delimiter=delimiter,
        unused=tuple(name for name in named if name not in (record, item)),
    )
    return grouped(ids, items, lambda row: f"{where}, line {lines[row]}"), origin


def _header_again(ids: Values, items: Values, record: str, item: str) -> int | None:
    """The first row that is the header again."""
    if record not in ids.names or item not in items.names:
        return None
    again = (ids.codes == ids.names.index(record)) & (items.codes == items.names.index(item))
    return int(np.argmax(again)) if again.any() else None


def _header(data: bytes, record: str | None, item: str | None, delimiter: str | None = None) -> tuple[list[str], str]:
    """The fields of the first line, and the delimiter under which they make most sense (a comma if in doubt)."""
    line = data[: data.find(b"\n")] if b"\n" in data else data
    if delimiter is not None:
        return _fields(line.decode("utf-8"), delimiter), delimiter
    stated = {record, item} - {None}

    def sense(found: tuple[list[str], str]) -> tuple[int, int, int]:
        fields, _ = found
        known = sum(is_record_name(field) or is_item_name(field) for field in fields)
        return len(stated.intersection(fields)), known, len(fields)

    return max(((_fields(line.decode("utf-8"), delimiter), delimiter) for delimiter in DELIMITERS), key=sense)


def _recurs(header: Sequence[str], data: bytes, delimiter: str) -> bool:
    """Whether a field of the first line is also a whole field of a later line."""
    field = "|".join(map(re.escape, header)).encode()
    edge = re.escape(delimiter).encode() + b"\n"
    whole = re.compile(rb"[%b][ \t]*\"?(?:%b)\"?[ \t]*(?:[%b]|$)" % (edge, field, edge))
    return whole.search(data, data.find(b"\n")) is not None


def _no_header(why: str, where: str) -> InputError:
    return InputError(
        f"the first line does not look like a header ({why})",
        where=f"{where}, line 1",
        hint="The long layout needs a header line; for one basket a line use --layout baskets.",
    )


def _fields(line: str, delimiter: str) -> list[str]:
    try:
        row = next(csv.reader([line], delimiter=delimiter, skipinitialspace=delimiter != "\t", strict=True), [])
    except csv.Error:
        return []
    return [field.strip() for field in row]


def _quoted_columns(
    data: bytes, delimiter: str, width: int, columns: Sequence[int], where: str
) -> tuple[Values, Values, Sequence[int]]:
    """The two columns and the line of each row, by Python's CSV reader."""
    rows = [(line, row) for line, row in strict_rows(data, delimiter, where)[1:] if row]
    for line, row in rows:
        if len(row) != width:
            raise _ragged(width, len(row), f"{where}, line {line}")
    lines = [line for line, _ in rows]
    ids, items = (code_values([row[k] for _, row in rows], "field", lambda row: f"row {row}") for k in columns)
    return ids, items, lines


def _plain_columns(
    data: bytes, delimiter: str, width: int, columns: Sequence[int], where: str
) -> tuple[Values, Values, Int64]:
    """The two columns and the line of each row, for text without quotes."""
    lines = _check_widths(data, delimiter, width, where)
    if len(lines) == 0:
        none = Values(np.empty(0, dtype=np.int64), [])
        return none, none, lines
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = [f"f{k}" for k in range(width)]
    chosen = [names[k] for k in columns]
    table = arrow_csv.read_csv(
        pa.py_buffer(data),
        arrow_csv.ReadOptions(use_threads=False, block_size=32 << 20, skip_rows=1, column_names=names),
        arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False),
        arrow_csv.ConvertOptions(
            column_types={name: pa.large_string() for name in chosen}, include_columns=chosen, strings_can_be_null=False
        ),
    )
    ids, items = (code_column(table.column(name), "field", where) for name in chosen)
    return ids, items, lines


def _check_widths(data: bytes, delimiter: str, width: int, where: str) -> Int64:
    """The numbers of the lines that hold rows, after making sure that each has `width` fields."""
    before, parts = 0, [np.empty(0, dtype=np.int64)]
    for block in blocks(data):
        text = np.frombuffer(block, dtype=np.uint8)
        ends = np.flatnonzero(text == ord("\n"))
        if text[-1] != ord("\n"):
            ends = np.append(ends, len(text))
        filled = np.diff(ends, prepend=-1) > 1
        delimiters = np.flatnonzero(text == ord(delimiter))
        widths = np.diff(np.searchsorted(delimiters, ends), prepend=0) + 1
        wrong = np.flatnonzero(filled & (widths != width))
        if len(wrong):
            raise _ragged(width, int(widths[wrong[0]]), f"{where}, line {before + wrong[0] + 1}")
        parts.append(np.flatnonzero(filled) + (before + 1))
        before += len(ends)
    return np.concatenate(parts)[1:]


def _ragged(width: int, found: int, where: str) -> InputError:
    return InputError(f"wrong columns: the header has {width} fields, this row has {found}", where=where)
