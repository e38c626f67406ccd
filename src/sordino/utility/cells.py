"""What became of the cells of a table: kept, generalised or suppressed, in all and for each attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sordino.data.table import Column, Table
from sordino.errors import InputError

__all__ = ["AttributeCells", "Cells", "measure_cells"]


@dataclass(frozen=True)
class AttributeCells:
    """One attribute: its cells by what became of them, and how many different values there were and are.

    `values_whole` counts the values all of whose cells are kept. The suppression symbol is no value.
    """

    name: str
    cells: int
    kept: int
    generalized: int
    suppressed: int
    values: int
    values_left: int
    values_whole: int

    @property
    def share(self) -> Fraction:
        """Cells kept / cells."""
        return Fraction(self.kept, self.cells) if self.cells else Fraction(1)

    def to_dict(self) -> dict[str, Any]:
        return {
            "attribute": self.name,
            "cells": self.cells,
            "kept": self.kept,
            "generalized": self.generalized,
            "suppressed": self.suppressed,
            "share_kept": float(self.share),
            "values": self.values,
            "values_left": self.values_left,
            "values_whole": self.values_whole,
        }


@dataclass(frozen=True)
class Cells:
    """The cells of the attributes that might be changed, and how many rows have one that was."""

    attributes: tuple[AttributeCells, ...]
    rows: int
    changed_rows: int
    suppressed_rows: int  # every cell suppressed

    @property
    def cells(self) -> int:
        return sum(one.cells for one in self.attributes)

    @property
    def kept(self) -> int:
        return sum(one.kept for one in self.attributes)

    @property
    def suppressed(self) -> int:
        return sum(one.suppressed for one in self.attributes)

    @property
    def generalized(self) -> int:
        return sum(one.generalized for one in self.attributes)

    @property
    def share(self) -> Fraction:
        """Cells kept / cells."""
        return Fraction(self.kept, self.cells) if self.cells else Fraction(1)

    def to_dict(self) -> dict[str, Any]:
        return {
            "cells": self.cells,
            "kept": self.kept,
            "generalized": self.generalized,
            "suppressed": self.suppressed,
            "share_kept": float(self.share),
            "rows": self.rows,
            "changed_rows": self.changed_rows,
            "suppressed_rows": self.suppressed_rows,
            "by_attribute": [one.to_dict() for one in self.attributes],
        }


def measure_cells(before: Table, after: Table, columns: Sequence[int], symbol: str) -> Cells:
    """What became of these columns of `before` in `after`, row by row."""
    if len(before) != len(after):
        raise InputError(f"the number of rows differs: {len(before):,} before, {len(after):,} after")
    weight = before.weight

    def rows(which: np.ndarray[Any, np.dtype[np.bool_]]) -> int:
        return int(which.sum() if weight is None else weight[which].sum())

    changed = np.zeros(len(before), dtype=np.bool_)
    gone = np.ones(len(before), dtype=np.bool_)
    found = []
    for place in columns:
        old, new = before.columns[place], after.column(before.columns[place].name)
        codes = codes_in(old, new)
        same = codes == old.codes
        hidden = new.codes == new.code_of.get(symbol, -2)
        if (~same & (codes >= -1) & ~hidden).any():  # nothing shows a value as another one
            raise InputError(
                f"some rows have another value of '{old.name}' after, though nothing was to be exchanged",
                hint="Compare with the table that the release was made of. If rows are in random order, give the whole "
                "release folder: keep/records.parquet leads back.",
            )
        suppressed = hidden & ~same
        used = np.flatnonzero(new.counts)
        moved = np.bincount(old.codes[~same & (old.codes >= 0)], minlength=len(old.values))  # 0 or not
        found.append(
            AttributeCells(
                name=old.name,
                cells=before.people,
                kept=rows(same),
                generalized=rows(~same & ~suppressed),
                suppressed=rows(suppressed),
                values=int(np.count_nonzero(old.counts)),
                values_left=sum(new.texts[code] != symbol for code in used.tolist()),
                values_whole=int(np.count_nonzero((old.counts > 0) & (moved == 0))),
            )
        )
        changed |= ~same
        gone &= suppressed
    return Cells(tuple(found), before.people, rows(changed), rows(gone) if len(columns) else 0)


def codes_in(old: Column, new: Column) -> np.ndarray[Any, np.dtype[np.int32]]:
    """The codes of `new` in those of `old`: -1 for no value, -2 for what `old` does not have."""
    lookup = np.array([*(old.code_of.get(text, -2) for text in new.texts), -1], dtype=np.int32)
    codes: np.ndarray[Any, np.dtype[np.int32]] = lookup[new.codes]
    return codes
