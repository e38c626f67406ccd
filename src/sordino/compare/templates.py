"""Comparing on tables under templates: the threshold is at_most, the same for all templates."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import time
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

from sordino.compare.choice import why_not
from sordino.compare.request import Variant
from sordino.data.read_table import read_table
from sordino.data.table import Column, Table
from sordino.errors import InputError, MissingExtra, PolicyError, SordinoError, Unsatisfiable
from sordino.policy.template import Template, TemplatePolicy
from sordino.policy.template_file import write
from sordino.policy.threshold import show_rational
from sordino.release.templates.protect import protect_table
from sordino.utility.classifiers import measure_errors

__all__ = ["at", "check", "key", "measure", "own", "read", "remarks"]


def read(data: object) -> Table:
    return read_table(data)


def own(policy: TemplatePolicy) -> Fraction:
    return min(template.at_most for template in policy.templates)


def at(policy: TemplatePolicy, threshold: Fraction) -> TemplatePolicy:
    return replace(policy, templates=tuple(replace(one, at_most=threshold) for one in policy.templates))


def key(policy: TemplatePolicy) -> str:
    """The policy as a file, its hierarchies, and whether predictions are measured."""
    trees = sorted((name, sorted(tree.paths())) for name, tree in policy.hierarchies.items())
    text = repr((write(policy), trees, _predicts(policy)))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def remarks(policy: TemplatePolicy, thresholds: bool) -> tuple[str, ...]:
    stated = sorted({template.at_most for template in policy.templates})
    if len(stated) == 1:
        return ()
    few = f"The templates have thresholds of their own, {show_rational(stated[0])} to {show_rational(stated[-1])}"
    if thresholds:
        return (f"{few}; each run gave all of them the same. The strictest counts as the policy's own.",)
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


@cache
def _warm(method: str, options: tuple[tuple[str, Any], ...]) -> None:
    cells = ("a", "a", "b", "b", "c", "c")
    tiny = Table((Column.of_texts("k", cells), Column.of_texts("s", ("x", "y", "x", "x", "y", "y"))))
    with contextlib.suppress(SordinoError):
        protect_table(tiny, TemplatePolicy([Template("k", "s", "x", "0.5")]), method=method, options=dict(options))


def measure(
    data: Table, policy: TemplatePolicy, variant: Variant, seed: int, jobs: int | None, missing: str
) -> dict[str, Any]:
    """Protect and measure once; the time does not include compiling, nor learning to predict."""
    _warm(variant.method, tuple(sorted(variant.options.items())))
    start = time.perf_counter()
    try:
        release = protect_table(
            data, policy, method=variant.method, seed=seed, jobs=jobs, missing=missing, options=variant.options
        )
    except (Unsatisfiable, InputError, PolicyError) as error:  # this method cannot do this; the others may
        return {"done": False, "reason": why_not(error)}
    seconds = time.perf_counter() - start
    cost = release.utility
    found: dict[str, Any] = {
        "done": True,
        "loss": 1 - cost.granularity.mean,
        "kept": float(cost.cells.share),
        "worst": float(release.audit_after.worst),
        "people_before": release.audit_before.people_at_risk,
        "seconds": round(seconds, 3),
    }
    if _predicts(policy):
        with contextlib.suppress(InputError):  # too few rows to learn from
            tree = measure_errors(release.data, policy.resolve(data, missing=missing), classifiers=("tree",))[0]
            found |= {"error": tree.suppression, "base_error": tree.base}
    return found
