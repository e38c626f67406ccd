"""A table of more rows than fit, rewritten from its source into a release folder, piece by piece.

What was decided is decided by value: all cells of a column that showed the same show the same afterwards
(`disclosure`). So the rows are read once more, each cell of a column that the policy names is replaced by what its
value shows now, and all other columns pass through. If it is decided by group of rows (`disclosure-local`), equal rows
take the shares of their kind in turn (`Parted`), and a cell that may change is replaced by what the row's share shows.

**Order.** Sorted by a hash of what a row shows and of the seed, by DuckDB, on the disk if it must. So the published
order is a function of the published rows and the seed, as it is for tables that fit (`numbering`), though not the same
one: rows that show the same stand together. Where a row was in the source leaves no trace in it.

**What was written** is read back: rows, and the sum of a hash of each, must be those that were handed to the writer,
and the counts of every column that the policy names must be those of the table that was decided about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from sordino.data.counted import Counted
from sordino.data.in_turn import Parted
from sordino.data.known_rows import KnownRows, places_in, plain_type, written_values
from sordino.data.parquet_pieces import ParquetPieces
from sordino.data.table import Column, Table, weighted
from sordino.data.workroom import from_bits, in_bits, plain_schema, workroom
from sordino.data.write_table import arrow_codes
from sordino.errors import InputError, InternalError

__all__ = ["checksum", "rewrite", "value_changes"]

BATCH = 1 << 16  # rows that come from DuckDB together
HASHED = "sum(hash({cells})::HUGEINT)"


@dataclass(frozen=True)
class Recoded:
    """What the cells of a column show: `old` values (an Arrow array), what becomes of each and, last, of a missing one.

    void: the texts that are missing values. Without `old`, `new` is what the shares show that rows take in turn.
    """

    name: str
    old: Any
    new: Any
    void: tuple[str, ...]

    def apply(self, cells: Any, share: Any) -> Any:
        """The cells of a piece, recoded; `share` is that of each row."""
        if self.old is None:
            return self.new.take(share)
        return self.new.take(places_in(self.old, cells.cast(self.old.type), self.void))


def recoding(before: Counted, after: Table) -> dict[str, Recoded]:
    """For every column of `before` what its values show in `after`, whose rows are the same or parts of them."""
    found = {}
    for column in before.columns:
        old, new = column, after.column(column.name)
        if isinstance(after, Parted):
            old = after.again(before).column(column.name)
        by_value = _recoded(before, old, new)
        if by_value is None and isinstance(after, Parted) and after.shares is not None:
            first = np.full(len(after.shares), -1, dtype=np.int64)
            first[after.share[::-1]] = np.arange(len(after) - 1, -1, -1)
            if not np.array_equal(new.codes[first[after.share]], new.codes):
                raise InternalError("a share does not show the same in all rows")
            by_value = Recoded(column.name, None, _shown_in(before, new, first), before.origin.missing)
        if by_value is None:
            raise InternalError("a value does not show the same in all rows")
        found[column.name] = by_value
    return found


def _recoded(before: Counted, old: Column, new: Column) -> Recoded | None:
    """None if some value does not show the same in all rows."""
    first = _first_rows(old)
    if old.differs(new).any() and not np.array_equal(new.codes[first[old.codes]], new.codes):
        return None
    type_ = before.schema.field(old.name).type
    return Recoded(old.name, written_values(old, type_), _shown_in(before, new, first), before.origin.missing)


def _shown_in(before: Counted, new: Column, rows: np.ndarray[Any, np.dtype[np.int64]]) -> Any:
    """What a column shows in these rows, in the type of the source if that can be; null for row -1."""
    import pyarrow as pa
    import pyarrow.compute as pc

    field = before.schema.field(new.name)
    codes, values = arrow_codes(new, field.with_type(plain_type(field.type)))
    chosen = codes.take(pa.array(np.maximum(rows, 0)))
    return values.take(pc.if_else(pa.array(rows >= 0), chosen, pa.scalar(None, type=chosen.type)))


def _first_rows(column: Column) -> np.ndarray[Any, np.dtype[np.int64]]:
    """For every value, and last for a missing one, the first row that has it; -1 if none does."""
    first = np.full(len(column.values) + 1, -1, dtype=np.int64)
    first[column.codes[::-1]] = np.arange(len(column) - 1, -1, -1)
    return first


def value_changes(before: Counted, after: Table) -> Any:
    """An Arrow table: column, from, to (null: a missing value), rows: in how many rows a cell changed so."""
    import pyarrow as pa

    parts = []
    table = after.again(before) if isinstance(after, Parted) else before
    for old, new in zip(table.columns, after.columns, strict=True):
        rows = np.flatnonzero(old.differs(new))
        weight = np.ones(len(old), dtype=np.int64) if old.weight is None else old.weight
        codes = np.where(old.codes < 0, len(old.values), old.codes)[rows]  # a missing value comes last
        pairs, place = np.unique(np.stack([codes, new.codes[rows]]), axis=1, return_inverse=True)
        told = {
            "column": pa.array([old.name] * pairs.shape[1], type=pa.string()),
            "from": pa.array([None if k == len(old.values) else old.texts[k] for k in pairs[0]], type=pa.string()),
            "to": pa.array([_shown(new, int(k)) for k in pairs[1]], type=pa.string()),
            "rows": pa.array(weighted(place, weight[rows], pairs.shape[1]), type=pa.int64()),
        }
        parts.append(pa.table(told))
    return pa.concat_tables(parts)


def _shown(column: Column, code: int) -> str | None:
    return None if code < 0 else column.texts[code]


def rewrite(
    before: Counted, after: Table, seed: int | None, data: IO[bytes], numbers: IO[bytes] | None
) -> tuple[int, int]:
    """Writes the rows of the source to `data`, as Parquet, as they are in `after`; in random order if there is a seed.

    `numbers` gets (published, record): the number of each row in the file, from 1, and in the source, from 0. Returns
    how many rows there are, and the sum of their hashes (see `checksum`).
    """
    import pyarrow as pa

    names = list(before.all_names)
    recoded = recoding(before, after)
    fields = _fields(before, recoded, names)
    cells = ", ".join(f"c{k}" for k in range(len(names)))
    order = ""
    if seed is not None:
        back = ", ".join(f"c{k}" for k in reversed(range(len(names))))
        order = f"ORDER BY hash('sordino {seed}', {cells}), hash({back}, '{seed} sordino'), place"
    total = rows = 0
    with (
        _told_as_it_was(before.origin.path) as trouble,
        before.pieces(names) as pieces,
        workroom("the rows cannot be put in order", before.origin.path, ordered=True) as room,
        ExitStack() as stack,
    ):
        types = in_bits(fields.empty_table()).schema
        numbered = _numbered(pieces, recoded, _in_turn(before, after), fields)
        given = pa.RecordBatchReader.from_batches(types, trouble(numbered))
        room.register("given", given)
        found = room.sql(f"SELECT *, hash({cells}) AS h FROM given {order}").to_arrow_reader(BATCH)
        out = ParquetPieces(stack, data, _published(fields, names))
        back_to = None if numbers is None else ParquetPieces(stack, numbers, _NUMBERS())
        for batch in found:
            table = pa.Table.from_batches([batch])
            total += sum(map(int, _halves(table.column("h"))))
            out.add(from_bits(table, pa.schema(list(fields)[: len(names)])).rename_columns(names))
            if back_to is not None:
                published = pa.array(np.arange(rows + 1, rows + 1 + len(table)))
                back_to.add(pa.table({"published": published, "record": table.column("place")}))
            rows += len(table)
    return rows, total


@contextmanager
def _told_as_it_was(where: str | None) -> Iterator[Callable[[Iterator[Any]], Iterator[Any]]]:
    """What is wrong with the batches that DuckDB is given is told in our words: it would tell that it got none."""
    found: list[InputError] = []

    def heard(batches: Iterator[Any]) -> Iterator[Any]:
        try:
            yield from batches
        except InputError as error:
            found.append(error)
            raise

    try:
        yield heard
    except InputError:
        if found:
            raise InputError(found[0].what, where=where) from None
        raise


def _NUMBERS() -> Any:  # noqa: N802 - a constant that needs a library
    import pyarrow as pa

    return pa.schema([("published", pa.int64()), ("record", pa.int64())])


def _halves(hashes: Any) -> tuple[int, int]:
    """Two numbers that add up to the sum of these: it does not fit into 64 bits."""
    numbers = hashes.to_numpy().astype(np.uint64)
    low = (numbers & np.uint64(0xFFFFFFFF)).sum(dtype=np.uint64)
    high = (numbers >> np.uint64(32)).sum(dtype=np.uint64)
    return int(low), int(high) << 32


def _fields(before: Counted, recoded: dict[str, Recoded], names: list[str]) -> Any:
    import pyarrow as pa

    plain = plain_schema(before.schema, names, [f"c{k}" for k in range(len(names))])
    types = [
        recoded[name].new.type if name in recoded else plain_type(plain.field(k).type) for k, name in enumerate(names)
    ]
    return pa.schema([*((f"c{k}", type_) for k, type_ in enumerate(types)), ("place", pa.int64())])


def _published(fields: Any, names: list[str]) -> Any:
    """The columns as they are called in the file."""
    import pyarrow as pa

    return pa.schema([(name, fields.field(k).type) for k, name in enumerate(names)])


def _in_turn(before: Counted, after: Table) -> Callable[[Any], Any]:
    """What tells the share of each row of the next piece; of nothing, if no row takes a share."""
    if not isinstance(after, Parted) or after.shares is None:
        return lambda _: None
    known, kind, turns = KnownRows(before), after.shares.kind, after.shares.turns()
    return lambda piece: turns.take(kind[known.find(known.codes(piece))])


def _numbered(
    pieces: Iterator[Any], recoded: dict[str, Recoded], shares: Callable[[Any], Any], fields: Any
) -> Iterator[Any]:
    import pyarrow as pa

    at = 0
    for piece in pieces:
        share, columns = shares(piece), []
        for k, name in enumerate(piece.column_names):
            cells = piece.column(name).combine_chunks()
            columns.append(recoded[name].apply(cells, share) if name in recoded else cells.cast(fields.field(k).type))
        numbers = pa.array(np.arange(at, at + piece.num_rows))
        at += piece.num_rows
        yield from in_bits(pa.table([*columns, numbers], schema=fields)).to_batches()


def checksum(after: Counted) -> tuple[int, int]:
    """How many rows a source has, and the sum of their hashes, whatever their order."""
    import pyarrow as pa

    names = list(after.all_names)
    fields = plain_schema(after.schema, names, [f"c{k}" for k in range(len(names))])
    cells = ", ".join(fields.names)
    with after.pieces(names) as pieces, workroom("the rows cannot be counted", after.origin.path) as room:
        rows_of = (in_bits(piece.rename_columns(fields.names).cast(fields)) for piece in pieces)
        batches = (batch for piece in rows_of for batch in piece.to_batches())
        types = in_bits(fields.empty_table()).schema
        room.register("given", pa.RecordBatchReader.from_batches(types, batches))
        rows, total = room.execute(f"SELECT count(*), {HASHED.format(cells=cells)} FROM given").fetchone()
    return int(rows), int(total or 0)
