"""Relational data: rows of cells in named columns, each column as codes and the values behind them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.handed_on import HandedOn
from sordino.errors import InputError, did_you_mean

__all__ = [
    "BOOLEAN",
    "INTEGER",
    "KINDS",
    "MISSING",
    "REAL",
    "SYMBOL",
    "TEXT",
    "TIME",
    "Column",
    "Table",
    "TableOrigin",
    "weighted",
]

Int32 = npt.NDArray[np.int32]
TEXT, INTEGER, REAL, BOOLEAN, TIME = "text", "integer", "real", "boolean", "time"
KINDS = (TEXT, INTEGER, REAL, BOOLEAN, TIME)
MISSING = ("", "?", "NA", "null")  # the texts that stand for "no value", unless the user states others
SYMBOL = "*"  # what stands in a suppressed cell, unless the user states another


@dataclass(frozen=True)
class TableOrigin:
    """Where a table came from, and all that is needed to write it back in the same form."""

    path: str | None = None  # None: made in Python; "-": standard input
    format: str = (
        "memory"  # csv | parquet | jsonl; and duckdb | postgresql | sqlite | memory, which are written as Parquet
    )
    gzipped: bool = False
    delimiter: str = ","
    blank: tuple[bool, bool] = (False, False)  # CSV: a blank after every delimiter, of the header and of the rows
    crlf: bool = False  # CSV: lines end in CR LF
    missing: tuple[str, ...] = MISSING  # the texts that were read as "no value"
    kinds: tuple[tuple[str, str], ...] = ()  # CSV: columns whose kind the user stated
    sha256: str | None = None  # of the bytes as read (before unzipping)
    schema: Any = field(default=None, compare=False)  # the Arrow schema of typed formats
    packed: str = field(default="", compare=False)  # what the source was packed in, and which part of it was taken


def weighted(
    numbers: npt.NDArray[np.integer], weight: npt.NDArray[np.int64] | None, size: int
) -> npt.NDArray[np.int64]:
    """How often each of the numbers below `size` occurs, if each occurrence counts as often as its weight says."""
    if weight is None:
        return np.bincount(numbers, minlength=size).astype(np.int64)
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, numbers, weight)
    return total


@dataclass(frozen=True, eq=False)
class Column:
    """One column: `codes[row]` is the place of the row's value in `values`, or -1 where there is none.

    Values are distinct and sorted: numbers numerically (an array), all else by code point (texts). Some values may
    occur in no row. A missing value is a value of its own wherever rows are counted: rows that lack the value agree
    with each other and with nobody else.
    """

    name: str
    codes: Int32
    values: tuple[str, ...] | npt.NDArray[Any]
    kind: str = TEXT
    written: Any = field(default=None, repr=False)  # the values as the source writes them: texts, or an Arrow array
    missing: str | None = None  # how the source writes "no value"; None: null, or an empty field
    weight: npt.NDArray[np.int64] | None = field(default=None, repr=False)  # how many rows each stands for; None: one

    def __post_init__(self) -> None:
        if self.codes.dtype != np.int32:
            object.__setattr__(self, "codes", self.codes.astype(np.int32))
        if len(self.codes) and (self.codes.max() >= len(self.values) or self.codes.min() < -1):
            raise InputError(f"the codes of the column '{self.name}' do not fit its values")

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def of_texts(cls, name: str, cells: Sequence[str | None]) -> Column:
        """A text column of these cells; None is a missing value."""
        values = tuple(sorted({cell for cell in cells if cell is not None}))
        place: dict[str | None, int] = {value: code for code, value in enumerate(values)}
        place[None] = -1
        return cls(name, np.fromiter((place[cell] for cell in cells), dtype=np.int32, count=len(cells)), values)

    @property
    def numeric(self) -> bool:
        return self.kind in (INTEGER, REAL)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The values as they are shown: numbers of a text format as it writes them, "1.50" and not 1.5."""
        if isinstance(self.values, tuple):
            return self.values
        if isinstance(self.written, tuple):
            return self.written
        return tuple(str(value) for value in self.values.tolist())

    def text(self, code: int, missing: str = "(missing)") -> str:
        """What code stands for, as it is shown."""
        return missing if code < 0 else self.texts[code]

    @cached_property
    def code_of(self) -> Mapping[str, int]:
        """The code behind each text."""
        return {text: code for code, text in enumerate(self.texts)}

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """In how many rows each value occurs."""
        if self.weight is not None:
            return weighted(self.codes + np.int32(1), self.weight, len(self.values) + 1)[1:]
        # Adding one is quicker than leaving out the rows without a value.
        return np.bincount(self.codes + np.int32(1), minlength=len(self.values) + 1)[1:].astype(np.int64)

    @property
    def lacking(self) -> int:
        """In how many rows there is no value."""
        rows = len(self.codes) if self.weight is None else int(self.weight.sum())
        return rows - int(self.counts.sum())

    def cells(self) -> Iterator[str | None]:
        """The text of every row; None where there is no value."""
        texts = (*self.texts, None)
        return (texts[code] for code in self.codes.tolist())

    def replaced(self, codes: npt.NDArray[np.integer], extra: Sequence[str] = ()) -> Column:
        """The column with other codes: those from len(values) on stand for the texts `extra`, -1 for no value.

        Values that no row has any more are gone, so the result says nothing about them. If a text of `extra` is in
        use, the column becomes text; one that equals a value is that value. A cell that was not a number is none in it:
        the text "NaN" would read back as a value.
        """
        codes = np.asarray(codes)
        old = len(self.values)
        used = np.zeros(old + len(extra) + 1, dtype=np.bool_)
        used[codes] = True  # -1 is the last place
        used = used[:-1]
        if not used[old:].any():
            return self._pruned(codes, used[:old])
        texts = (*self.texts, *extra)
        spelled = self.written if isinstance(self.written, tuple) else None
        typed = self.written is not None and spelled is None
        written = None if spelled is None else dict(zip(self.texts, spelled, strict=True))
        values = tuple(sorted({texts[code] for code in np.flatnonzero(used).tolist()}))
        place = {text: code for code, text in enumerate(values)}
        moved = np.array([*(place.get(text, -1) for text in texts), -1], dtype=np.int32)
        return replace(
            self,
            codes=moved[codes],
            values=values,
            kind=TEXT,
            written=None if written is None else tuple(written.get(text) for text in values),
            missing=None if typed and self.kind == REAL else self.missing,
        )

    def differs(self, other: Column) -> npt.NDArray[np.bool_]:
        """In which rows another column of the same length shows another text."""
        codes = self.codes
        if not self._same_values(other):
            place = other.code_of
            codes = np.array([*(place.get(text, -2) for text in self.texts), -1], dtype=np.int32)[codes]
        return np.not_equal(codes, other.codes)

    def _same_values(self, other: Column) -> bool:
        if self.values is other.values:
            return True
        if isinstance(self.values, tuple) or isinstance(other.values, tuple):
            return self.texts == other.texts
        if self.values.dtype != other.values.dtype or not np.array_equal(self.values, other.values):
            return False
        # Two zeros are equal, and show as two values, in whatever order.
        return self.kind != REAL or np.array_equal(np.signbit(self.values), np.signbit(other.values))

    def _pruned(self, codes: npt.NDArray[np.integer], used: npt.NDArray[np.bool_]) -> Column:
        if used.all():
            return self if codes is self.codes else replace(self, codes=codes.astype(np.int32))
        kept = np.flatnonzero(used)
        moved = np.full(len(used) + 1, -1, dtype=np.int32)
        moved[kept] = np.arange(len(kept), dtype=np.int32)
        values = tuple(self.values[k] for k in kept.tolist()) if isinstance(self.values, tuple) else self.values[kept]
        written = self.written
        if isinstance(written, tuple):
            written = tuple(written[k] for k in kept.tolist())
        elif written is not None:
            written = written.take(kept)
        return replace(self, codes=moved[codes], values=values, written=written)


