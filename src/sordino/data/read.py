"""Reading baskets: from a file, standard input, or an object in Python."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from sordino.data.baskets import Baskets, Origin, vocabulary_order
from sordino.data.sources.bytes import STDIN, Raw, format_of_name, open_raw, sniff_binary, text_of
from sordino.data.sources.coded import Coded
from sordino.data.sources.csv_long import has_long_header, read_long_csv
from sordino.data.sources.frames import is_frame, read_frame
from sordino.data.sources.jsonl import read_jsonl
from sordino.data.sources.memory import read_collection
from sordino.data.sources.parquet import read_parquet
from sordino.data.sources.sparse import is_sparse, read_sparse
from sordino.data.sources.text import read_basket_csv, read_fimi
from sordino.errors import InputError, did_you_mean

__all__ = ["LAYOUTS", "read_baskets"]

LAYOUTS = ("fimi", "baskets", "long", "list")
LAYOUTS_OF_FORMAT = {
    "fimi": ("fimi",),
    "csv": ("baskets", "long"),
    "parquet": ("long", "list"),
    "jsonl": ("long", "list"),
}
FORMAT_OF_LAYOUT = {"fimi": "fimi", "baskets": "csv", "long": "csv"}  # for text whose name says otherwise


def read_baskets(
    source: object, *, layout: str | None = None, record: str | None = None, item: str | None = None
) -> Baskets:
    """Baskets from a path ("-" is standard input), a frame, a sparse matrix, a collection, or Baskets themselves.

    The format follows from the extension, with or without `.gz`: `.dat` and `.fimi` are FIMI text, `.csv` is CSV,
    `.parquet` and `.pq` are Parquet, `.jsonl`, `.ndjson` and `.json` are JSON lines. Under any other name, and on
    standard input, the content tells: Parquet by its first bytes, JSON lines by a first `[` or `{`, CSV if there is a
    comma anywhere or the first line is a long header (below), else FIMI. Gzip is known by its first bytes.

    The layout, unless stated, follows from the content:
    - FIMI text is "fimi": a record a line, names apart by blanks.
    - CSV is "long" if `record` or `item` is stated, or if the first line is exactly two fields of which one is named
      like a record (id, tid, transaction, basket, user, customer, patient, order, ...) and the other like an item
      (item, product, article, diagnosis, ...). Otherwise it is "baskets": a record a line, without a header. A longer
      first line with one name of each sort is refused, because it is probably a header.
    - Parquet, JSON objects and frames are "list" if some column holds lists, else "long". JSON arrays are "list".

    In a long table, columns that are not stated are found by name; of just two columns the first is the record unless
    the names say otherwise. In the list layout a single further column of text or whole numbers, or the one that is
    named like a record, holds the ids.

    Items are text or whole numbers, taken by their text. Null and empty items are no items: in the long layout such a
    row only declares its record. Long records are in order of first appearance. In text formats blanks around names do
    not count, and in "fimi" and "baskets" an empty line is an empty record.

    Raises InputError, with file and line or row but without record contents, for whatever cannot be accepted.
    """
    if layout is not None and layout not in LAYOUTS:
        known = ", ".join(LAYOUTS)
        raise InputError(f"there is no layout '{layout}'.{did_you_mean(layout, LAYOUTS)}", hint=f"Layouts: {known}.")
    if isinstance(source, Baskets):
        return source
    if isinstance(source, (str, os.PathLike)):
        raw = open_raw(source)
        coded, origin = _read_raw(raw, layout, record, item)
        origin = replace(origin, path=raw.path, gzipped=raw.gzipped, sha256=raw.sha256)
        return _baskets(coded, origin, raw.where)
    if is_frame(source):
        if layout not in (None, "long", "list"):
            raise InputError(f"a frame cannot have the layout '{layout}'", hint="Layouts of frames: long, list.")
        return _baskets(*read_frame(source, layout, record, item), None)
    if layout not in (None, "list") or record is not None or item is not None:
        raise InputError("a matrix or a collection has no columns and no layout but 'list'")
    return _baskets(*(read_sparse(source) if is_sparse(source) else read_collection(source)), None)


def _read_raw(raw: Raw, layout: str | None, record: str | None, item: str | None) -> tuple[Coded, Origin]:
    where = raw.where
    columns = record is not None or item is not None
    format_ = (None if raw.path == STDIN else format_of_name(raw.path)) or sniff_binary(raw.data)
    if format_ not in ("parquet", "jsonl"):
        if layout is not None:
            format_ = FORMAT_OF_LAYOUT.get(layout, format_)
        elif columns and format_ is None:
            format_ = "csv"
    if format_ == "parquet":
        _check_layout(format_, layout, columns, where)
        return read_parquet(raw.data, layout, record, item, where)
    data = text_of(raw)
    if format_ is None:
        format_ = "csv" if b"," in data or has_long_header(data, where) else "fimi"
    _check_layout(format_, layout, columns, where)
    if format_ == "jsonl":
        return read_jsonl(data, layout, record, item, where)
    if format_ == "fimi":
        return read_fimi(data), Origin(format="fimi", layout="fimi")
    if layout == "long" or (layout is None and (columns or has_long_header(data, where))):
        return read_long_csv(data, record, item, where)
    return read_basket_csv(data, where), Origin(format="csv", layout="baskets")


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


def _baskets(coded: Coded, origin: Origin, where: str | None) -> Baskets:
    """Baskets with the vocabulary in its one order."""
    if coded.records == 0:
        raise InputError("there are no records", where=where)
    found = coded.items.names
    for texts, what in ((found, "item"), (coded.ids or (), "record id")):
        try:
            "".join(texts).encode()
        except UnicodeEncodeError:
            raise InputError(f"invalid Unicode (half a surrogate pair) in some {what}", where=where) from None
    names = vocabulary_order(found)
    rank_of = {name: rank for rank, name in enumerate(names)}
    rank = np.fromiter((rank_of[name] for name in found), dtype=np.int32, count=len(found))
    owner, codes = coded.owner, coded.items.codes
    kept = codes >= 0
    if not kept.all():
        owner, codes = owner[kept], codes[kept]
    return Baskets.from_pairs(owner, rank[codes], names, coded.records, ids=coded.ids, origin=origin)
