"""Tables as CSV: a header, then a row a line; fields apart by commas, semicolons, tabs or bars."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sordino.data.sources.coded import BLANKS
from sordino.data.sources.delimiters import DELIMITERS, checked_delimiter
from sordino.data.sources.table_arrow import code_text
from sordino.data.sources.text import strict_rows
from sordino.data.table import TEXT, Column, TableOrigin
from sordino.errors import InputError, did_you_mean

__all__ = ["read_csv_table"]

SNIFFED = 1 << 16  # bytes looked at to find the delimiter and the manner of writing


def read_csv_table(
    data: bytes, delimiter: str | None, missing: Sequence[str], kinds: Mapping[str, str], where: str
) -> tuple[tuple[Column, ...], TableOrigin]:
    """The columns of CSV text (UTF-8, LF line ends); the delimiter is found if it is not stated."""
    if not data or data.isspace():
        raise InputError("there are no rows: the file is empty", where=where)
    end = data.find(b"\n")
    first = data[: end if end >= 0 else len(data)]
    if delimiter is None:
        delimiter = max(DELIMITERS, key=lambda d: len(_fields(first, d)))
    else:
        delimiter = checked_delimiter(delimiter, where)
    header = _header(first, delimiter, where)
    for name in kinds:
        if name not in header:
            raise InputError(f"there is no column '{name}'.{did_you_mean(name, header)}", where=where)
    body = data[end + 1 :] if end >= 0 else b""
    if not body or body.isspace():
        raise InputError("there are no rows, only a header", where=where)
    # Arrow does not see quotation marks after a blank, nor that the last one is left open.
    read = _read_by_python if body.count(b'"') % 2 or f'{delimiter} "'.encode() in body else _read_by_arrow
    arrays = read(data, body, delimiter, len(header), where)
    columns = tuple(code_text(n, a, missing, kinds.get(n)) for n, a in zip(header, arrays, strict=True))
    _check_header_once(columns, where)
    blank = (_all_blank(first, delimiter), _all_blank(body[:SNIFFED].rpartition(b"\n")[0] or body, delimiter))
    stated = tuple(sorted(kinds.items()))
    return columns, TableOrigin(format="csv", delimiter=delimiter, blank=blank, missing=tuple(missing), kinds=stated)


def _check_header_once(columns: Sequence[Column], where: str) -> None:
    """InputError if the header stands once more among the rows, or if its fields are values of their columns."""
    named = [column for column in columns if column.kind == TEXT and column.name in column.code_of]
    if len(named) == len(columns):
        again = np.all([column.codes == column.code_of[column.name] for column in columns], axis=0)
        if again.any():
            raise InputError(
                "the header stands there once more",
                where=f"{where}, row {int(np.argmax(again)) + 1}",
                hint="Were files put together? Remove all headers but the first.",
            )
    if len(named) > 1 and 2 * len(named) >= len(columns):
        raise InputError(
            f"the first line does not look like a header: {len(named):,} of its {len(columns):,} fields are found "
            "again in their columns",
            where=f"{where}, line 1",
            hint="The first line must name the columns.",
        )


def _all_blank(text: bytes, delimiter: str) -> bool:
    """Whether a blank follows every delimiter."""
    mark = delimiter.encode()
    return 0 < text.count(mark) == text.count(mark + b" ")


def _fields(line: bytes, delimiter: str) -> list[str]:
    try:
        row = next(csv.reader([line.decode()], delimiter=delimiter, skipinitialspace=True, strict=True), [])
    except csv.Error:
        return []
    return [field.strip(BLANKS) for field in row]


def _header(line: bytes, delimiter: str, where: str) -> list[str]:
    header = _fields(line, delimiter)
    at = f"{where}, line 1"
    if not line.strip():
        raise InputError("the first line is empty, where the header should be", where=at)
    if not header or any(name.count('"') % 2 for name in header):
        raise InputError("the header cannot be read: a quotation mark is left open", where=at)
    if not all(header):
        raise InputError("a column has no name", where=at, hint="The first line must name the columns.")
    if len(set(header)) < len(header):
        double = next(name for name in header if header.count(name) > 1)
        if _number(double):
            raise InputError("the first line does not look like a header: a field repeats", where=at)
        raise InputError(f"there is more than one column '{double}'", where=at)
    if sum(map(_number, header)) * 2 > len(header):
        raise InputError(
            "the first line does not look like a header: most of its fields are numbers",
            where=at,
            hint="The first line must name the columns.",
        )
    return header


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read_by_arrow(data: bytes, body: bytes, delimiter: str, width: int, where: str) -> list[Any]:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    del data
    names = [str(k) for k in range(width)]
    quotes = b'"' in body
    text = pa.dictionary(pa.int32(), pa.large_string())

    def table(threads: bool, handler: Any) -> Any:
        return arrow_csv.read_csv(
            pa.py_buffer(body),
            arrow_csv.ReadOptions(use_threads=threads, block_size=16 << 20, column_names=names),
            arrow_csv.ParseOptions(
                delimiter=delimiter,
                quote_char='"' if quotes else False,
                newlines_in_values=quotes,
                ignore_empty_lines=width > 1,
                invalid_row_handler=handler,
            ),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, text), strings_can_be_null=False),
        )

    try:
        return list(table(True, None).columns)
    except pa.ArrowInvalid:  # its text quotes the row
        pass
    wrong: list[tuple[int, int]] = []

    def note(row: Any) -> str:
        wrong.append((row.number, row.actual_columns))
        return "skip"

    try:
        table(False, note)
    except pa.ArrowInvalid:
        raise InputError("this is not well-formed CSV: is a quotation mark left open?", where=where) from None
    number, found = wrong[0]
    raise InputError(
        f"wrong columns: the header has {width} fields, this row has {found}", where=f"{where}, row {number}"
    )


def _read_by_python(data: bytes, body: bytes, delimiter: str, width: int, where: str) -> list[Any]:
    """Slower and stricter about quotation marks."""
    import pyarrow as pa

    del body
    rows = [(line, row) for line, row in strict_rows(data, delimiter, where)[1:] if row]
    for line, row in rows:
        if len(row) != width:
            raise InputError(
                f"wrong columns: the header has {width} fields, this row has {len(row)}", where=f"{where}, line {line}"
            )
    return [pa.array([row[k] for _, row in rows], type=pa.large_string()) for k in range(width)]
