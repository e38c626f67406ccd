"""k-anonymity, uniqueness and l-diversity of tables, as figures that are asked for (see anonymity.py).

People are taken to be recognized by some columns. A missing value, and whatever stands in a suppressed cell, is a value
of its own: rows that show it are alike, which is how these figures are usually told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.table import Table, weighted

__all__ = ["TableAnonymity", "table_anonymity"]


@dataclass(frozen=True)
class TableAnonymity:
    """The figures of one table. l: the fewest different values of a sensitive column among rows that are alike; share:
    the most that one such value takes up."""

    rows: int
    k: int | None
    unique: int
    l: int | None  # noqa: E741 - the name of the literature
    share: Fraction | None

    def to_dict(self) -> dict[str, Any]:
        return {
            "records": self.rows,
            "k": self.k,
            "unique": self.unique,
            "distinct_l": self.l,
            "highest_share": None if self.share is None else float(self.share),
        }


def table_anonymity(table: Table, known: Sequence[str], sensitive: Sequence[str]) -> TableAnonymity:
    """The figures of a table of which these columns are known, and these sensitive."""
    rows, weight = table.people, table.weight
    if not rows:
        return TableAnonymity(0, None, 0, None, None)
    group = np.zeros(len(table), dtype=np.int64)
    for name in known:
        group = _with(group, table.column(name).codes)
    size = weighted(group, weight, int(group.max()) + 1)
    fewest: int | None = None
    share: Fraction | None = None
    for name in sensitive:
        both = _with(group, table.column(name).codes)
        count = weighted(both, weight, int(both.max()) + 1)
        owner = np.empty(len(count), dtype=np.int64)
        owner[both] = group
        least = int(np.bincount(owner).min())
        fewest = least if fewest is None else min(fewest, least)
        worst = int(np.argmax(count / size[owner]))
        share = max(share or Fraction(0), Fraction(int(count[worst]), int(size[owner[worst]])))
    return TableAnonymity(rows, int(size.min()), int((size == 1).sum()), fewest, share)


def _with(group: npt.NDArray[np.int64], codes: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """The groups divided by one more column."""
    width = int(codes.max()) + 2
    _, inverse = np.unique(group * width + codes + 1, return_inverse=True)
    return inverse.astype(np.int64)
