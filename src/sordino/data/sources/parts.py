"""Folders of Parquet files, also in object stores: one data set in parts, perhaps partitioned (year=2024/...).

Every file in the folder is read, or none: what is not Parquet is refused, but for names that begin with a dot or an
underscore, by which writers put their own notes beside the data. Data under such names are refused as well.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from sordino.data.sources.bytes import STDIN
from sordino.data.sources.limits import check_size
from sordino.data.sources.parquet import parquet_size
from sordino.data.sources.stores import filesystem_of, is_address
from sordino.errors import InputError

__all__ = ["PARQUET", "Parts", "is_parts", "open_parts"]

PARQUET = (".parquet", ".pq")
LOOKED_AT = 10_000  # files, of which one must be Parquet: somebody may name a whole disk by mistake
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"  # what writers call a partition of rows without a value


def is_parts(source: object) -> bool:
    """Whether a source is a folder with Parquet files in it, and no release of ours."""
    if not isinstance(source, str | os.PathLike):
        return False
    name = os.fspath(source)
    if name == STDIN or is_address(name):
        return is_address(name) and _is_folder(name)
    if not os.path.isdir(name):
        return False
    folder = Path(name)
    if (folder / "manifest.json").exists() or (folder / "publish").exists():
        return False
    return any(name.lower().endswith(PARQUET) for name in itertools.islice(_names(folder), LOOKED_AT))


def _names(folder: Path) -> Iterator[str]:
    """The names of files in a folder and below."""
    for _, _, names in os.walk(folder):
        yield from names or ("",)  # an empty folder takes time as well


def _is_folder(address: str) -> bool:
    import pyarrow as pa
    from pyarrow import fs

    try:
        found, path = filesystem_of(address)
        return bool(found.get_file_info(path).type == fs.FileType.Directory)
    except (pa.ArrowException, OSError):  # whoever reads it will say
        return False


@dataclass(frozen=True)
class Parts:
    """The files of a data set in their order, what their places say, and the columns that they have in common."""

    name: str
    system: Any
    files: tuple[str, ...]
    partitions: tuple[dict[str, str | None], ...]
    schema: Any  # of the files, and then the partitions as texts or whole numbers
    digests: dict[str, str] = field(default_factory=dict)

    def read(self, columns: Collection[str]) -> Any:
        """These columns of all files as one Arrow table."""
        import pyarrow as pa

        wanted = [name for name in self.schema.names if name in columns]
        tables, size = [], 0
        for file, places in zip(self.files, self.partitions, strict=True):
            table, needed = _read_one(self, file, [name for name in wanted if name not in places], size)
            size += needed
            tables.append(self.completed(table, wanted, places))
        try:
            return pa.concat_tables(tables, promote_options="default")
        except (pa.ArrowException, ValueError):
            raise InputError("the files have columns of different types", where=self.name) from None

    def completed(self, table: Any, wanted: list[str], places: dict[str, str | None]) -> Any:
        """Rows of a file with what its place says, in the order of the wanted columns."""
        import pyarrow as pa

        for name in wanted:
            if name in places:
                type_ = self.schema.field(name).type
                value = None if places[name] is None else pa.scalar(places[name]).cast(type_)
                cells = pa.nulls(table.num_rows, type_) if value is None else pa.repeat(value, table.num_rows)
                table = table.append_column(name, cells)
        return table.select(wanted)

    @property
    def sha256(self) -> str:
        """Of the names and the bytes of all files, once they were read."""
        lines = (f"{name}\0{self.digests[name]}\n" for name in sorted(self.digests))
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    @property
    def packed(self) -> str:
        """How users are told."""
        return f"a folder of {len(self.files):,} Parquet file{'' if len(self.files) == 1 else 's'}"


def open_parts(source: str | os.PathLike[str]) -> Parts:
    """The data set in a folder; InputError if it holds anything else, or its files have not the same columns."""
    import pyarrow as pa
    from pyarrow import fs, parquet

    name = os.fspath(source)
    system, root = filesystem_of(name) if is_address(name) else (fs.LocalFileSystem(), str(Path(name).resolve()))
    try:
        found = system.get_file_info(fs.FileSelector(root, recursive=True))
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"the folder cannot be read ({type(error).__name__})", where=name) from None
    paths = sorted(info.path for info in found if info.type == fs.FileType.File)
    inside = {path: PurePosixPath(path[len(root) :].lstrip("/")) for path in paths}
    files = [path for path in paths if not any(part[0] in "._" for part in inside[path].parts)]
    if any("_delta_log" in inside[path].parts for path in paths):
        raise InputError(
            "this is a Delta table: its folder also holds files that no longer count",
            where=name,
            hint="Query it, and hand over the result; or write its current rows to a folder of their own.",
        )
    aside = [path for path in paths if path not in files and PurePosixPath(path).suffix.lower() in PARQUET]
    if aside:
        raise InputError(
            f"{len(aside):,} Parquet files in this folder have names, or lie in folders, that begin with _ or a dot",
            where=name,
            hint="Such files are left out by others, as unfinished. Rename them, or take them out.",
        )
    other = [path for path in files if PurePosixPath(path).suffix.lower() not in PARQUET]
    if other:
        raise InputError(
            f"{len(other):,} of {len(files):,} files in this folder are not Parquet",
            where=name,
            hint="All files of a folder are read as one data set. Take the others out, or name a single file.",
        )
    if not files:
        raise InputError("there are no Parquet files in this folder", where=name)
    places = [_places(inside[path]) for path in files]
    if any(set(place) != set(places[0]) for place in places):
        raise InputError("the files do not lie in folders of the same partitions", where=name)
    schemas = []
    for path in files:
        try:
            with system.open_input_file(path) as file:
                schemas.append(parquet.read_schema(file).remove_metadata())
        except (pa.ArrowException, OSError, ValueError):
            raise _damaged(f"{name}, file {len(schemas) + 1}") from None
    first = set(schemas[0].names)
    if any(set(schema.names) != first for schema in schemas):
        raise InputError(
            "the files have not the same columns", where=name, hint="Are there several data sets in this folder?"
        )
    schema = schemas[0]
    for key in places[0]:
        if key in first:
            raise InputError(f"'{key}' is both a column and the name of a partition", where=name)
        schema = schema.append(pa.field(key, _type([place[key] for place in places])))
    return Parts(name, system, tuple(files), tuple(places), schema)


def _read_one(parts: Parts, file: str, columns: list[str], before: int) -> tuple[Any, int]:
    """These columns of one file, and how many bytes they take; InputError if that, after so many, is too much."""
    import pyarrow as pa
    from pyarrow import parquet

    where = f"{parts.name}, file {parts.files.index(file) + 1}"
    try:
        with parts.system.open_input_stream(file) as stream:
            data = stream.read()
        parts.digests[file] = hashlib.sha256(data).hexdigest()
        opened = parquet.ParquetFile(pa.BufferReader(data))
    except (pa.ArrowException, OSError, ValueError):
        raise _damaged(where) from None
    size = parquet_size(opened.metadata, columns)
    check_size(before + size, "the folder of Parquet files", parts.name)
    try:
        if not columns:
            return pa.table({"": pa.nulls(opened.metadata.num_rows)}), size
        table = opened.read(columns=columns, use_threads=False)
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError):
        raise _damaged(where) from None
    return table.replace_schema_metadata(None), size


def _damaged(where: str) -> InputError:
    """Arrow's own texts can quote values, so none is passed on."""
    return InputError("this is not a readable Parquet file: damaged, cut short or of another format", where=where)


def _places(path: PurePosixPath) -> dict[str, str | None]:
    """The partitions that the folders of a path tell: year=2024/month=1."""
    found: dict[str, str | None] = {}
    for part in path.parts[:-1]:
        key, sign, value = part.partition("=")
        if sign and key:
            found[unquote(key)] = None if value == NO_VALUE else unquote(value)
    return found


def _type(values: list[str | None]) -> Any:
    import pyarrow as pa

    texts = [value for value in values if value is not None]
    whole = all(text.isascii() and text.isdigit() and str(int(text)) == text and len(text) < 19 for text in texts)
    return pa.int64() if texts and whole else pa.large_string()
