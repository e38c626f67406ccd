"""How a kind of policy is compared: the name of its threshold, what its runs are measured by, what "best" may mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from sordino.policy.threshold import show_rational

__all__ = ["SURE", "Measure", "Preference", "Scale"]

SURE = "The threshold is how sure somebody may become: further left is stricter, further down loses less."


@dataclass(frozen=True)
class Measure:
    """A number of a run: its name in files, its title in tables, and how it is shown."""

    key: str
    title: str
    form: str = "percent"  # percent | number | seconds


@dataclass(frozen=True)
class Preference:
    """What is to be best: the words for it, the measure that tells, and the words for one figure of it."""

    words: str
    key: str
    figure: str  # a format of the measure
    high: bool = False  # whether more of it is better


@dataclass(frozen=True)
class Scale:
    """The thresholds and measures of a kind of policy.

    `field` is the threshold's name in policies and files; with `rising` a larger one is stricter. `loss` says what the
    measure "loss" is a share of; every kind has one, and the frontier is about it.
    """

    kind: str
    field: str
    rising: bool
    records: str  # what a record is called, in the plural
    example: str  # how thresholds are stated
    methods: tuple[str, ...]  # compared unless others are stated
    loss: str
    strictness: str
    measures: tuple[Measure, ...]
    preferences: Mapping[str, Preference]
    more: tuple[str, ...] = ()  # measures that stand in files only

    def strict(self, threshold: Fraction) -> Fraction:
        """Smaller for a stricter threshold."""
        return -threshold if self.rising else threshold

    def at(self, threshold: Fraction) -> str:
        """A threshold in words."""
        return f"l = {show_rational(threshold)}" if self.field == "l" else f"the threshold {show_rational(threshold)}"

    @property
    def noun(self) -> str:
        return "l" if self.field == "l" else "threshold"

    @property
    def nouns(self) -> str:
        return "values of l" if self.field == "l" else "thresholds"

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of all measures."""
        return (*(measure.key for measure in self.measures), *self.more)

    @property
    def fields(self) -> tuple[str, ...]:
        """The columns of the CSV file."""
        return ("method", self.field, "done", *self.keys, "weaker", "aside", "loss_is", "reason")
