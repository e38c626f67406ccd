"""Baskets in every form that sordino reads, written and read back by plain means of our own."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz.case import BasketCase

__all__ = ["FORMS", "Form", "load", "source"]

Records = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Form:
    """A form: `ids` says whether records have ids in it (None: as you like), `names` which item names it can hold.

    `stated` is what one has to say to have it read rightly; a file is written under `suffix`.
    """

    ids: bool | None
    names: str  # any | csv (no blanks around) | plain (no blanks at all)
    suffix: str = ""
    layout: str | None = None
    columns: tuple[str, str] | None = None

    @property
    def stated(self) -> dict[str, str]:
        """As `read_baskets` takes it."""
        words = {} if self.layout is None else {"layout": self.layout}
        if self.columns is not None:
            words |= {"record": self.columns[0], "item": self.columns[1]}
        if ".csv" in self.suffix:  # names may hold other delimiters
            words |= {"delimiter": ","}
        return words


USUAL, ODD = ("user", "item"), ("Kunde", "Artikel")
FORMS: Mapping[str, Form] = {
    "list": Form(False, "any"),
    "dict": Form(True, "any"),
    "sparse": Form(False, "numbers"),
    "pandas-long": Form(True, "any", columns=ODD),
    "polars-list": Form(None, "any"),
    "arrow-list": Form(None, "any"),
    "fimi": Form(False, "plain", ".dat", "fimi"),
    "fimi.gz": Form(False, "plain", ".dat.gz", "fimi"),
    "baskets": Form(False, "csv", ".csv", "baskets"),
    "baskets.gz": Form(False, "csv", ".csv.gz", "baskets"),
    "csv-long": Form(True, "csv", ".csv", "long", USUAL),
    "csv-long-odd": Form(True, "csv", ".csv", "long", ODD),
    "csv-long.gz": Form(True, "csv", ".csv.gz", "long", USUAL),
    "parquet-long": Form(True, "any", ".parquet", "long", USUAL),
    "parquet-list": Form(None, "any", ".parquet", "list"),
    "jsonl-list": Form(None, "any", ".jsonl", "list"),
    "jsonl-arrays": Form(False, "any", ".jsonl", "list"),
    "jsonl-long": Form(True, "any", ".jsonl", "long", USUAL),
    "jsonl-long.gz": Form(True, "any", ".jsonl.gz", "long", USUAL),
}


def source(case: BasketCase, home: Path) -> Any:
    """The data of a case in its form: an object, or the path of a file that was written to `home`."""
    form = FORMS[case.form]
    if form.suffix:
        path = home / f"source{form.suffix}"
        content = _written(case.form, form, case.records, case.ids)
        path.write_bytes(gzip.compress(content) if form.suffix.endswith(".gz") else content)
        return path
    return _object(case.form, form, case.records, case.ids)


def load(path: Path, form: str) -> tuple[list[frozenset[str]], list[str] | None]:
    """Records and ids of a published file: its name tells the format, and `form` the layout of CSV."""
    raw = path.read_bytes()
    raw = gzip.decompress(raw) if path.suffix == ".gz" else raw
    if path.name.endswith(".parquet"):
        return _load_parquet(raw)
    text = raw.decode()
    if ".dat" in path.name:
        return [frozenset(line.split()) for line in text.split("\n")[:-1]], None
    if ".jsonl" in path.name:
        return _load_jsonl([json.loads(line) for line in text.split("\n") if line])
    rows = list(csv.reader(io.StringIO(text, newline="")))
    if form.startswith("baskets"):
        return [frozenset(field for field in row if field) for row in rows], None
    return _joined([(row[0], row[1]) for row in rows[1:]])


def _written(name: str, form: Form, records: Records, ids: Sequence[str] | None) -> bytes:
    if form.suffix.endswith(".parquet"):
        return _parquet(form, records, ids)
    if name.startswith("fimi"):
        lines = [" ".join(record) for record in records]
    elif name.startswith("baskets"):
        lines = [_csv_line(record) for record in records]
    elif name.startswith("csv-long"):
        assert form.columns is not None
        lines = [_csv_line(form.columns), *(_csv_line(pair) for pair in _pairs(records, ids))]
    elif name == "jsonl-arrays":
        lines = [json.dumps(list(record)) for record in records]
    elif name == "jsonl-list":
        held = [{} if ids is None else {"user": one} for one in ids or records]
        lines = [json.dumps({**one, "items": list(record)}) for one, record in zip(held, records, strict=True)]
    else:
        lines = [json.dumps({"user": one, "item": item or None}) for one, item in _pairs(records, ids)]
    return "".join(f"{line}\n" for line in lines).encode()


def _object(name: str, form: Form, records: Records, ids: Sequence[str] | None) -> Any:
    if name == "list":
        return [set(record) for record in records]
    if name == "dict":
        assert ids is not None
        return dict(zip(ids, map(list, records), strict=True))
    if name == "sparse":
        return _sparse(records)
    if name == "pandas-long":
        import pandas

        assert form.columns is not None
        return pandas.DataFrame([(one, item or None) for one, item in _pairs(records, ids)], columns=list(form.columns))
    import pyarrow as pa

    columns: dict[str, Any] = {} if ids is None else {"user": pa.array(ids, type=pa.string())}
    columns["items"] = pa.array([list(record) for record in records], type=pa.list_(pa.string()))
    table = pa.table(columns)
    if name == "arrow-list":
        return table
    import polars

    return polars.from_arrow(table)


def _sparse(records: Records) -> Any:
    """Item k is column k: the names are whole numbers then."""
    import numpy as np
    from scipy.sparse import csr_array

    flat = [int(item) for record in records for item in record]
    bounds = np.cumsum([0, *map(len, records)])
    return csr_array((np.ones(len(flat)), flat, bounds), shape=(len(records), max(flat, default=0) + 1))


def _parquet(form: Form, records: Records, ids: Sequence[str] | None) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    if form.layout == "long":
        assert form.columns is not None
        pairs = _pairs(records, ids)
        table = pa.table(
            {
                form.columns[0]: pa.array([one for one, _ in pairs], type=pa.string()),
                form.columns[1]: pa.array([item or None for _, item in pairs], type=pa.string()),
            }
        )
    else:
        columns: dict[str, Any] = {} if ids is None else {"user": pa.array(ids, type=pa.string())}
        columns["items"] = pa.array([list(record) for record in records], type=pa.list_(pa.string()))
        table = pa.table(columns)
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()


def _pairs(records: Records, ids: Sequence[str] | None) -> list[tuple[str, str]]:
    """The rows of a long layout; an empty record is declared by a row without an item."""
    assert ids is not None
    return [(one, item) for one, record in zip(ids, records, strict=True) for item in (record or ("",))]


def _csv_line(fields: Sequence[str]) -> str:
    sink = io.StringIO()
    csv.writer(sink, lineterminator="").writerow(fields)
    return sink.getvalue() if list(fields) != [""] else ""


def _joined(pairs: Sequence[tuple[Any, Any]]) -> tuple[list[frozenset[str]], list[str]]:
    found: dict[str, set[str]] = {}
    for one, item in pairs:
        found.setdefault(str(one), set()).update([] if item is None or item == "" else [str(item)])
    return list(map(frozenset, found.values())), list(found)


def _load_parquet(raw: bytes) -> tuple[list[frozenset[str]], list[str] | None]:
    import pyarrow as pa
    from pyarrow import parquet

    table = parquet.read_table(pa.BufferReader(raw))
    lists = [name for name in table.column_names if pa.types.is_list(table.schema.field(name).type)]
    if not lists:
        first, second = (column.to_pylist() for column in table.columns)
        return _joined(list(zip(first, second, strict=True)))
    records = [frozenset(map(str, held)) for held in table.column(lists[0]).to_pylist()]
    others = [name for name in table.column_names if name not in lists]
    return records, [str(one) for one in table.column(others[0]).to_pylist()] if others else None


def _load_jsonl(values: Sequence[Any]) -> tuple[list[frozenset[str]], list[str] | None]:
    if all(isinstance(value, list) for value in values):
        return [frozenset(map(str, value)) for value in values], None
    lists = [name for name, held in values[0].items() if isinstance(held, list)]
    if lists:
        others = [name for name in values[0] if name not in lists]
        records = [frozenset(map(str, value[lists[0]])) for value in values]
        return records, [str(value[others[0]]) for value in values] if others else None
    return _joined([tuple(value.values()) for value in values])
