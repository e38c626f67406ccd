"""Lots for cases: all that a case is made of follows from its number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

__all__ = ["Lots"]

T = TypeVar("T")


class Lots:
    """Random choices among plain values."""

    def __init__(self, seed: int, number: int) -> None:
        self.rng = np.random.default_rng([seed, number])

    def number(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return int(self.rng.integers(low, high + 1))

    def one(self, choices: Sequence[T]) -> T:
        return choices[int(self.rng.integers(len(choices)))]

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def some(self, things: Sequence[T], share: float) -> list[T]:
        return [thing for thing, lot in zip(things, self.rng.random(len(things)), strict=True) if lot < share]
