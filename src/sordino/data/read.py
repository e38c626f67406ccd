"""Reading baskets: from a file, standard input, or an object in Python."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from sordino.data.baskets import Baskets, Origin, vocabulary_order
from sordino.data.databases.address import Address
from sordino.data.databases.read import Queried, found_in_database, in_database
from sordino.data.sources.arrow import code_items, code_table, column_kinds
from sordino.data.sources.bytes import Raw, open_raw, sniff_binary, text_of
from sordino.data.sources.coded import Coded, look_alike
from sordino.data.sources.columns import table_layout
from sordino.data.sources.csv_long import has_long_header, read_long_csv
from sordino.data.sources.delimiters import checked_delimiter, find_delimiter, first_rows
from sordino.data.sources.doubts import check_baskets, check_expected, check_long
from sordino.data.sources.frames import is_frame, read_frame
from sordino.data.sources.jsonl import read_jsonl
from sordino.data.sources.memory import read_collection
from sordino.data.sources.onehot import all_true_or_false, code_onehot
from sordino.data.sources.parquet import read_parquet
from sordino.data.sources.parts import Parts, is_parts, open_parts
from sordino.data.sources.sparse import is_sparse, read_sparse
from sordino.data.sources.table_csv import read_csv_table
from sordino.data.sources.table_jsonl import read_jsonl_table
from sordino.data.sources.text import read_basket_csv, read_fimi
from sordino.data.table import MISSING
from sordino.errors import InputError, NoRecordsError, did_you_mean

__all__ = [
    "LAYOUTS",
    "check_alike",
    "check_items",
    "check_names",
    "read_baskets",
    "read_like",
    "void_texts",
    "without_missing",
]

LAYOUTS = ("fimi", "baskets", "long", "list", "onehot")
LAYOUTS_OF_FORMAT = {
    "fimi": ("fimi",),
    "csv": ("baskets", "long", "onehot"),
    "parquet": ("long", "list", "onehot"),
    "jsonl": ("long", "list", "onehot"),
}
# For text whose name says otherwise.
FORMAT_OF_LAYOUT = {"fimi": "fimi", "baskets": "csv", "long": "csv", "onehot": "csv"}


def read_baskets(
    source: object,
    *,
    query: str | None = None,
    table: str | None = None,
    layout: str | None = None,
    record: str | None = None,
    item: str | None = None,
    delimiter: str | None = None,
    missing: Sequence[str] | None = None,
    expected: Collection[str] = (),
) -> Baskets:
    """Baskets from a path ("-" is standard input), a database, a frame, a sparse matrix, a collection, or Baskets.

    The format follows from the extension, before any `.gz`, `.zst`, `.bz2`, `.xz` or `.zip`: `.dat` and `.fimi` are
    FIMI text, `.csv`, `.tsv` and `.tab` are CSV, `.parquet` and `.pq` are Parquet, `.jsonl`, `.ndjson` and `.json` are
    JSON lines, `.xlsx` is an Excel workbook. Under any other name, and on standard input, the content tells: Parquet by
    its first bytes, JSON lines by a first `[` or `{`, CSV if there is a comma anywhere, a long header (below) or a
    `delimiter`, or if lines are cut by semicolons or bars, else FIMI. Gzip is known by its first bytes. A folder of
    Parquet files is one data set. "FILE.xlsx#SHEET" and "FILE.zip#NAME" take one of several; "s3://bucket/file" and
    its sisters are read through Arrow's file systems.

    A database is postgresql://USER@HOST/NAME, a file of DuckDB or SQLite, or a connection that is open (ADBC, DB-API,
    DuckDB), with the `query` or the `table` in it. It is only read: on addresses in a transaction that cannot write.

    The layout, unless stated, follows from the content:
    - FIMI text is "fimi": a record a line, names apart by blanks.
    - CSV is "long" if `record` or `item` is stated, or if the first line is exactly two fields of which one is named
      like a record (id, tid, transaction, basket, user, customer, patient, order, ...) and the other like an item
      (item, product, article, diagnosis, ...). Otherwise it is "baskets": a record a line, without a header.
    - Parquet, JSON objects and frames are "list" if some column holds lists, else "long". JSON arrays are "list".
    - "onehot", a row a record and a column an item that it has (1) or not (0), must be stated; only frames and Parquet
      files of true and false cannot be anything else.

    **What is not clear is refused**, with the options to choose from; a layout that is stated is not questioned. Lines
    are no clear baskets if they look like a table or a long list (`sources/doubts.py` has the rules): a first line of
    known words, or lines of one width whose first line may be a header, whose columns share no value, hold numbers
    here and words there, or begin with ids. Two columns are no clear long table if neither is named like a record or an
    item. `expected` are names that should be among the items, such as the sensitive ones: if none is, but some stand
    inside of items, among the record ids or as names of columns, the reading is wrong, and refused.

    The `delimiter` of CSV (one character; "\\t" is a tab) is found if it is not stated: comma, semicolon, tab or bar,
    whichever alone cuts the lines.

    In a long table, columns that are not stated are found by name; of just two columns, one name is enough, and if the
    layout "long" is stated the first is the record unless the names say otherwise. In the list layout a single further
    column of text or whole numbers, or the one that is named like a record, holds the ids, which must all differ; rows
    of one id are put together if `record` is stated.

    Items are text or whole numbers, taken by their text. Null and empty items are no items, and so are those that equal
    one of `missing`: by default, in files, frames and databases, "?", "NA" and "null", unless they are `expected`; ()
    takes these for items. In the long layout such a row only declares its record. Long records are in order of first
    appearance. In text formats blanks around names do not count, and in "fimi" and "baskets" an empty line is an empty
    record.

    Raises InputError, with file and line or row but without record contents, for whatever cannot be accepted.
    """
    if layout is not None and layout not in LAYOUTS:
        known = ", ".join(LAYOUTS)
        raise InputError(f"there is no layout '{layout}'.{did_you_mean(layout, LAYOUTS)}", hint=f"Layouts: {known}.")
    held = in_database(source, query, table)
    if held is not None:
        return _from_database(held, layout, record, item, delimiter, expected, void_texts(missing, expected))
    if isinstance(source, Baskets):
        return source
    delimiter = None if delimiter is None else checked_delimiter(delimiter)
    void = void_texts(missing, expected)
    stated = layout is not None or record is not None or item is not None
    if is_parts(source):
        if delimiter is not None:
            raise InputError("a delimiter is for text files only")
        coded, origin = _read_parts(open_parts(source), layout, record, item)  # type: ignore[arg-type]
        coded, origin = without_missing(_regrouped(coded, record), replace(origin, stated=stated), void)
        check_items(coded, origin, expected, origin.path)
        return _baskets(coded, origin, origin.path)
    if isinstance(source, (str, os.PathLike, Raw)):
        raw = source if isinstance(source, Raw) else open_raw(source)
        coded, origin = _read_raw(raw, layout, record, item, delimiter, expected)
        origin = replace(
            origin, path=raw.path, gzipped=raw.gzipped, sha256=raw.sha256, stated=stated, packed=raw.packed
        )
        coded, origin = without_missing(_regrouped(coded, record), origin, void)
        check_items(coded, origin, expected, raw.where)
        return _baskets(coded, origin, raw.where)
    if delimiter is not None:
        raise InputError("a delimiter is for text files only")
    coded, origin = _read_object(source, layout, record, item)
    coded, origin = _regrouped(coded, record), replace(origin, stated=stated)
    if missing is not None or is_frame(source):  # a list of texts says what it means
        coded, origin = without_missing(coded, origin, void)
    check_items(coded, origin, expected, None)
    return _baskets(coded, origin, None)


def _read_object(source: object, layout: str | None, record: str | None, item: str | None) -> tuple[Coded, Origin]:
    """Records that are in memory already."""
    if is_frame(source):
        if layout not in (None, "long", "list", "onehot"):
            raise InputError(
                f"a frame cannot have the layout '{layout}'", hint="Layouts of frames: long, list, onehot."
            )
        return read_frame(source, layout, record, item)
    if layout not in (None, "list") or record is not None or item is not None:
        raise InputError("a matrix or a collection has no columns and no layout but 'list'")
    return read_sparse(source) if is_sparse(source) else read_collection(source)


def _from_database(
    source: Address | Queried,
    layout: str | None,
    record: str | None,
    item: str | None,
    delimiter: str | None,
    expected: Collection[str],
    void: Collection[str],
) -> Baskets:
    if delimiter is not None or layout not in (None, "long", "list"):
        what = "a delimiter is" if delimiter is not None else f"the layout '{layout}' is"
        raise InputError(f"{what} for text files only", hint="Layouts of databases: long, list.")
    arrow, where = found_in_database(source)
    coded, origin = code_items(arrow, layout, record, item, where)
    coded = _regrouped(coded, record)
    if isinstance(source, Address):
        origin = replace(origin, format="parquet", path=source.file or source.where, database=source.system)
    origin = replace(origin, stated=layout is not None or record is not None or item is not None)
    coded, origin = without_missing(coded, origin, void)
    check_items(coded, origin, expected, where)
    return _baskets(coded, origin, where)


def read_like(path: str | os.PathLike[str], form: Origin) -> Baskets:
    """The baskets in a file that was written in this form (`written_form`), which nothing is questioned of."""
    raw = open_raw(path)
    delimiter = checked_delimiter(form.delimiter, raw.where) if form.format == "csv" else None
    coded, origin = _read_raw(raw, form.layout, form.record, form.item, delimiter, ())
    origin = replace(origin, path=raw.path, gzipped=raw.gzipped, sha256=raw.sha256, stated=True)
    return _baskets(coded, origin, raw.where)


def _read_raw(
    raw: Raw,
    layout: str | None,
    record: str | None,
    item: str | None,
    delimiter: str | None,
    expected: Collection[str],
) -> tuple[Coded, Origin]:
    where = raw.where
    columns = record is not None or item is not None
    format_ = raw.format or sniff_binary(raw.data)
    if raw.delimiter is not None:
        if delimiter is not None:
            raise InputError("a delimiter is for text files only", where=where)
        delimiter = raw.delimiter
    if format_ not in ("parquet", "jsonl"):
        if layout is not None:
            format_ = FORMAT_OF_LAYOUT.get(layout, format_)
        elif delimiter is not None or (columns and format_ is None):
            format_ = "csv"
    if delimiter is not None and format_ in ("parquet", "jsonl", "fimi"):
        raise InputError(f"a delimiter is for CSV, and this is {format_}", where=where)
    if format_ == "parquet":
        _check_layout(format_, layout, columns, where)
        return read_parquet(raw.data, layout, record, item, where)
    if layout == "onehot":
        return _read_onehot(raw, "jsonl" if format_ == "jsonl" else "csv", record, item, delimiter)
    data = text_of(raw)
    if format_ is None:
        format_ = "csv" if b"," in data or has_long_header(data, where) or _is_cut(data) else "fimi"
    _check_layout(format_, layout, columns, where)
    if format_ == "jsonl":
        return read_jsonl(data, layout, record, item, where)
    if format_ == "fimi":
        if layout is None:
            check_baskets(first_rows(data, None), None, where)
        return read_fimi(data), Origin(format="fimi", layout="fimi")
    if layout == "long" or (layout is None and (columns or _starts_long(data, where, delimiter))):
        if data.startswith(b"\n"):
            raise InputError("the first line is empty, where the header should be", where=f"{where}, line 1")
        return read_long_csv(data, record, item, where, delimiter)
    mark = delimiter or find_delimiter(data, where, expected)
    if layout is None:
        if delimiter is not None and delimiter.encode() not in data and find_delimiter(data, where, expected) != ",":
            raise InputError("the stated delimiter is nowhere in the file, but another is", where=where)
        check_baskets(first_rows(data, mark), mark, where)
    return read_basket_csv(data, where, mark), Origin(format="csv", layout="baskets", delimiter=mark)


def _read_onehot(
    raw: Raw, format_: str, record: str | None, item: str | None, delimiter: str | None
) -> tuple[Coded, Origin]:
    if format_ == "jsonl":
        columns, form = read_jsonl_table(text_of(raw), MISSING, raw.where)
    else:
        columns, form = read_csv_table(text_of(raw), delimiter, MISSING, {}, raw.where)
    return code_onehot(columns, form, record, item, raw.where)


def _read_parts(parts: Parts, layout: str | None, record: str | None, item: str | None) -> tuple[Coded, Origin]:
    """Records of a folder of Parquet files."""
    if layout not in (None, "long", "list", "onehot"):
        _check_layout("parquet", layout, False, parts.name)
    if layout == "onehot" or (layout is record is item is None and all_true_or_false(parts.schema)):
        wanted = list(parts.schema.names)
        coded, origin = code_table(parts.read(wanted), "onehot", record, item, parts.name)
    else:
        kinds = column_kinds(parts.schema, parts.name)
        layout, record, item = table_layout(kinds, layout, record, item, parts.name)
        wanted = [item] if record is None else [record, item]
        coded, origin = code_table(parts.read(wanted), layout, record, item, parts.name)
        origin = replace(origin, unused=tuple(name for name in kinds if name not in wanted))
    return coded, replace(origin, format="parquet", path=parts.name, sha256=parts.sha256, packed=parts.packed)


def _regrouped(coded: Coded, record: str | None) -> Coded:
    """The same records, those of one id together, if the user says which column tells them apart."""
    if record is None or coded.ids is None or len(set(coded.ids)) == len(coded.ids):
        return coded
    place = {name: number for number, name in enumerate(dict.fromkeys(coded.ids))}
    moved = np.fromiter((place[name] for name in coded.ids), dtype=np.int64, count=len(coded.ids))
    return Coded(moved[coded.owner], coded.items, len(place), tuple(place))


def void_texts(missing: Sequence[str] | None, expected: Collection[str]) -> frozenset[str]:
    """The texts that stand for a missing value: as stated, else the common ones that nobody expects as items."""
    if missing is None:
        return frozenset(MISSING).difference(expected)
    if isinstance(missing, str) or not all(isinstance(text, str) for text in missing):
        raise InputError('missing must be a list of texts, for example ("?", "NA")')
    return frozenset(missing)


def without_missing(coded: Coded, origin: Origin, void: Collection[str]) -> tuple[Coded, Origin]:
    """The same records without items that are texts for a missing value; what was passed over is in the origin."""
    if origin.shape == "onehot":  # there a column is an item, and cells are missing or not
        return coded, origin
    names = coded.items.names
    found = [code for code, name in enumerate(names) if name in void]
    if not found:
        return coded, origin
    codes, kept = coded.items.codes, [name for name in names if name not in void]
    number = np.bincount(codes[codes >= 0], minlength=len(names))
    place = np.full(len(names) + 1, -1, dtype=codes.dtype)  # the last is for what is null already: code -1
    place[[code for code, name in enumerate(names) if name not in void]] = np.arange(len(kept))
    told = tuple((names[code], int(number[code])) for code in found if number[code])
    items = replace(coded.items, codes=place[codes], names=type(names)(kept))
    return replace(coded, items=items), replace(origin, missing=told)


def _starts_long(data: bytes, where: str, delimiter: str | None) -> bool:
    return has_long_header(data, where, delimiter) or (
        data.startswith(b"\n") and has_long_header(data.lstrip(b"\n"), where, delimiter)
    )


def _is_cut(data: bytes) -> bool:
    """Whether text without a comma is cut into fields by semicolons, bars, or tabs with blanks between them."""
    for mark in ";|":
        rows = first_rows(data, mark) if mark.encode() in data else []
        if 10 * sum(len(row) > 1 for row in rows) >= len(rows) > 0:
            return True
    return b"\t" in data and any(len(row) > 1 and any(" " in field for field in row) for row in first_rows(data, "\t"))


def check_items(coded: Coded, origin: Origin, expected: Collection[str], where: str | None) -> None:
    """InputError if ids repeat, if names only seem to differ, or if those that are expected stand somewhere else."""
    if coded.ids is not None and len(set(coded.ids)) < len(coded.ids):
        raise InputError(
            f"{len(coded.ids) - len(set(coded.ids)):,} of {len(coded.ids):,} record ids repeat others",
            where=where,
            hint="A row is a record here: give each an id of its own, or put the items of one id into one row.",
        )
    for names, what in ((coded.items.names, "item"), (coded.ids or (), "record id")):
        check_alike(look_alike(names), what, where)
    if origin.stated:
        return
    rows = len(coded.owner)
    if origin.layout == "long" and origin.unused and rows == coded.records >= 3:
        raise InputError(
            f"every record has one row only, and there are {len(origin.unused):,} more columns: is this a table?",
            where=where,
            hint="If a row is one item of a record, say --layout long --record COLUMN --item COLUMN (in "
            "Python: layout='long', record= and item=). For tables there are policies of kind template and diversity.",
        )
    if origin.layout == "long":
        check_long(coded.items.names, rows, coded.records, where)
    columns = [name for name in (origin.record, origin.item, *origin.unused) if name is not None]
    elsewhere = {"among the record ids": coded.ids or (), "among the names of columns": columns}
    check_expected(expected, coded.items.names, elsewhere, where)


def check_alike(alike: int, what: str, where: str | None) -> None:
    """InputError if so many names only seem to differ from others."""
    if alike:
        raise InputError(
            f"{alike:,} {what}{' differs' if alike == 1 else 's differ'} from others only by blanks around the "
            "name, by characters that cannot be seen, or by how letters with marks are encoded",
            where=where,
            hint="Take the blanks off, and what cannot be seen (a byte order mark in the midst of files put together, "
            "a Ctrl-Z at the end), and bring the text to one Unicode form (NFC).",
        )


def _check_layout(format_: str, layout: str | None, columns: bool, where: str) -> None:
    possible = LAYOUTS_OF_FORMAT[format_]
    if layout is not None and layout not in possible:
        raise InputError(
            f"the layout '{layout}' does not fit; for {format_} it can be: {', '.join(possible)}", where=where
        )
    if columns and (format_ == "fimi" or layout == "baskets"):
        raise InputError(
            "there are no columns to name: a line is a record", where=where, hint="Or is it --layout long?"
        )


def check_names(texts: Collection[str], what: str, where: str | None) -> None:
    """InputError unless all of them can be written."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        raise InputError(f"invalid Unicode (half a surrogate pair) in some {what}", where=where) from None


def _baskets(coded: Coded, origin: Origin, where: str | None) -> Baskets:
    """Baskets with the vocabulary in its one order."""
    if coded.records == 0:
        raise NoRecordsError("there are no records", where=where)
    found = coded.items.names
    check_names(found, "item", where)
    check_names(coded.ids or (), "record id", where)
    names = vocabulary_order(found)
    rank_of = {name: rank for rank, name in enumerate(names)}
    rank = np.fromiter((rank_of[name] for name in found), dtype=np.int32, count=len(found))
    owner, codes = coded.owner, coded.items.codes
    kept = codes >= 0
    if not kept.all():
        owner, codes = owner[kept], codes[kept]
    return Baskets.from_pairs(owner, rank[codes], names, coded.records, ids=coded.ids, origin=origin)
