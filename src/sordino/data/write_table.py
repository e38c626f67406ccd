"""Writing tables back in the form they came in: same format, columns, order and compression."""

from __future__ import annotations

import gzip
import io
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sordino.data.table import TEXT, Column, Table, TableOrigin
from sordino.errors import InputError

__all__ = [
    "ParquetColumn",
    "arrow_cells",
    "arrow_codes",
    "arrow_table",
    "encoded_table",
    "is_natural",
    "parquet_columns",
    "table_file_name",
    "table_format",
    "write_table",
]

EXTENSION = {"csv": "csv", "parquet": "parquet", "jsonl": "jsonl"}
BLOCK = 1 << 16  # rows joined to text at a time


def table_format(origin: TableOrigin) -> str:
    """The format in which a table of this origin is written: its own; Parquet if it has none."""
    return origin.format if origin.format in EXTENSION else "parquet"


def table_file_name(origin: TableOrigin) -> str:
    """The name under which a table of this origin is published: "data.csv", "data.parquet" and so on."""
    return f"data.{EXTENSION[table_format(origin)]}{'.gz' if origin.gzipped else ''}"


def write_table(table: Table, path: str | os.PathLike[str], *, like: TableOrigin | None = None) -> None:
    """Write a table in the form of `like`, by default its own. The bytes depend on the table and the form only.

    Cells that were not changed read back as they were. A column of a typed format keeps its type, unless some cell of
    it became a text that it cannot hold (a suppression symbol, a range): then it is a column of texts. In JSON only the
    changed cells become texts.
    """
    data = encoded_table(table, like)
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", where=os.fspath(path)) from None


def encoded_table(table: Table, like: TableOrigin | None = None) -> bytes:
    """The bytes that `write_table` writes."""
    form = like or table.origin
    data = {"csv": _csv, "parquet": _parquet, "jsonl": _jsonl}[table_format(form)](table, form)
    if not form.gzipped:
        return data
    sink = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=sink, mtime=0) as file:
        file.write(data)
    return sink.getvalue()


def _csv(table: Table, form: TableOrigin) -> bytes:
    between = form.delimiter + (" " if form.blank[1] else "")
    end = "\r\n" if form.crlf else "\n"
    # A quotation mark after a blank is taken for a letter by most readers.
    if form.blank[1] and any(_needs_quotes(text, form) for text in _all_texts(table)):
        between = form.delimiter
    names = [_field(column.name, form, column.name) for column in table.columns]
    heading = (form.delimiter + (" " if form.blank[0] and '"' not in "".join(names) else "")).join(names)
    columns = []
    for column in table.columns:
        # A column that has become text must read back as its texts, so its numbers lose their spelling.
        spelled = column.kind != TEXT and isinstance(column.written, tuple)
        texts = column.written if spelled else column.texts
        fields = [_field(text, form, column.name) for text in texts]
        fields.append(_void(column, form, single=len(table.columns) == 1))
        columns.append((np.array(fields, dtype=object), column.codes))
    parts = [heading + end]
    for start in range(0, len(table), BLOCK):
        lists = [fields[codes[start : start + BLOCK]].tolist() for fields, codes in columns]
        parts.append(end.join(map(between.join, zip(*lists, strict=True))) + end)
    return "".join(parts).encode("utf-8")


def _all_texts(table: Table) -> Any:
    return (text for column in table.columns for text in column.texts)


def _needs_quotes(text: str, form: TableOrigin) -> bool:
    return form.delimiter in text or '"' in text or "\n" in text


def _field(text: str, form: TableOrigin, name: str) -> str:
    if "\r" in text or "\0" in text:
        raise InputError(f"CSV cannot hold the control characters that are in the column '{name}'")
    return '"' + text.replace('"', '""') + '"' if _needs_quotes(text, form) else text


def _void(column: Column, form: TableOrigin, *, single: bool) -> str:
    """How a missing value of the column is written; a field that would leave a line empty is quoted."""
    if column.missing is not None:
        return _field(column.missing, form, column.name)
    if "" in form.missing or not form.missing:
        return '""' if single else ""
    return form.missing[0]


def _jsonl(table: Table, form: TableOrigin) -> bytes:
    del form
    columns = []
    for column in table.columns:
        literals = [_literal(column, code) for code in range(len(column.values))]
        literals.append("null" if column.missing is None else _json(column.missing))
        fields = [f"{_json(column.name)}: {literal}" for literal in literals]
        columns.append((np.array(fields, dtype=object), column.codes))
    parts = []
    for start in range(0, len(table), BLOCK):
        lists = [fields[codes[start : start + BLOCK]].tolist() for fields, codes in columns]
        parts += [f"{{{', '.join(row)}}}\n" for row in zip(*lists, strict=True)]
    return "".join(parts).encode("utf-8")


