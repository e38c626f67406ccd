"""Comparing on tables that are grouped: the threshold is l."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sordino.compare.scale import Measure, Preference, Scale
from sordino.data.table import Column, Table
from sordino.policy.diversity import DiversityPolicy
from sordino.protect.registry import Method
from sordino.release.diversity.protect import people_exposed
from sordino.release.diversity.result import DiversityRelease

__all__ = ["SCALE", "at", "check", "exposed", "figures", "key", "own", "remarks", "tiny", "usual", "within_reach"]

SCALE = Scale(
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
        Measure("exposed", "people seen through", "number"),
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


def own(policy: DiversityPolicy) -> Fraction:
    return Fraction(policy.l)


def at(policy: DiversityPolicy, threshold: Fraction) -> DiversityPolicy:
    return replace(policy, l=int(threshold))


def key(policy: DiversityPolicy) -> str:
    return hashlib.sha256(json.dumps(policy.statement(), sort_keys=True).encode()).hexdigest()


def usual(policy: DiversityPolicy) -> tuple[str, ...]:
    del policy
    return SCALE.methods


def remarks(policy: DiversityPolicy, thresholds: bool) -> tuple[str, ...]:
    del policy, thresholds
    return ()


def check(data: Table, policy: DiversityPolicy, prefer: str, missing: str) -> None:
    del prefer
    policy.resolve(data, missing=missing)


def tiny() -> tuple[Table, DiversityPolicy]:
    table = Table((Column.of_texts("q", ("a", "b") * 4), Column.of_texts("s", ("x", "y", "z", "w") * 2)))
    return table, DiversityPolicy("s", ["q"], 2)


def within_reach(policy: DiversityPolicy, method: Method) -> tuple[DiversityPolicy, str]:
    """Anatomy knows no rules: it is compared with what it promises, and whom it exposes to those who do is counted."""
    if method.name == "injector" or not (policy.mined or policy.rules):
        return policy, ""
    return replace(policy, mined=False, rules=()), "who knows the rules sees through some of its groups."


def exposed(release: DiversityRelease, data: Table, policy: DiversityPolicy, missing: str) -> int:
    """How many people have fewer than l possible values in the groups of the release, under the rules of the policy."""
    return people_exposed(release, data, policy, missing=missing)


def figures(release: DiversityRelease, data: Table, missing: str) -> dict[str, Any]:
    del data, missing
    cost = release.utility
    return {
        "loss": _share(cost.queries.error),
        "confidence_error": _share(cost.rules.confidence_error),
        "missed_rules": _share(cost.rules.missed_rules),
        "false_rules": _share(cost.rules.false_rules),
        "average_group": cost.average_group,
        "possible": release.audit_after.matching_l,
    }


def _share(percent: float | None) -> float | None:
    return None if percent is None else percent / 100
