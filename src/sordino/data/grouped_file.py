"""Grouped tables that are too large to be held: read in pieces of whole groups.

In one Parquet file every row has a group, and a value that only says that the group holds it; in two, the second says
how many people of a group have which value. Rows, in both, are in the order of their groups, which are numbered from 1.
Held are the distinct quasi-identifiers and the distinct values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sordino.data.counted import Counted
from sordino.data.dealt import MOST
from sordino.data.grouped import Grouped, check_made_from
from sordino.data.known_rows import KnownRows
from sordino.data.read_counted import read_again
from sordino.data.table import Column, Table
from sordino.errors import InputError

__all__ = ["GroupedFile", "NotInOrder", "Piece", "open_groups"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

PIECE = 1 << 19  # people who are looked at together, about
OUT_OF_ORDER = "the rows are not in the order of their groups"


class NotInOrder(InputError):  # noqa: N818 - a state of the file
    """The rows are not in the order of their groups: they cannot be read in pieces."""


class Piece(NamedTuple):
    """Whole groups: of every person the group, from 0, ascending; the row of her quasi-identifiers in the table; and
    the code of a value of the group, -1 for a missing one."""

    group: Int64
    row: Int64
    value: Int32


@dataclass(frozen=True, eq=False)
class GroupedFile(Grouped):
    """A grouped table on the disk; `table` are its distinct quasi-identifiers with how often they occur, `distinct` its
    distinct values; `held` is the file of the values, if there are two."""

    sensitive: str = ""
    distinct: Table = field(default_factory=lambda: Table((Column.of_texts("", ()),)), repr=False)
    held: Path | None = None

    def __len__(self) -> int:
        return self.table.people

    def groups(self) -> tuple[Int64, tuple[str, ...]]:
        raise InputError("this table is too large to be held")

    def joined(self, sensitive: str) -> Table:
        """A table of all that occurs: every combination of quasi-identifiers, in the first rows, and every value."""
        if sensitive != self.sensitive:
            raise InputError(f"the values of these groups are those of the column '{self.sensitive}'")
        rows = max(len(self.table), len(self.distinct))
        place = np.minimum(np.arange(rows), len(self.table) - 1)
        columns = [_taken(column, place) for column in self.table.columns]
        value = _taken(self.distinct.columns[0], np.minimum(np.arange(rows), len(self.distinct) - 1))
        return Table((*columns, value), self.table.origin)

    def check_original(self, original: Table, quasi: Sequence[str], sensitive: str) -> None:
        """An InputError unless everybody here, and every value, is found in the original: others teach other rules."""
        check_made_from(self.table, self.distinct if self.held is None else self._counted(), original, quasi, sensitive)

    def _counted(self) -> Table:
        """The values with how many people have each, as their file says."""
        (column,) = self.distinct.columns
        count = np.zeros(len(column.values) + 1, dtype=np.int64)  # the last place is that of code -1
        for piece in self.pieces():
            np.add.at(count, piece.value, 1)
        codes = np.append(np.arange(len(column.values)), -1).astype(np.int32)
        return Table((replace(column, codes=codes, weight=count),))

    def pieces(self) -> Iterator[Piece]:
        """All rows. NotInOrder if they are not in the order of their groups; an InputError if these do not fit."""
        assert isinstance(self.table, Counted)
        assert isinstance(self.distinct, Counted)
        known, values = KnownRows(self.table), KnownRows(self.distinct)
        more = None if self.held is None else _Held(self.distinct, self.group, values)
        seen = 0
        for numbers, table in _whole_groups(self.table, self.group, [*self.table.names, *_own(self)]):
            if numbers[0] <= seen:
                raise NotInOrder(OUT_OF_ORDER)
            if numbers[0] != seen + 1 or (np.diff(numbers) > 1).any():
                raise InputError("the groups are not simply numbered")
            group, seen = numbers - (seen + 1), int(numbers[-1])
            value = values.codes(table)[0] if more is None else more.until(seen, np.bincount(group))
            yield Piece(group, known.find(known.codes(table)), value)
        if more is not None:
            more.until(None, np.zeros(0, dtype=np.int64))


def _own(file: GroupedFile) -> list[str]:
    return [file.sensitive] if file.held is None else []


def _taken(column: Column, rows: Int64) -> Column:
    return Column(column.name, column.codes[rows], column.values, column.kind, column.written, column.missing)


class _Held:
    """The file of the values, read along with that of the rows."""

    def __init__(self, source: Counted, group: str, values: KnownRows) -> None:
        (self._name,) = (name for name in source.all_names if name not in (group, *values.names))
        self._values = values
        self._pieces = _whole_groups(source, group, [*values.names, self._name])
        self._number, self._code, self._count = (np.empty(0, dtype=np.int64) for _ in range(3))

    def until(self, last: int | None, sizes: Int64) -> Int32:
        """The values of the next groups, of these sizes, the last of which has this number; None: there are no more."""
        while last is not None and (not len(self._number) or self._number[-1] < last):
            found = next(self._pieces, None)
            if found is None:
                break
            numbers, table = found
            cells = table.column(self._name).combine_chunks()
            if cells.null_count or not _whole(cells.type):
                raise InputError(f"the column '{self._name}' must hold whole numbers: how many people have the value")
            count = cells.to_numpy(zero_copy_only=False).astype(np.int64)
            if len(count) and (count.min() < 0 or count.max() > MOST):
                raise InputError(f"the numbers in the column '{self._name}' are too large")
            code = self._values.codes(table)[0].astype(np.int64)
            self._number = np.concatenate([self._number, numbers])
            self._code, self._count = np.concatenate([self._code, code]), np.concatenate([self._count, count])
        if last is None:
            if len(self._number) or next(self._pieces, None) is not None:
                raise InputError("the table of values has groups that no row is in")
            return np.empty(0, dtype=np.int32)
        end = int(np.searchsorted(self._number, last, side="right"))
        number, code, count = self._number[:end], self._code[:end], self._count[:end]
        first = last - len(sizes) + 1
        given = np.zeros(len(sizes), dtype=np.int64)
        if end and number[0] < first:
            raise InputError("the table of values has groups that no row is in")
        np.add.at(given, number - first, count)
        if not np.array_equal(given, sizes):
            wrong = int(np.count_nonzero(given != sizes))
            what = "1 group has" if wrong == 1 else f"{wrong:,} groups have"
            raise InputError(f"{what} another number of people than of values")
        self._number, self._code, self._count = self._number[end:], self._code[end:], self._count[end:]
        return np.repeat(code, count).astype(np.int32)


def _whole(type_: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(type_)) and type_ != pa.uint64()


def _whole_groups(source: Counted, group: str, names: Sequence[str]) -> Iterator[tuple[Int64, Any]]:
    """The rows of a file in pieces of whole groups: the numbers of their groups, and these columns as Arrow tables."""
    import pyarrow as pa

    held: list[Any] = []
    rows, enough = 0, PIECE

    def numbers_of(table: Any) -> Int64:
        column = table.column(group)
        if column.null_count:
            raise InputError(f"rows have no group in the column '{group}'")
        if not _whole(column.type):
            raise NotInOrder(f"the column '{group}' does not hold whole numbers")
        numbers: Int64 = column.to_numpy().astype(np.int64)
        if (np.diff(numbers) < 0).any():
            raise NotInOrder(OUT_OF_ORDER)
        return numbers

    with source.pieces([group, *names]) as pieces:
        for piece in pieces:
            held.append(piece)
            rows += piece.num_rows
            if rows < enough:
                continue
            whole = pa.concat_tables(held)
            numbers = numbers_of(whole)
            end = int(np.searchsorted(numbers, numbers[-1]))  # the last group may go on
            if end:
                yield numbers[:end], whole.slice(0, end).select(list(names))
            held = [whole.slice(end)]
            rows -= end
            enough = max(PIECE, 2 * rows)  # a group that is larger than a piece
    if rows:
        whole = pa.concat_tables(held)
        yield numbers_of(whole), whole.select(list(names))


def open_groups(
    path: Path, group: str, quasi: Sequence[str], sensitive: str, held: Path | None, missing: Sequence[str]
) -> GroupedFile:
    """A grouped table in one or two Parquet files; an InputError unless they have just these columns."""
    own = {*quasi, group} | (set() if held is not None else {sensitive})
    if set(_names(path)) != own:
        raise InputError("the columns of the data are not those of the policy")
    if held is not None:
        names = _names(held)
        if len(names) != 3 or not {sensitive, group} < set(names):
            raise InputError("the columns of the file of values are not group, value and count")
    return GroupedFile(
        read_again(path, quasi, missing),
        group,
        sensitive=sensitive,
        distinct=read_again(held or path, [sensitive], missing),
        held=held,
    )


def _names(path: Path) -> list[str]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        names = list(parquet.read_schema(path).names)
    except (pa.ArrowException, OSError, ValueError):
        raise InputError("this is not a readable Parquet file", where=path.name) from None
    if len(set(names)) < len(names):
        raise InputError("a column is there twice", where=path.name)
    return names
