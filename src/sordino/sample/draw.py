"""The few ways in which the sample is drawn.

numpy keeps the raw stream of a bit generator the same in all versions, but not what `choice` or `poisson` make of it
(NEP 19). So everything here comes from the raw stream, compared and added in a fixed order: same seed, same bytes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate
from typing import TypeVar

import numpy as np

__all__ = ["Draw"]

T = TypeVar("T")


class Draw:
    """A seeded source of uniform numbers and what we need of them."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def unit(self) -> float:
        """A number in [0, 1), all alike."""
        return (int(self._bits.random_raw()) >> 11) * 2.0**-53

    def chance(self, probability: float) -> bool:
        """True with that probability; a probability of 1 or more is always true."""
        return self.unit() < probability

    def below(self, n: int) -> int:
        """One of 0 .. n-1, all alike."""
        return min(int(self.unit() * n), n - 1)

    def one(self, weights: Mapping[T, float]) -> T:
        """A key, with probability in proportion to its weight; a weight of 0 is never drawn."""
        sums = list(accumulate(weights.values()))
        return list(weights)[bisect_right(sums, self.unit() * sums[-1])]
