"""A grouped table of more people than are held one by one, put into order and written piece by piece.

What is published are quasi-identifiers, groups and values: all of it follows from the distinct rows, how often each
occurs, and how these people were dealt to groups (`Dealt`). The source is read once more only to tell, for the house,
which of its rows became which.

**Order.** As for tables that fit (protect.py), though not the same one: groups are ordered by a hash of what they show,
with random numbers for every combination of quasi-identifiers and every value, and within each group rows and values
are put into random order, each for itself, from an order that follows from what they show. The generator follows from
the seed and from what is published. So what is published is a function of the groups, as they are published, and the
seed; nothing about the order of the source enters, and nothing about whose value is whose. Groups of the same hash are
equal (two numbers of 64 bits), so which comes first does not show.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sordino.data.counted import Counted
from sordino.data.dealt import Dealt, stable_order
from sordino.data.known_rows import CHANGED, KnownRows
from sordino.data.parquet_pieces import ParquetPieces
from sordino.data.table import Table, weighted
from sordino.data.workroom import in_bits
from sordino.data.write_table import ParquetColumn, parquet_columns
from sordino.engine.local import Watch, raise_if_stopped
from sordino.errors import InputError, InternalError
from sordino.knowledge.classes import row_classes
from sordino.release.numbering import shuffler

__all__ = ["Publishing", "by_content", "ordered"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
ALTERED = "the written file reads back as other rows"


def by_content(table: Counted, sensitive: str) -> Counted:
    """The distinct rows in the order of their values, whatever the order of the source; each once.

    The sensitive ones come last, wherever they stand in the table: the order in which people are shown begins with
    this one, and whose value is whose must not enter it. DuckDB tells apart what is written in two ways, and is the
    same to us: cells without a value.
    """
    quasi = [column.codes for column in table.columns if column.name != sensitive]
    order = np.lexsort([*(column.codes for column in table.columns if column.name == sensitive), *reversed(quasi)])
    new = np.zeros(len(order), dtype=np.bool_)
    new[:1] = True
    for column in table.columns:
        new[1:] |= np.diff(column.codes[order]) != 0
    assert table.weight is not None
    weight = np.add.reduceat(table.weight[order], np.flatnonzero(new))
    first = order[new]
    return replace(
        table, columns=tuple(replace(column, codes=column.codes[first], weight=weight) for column in table.columns)
    )


class _Piece(NamedTuple):
    """Published rows, of whole groups: the number of the group, from 1; the row whose quasi-identifiers are shown, and
    the one whose value is."""

    number: Int64
    row: Int32
    held: Int32


@dataclass(frozen=True, eq=False)
class Publishing:
    """What is going to be published of `table`: people `dealt` to groups, which are shown in this `order`."""

    table: Counted
    sensitive: str
    group: str
    dealt: Dealt = field(repr=False)
    order: Int32 = field(repr=False)
    seed: int = field(repr=False)
    content: str = field(repr=False)  # a fingerprint of what is published that no order enters

    def pieces(self, watch: Watch, what: str) -> Iterator[_Piece]:
        """The rows as they are published; the same whenever it is asked."""
        rng = shuffler(self.seed, self.content)
        value = self.table.column(self.sensitive).codes
        first, done = 1, 0
        for place, rows in self.dealt.pieces(self.order):
            raise_if_stopped(watch.stop)
            watch.report(what, done, self.dealt.people)
            by_value = rows[np.lexsort((value[rows], place))]
            shown = np.lexsort((rng.random(len(rows)), place))
            dealt = np.lexsort((rng.random(len(rows)), place))  # any order is as likely as any other
            yield _Piece(first + place, rows[shown], by_value[dealt])
            first += int(place[-1]) + 1
            done += len(rows)

    def records(self, watch: Watch) -> Int32:
        """For every published row, in its order, which row of the source it is; the source is read for it."""
        weight = self.table.weight
        assert weight is not None
        row = np.empty(self.dealt.people, dtype=np.int32)
        at = 0
        for piece in self.pieces(watch, "putting into order"):
            row[at : at + len(piece.row)] = piece.row
            at += len(piece.row)
        places = stable_order(row)  # of the distinct rows, one after the other
        record = np.empty(len(places), dtype=np.int32)
        free = np.cumsum(weight) - weight
        end = free + weight
        known, at = KnownRows(self.table), 0
        with self.table.pieces(known.names) as pieces:
            for piece in pieces:
                raise_if_stopped(watch.stop)
                watch.report("reading rows", at, len(row))
                found = known.find(known.codes(piece))
                order = np.argsort(found, kind="stable")
                found = found[order]
                place = free[found] + np.arange(len(found)) - np.searchsorted(found, found)
                if (place >= end[found]).any():
                    raise InputError(CHANGED, where=self.table.origin.path)
                record[places[place]] = at + order
                free += np.bincount(found, minlength=len(free))
                at += len(found)
        if not np.array_equal(free, end):
            raise InputError(CHANGED, where=self.table.origin.path)
        return record

    def write(self, data: IO[bytes], values: IO[bytes] | None, watch: Watch) -> None:
        """The rows, as Parquet, in one file, or in two if there is one for the values."""
        with ExitStack() as stack:
            form = _Form(self, values is None)
            sinks = [ParquetPieces(stack, data, form.schema, form.natural)]
            if values is not None:
                sinks.append(ParquetPieces(stack, values, form.held_schema, form.held_natural))
            for piece in self.pieces(watch, "writing rows"):
                for sink, table in zip(sinks, form.tables(piece), strict=True):
                    sink.add(table)

    def compare(self, files: list[Any], watch: Watch) -> None:
        """An InternalError unless these files (paths) hold just the rows that were to be written, in their order."""
        form = _Form(self, len(files) == 1)
        with ExitStack() as stack:
            readers = [_Reader(stack, file) for file in files]
            for piece in self.pieces(watch, "reading back"):
                for reader, table in zip(readers, form.tables(piece), strict=True):
                    if not _plain(reader.take(len(table))).equals(_plain(table)):
                        raise InternalError(ALTERED)
            if any(len(reader.take(1)) for reader in readers):
                raise InternalError(ALTERED)

    def write_changes(self, sink: IO[bytes], record: Int32, watch: Watch) -> None:
        """For the house: what became of every row (see parts.py)."""
        import pyarrow as pa

        column = self.table.column(self.sensitive)
        texts, codes = pa.array([*column.texts, None], type=pa.string()), column.codes
        names = ("published", "record", "group", "from", "to")
        types = (pa.int64(), pa.int64(), pa.int32(), pa.string(), pa.string())
        at = 0
        with ExitStack() as stack:
            out = ParquetPieces(stack, sink, pa.schema(list(zip(names, types, strict=True))))
            for piece in self.pieces(watch, "writing changes"):
                rows = len(piece.row)
                shown = [texts.take(pa.array(codes[which] % len(texts))) for which in (piece.row, piece.held)]
                told = (np.arange(at + 1, at + rows + 1), record[at : at + rows].astype(np.int64), piece.number)
                cells = [pa.array(own).cast(type_) for own, type_ in zip(told, types[:3], strict=True)]
                out.add(pa.table([*cells, *shown], names=list(names)))
                at += rows


class _Form:
    """How rows are written: as a table that fits is (data/write_table.py)."""

    def __init__(self, shown: Publishing, together: bool) -> None:
        import pyarrow as pa

        table, self._together = shown.table, together
        kept = [column for column in table.columns if together or column.name != shown.sensitive]
        self._sensitive = shown.sensitive
        form = replace(table.origin, schema=table.schema)
        self._columns, self.natural = parquet_columns([replace(column, weight=None) for column in kept], form)
        group = pa.field(shown.group, pa.int64())
        self.schema = pa.schema([*(column.field for column in self._columns), group])
        if not together:
            own = replace(table.column(shown.sensitive), weight=None)
            (self._held,), self.held_natural = parquet_columns([own], replace(form, schema=None))
            self._value = np.where(own.codes < 0, len(own.values), own.codes)  # what is missing comes last
            self.held_schema = pa.schema([group, self._held.field, pa.field(count_name(shown), pa.int64())])

    def tables(self, piece: _Piece) -> list[Any]:
        """What goes to each file."""
        import pyarrow as pa

        cells = [self._cells(column, piece) for column in self._columns]
        tables = [pa.table([*cells, pa.array(piece.number)], schema=self.schema)]
        if not self._together:
            value = self._value[piece.held]
            order = np.lexsort((value, piece.number))
            pair = np.diff(piece.number[order], prepend=0) != 0
            new = np.flatnonzero(pair | (np.diff(value[order], prepend=-1) != 0))
            count = np.diff(np.append(new, len(order)))
            first = order[new]
            own = [pa.array(piece.number[first]), self._held.cells(piece.held[first]), pa.array(count)]
            tables.append(pa.table(own, schema=self.held_schema))
        return tables

    def _cells(self, column: ParquetColumn, piece: _Piece) -> Any:
        return column.cells(piece.held if column.field.name == self._sensitive else piece.row)


class _Reader:
    """The rows of a Parquet file, as many at a time as are asked for."""

    def __init__(self, stack: ExitStack, path: Any) -> None:
        from pyarrow import parquet

        self._batches = stack.enter_context(parquet.ParquetFile(path)).iter_batches(use_threads=False)
        self._held: list[Any] = []
        self._rows = 0

    def take(self, rows: int) -> Any:
        """The next rows; fewer if there are no more."""
        import pyarrow as pa

        while self._rows < rows and (batch := next(self._batches, None)) is not None:
            self._held.append(pa.Table.from_batches([batch]))
            self._rows += len(self._held[-1])
        whole = pa.concat_tables(self._held) if self._held else pa.table({})
        self._held, self._rows = [whole.slice(rows)], max(self._rows - rows, 0)
        return whole.slice(0, rows)


def _plain(table: Any) -> Any:
    """The table without what tells how its values are coded; of floating-point numbers the bits."""
    import pyarrow as pa

    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        coded = pa.types.is_dictionary(column.type)
        columns[name] = column.cast(column.type.value_type) if coded else column
    return in_bits(pa.table(columns)).combine_chunks()


def count_name(shown: Publishing) -> str:
    """The name of the column of counts in the file of the values."""
    name = "Count"
    while name in (shown.group, shown.sensitive):
        name += "_"
    return name


def ordered(table: Counted, sensitive: str, group: str, dealt: Dealt, seed: int, watch: Watch) -> Publishing:
    """The groups in the order in which they are published."""
    weight = table.weight
    assert weight is not None
    quasi = [column for column in table.columns if column.name != sensitive]
    codes = [column.codes + np.int32(1) for column in quasi]
    _, kind, _ = row_classes(codes, [len(column.values) + 1 for column in quasi])
    assert (np.diff(kind) >= 0).all(), "rows are in the order of their quasi-identifiers (by_content)"
    value = table.column(sensitive).codes.astype(np.int64) + 1
    content = _content(replace(table, columns=tuple(quasi)), kind, weight) + _content(
        replace(table, columns=(table.column(sensitive),)), value, weight
    )
    rng = shuffler(seed, f"groups {content}")
    hashes = [np.empty(len(dealt), dtype=np.uint64) for _ in range(2)]
    for own in hashes:
        of_kind = rng.integers(0, 1 << 64, size=int(kind.max(initial=0)) + 1, dtype=np.uint64)
        of_value = rng.integers(0, 1 << 64, size=int(value.max(initial=0)) + 1, dtype=np.uint64)
        of_row = of_kind[kind] + of_value[value]
        at = 0
        for place, rows in dealt.pieces():
            raise_if_stopped(watch.stop)
            new = np.flatnonzero(np.diff(place, prepend=-1))
            own[at : at + len(new)] = np.add.reduceat(of_row[rows], new)
            at += len(new)
    order = np.lexsort((hashes[1], hashes[0])).astype(np.int32)
    return Publishing(table, sensitive, group, dealt, order, seed, content)


def _content(table: Table, kind: Int64, weight: Int64) -> str:
    """A fingerprint of these columns: the texts of distinct rows, which `kind` numbers, and how often each occurs."""
    number = int(kind.max(initial=-1)) + 1
    first = np.full(number, -1, dtype=np.int64)
    first[kind[::-1]] = np.arange(len(kind) - 1, -1, -1)
    used = np.flatnonzero(first >= 0)
    columns = tuple(replace(column, codes=column.codes[first[used]], weight=None) for column in table.columns)
    counts = weighted(kind, weight, number)[used]
    digest = hashlib.sha256(Table(columns).fingerprint.encode())
    digest.update(counts.astype("<i8").tobytes())
    return digest.hexdigest()
