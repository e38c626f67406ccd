"""Writing baskets back in the form they came in: same format, layout, column names and compression."""

from __future__ import annotations

import gzip
import io
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from sordino.data.arrow import arrow_numbers, arrow_texts
from sordino.data.baskets import Baskets, Int64, Origin
from sordino.data.sources.coded import BLANKS, INTEGER
from sordino.data.sources.text import FIMI_SEPARATORS
from sordino.errors import InputError

__all__ = ["arrow_baskets", "arrow_rows", "encoded", "file_name", "write_baskets", "written_form"]

EXTENSION = {"fimi": "dat", "csv": "csv", "parquet": "parquet", "jsonl": "jsonl", "memory": "jsonl"}
BOM = "\ufeff"


def file_name(origin: Origin) -> str:
    """The name under which baskets of this origin are published: "data.dat", "data.csv.gz" and so on."""
    return f"data.{EXTENSION[origin.format]}{'.gz' if origin.gzipped else ''}"


def write_baskets(baskets: Baskets, path: str | os.PathLike[str], *, like: Origin) -> None:
    """Write baskets in the form of `like`; what was made in Python becomes JSON lines of lists.

    The bytes depend on the baskets and `like` only. Reading them back, with layout and columns of the `written_form`
    stated, gives the same records in the same order. Long layouts carry the record ids, or 1
    to n if there are none; an empty record is a row without an item.
    """
    data = encoded(baskets, like)
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", where=os.fspath(path)) from None


def written_form(baskets: Baskets, like: Origin) -> Origin:
    """Format, layout and columns that the file has when these baskets are written like that origin."""
    form = replace(like, path=None, sha256=None)
    if like.format == "memory":
        form = replace(form, format="jsonl", layout="list")
        if baskets.ids is not None:
            form = replace(form, record=like.record or "id")
    if form.layout == "long":
        return replace(form, record=form.record or "record", item=form.item or "item")
    if form.layout == "list" and (form.format == "parquet" or form.record is not None):
        return replace(form, item=form.item or "items")
    return form


def encoded(baskets: Baskets, like: Origin) -> bytes:
    """The bytes that `write_baskets` writes."""
    encode: dict[tuple[str, str], Callable[[Baskets, Origin], bytes]] = {
        ("fimi", "fimi"): _fimi,
        ("csv", "baskets"): _basket_csv,
        ("csv", "long"): _long_csv,
        ("jsonl", "list"): _list_jsonl,
        ("jsonl", "long"): _long_jsonl,
        ("parquet", "list"): _parquet,
        ("parquet", "long"): _parquet,
    }
    form = written_form(baskets, like)
    if (form.format, form.layout) not in encode:
        raise InputError(f"cannot write the layout '{form.layout}' in the format '{form.format}'")
    data = encode[form.format, form.layout](baskets, form)
    return _gzipped(data) if form.gzipped else data


def _fimi(baskets: Baskets, form: Origin) -> bytes:
    del form
    unfit = set(f"{FIMI_SEPARATORS}\n\r\0")
    if any(not name or not unfit.isdisjoint(name) for name in baskets.names):
        raise InputError(
            "FIMI text cannot hold item names with blanks", hint="Use names without blanks, or another format."
        )
    return _joined(baskets, baskets.names, " ")


def _basket_csv(baskets: Baskets, form: Origin) -> bytes:
    _check_csv(baskets.names)
    names = [_quoted(name, form.delimiter) for name in baskets.names]
    return _joined(baskets, names, form.delimiter)


def _long_csv(baskets: Baskets, form: Origin) -> bytes:
    ids = _ids(baskets, unique=True)
    _check_csv(baskets.names)
    _check_csv(ids)
    delimiter = form.delimiter
    heads = [_quoted(text, delimiter) + delimiter for text in ids]
    names = [*(_quoted(name, delimiter) for name in baskets.names), ""]  # code -1 is the last: no item
    owner, codes = _long_rows(baskets)
    rows = (heads[u] + names[code] for u, code in zip(owner.tolist(), codes.tolist(), strict=True))
    header = _quoted(form.record or "", delimiter) + delimiter + _quoted(form.item or "", delimiter)
    return _lines(row for part in ([header], rows) for row in part)


def _list_jsonl(baskets: Baskets, form: Origin) -> bytes:
    names = [_json(name) for name in _typed(baskets.names, form.item_type)]
    arrays = (f"[{','.join(record)}]" for record in _records(baskets, names))
    if form.item is None:
        return _lines(arrays)
    item = _json(form.item)
    if form.record is None:
        return _lines(f"{{{item}:{array}}}" for array in arrays)
    record = _json(form.record)
    ids = [_json(text) for text in _typed(_ids(baskets), form.record_type)]
    return _lines(f"{{{record}:{text},{item}:{array}}}" for text, array in zip(ids, arrays, strict=True))


def _long_jsonl(baskets: Baskets, form: Origin) -> bytes:
    record, item = _json(form.record or ""), _json(form.item or "")
    ids = [_json(text) for text in _typed(_ids(baskets, unique=True), form.record_type)]
    names = [*(_json(name) for name in _typed(baskets.names, form.item_type)), "null"]
    owner, codes = _long_rows(baskets)
    rows = zip(owner.tolist(), codes.tolist(), strict=True)
    return _lines(f"{{{record}:{ids[u]},{item}:{names[code]}}}" for u, code in rows)