def _literal(column: Column, code: int) -> str:
    own = column.written[code] if isinstance(column.written, tuple) else None
    if own is not None:
        return str(own)
    return column.texts[code] if column.numeric else _json(column.texts[code])


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _parquet(table: Table, form: TableOrigin) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    written, natural = parquet_columns(table.columns, form)
    made = pa.table([column.cells() for column in written], schema=pa.schema([column.field for column in written]))
    sink = io.BytesIO()
    parquet.write_table(made, sink, compression="snappy", store_schema=not natural)
    return sink.getvalue()


@dataclass(frozen=True)
class ParquetColumn:
    """How a column is written to Parquet: its field, and its rows as indices into values."""

    field: Any
    indices: Any
    values: Any

    def cells(self, rows: Any = None) -> Any:
        """The column, or these rows of it, as an Arrow array."""
        import pyarrow as pa

        indices = self.indices if rows is None else self.indices.take(pa.array(rows))
        if pa.types.is_dictionary(self.field.type):
            return pa.DictionaryArray.from_arrays(indices, self.values)
        return self.values.take(indices)


def parquet_columns(columns: Sequence[Column], form: TableOrigin) -> tuple[list[ParquetColumn], bool]:
    """How these columns are written in the form of a source; and whether the file needs no note on their types."""
    import pyarrow as pa

    known = {} if form.schema is None else {field.name: field for field in form.schema}
    stated = [known.get(column.name) for column in columns]
    coded = [arrow_codes(column, field) for column, field in zip(columns, stated, strict=True)]
    asked = [field is not None and pa.types.is_dictionary(field.type) for field in stated]
    # Texts are written from their codes, which is faster. Readers see no difference, unless a note on Arrow types
    # goes with the file; it must, if there are types that Parquet alone does not tell apart.
    natural = not any(asked) and all(is_natural(values.type) for _, values in coded)
    written = []
    for column, field, keep, (indices, values) in zip(columns, stated, asked, coded, strict=True):
        as_codes = keep or (natural and _is_text(values.type))
        type_ = pa.dictionary(indices.type, values.type) if as_codes else values.type
        nullable = field is None or field.nullable or indices.null_count > 0
        written.append(ParquetColumn(pa.field(column.name, type_, nullable=nullable), indices, values))
    return written, natural


def arrow_table(table: Table) -> Any:
    """A table as an Arrow table, its columns of the types that they came in, as far as their cells allow it."""
    import pyarrow as pa

    known = {} if table.origin.schema is None else {field.name: field for field in table.origin.schema}
    columns = {}
    for column in table.columns:
        indices, values = arrow_codes(column, known.get(column.name))
        columns[column.name] = values.take(indices)
    return pa.table(columns)


def arrow_cells(table: Table) -> Any:
    """The same with null for what is missing, however it was written."""
    return arrow_table(replace(table, columns=tuple(replace(column, missing=None) for column in table.columns)))


def is_natural(type_: Any) -> bool:
    """Whether a type comes back from Parquet as it went in, without a note."""
    import pyarrow as pa

    return type_ in (pa.string(), pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.bool_(), pa.date32())


def arrow_codes(column: Column, field: Any) -> tuple[Any, Any]:
    """The column as indices and values of its field's type, or texts if it holds what that type cannot."""
    import pyarrow as pa

    column = column.replaced(column.codes)  # values that are in no row must not be in the dictionary of the file
    typed = column.written is not None and not isinstance(column.written, tuple)
    values = column.written if typed else _values(column)
    type_ = values.type
    if field is not None:
        plain = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        plain = pa.string() if pa.types.is_string_view(plain) else plain
        type_ = plain if plain == values.type or (_is_text(plain) and _is_text(values.type)) else type_
        values = values.cast(type_)
    codes = column.codes
    if column.missing is not None and (codes < 0).any():
        void = pa.array([float("nan") if pa.types.is_floating(type_) else column.missing], type=type_)
        values = pa.concat_arrays([values, void])
        codes = np.where(codes < 0, len(values) - 1, codes)
    return pa.array(codes, type=pa.int32(), mask=codes < 0), values


def _values(column: Column) -> Any:
    import pyarrow as pa

    if isinstance(column.values, tuple):
        return pa.array(column.values, type=pa.string())
    return pa.array(column.values)


def _is_text(type_: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_))
