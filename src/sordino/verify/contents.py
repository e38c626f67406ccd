"""That a published data file holds its records or cells, and nothing else.

What a reader passes over is still published: a field that no layout names, a note in a Parquet file, a second value
under the same name, bytes after the end; and a value that can be written in two ways, in quotes or not, tells more.
So the data that were read are written again, and must come out the same, byte for byte. Bytes of Parquet depend on the
version of the library that wrote them: where they differ, columns, notes and the extent of the pages are compared
instead, and the verdict says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sordino.data.baskets import Baskets
from sordino.data.table import Table
from sordino.data.write import encoded
from sordino.data.write_table import encoded_table
from sordino.errors import InputError
from sordino.verify.bounded import LeftOpenError, read_bytes, unzipped

__all__ = ["check_records", "check_rows", "check_rows_in_pieces", "checked_bytes"]

LARGEST = 1 << 36  # bytes of a data file
UNZIPPED, TIMES = 1 << 26, 50  # unzipped bytes: that many are allowed, or that many times as many as there are zipped
GZIP_MAGIC = b"\x1f\x8b"
WRITER = re.compile(rb"parquet-cpp-arrow version [0-9]{1,4}(\.[0-9]{1,4}){1,2}(-SNAPSHOT)?")
NOTES = {b"ARROW:schema"}  # the types of the columns; read and compared as such


def checked_bytes(path: Path) -> bytes:
    """The bytes of a data file, unzipped if its name says so; an InputError if something is wrapped around them."""
    raw = read_bytes(path, LARGEST)
    if raw.startswith(GZIP_MAGIC) != path.name.endswith(".gz"):
        raise InputError(f"{path.name} is not what its name says")
    return unzipped(raw, path.name, max(UNZIPPED, TIMES * len(raw))) if path.name.endswith(".gz") else raw


def check_records(path: Path, content: bytes, baskets: Baskets) -> str:
    """What stays unchecked about a file of records, in words; an InputError if it holds something else."""
    form = baskets.origin
    if encoded(baskets, replace(form, gzipped=False)) == content:
        return ""
    if form.format != "parquet":
        raise InputError(f"{path.name} holds more than its records: written again, they give another file")
    return _check_parquet(path.name, content, [name for name in (form.record, form.item) if name is not None])


def check_rows(path: Path, content: bytes, table: Table) -> str:
    """What stays unchecked about a file of a table, in words; an InputError if it holds something else."""
    if encoded_table(table, replace(table.origin, gzipped=False)) == content:
        return ""
    if table.origin.format == "parquet":
        return _check_parquet(path.name, content, table.names)
    raise InputError(f"{path.name} holds more than its cells: written again, they give another file")


def check_rows_in_pieces(path: Path, columns: Sequence[str] | None = None) -> str:
    """The same for a Parquet file that is too large to be held, and so cannot be written again to compare.

    columns: those that it must have, if whoever reads it does not ask for them.
    """
    import pyarrow as pa

    size = path.stat().st_size
    if size > LARGEST:
        raise LeftOpenError(f"{path.name} is larger than can be checked")
    with open(path, "rb") as file:
        file.seek(max(size - 8, 0))
        tail = file.read(8)
    with pa.memory_map(str(path)) as source:
        _check_parts_of_parquet(path.name, source, size, tail, columns)
    return (
        f"{path.name} is too large to be written again and compared byte by byte; its columns, cells and notes were "
        "checked"
    )


def _check_parquet(name: str, content: bytes, columns: Sequence[str]) -> str:
    import pyarrow as pa

    _check_parts_of_parquet(name, pa.BufferReader(content), len(content), content[-8:], columns)
    return (
        f"{name} was written by another version of the Parquet library, so its columns, cells and notes were "
        "checked, but not each of its bytes"
    )


def _check_parts_of_parquet(name: str, source: Any, size: int, tail: bytes, columns: Sequence[str] | None) -> None:
    """An InputError if a Parquet file has other columns, notes, or bytes that belong to no column."""
    from pyarrow import parquet

    file = parquet.ParquetFile(source)
    schema, about = file.schema_arrow, file.metadata
    if columns is not None and list(schema.names) != list(columns):
        raise InputError(f"{name} has other columns than it should")
    notes = set(about.metadata or {}) | set(schema.metadata or {})
    if notes - NOTES or any(set(field.metadata or {}) - {b"PARQUET:field_id"} for field in schema):
        raise InputError(f"{name} holds notes that are no data")
    if not WRITER.fullmatch(str(about.created_by).encode()):
        raise InputError(f"{name} does not say which library wrote it")
    end = 4
    for group in range(about.num_row_groups):
        for place in range(about.num_columns):
            chunk = about.row_group(group).column(place)
            start = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
            if start != end:
                raise InputError(f"{name} holds bytes that are no data")
            end = start + chunk.total_compressed_size
    if end != size - 8 - int.from_bytes(tail[:4], "little"):
        raise InputError(f"{name} holds bytes that are no data")
