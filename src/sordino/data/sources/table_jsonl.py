"""Tables as JSON lines: an object a line; a field that a line lacks is null."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from sordino.data.sources.jsonl import TwiceError, no_constant, only_once
from sordino.data.sources.table_arrow import arrow_columns
from sordino.data.table import TEXT, Column, TableOrigin
from sordino.errors import InputError

__all__ = ["read_jsonl_table"]

LONG = re.compile(rb"(?<![\d.])\d{16,}(?![\d.eE])")  # a whole number that floating-point numbers may not tell apart
PLAIN = (str, int, float, bool, type(None))


def read_jsonl_table(data: bytes, missing: Sequence[str], where: str) -> tuple[tuple[Column, ...], TableOrigin]:
    """The columns of JSON lines, in order of first appearance.

    Arrow reads columns of one type each. Where a column mixes numbers and texts, as it does once cells are
    suppressed, Python's parser reads the file again and that column is text.
    """
    if not data or data.isspace():
        raise InputError("there are no rows: the file is empty", where=where)
    import pyarrow as pa
    from pyarrow import json as arrow_json

    origin = TableOrigin(format="jsonl", missing=tuple(missing))
    options = arrow_json.ReadOptions(use_threads=True, block_size=max(16 << 20, _longest_line(data) + 1))
    try:
        # Timestamps are texts in JSON, and shall be written back as they were.
        table = arrow_json.read_json(pa.py_buffer(data), options)
    except (pa.ArrowException, ValueError):
        return _by_python(data, missing, where), origin
    types = table.schema.types
    if any(pa.types.is_timestamp(type_) or pa.types.is_null(type_) for type_ in types) or (
        any(map(pa.types.is_floating, types)) and LONG.search(data)
    ):
        return _by_python(data, missing, where), origin
    if any(pa.types.is_floating(type_) and not _finite(table.column(k)) for k, type_ in enumerate(types)):
        return _by_python(data, missing, where), origin  # which says what is wrong with them
    if not all(_once_a_row(table, name, data) for name in table.column_names):
        return _by_python(data, missing, where), origin  # Arrow takes the last of fields that stand twice
    columns = arrow_columns(table, missing, where)
    return tuple(_literals(column) for column in columns), origin


def _finite(column: Any) -> bool:
    from pyarrow import compute

    return compute.all(compute.is_finite(column)).as_py() is not False


def _once_a_row(table: Any, name: str, data: bytes) -> bool:
    """Whether it is sure that a field stands once in every object: as often as there are rows, and never lacking."""
    key = json.dumps(name, ensure_ascii=False).encode()
    if data.count(key) != table.num_rows:
        return False
    lacking = table.column(name).null_count
    return not lacking or len(re.findall(re.escape(key) + rb"\s*:\s*null", data)) == lacking


def _longest_line(data: bytes) -> int:
    ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n"))
    return int(np.diff(ends, prepend=-1, append=len(data)).max())


def _literals(column: Column) -> Column:
    """The column with its values as JSON writes them."""
    literals = tuple(json.dumps(value, ensure_ascii=False) for value in column.written.to_pylist())
    return Column(column.name, column.codes, column.values, column.kind, literals, column.missing)


def _by_python(data: bytes, missing: Sequence[str], where: str) -> tuple[Column, ...]:
    import pyarrow as pa

    rows = _objects(data, where)
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    if not names:
        raise InputError("the objects have no fields", where=where)
    columns = []
    for name in names:
        cells = [row.get(name) for _, row in rows]
        types = set(map(type, cells)) - {type(None)}
        if types <= {int} or types <= {int, float} or types <= {bool}:
            try:
                column = arrow_columns(pa.table({name: pa.array(cells)}), missing, where)[0]
                columns.append(_literals(column))
                continue
            except (pa.ArrowException, OverflowError):
                pass  # whole numbers beyond 64 bits
        columns.append(_texts(name, cells, missing))
    return tuple(columns)


def _objects(data: bytes, where: str) -> list[tuple[int, dict[str, Any]]]:
    rows = []
    for number, line in enumerate(data.decode("utf-8").split("\n"), start=1):
        if not line or line.isspace():
            continue
        at = f"{where}, line {number}"
        try:
            value = json.loads(line, object_pairs_hook=only_once, parse_constant=no_constant)
        except TwiceError:
            raise InputError("a field stands twice in one object", where=at) from None
        except (ValueError, RecursionError):
            raise InputError("the line is not well-formed JSON", where=at) from None
        if not isinstance(value, dict):
            raise InputError("the line is not a JSON object", where=at, hint="A row is an object: one field a column.")
        wrong = next((name for name, cell in value.items() if not isinstance(cell, PLAIN)), None)
        if wrong is not None:
            raise InputError(f"the field '{wrong}' is a list or an object, not one plain value", where=at)
        if any(isinstance(cell, float) and not math.isfinite(cell) for cell in value.values()):
            raise InputError("a number is beyond what floating-point numbers can hold", where=at)
        rows.append((number, value))
    return rows


def _texts(name: str, cells: Sequence[Any], missing: Sequence[str]) -> Column:
    """A text column; cells that were numbers stay numbers when they are written."""
    void = frozenset(missing)
    spelled: dict[str, str] = {}
    shown: list[str | None] = []
    blanks: dict[str, int] = {}
    for cell in cells:
        text = cell if isinstance(cell, str) else None if cell is None else json.dumps(cell)
        if text is None or text in void:
            shown.append(None)
            if text is not None:
                blanks[text] = blanks.get(text, 0) + 1
            continue
        spelled.setdefault(text, json.dumps(cell, ensure_ascii=False))
        shown.append(text)
    column = Column.of_texts(name, shown)
    blank = max(blanks, key=blanks.__getitem__, default=None)
    return Column(name, column.codes, column.values, TEXT, tuple(spelled[t] for t in column.texts), blank)
