"""Tables in every form that sordino reads, written and read back by plain means of our own."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fuzz.case import Cell, DiversityCase, TemplateCase

__all__ = ["FORMS", "load", "source", "texts"]

Row = dict[str, str | None]
FORMS: Mapping[str, str] = {  # the suffix of the file; none for objects of Python
    "dicts": "",
    "lists": "",
    "pandas": "",
    "polars": "",
    "csv": ".csv",
    "semicolon": ".csv",
    "tsv": ".tsv",
    "csv.gz": ".csv.gz",
    "parquet": ".parquet",
    "jsonl": ".jsonl",
    "jsonl.gz": ".jsonl.gz",
    "duckdb": ".duckdb",
}
DELIMITER = {"csv": ",", "semicolon": ";", "tsv": "\t", "csv.gz": ","}


def source(case: TemplateCase | DiversityCase, home: Path) -> Any:
    """The table of a case in its form: an object, or the path of a file that was written to `home`."""
    suffix = FORMS[case.form]
    rows = [dict(zip(case.columns, row, strict=True)) for row in case.rows]
    if not suffix:
        return _object(case.form, case.columns, rows)
    path = home / f"table{suffix}"
    if case.form == "duckdb":
        return _database(path, case.columns, case.rows)
    content = _written(case.form, case.columns, case.rows)
    path.write_bytes(gzip.compress(content) if suffix.endswith(".gz") else content)
    return path


def texts(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[Row]:
    """The rows with every cell as its text."""
    return [
        {name: None if cell is None else str(cell) for name, cell in zip(columns, row, strict=True)} for row in rows
    ]


def load(path: Path, form: str) -> list[Row]:
    """The rows of a published file, every cell as its text. Objects and databases are published as Parquet."""
    raw = path.read_bytes()
    raw = gzip.decompress(raw) if path.suffix == ".gz" else raw
    if ".parquet" in path.name:
        import pyarrow as pa
        from pyarrow import parquet

        rows = parquet.read_table(pa.BufferReader(raw)).to_pylist()
    elif ".jsonl" in path.name:
        rows = [json.loads(line) for line in raw.decode().split("\n") if line]
    else:
        rows = list(csv.DictReader(io.StringIO(raw.decode(), newline=""), delimiter=DELIMITER[form]))
    return [{name: None if cell is None or cell == "" else str(cell) for name, cell in row.items()} for row in rows]


def _written(form: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> bytes:
    if form == "parquet":
        from pyarrow import parquet

        sink = io.BytesIO()
        parquet.write_table(_arrow(columns, rows), sink)
        return sink.getvalue()
    if form.startswith("jsonl"):
        return "".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows).encode()
    text = io.StringIO()
    writer = csv.writer(text, delimiter=DELIMITER[form], lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return text.getvalue().encode()


def _object(form: str, columns: Sequence[str], rows: Sequence[Mapping[str, Cell]]) -> Any:
    if form == "dicts":
        return [dict(row) for row in rows]
    held = {name: [row[name] for row in rows] for name in columns}
    if form == "lists":
        return held
    arrow = _arrow(columns, [tuple(row.values()) for row in rows])
    if form == "pandas":
        return arrow.to_pandas(integer_object_nulls=True)
    import polars

    return polars.from_arrow(arrow)


def _arrow(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Any:
    import pyarrow as pa

    held = {}
    for k, name in enumerate(columns):
        cells = [row[k] for row in rows]
        numbers = any(isinstance(cell, int) for cell in cells)
        held[name] = pa.array(cells, type=pa.int64() if numbers else pa.string())
    return pa.table(held)


def _database(path: Path, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    import duckdb

    with duckdb.connect(str(path)) as base:
        base.register("made", _arrow(columns, rows))
        base.execute("CREATE TABLE people AS SELECT * FROM made")
    return f"duckdb:{path}?table=people"
