"""Negative rules: "nobody who is such has that value". What an adversary is assumed to know (SPEC 2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

__all__ = ["NegativeRule"]


@dataclass(frozen=True)
class NegativeRule:
    """Nobody who fits all `conditions` (attribute, value or group of values) has the sensitive value `excludes`.

    support: how many people fit, as far as known (in part, where an attribute is fuzzy); exceptions: how many of them
    have the value all the same; expectation: how surely somebody would, if it were chance.
    """

    conditions: tuple[tuple[str, str], ...]
    excludes: str
    support: Fraction | None = None
    exceptions: Fraction | None = None
    expectation: float | None = None

    def knowledge(self) -> str:
        """The conditions in braces, as the papers write them."""
        return "{" + ", ".join(f"{attribute}={value}" for attribute, value in self.conditions) + "}"

    def sentence(self) -> str:
        """The rule in plain words."""
        such = " and ".join(f"{attribute} = {value}" for attribute, value in self.conditions)
        if self.exceptions:
            return f"Hardly anybody with {such} has {self.excludes}."
        return f"Nobody with {such} has {self.excludes}."
