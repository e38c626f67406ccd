"""How a kind of policy is compared: the name of its threshold, what its runs are measured by, what "best" may mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from sordino.policy.threshold import show_rational

__all__ = ["BASKETS", "GROUPS", "SCALES", "TABLES", "Measure", "Preference", "Scale"]


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
        return ("method", self.field, "done", *self.keys, "weaker", "reason")


SURE = "The threshold is how sure somebody may become: further left is stricter, further down loses less."

BASKETS = Scale(
    kind="inference",
    field="rho",
    rising=False,
    records="records",
    example="--rho 0.3,0.5,0.7",
    methods=("mine", "dist"),
    loss="share of the information lost",
    strictness=SURE,
    measures=(
        Measure("loss", "lost"),
        Measure("bound", "least possible"),
        Measure("symmetric_kl", "moved (KL)", "number"),
        Measure("jaccard", "rules the same"),
        Measure("seconds", "seconds", "seconds"),
    ),
    preferences={
        "loss": Preference("the least loss", "loss", "{:.1%} lost"),
        "distribution": Preference("the distribution that moves least", "symmetric_kl", "moved by {:.4g}"),
        "rules": Preference("the most association rules kept", "jaccard", "{:.1%} of the rules the same", high=True),
    },
    more=("kl",),
)
TABLES = Scale(
    kind="template",
    field="at_most",
    rising=False,
    records="rows",
    example="--at-most 0.3,0.5,0.7",
    methods=("disclosure", "disclosure-local"),
    loss="detail lost (1 - granularity)",
    strictness=SURE,
    measures=(
        Measure("loss", "detail lost"),
        Measure("kept", "cells kept"),
        Measure("error", "class wrong"),
        Measure("base_error", "before"),
        Measure("worst", "surest inference"),
        Measure("seconds", "seconds", "seconds"),
    ),
    preferences={
        "loss": Preference("the least loss of detail", "loss", "{:.1%} of the detail lost"),
        "cells": Preference("the most cells as they were", "kept", "{:.1%} of the cells kept", high=True),
        "class": Preference("the best prediction of the class", "error", "the class predicted wrongly for {:.1%}"),
    },
)
GROUPS = Scale(
    kind="diversity",
    field="l",
    rising=True,
    records="rows",
    example="--l 2,3,4",
    methods=("injector", "anatomy"),
    loss="average error of COUNT queries",
    strictness="l is how many values stay possible for everybody: further right is stricter, further down loses less.",
    measures=(
        Measure("loss", "counts off by"),
        Measure("confidence_error", "confidences off by"),
        Measure("missed_rules", "rules missed"),
        Measure("false_rules", "false rules"),
        Measure("average_group", "people in a group", "number"),
        Measure("possible", "values possible", "number"),
        Measure("seconds", "seconds", "seconds"),
    ),
    preferences={
        "loss": Preference("the least error of counts", "loss", "counts are off by {:.1%}"),
        "confidence": Preference(
            "the least error of confidences", "confidence_error", "confidences are off by {:.1%} on average"
        ),
        "rules": Preference("the fewest rules missed", "missed_rules", "{:.1%} of the rules missed"),
    },
)
SCALES: Mapping[str, Scale] = {scale.kind: scale for scale in (BASKETS, TABLES, GROUPS)}
