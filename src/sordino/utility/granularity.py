"""Granularity as ARX has it (after Iyengar's loss, 2002): how precise the published cells are, from 0 to 1.

A cell that shows a node has the share (leaves under the node) / (leaves of the attribute's hierarchy): 1/n if the value
itself is shown, 1 if it is suppressed. For an attribute the mean share s of its cells is put on the scale between the
best, 1/n, and the worst, 1: granularity = 1 - (s - 1/n) / (1 - 1/n). Values of a hierarchy count whether they occur or
not. Without a hierarchy n is the number of values that occur. ARX offers two ways to one number for all attributes: the
mean of their granularities (`mean`), and the same formula on the means of s and of 1/n (`pooled`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sordino.data.hierarchy import Hierarchy
from sordino.data.table import Column, Table

__all__ = ["Granularity", "measure_granularity"]


@dataclass(frozen=True)
class Granularity:
    """For each attribute its mean share and the least there can be."""

    names: tuple[str, ...]
    shares: tuple[float, ...]
    least: tuple[float, ...]

    @property
    def by_attribute(self) -> tuple[float, ...]:
        return tuple(_scaled(share, least) for share, least in zip(self.shares, self.least, strict=True))

    @property
    def mean(self) -> float:
        """The mean of the attributes' granularities; 1 if there are none."""
        values = self.by_attribute
        return sum(values) / len(values) if values else 1.0

    @property
    def pooled(self) -> float:
        """The granularity of the mean share."""
        number = len(self.names)
        return _scaled(sum(self.shares) / number, sum(self.least) / number) if number else 1.0

    def to_dict(self) -> dict[str, Any]:
        return {
            "mean": self.mean,
            "pooled": self.pooled,
            "by_attribute": dict(zip(self.names, self.by_attribute, strict=True)),
        }


def _scaled(share: float, least: float) -> float:
    """Where a share lies between the worst (0) and the best (1)."""
    if least >= 1:  # an attribute of one value: everybody knows it
        return 1.0
    return min(1.0, max(0.0, 1 - (share - least) / (1 - least)))


def measure_granularity(
    before: Table, after: Table, columns: Sequence[int], hierarchies: Mapping[int, Hierarchy], symbol: str
) -> Granularity:
    """The granularity of these columns (places in `before`) in `after`."""
    names, shares, least = [], [], []
    for place in columns:
        old, new = before.columns[place], after.column(before.columns[place].name)
        names.append(old.name)
        share, best = _mean_share(old, new, hierarchies.get(place), symbol)
        shares.append(share)
        least.append(best)
    return Granularity(tuple(names), tuple(shares), tuple(least))


def _mean_share(old: Column, new: Column, hierarchy: Hierarchy | None, symbol: str) -> tuple[float, float]:
    if hierarchy is not None:
        domain = len(hierarchy.leaves)
        known = {label: int(n) for label, n in zip(hierarchy.labels, hierarchy.leaf_counts.tolist(), strict=True)}
    else:
        domain = max(1, int(np.count_nonzero(old.counts)))
        known = {}
    values = {old.texts[code] for code in np.flatnonzero(old.counts).tolist()}
    width = [domain if text == symbol and text not in values else known.get(text, 1) for text in new.texts]
    rows = len(new) if new.weight is None else int(new.weight.sum())
    total = float(np.dot(new.counts, np.array(width, dtype=np.float64))) + new.lacking
    return (total / rows / domain if rows else 1 / domain), 1 / domain