def arrow_baskets(baskets: Baskets) -> Any:
    """Baskets as an Arrow table in the layout of their origin: rows of (record, item), or lists of items."""
    own = baskets.origin
    form = replace(own, format="parquet", layout="long" if own.layout == "long" else "list")
    if baskets.ids is not None or form.layout == "long":
        form = replace(form, record=own.record or "record")
    return arrow_rows(baskets, written_form(baskets, form))


def _parquet(baskets: Baskets, form: Origin) -> bytes:
    from pyarrow import parquet

    sink = io.BytesIO()
    parquet.write_table(arrow_rows(baskets, form), sink, compression="snappy")
    return sink.getvalue()


def arrow_rows(baskets: Baskets, form: Origin) -> Any:
    """The records as an Arrow table in the long or the list layout of `form`, with its columns."""
    import pyarrow as pa

    names = _arrow_texts(baskets.names, form.item_type)
    if form.layout == "long":
        owner, codes = _long_rows(baskets)
        ids = _arrow_texts(_ids(baskets, unique=True), form.record_type)
        columns = {form.record: ids.take(pa.array(owner)), form.item: names.take(pa.array(codes, mask=codes < 0))}
    else:
        columns = {} if form.record is None else {form.record: _arrow_texts(_ids(baskets), form.record_type)}
        lists = pa.LargeListArray if len(baskets.items) >= 2**31 else pa.ListArray
        bounds = pa.array(baskets.indptr, type=pa.int64() if lists is pa.LargeListArray else pa.int32())
        columns[form.item] = lists.from_arrays(bounds, names.take(pa.array(baskets.items)))
    return pa.table(columns)


def _records(baskets: Baskets, names: Sequence[str]) -> Iterator[list[str]]:
    flat = baskets.items.tolist()
    return ([names[code] for code in flat[start:stop]] for start, stop in pairwise(baskets.indptr.tolist()))


def _long_rows(baskets: Baskets) -> tuple[Int64, Int64]:
    """Record and item code of every row of the long layout; an empty record has one row, with code -1."""
    rows = np.maximum(baskets.lengths, 1)
    owner = np.repeat(np.arange(len(baskets), dtype=np.int64), rows)
    codes = np.full(len(owner), -1, dtype=np.int64)
    codes[np.repeat(baskets.lengths > 0, rows)] = baskets.items
    return owner, codes


def _ids(baskets: Baskets, *, unique: bool = False) -> Sequence[str]:
    if baskets.ids is None:
        return [str(number) for number in range(1, len(baskets) + 1)]
    if unique and len(set(baskets.ids)) < len(baskets.ids):
        raise InputError("some record ids repeat; in the long layout their records would become one")
    return baskets.ids


def _typed(texts: Sequence[str], kind: str) -> list[str] | list[int]:
    """Whole numbers if that is what they were and all still are, else the texts."""
    if kind == INTEGER and all(len(text) < 20 and _is_plain_integer(text) for text in texts):
        return [int(text) for text in texts]
    return list(texts)


def _is_plain_integer(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and (text == "0" or not digits.startswith("0"))


def _arrow_texts(texts: Sequence[str], kind: str) -> Any:
    import pyarrow as pa

    values = _typed(texts, kind)
    if values and isinstance(values[0], int):
        if min(values) >= -(2**63) and max(values) < 2**63:
            return pa.array(values, type=pa.int64())
        values = list(texts)
    return pa.array(values, type=pa.string())


def _json(value: str | int) -> str:
    return json.dumps(value, ensure_ascii=False)


def _quoted(text: str, delimiter: str) -> str:
    if delimiter in text or '"' in text or "\n" in text:
        return '"' + text.replace('"', '""') + '"'
    return text


def _check_csv(texts: Sequence[str]) -> None:
    """CSV text cannot carry blanks around a name, an empty name, NUL or a carriage return."""
    if any(not text or text != text.strip(BLANKS) or "\0" in text or "\r" in text for text in texts):
        raise InputError("CSV cannot hold names that are empty, begin or end in a blank, or have control characters")


def _joined(baskets: Baskets, names: Sequence[str], separator: str) -> bytes:
    """A line a record: its names with the separator between them."""
    import pyarrow as pa
    from pyarrow import compute

    between, after = arrow_texts([separator, "\n"]).cast(pa.large_string())
    texts = arrow_texts(names).cast(pa.large_string()).take(arrow_numbers(baskets.items))
    records = pa.LargeListArray.from_arrays(arrow_numbers(baskets.indptr), texts)
    whole = arrow_numbers(np.array([0, len(baskets)], dtype=np.int64))
    lines = pa.LargeListArray.from_arrays(whole, compute.binary_join(records, between))
    return _lines(iter([compute.binary_join(lines, after)[0].as_py()]))


def _lines(lines: Iterator[str]) -> bytes:
    text = "\n".join(lines) + "\n"
    return (BOM + text if text.startswith(BOM) else text).encode("utf-8")  # readers drop one byte order mark


def _gzipped(data: bytes) -> bytes:
    sink = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=sink, mtime=0) as file:
        file.write(data)
    return sink.getvalue()
