"""NCP, the normalized certainty penalty of generalized and suppressed data (model.md 1.5).

An original occurrence costs 1 if it is suppressed, |items under m| / |non-sensitive items| if it is shown as an inner
node m, and nothing if it is shown as itself. Items are those that occur.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.data.distinct import distinct
from sordino.data.generalized import Generalized
from sordino.errors import InputError

__all__ = ["ADVICE", "Ncp", "Shown", "measure_ncp", "shown_occurrences"]

Int64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

ADVICE = (
    "Compare with the file that the release was made of, in its own order. If the release is in random order, give its "
    "whole folder: keep/records.parquet leads back. The distributions alone can be compared all the same: --unpaired, "
    "in Python paired=False."
)


@dataclass(frozen=True)
class Ncp:
    """The penalty: `loss / items` in all, over `occurrences`, of which some are suppressed and some generalized."""

    loss: int
    items: int  # non-sensitive ones
    occurrences: int
    suppressed: int
    generalized: int

    @property
    def total(self) -> Fraction:
        """The sum over all occurrences."""
        return Fraction(self.loss, max(self.items, 1))

    @property
    def share(self) -> Fraction:
        """The mean over all occurrences, 0 to 1."""
        return self.total / max(self.occurrences, 1)

    def to_dict(self) -> dict[str, Any]:
        return {
            "ncp": float(self.total),
            "share": float(self.share),
            "suppressed": self.suppressed,
            "generalized": self.generalized,
        }


@dataclass(frozen=True, eq=False)
class Shown:
    """What became of every original occurrence: the node it is shown at (-1: itself, sensitive), if it is shown."""

    node: Int64
    left: Bools


def shown_occurrences(before: Baskets, data: Generalized, sensitive: Bools) -> Shown:
    """What became of the occurrences of `before`, whose sensitive codes are marked. Records are paired by position.

    The hierarchy of a release lacks the items that no record shows any more: these are suppressed. An InputError if
    something is shown that stands for nothing in the record before.
    """
    if len(before) != len(data):
        raise InputError(f"the number of records differs: {len(before):,} before, {len(data):,} after")
    tree, after = data.hierarchy, data.baskets
    owner = np.repeat(np.arange(len(before), dtype=np.int64), before.lengths)
    leaf = np.array([tree.leaf_of.get(name, -1) for name in before.names], dtype=np.int64)
    leaf[sensitive] = -1
    leaves = leaf[before.items] if len(before.items) else np.empty(0, dtype=np.int64)
    node = np.full(len(leaves), -1, dtype=np.int64)
    plain = leaves >= 0
    node[plain] = data.shown_nodes(data.group[owner[plain]].astype(np.int64), leaves[plain])
    code_of = after.code_of
    of_node = np.array([code_of.get(label, -1) for label in data.labels], dtype=np.int64)
    of_item = np.array([code_of.get(name, -1) for name in before.names], dtype=np.int64)
    of_item[~sensitive] = -1
    code = np.where(plain, of_node[node], of_item[before.items] if len(leaves) else -1)
    width = max(len(after.names), 1)
    there = np.repeat(np.arange(len(after), dtype=np.int64), after.lengths) * width + after.items
    key = owner * width + code
    left: Bools = (code >= 0) & np.isin(key, there)
    explained = distinct(key[left])
    if len(explained) < len(there):
        strange = distinct(np.setdiff1d(there, explained, assume_unique=True) // width)
        what = "1 record shows items" if len(strange) == 1 else f"{len(strange):,} records show items"
        raise InputError(
            f"{what} after that do not stand for any before (the first is record {int(strange[0]) + 1:,})", hint=ADVICE
        )
    return Shown(node, left)


def measure_ncp(before: Baskets, data: Generalized, sensitive: Bools) -> Ncp:
    """The penalty of showing `before` as `data`; `sensitive` marks codes of `before`."""
    shown = shown_occurrences(before, data, sensitive)
    tree = data.hierarchy
    occurring = np.flatnonzero(~sensitive & (before.supports > 0))
    there = np.zeros(len(tree) + 1, dtype=np.int64)
    named = (tree.leaf_of.get(before.names[c]) for c in occurring.tolist())
    there[[leaf + 1 for leaf in named if leaf is not None]] = 1
    before_node = np.cumsum(there)
    under = before_node[np.arange(len(tree)) + tree.size] - before_node[:-1]
    inner = (shown.node >= 0) & shown.left & (tree.size[shown.node] > 1)
    suppressed = int(np.count_nonzero(~shown.left))
    loss = suppressed * max(len(occurring), 1) + int(under[shown.node[inner]].sum())
    return Ncp(loss, max(len(occurring), 1), before.occurrences, suppressed, int(np.count_nonzero(inner)))
