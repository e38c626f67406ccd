"""Comparing on tables under templates: the threshold is at_most, the same for all templates."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sordino.compare.scale import SURE, Measure, Preference, Scale
from sordino.data.table import Column, Table
from sordino.errors import InputError, MissingExtra
from sordino.policy.template import Template, TemplatePolicy
from sordino.policy.template_file import write
from sordino.policy.threshold import show_rational
from sordino.protect.registry import Method
from sordino.release.templates.result import TableRelease
from sordino.utility.classifiers import measure_errors

__all__ = ["SCALE", "at", "check", "figures", "key", "own", "remarks", "tiny", "usual", "within_reach"]

SCALE = Scale(
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


def own(policy: TemplatePolicy) -> Fraction:
    return min(template.at_most for template in policy.templates)


def at(policy: TemplatePolicy, threshold: Fraction) -> TemplatePolicy:
    return replace(policy, templates=tuple(replace(one, at_most=threshold) for one in policy.templates))


def key(policy: TemplatePolicy) -> str:
    """The policy as a file, its hierarchies, and whether predictions are measured."""
    trees = sorted((name, sorted(tree.paths())) for name, tree in policy.hierarchies.items())
    text = repr((write(policy), trees, _predicts(policy)))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def usual(policy: TemplatePolicy) -> tuple[str, ...]:
    del policy
    return SCALE.methods


def remarks(policy: TemplatePolicy, thresholds: bool) -> tuple[str, ...]:
    stated = sorted({template.at_most for template in policy.templates})
    if len(stated) == 1:
        return ()
    few = f"The templates have thresholds of their own, {show_rational(stated[0])} to {show_rational(stated[-1])}"
    if thresholds:
        return (f"{few}; stated ones were given to all of them. The strictest stands for the policy as it is.",)
    return (f"{few}; they were kept, and the strictest is shown.",)


def check(data: Table, policy: TemplatePolicy, prefer: str, missing: str) -> None:
    if prefer == "class" and policy.class_column is None:
        raise InputError("the policy names no class to predict", hint='Add class = "COLUMN", or prefer loss or cells.')
    if prefer == "class" and not _predicts(policy):
        raise MissingExtra("scikit-learn", "ml", "measuring classification errors")
    policy.resolve(data, missing=missing)


def _predicts(policy: TemplatePolicy) -> bool:
    """Whether there is a class to predict, and something to predict it with."""
    return policy.class_column is not None and importlib.util.find_spec("sklearn") is not None


def tiny() -> tuple[Table, TemplatePolicy]:
    cells = ("a", "a", "b", "b", "c", "c")
    table = Table((Column.of_texts("k", cells), Column.of_texts("s", ("x", "y", "x", "x", "y", "y"))))
    return table, TemplatePolicy([Template("k", "s", "x", "0.5")])


def within_reach(policy: TemplatePolicy, method: Method) -> tuple[TemplatePolicy, str]:
    del method
    return policy, ""


def figures(release: TableRelease, data: Table, missing: str) -> dict[str, Any]:
    cost, policy = release.utility, release.policy
    found: dict[str, Any] = {
        "loss": 1 - cost.granularity.mean,
        "kept": float(cost.cells.share),
        "worst": float(release.audit_after.worst),
    }
    if _predicts(policy):
        with contextlib.suppress(InputError):  # too few rows to learn from
            tree = measure_errors(release.data, policy.resolve(data, missing=missing), classifiers=("tree",))[0]
            found |= {"error": tree.suppression, "base_error": tree.base}
    return found
