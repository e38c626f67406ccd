"""What sweeps (improve.py) want more of: entries, whatever they are, or entries that keep the shares of item types.

An objective tells the value of one more entry of each item, in whole numbers, as things stand; and what a table costs,
to keep the best. Both follow from how often each item is shown. It is asked for values `pieces` times a sweep; `unit`
is what an ordinary entry is worth.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Fewest", "Objective", "SameShares", "moved"]

UNIT = 8
PIECES = 32
DEAREST, CHEAPEST = 12, -1  # ordinary entries that one can be worth
WEIGHT = 10.0  # of the distribution, at first
STEP = 1.1  # by which it then rises or falls

I64 = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Objective(Protocol):
    """See above; `before` and `now`: occurrences by item."""

    unit: int
    pieces: int

    def values(self, before: I64, now: I64) -> I64: ...

    def cost(self, before: I64, now: I64) -> float: ...


class Fewest:
    """As few deletions as possible: every entry is worth the same."""

    unit = 1
    pieces = 1

    def values(self, before: I64, now: I64) -> I64:
        del now
        return np.ones(len(before), dtype=np.int64)

    def cost(self, before: I64, now: I64) -> float:
        return float(before.sum() - now.sum())


class SameShares:
    """As few deletions as possible, and the distribution of items no further from the original than `most`.

    Distances are those of utility/divergence.py, the symmetric form. Beside what all are worth, an entry is worth what
    it brings the distribution closer, times a weight; this rises while the table is too far away, and falls otherwise.
    """

    unit = UNIT
    pieces = PIECES

    def __init__(self, most: float) -> None:
        self.most, self.weight = most, WEIGHT

    def values(self, before: I64, now: I64) -> I64:
        away, slope = _distance(before, now)
        self.weight *= STEP if away > self.most else 1 / STEP
        worth = np.clip(1.0 - self.weight * slope, CHEAPEST, DEAREST)
        values: I64 = np.rint(self.unit * worth).astype(np.int64)
        return values

    def cost(self, before: I64, now: I64) -> float:
        return float(before.sum() - now.sum()) if moved(before, now) <= self.most else math.inf


def moved(before: I64, now: I64) -> float:
    """How far the distribution is from the original: the symmetric divergence, at most ln 2."""
    return _distance(before, now)[0]


def _distance(before: I64, now: I64) -> tuple[float, Floats]:
    """The distance, and by how much one more entry of each item adds to it, times the number of entries there are."""
    total, shown = int(before.sum()), int(now.sum())
    if not total or not shown:
        return (0.0 if total == shown else math.log(2)), np.zeros(len(before))
    p, q = before / total, np.maximum(now, 0.5) / shown
    middle = np.where(p > 0, (p + q) / 2, 1.0)
    there = now > 0
    slope = np.where(p > 0, 0.5 * np.log(q / middle), 0.0)
    second = float((q * slope)[there].sum())
    first = 0.5 * float((p * np.log(np.where(p > 0, p, 1.0) / np.where(there, middle, p / 2 + (p == 0)))).sum())
    return first + second, slope - second
