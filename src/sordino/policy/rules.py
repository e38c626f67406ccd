"""Negative rules: "nobody who is such has that value". What an adversary is assumed to know (model.md 2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sordino.policy.threshold import show_rational

__all__ = ["CodedRules", "NegativeRule"]


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

    def __init__(
        self,
        conditions: Mapping[str, str] | Iterable[tuple[str, str]],
        excludes: str,
        support: Fraction | None = None,
        exceptions: Fraction | None = None,
        expectation: float | None = None,
    ) -> None:
        pairs = conditions.items() if isinstance(conditions, Mapping) else conditions
        for name, value in (
            ("conditions", tuple((str(attribute), str(label)) for attribute, label in pairs)),
            ("excludes", str(excludes)),
            ("support", support),
            ("exceptions", exceptions),
            ("expectation", expectation),
        ):
            object.__setattr__(self, name, value)

    @property
    def meaning(self) -> tuple[frozenset[tuple[str, str]], str]:
        """What the rule says, whatever its order and its figures."""
        return frozenset(self.conditions), self.excludes

    def knowledge(self) -> str:
        """The conditions in braces, as the paper writes them."""
        return "{" + ", ".join(f"{attribute}={value}" for attribute, value in self.conditions) + "}"

    def sentence(self) -> str:
        """The rule in plain words."""
        such = " and ".join(f"{attribute} = {value}" for attribute, value in self.conditions)
        who = "Hardly anybody" if self.exceptions else "Nobody"
        return f"{who} with {such} has {self.excludes}."

    def to_dict(self) -> dict[str, Any]:
        """The rule as plain data."""
        figures: dict[str, Any] = {}
        if self.support is not None:
            figures["people"] = show_rational(self.support)
        if self.exceptions is not None:
            figures["exceptions"] = show_rational(self.exceptions)
        if self.expectation is not None:
            figures["expectation"] = round(self.expectation, 6)
        return {"if": dict(self.conditions), "not": self.excludes, **figures}


@dataclass(frozen=True)
class CodedRules:
    """Rules in codes: `conditions[i]` are pairs (attribute, node), `value[i]` is the sensitive code they exclude.

    `source[i]` is the rule itself. A rule without conditions concerns everybody.
    """

    conditions: tuple[tuple[tuple[int, int], ...], ...] = ()
    value: tuple[int, ...] = ()
    source: tuple[NegativeRule, ...] = ()

    def __len__(self) -> int:
        return len(self.value)

    def __add__(self, other: CodedRules) -> CodedRules:
        """Both, each rule once."""
        known = set(zip(map(frozenset, self.conditions), self.value, strict=True))
        more = [k for k in range(len(other)) if (frozenset(other.conditions[k]), other.value[k]) not in known]
        return CodedRules(
            self.conditions + _taken(other.conditions, more),
            self.value + _taken(other.value, more),
            self.source + _taken(other.source, more),
        )

    def taken(self, places: Sequence[int]) -> CodedRules:
        """Some of the rules."""
        return CodedRules(_taken(self.conditions, places), _taken(self.value, places), _taken(self.source, places))


def _taken(things: tuple[Any, ...], places: Sequence[int]) -> tuple[Any, ...]:
    return tuple(things[k] for k in places)