@dataclass(frozen=True, eq=False)
class Table(HandedOn):
    """Rows in the order of their source, as columns of codes.

    Rows of a source that were counted before they were read (read_counted.py) are distinct, and each stands for as many
    as `weight` says; `left_out` columns were not read.
    """

    columns: tuple[Column, ...]
    origin: TableOrigin = field(default_factory=TableOrigin)
    left_out: int = 0

    def __post_init__(self) -> None:
        if not self.columns:
            raise InputError("a table needs at least one column")
        if len({len(column) for column in self.columns}) > 1:
            raise InputError("the columns differ in length")
        names = self.names
        if len(set(names)) < len(names):
            double = next(name for name in names if names.count(name) > 1)
            raise InputError(f"there is more than one column '{double}'")

    def __len__(self) -> int:
        return len(self.columns[0])

    @property
    def weight(self) -> npt.NDArray[np.int64] | None:
        """How many rows of the source each row stands for; None: itself."""
        return self.columns[0].weight

    @property
    def people(self) -> int:
        """How many rows the source has."""
        weight = self.weight
        return len(self) if weight is None else int(weight.sum())

    def __repr__(self) -> str:
        return f"Table({len(self):,} rows, {len(self.columns):,} columns: {', '.join(self.names)})"

    def to_arrow(self) -> Any:
        """The rows as a pyarrow.Table."""
        from sordino.data.write_table import arrow_table

        return arrow_table(self)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def index(self, name: str) -> int:
        """The place of the column of this name."""
        names = self.names
        if name not in names:
            raise InputError(
                f"there is no column '{name}'.{did_you_mean(name, names)}", hint=f"The columns are: {', '.join(names)}."
            )
        return names.index(name)

    def column(self, name: str) -> Column:
        """The column of this name."""
        return self.columns[self.index(name)]

    def with_column(self, column: Column) -> Table:
        """The table with this column in the place of the one of the same name, or after all others."""
        if column.name not in self.names:
            return replace(self, columns=(*self.columns, column))
        return replace(self, columns=tuple(column if old.name == column.name else old for old in self.columns))

    def rows(self, order: npt.NDArray[np.int64]) -> Table:
        """The table of these rows, in this order; values that none of them has are gone."""
        return replace(self, columns=tuple(column.replaced(column.codes[order]) for column in self.columns))

    def same_cells(self, other: Table) -> bool:
        """Whether the other table has the same columns with the same texts in every row."""
        return (
            self.names == other.names
            and len(self) == len(other)
            and not any(a.differs(b).any() for a, b in zip(self.columns, other.columns, strict=True))
        )

    def row(self, number: int) -> tuple[str | None, ...]:
        """The texts of one row (from 0); None where there is no value."""
        codes = ((column, int(column.codes[number])) for column in self.columns)
        return tuple(None if code < 0 else column.texts[code] for column, code in codes)

    @cached_property
    def fingerprint(self) -> str:
        """sha256 of the content: names, texts and which row has which, whatever the format and the types."""
        digest = hashlib.sha256(f"{len(self)}\n".encode())
        for column in self.columns:
            used = np.flatnonzero(column.counts).tolist()
            order = sorted(used, key=column.texts.__getitem__)
            rank = np.full(len(column.values) + 1, -1, dtype="<i4")
            rank[order] = np.arange(len(order))
            for text in (column.name, *(column.texts[code] for code in order)):
                digest.update(text.encode("utf-8", "surrogatepass") + b"\x1f")
            digest.update(b"\n")
            digest.update(rank[column.codes].tobytes())
        return digest.hexdigest()
