"""Reading tables: from a file, standard input, a database, or an object in Python."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from sordino.data.databases.address import Address
from sordino.data.databases.read import Queried, found_in_database, in_database
from sordino.data.sources.arrow import INDEX_COLUMN
from sordino.data.sources.bytes import Raw, open_raw, sniff_binary, text_of
from sordino.data.sources.coded import look_alike
from sordino.data.sources.frames import is_frame
from sordino.data.sources.parquet import check_parquet_size
from sordino.data.sources.parts import Parts, is_parts, open_parts
from sordino.data.sources.table_arrow import arrow_columns, code_typed
from sordino.data.sources.table_csv import read_csv_table
from sordino.data.sources.table_jsonl import read_jsonl_table
from sordino.data.table import INTEGER, MISSING, REAL, TEXT, Column, Table, TableOrigin
from sordino.errors import InputError

__all__ = ["checked_table", "read_table"]

STATED = (TEXT, INTEGER, REAL)  # the kinds a user can state for a column of a text format


def read_table(
    source: object,
    *,
    query: str | None = None,
    table: str | None = None,
    delimiter: str | None = None,
    missing: Sequence[str] = MISSING,
    kinds: Mapping[str, str] | None = None,
    columns: Collection[str] | None = None,
) -> Table:
    """A table from a path ("-" is standard input), a database, a frame, dicts in a list, lists in a dict, a Table.

    The format follows from the extension, before any `.gz`, `.zst`, `.bz2`, `.xz` or `.zip`: `.csv`, `.tsv`, `.data`
    and `.txt` are CSV, `.parquet` and `.pq` Parquet, `.jsonl`, `.ndjson` and `.json` JSON lines, `.xlsx` an Excel
    workbook; under other names the content tells. A folder of Parquet files is one table. "FILE.xlsx#SHEET" and
    "FILE.zip#NAME" take one of several, "s3://bucket/file" and its sisters are read through Arrow's file systems. CSV
    has a header; its delimiter (comma, semicolon, tab, |) is found if it is not stated; blanks around a field do not
    count.
    A database is postgresql://USER@HOST/NAME, a file of DuckDB or SQLite, or a connection that is open (ADBC, DB-API,
    DuckDB), with the `query` or the `table` in it; or an address that says these itself: "duckdb:FILE?table=NAME",
    "sqlite:FILE?query=SQL"; "duckdb:?query=SQL" queries files. It is only read. A DuckDB relation, a pandas or polars
    frame, an Ibis table and whatever else speaks Arrow can be passed as it is.

    **Missing values.** Null and NaN are missing; so is a text that equals one of `missing` (by default an empty field,
    "?", "NA" and "null"). Wherever rows are counted, missing is a value of its own: rows that lack a value agree with
    each other. It is written back as the column's most frequent way to write it.

    **Kinds.** Typed formats keep their types. A CSV column is integer if every value is a whole number as programs
    write it, real if every value is a decimal number, else text: "007" is text. `kinds` (column -> "text", "integer",
    "real") states it otherwise.

    `columns` tells which columns will be looked at; others may be left out where that saves time.

    Raises InputError, with file and line or row but without cell contents, for whatever cannot be accepted.
    """
    missing, kinds = _options(missing, kinds)
    held = in_database(source, query, table)
    if held is not None:
        _unused("a database", delimiter=delimiter, kinds=kinds or None)
        return _from_database(held, missing)
    if isinstance(source, Table):
        return source
    if isinstance(source, (str, os.PathLike, Raw)):
        if not isinstance(source, Raw) and is_parts(source):
            _unused("a folder of Parquet files", delimiter=delimiter, kinds=kinds or None)
            return _from_parts(open_parts(source), missing, columns)
        raw = source if isinstance(source, Raw) else open_raw(source)
        read, origin = _read_raw(raw, delimiter, missing, kinds, columns)
        origin = replace(origin, path=raw.path, gzipped=raw.gzipped, sha256=raw.sha256, packed=raw.packed)
        return checked_table(read, origin, raw.where)
    _unused("objects in Python", delimiter=delimiter, kinds=kinds or None)
    arrow = _arrow(source)
    return checked_table(arrow_columns(arrow, missing, None), TableOrigin(missing=missing, schema=arrow.schema), None)


def _options(missing: Sequence[str], kinds: Mapping[str, str] | None) -> tuple[tuple[str, ...], Mapping[str, str]]:
    if isinstance(missing, str) or not all(isinstance(text, str) for text in missing):
        raise InputError('missing must be a list of texts, for example ("?", "")')
    for name, kind in (kinds or {}).items():
        if kind not in STATED:
            raise InputError(f"'{kind}' is no kind for the column '{name}'", hint=f"Kinds: {', '.join(STATED)}.")
    return tuple(missing), dict(kinds or {})


def _unused(what: str, **stated: object) -> None:
    """InputError if an option is stated that does not matter for such a source: it would be ignored."""
    wrong = [name for name, value in stated.items() if value is not None]
    if wrong:
        raise InputError(f"{', '.join(wrong)} cannot be stated for {what}")


def _read_raw(
    raw: Raw,
    delimiter: str | None,
    missing: Sequence[str],
    kinds: Mapping[str, str],
    wanted: Collection[str] | None,
) -> tuple[tuple[Column, ...], TableOrigin]:
    format_ = (None if raw.format == "fimi" else raw.format) or sniff_binary(raw.data) or "csv"
    if raw.delimiter is not None:
        _unused("a workbook", delimiter=delimiter)
        delimiter = raw.delimiter
    if kinds and format_ != "csv":
        raise InputError(f"kinds are for CSV; {format_} has types of its own", where=raw.where)
    if delimiter is not None and format_ != "csv":
        raise InputError(f"a delimiter is for CSV, and this is {format_}", where=raw.where)
    if format_ == "parquet":
        return _read_parquet(raw, missing, wanted)
    text = text_of(raw)
    if format_ == "jsonl":
        return read_jsonl_table(text, missing, raw.where)
    columns, origin = read_csv_table(text, delimiter, missing, kinds, raw.where)
    return columns, replace(origin, crlf=b"\r\n" in raw.data[:65536])


def _read_parquet(
    raw: Raw, missing: Sequence[str], wanted: Collection[str] | None
) -> tuple[tuple[Column, ...], TableOrigin]:
    """Column by column, so that no second copy of the whole table is ever in memory; texts arrive as codes."""
    import pyarrow as pa
    from pyarrow import parquet

    # Arrow's own texts can quote values, so none is passed on.
    damaged = InputError(
        "this is not a readable Parquet file: damaged, cut short or of another format", where=raw.where
    )
    if not raw.data:
        raise InputError("there are no rows: the file is empty", where=raw.where)
    try:
        whole = parquet.ParquetFile(pa.BufferReader(raw.data))
        schema = whole.schema_arrow
        texts = [f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)]
    except (pa.ArrowException, OSError, ValueError):
        raise damaged from None
    names = schema.names
    if len(set(names)) < len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise InputError(f"there is more than one column '{double}'", where=raw.where)
    if wanted is not None:
        names = [name for name in names if name in wanted]
    check_parquet_size(whole.metadata, names, raw.where)

    def column(name: str) -> Column:
        try:
            file = parquet.ParquetFile(pa.BufferReader(raw.data), read_dictionary=texts)
            cells = file.read(columns=[name], use_threads=False).column(0)
            cells.validate(full=True)
        except (pa.ArrowException, OSError, ValueError, KeyError, IndexError):
            raise damaged from None
        return code_typed(name, cells, missing, raw.where)

    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:  # Arrow and most of NumPy let others work
        columns = list(pool.map(column, names))
    return tuple(columns), TableOrigin(format="parquet", missing=tuple(missing), schema=schema.remove_metadata())


def _from_parts(parts: Parts, missing: tuple[str, ...], wanted: Collection[str] | None) -> Table:
    names = [name for name in parts.schema.names if wanted is None or name in wanted]
    arrow = _without_index(parts.read(names))
    origin = TableOrigin(
        path=parts.name,
        format="parquet",
        missing=missing,
        schema=arrow.schema,
        sha256=parts.sha256,
        packed=parts.packed,
    )
    return checked_table(arrow_columns(arrow, missing, parts.name), origin, parts.name)


def _from_database(source: Address | Queried, missing: tuple[str, ...]) -> Table:
    arrow, where = found_in_database(source)
    origin = TableOrigin(missing=missing, schema=arrow.schema.remove_metadata())
    if isinstance(source, Address):
        path = source.file if source.system != "postgresql" else source.where
        origin = replace(origin, path=path, format=source.system)
    return checked_table(arrow_columns(arrow, missing, where), origin, where)


def _arrow(source: object) -> Any:
    """A frame or a list of dicts as an Arrow table."""
    import pyarrow as pa

    unfit = InputError(
        f"cannot read a table from an object of type {type(source).__name__}",
        hint="Pass a path, a frame, a DuckDB relation, or a list of dicts."
        + (" Of a lazy frame pass what it collects." if hasattr(source, "collect") else ""),
    )
    mixed = InputError(
        "mixed types: the data cannot be taken over as columns of one type each",
        hint="Make each column all text or all numbers.",
    )
    named = [name for name in getattr(source, "columns", ()) if isinstance(name, str)] if is_frame(source) else []
    double = next((name for name in named if named.count(name) > 1), None)
    if double is not None:  # pandas would say so in a text that quotes values
        raise InputError(f"there is more than one column '{double}'")
    try:
        if hasattr(source, "__arrow_c_stream__"):
            return _without_index(pa.RecordBatchReader.from_stream(source).read_all())
        if is_frame(source):
            return _without_index(pa.Table.from_batches([pa.record_batch(source)]))
    except (pa.ArrowException, ValueError, TypeError, OverflowError):  # their texts can quote values
        raise mixed from None
    if isinstance(source, Mapping) and all(isinstance(cells, Sequence) for cells in source.values()):
        if len({len(cells) for cells in source.values()}) > 1:
            raise InputError("the columns differ in length")
        source = [dict(zip(source, row, strict=True)) for row in zip(*source.values(), strict=True)]
    if not isinstance(source, Sequence) or isinstance(source, (str, bytes, bytearray)):
        raise unfit
    if not source:
        raise InputError("there are no rows")
    if not all(isinstance(row, Mapping) for row in source):
        raise unfit
    names = list(dict.fromkeys(name for row in source for name in row))
    if not all(isinstance(name, str) for name in names):
        raise InputError("column names must be texts")
    try:
        return pa.table({name: pa.array([row.get(name) for row in source]) for name in names})
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        raise mixed from None


def _without_index(table: Any) -> Any:
    """The table without the unnamed index of a pandas frame, which is no column and would number the original rows."""
    return table.drop_columns([name for name in table.column_names if INDEX_COLUMN.fullmatch(name)])


def checked_table(columns: tuple[Column, ...], origin: TableOrigin, where: str | None) -> Table:
    if not columns:
        raise InputError("there are no columns", where=where)
    if len(columns[0]) == 0:
        raise InputError("there are no rows", where=where)
    for column in columns:
        try:
            column.name.encode()
            if isinstance(column.values, tuple):
                "".join(column.values).encode()
        except UnicodeEncodeError:
            raise InputError("invalid Unicode (half a surrogate pair) in some cell", where=where) from None
        alike = look_alike(column.values) if isinstance(column.values, tuple) else 0
        if alike:
            raise InputError(
                f"{alike:,} value{' differs' if alike == 1 else 's differ'} from others of the column '{column.name}' "
                "only by blanks around the text, by characters that cannot be seen, or by how letters with marks are "
                "encoded",
                where=where,
                hint="Take off the blanks and what cannot be seen, and bring the text to one Unicode form (NFC).",
            )
    return Table(columns, origin)
