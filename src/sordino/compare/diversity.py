"""Comparing on tables that are grouped: the threshold is l."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

from sordino.compare.choice import why_not
from sordino.compare.request import Variant
from sordino.data.read_table import read_table
from sordino.data.table import Column, Table
from sordino.errors import InputError, PolicyError, SordinoError, Unsatisfiable
from sordino.policy.diversity import DiversityPolicy
from sordino.release.diversity.protect import protect_groups
from sordino.release.request import check_request

__all__ = ["at", "check", "key", "measure", "own", "read", "remarks"]


def read(data: object) -> Table:
    return read_table(data)


def own(policy: DiversityPolicy) -> Fraction:
    return Fraction(policy.l)


def at(policy: DiversityPolicy, threshold: Fraction) -> DiversityPolicy:
    return replace(policy, l=int(threshold))


def key(policy: DiversityPolicy) -> str:
    return hashlib.sha256(json.dumps(policy.statement(), sort_keys=True).encode()).hexdigest()


def remarks(policy: DiversityPolicy, thresholds: bool) -> tuple[str, ...]:
    del policy, thresholds
    return ()


def check(data: Table, policy: DiversityPolicy, prefer: str, missing: str) -> None:
    del prefer
    policy.resolve(data, missing=missing)


@cache
def _warm(method: str, options: tuple[tuple[str, Any], ...]) -> None:
    tiny = Table((Column.of_texts("q", ("a", "b") * 4), Column.of_texts("s", ("x", "y", "z", "w") * 2)))
    with contextlib.suppress(SordinoError):
        _protect(tiny, DiversityPolicy("s", ["q"], 2), Variant(method, dict(options)), 0, 1, "error")


def _protect(data: Table, policy: DiversityPolicy, variant: Variant, seed: int, jobs: int | None, missing: str) -> Any:
    method = check_request(variant.method, variant.options, seed=seed, jobs=jobs, kind="diversity")
    return protect_groups(data, policy, method, seed=seed, jobs=jobs, missing=missing, options=variant.options)


def measure(
    data: Table, policy: DiversityPolicy, variant: Variant, seed: int, jobs: int | None, missing: str
) -> dict[str, Any]:
    """Group and measure once; the time does not include compiling."""
    _warm(variant.method, tuple(sorted(variant.options.items())))
    start = time.perf_counter()
    try:
        release = _protect(data, policy, variant, seed, jobs, missing)
    except (Unsatisfiable, InputError, PolicyError) as error:  # this method cannot do this; the others may
        return {"done": False, "reason": why_not(error)}
    cost = release.utility
    return {
        "done": True,
        "loss": _share(cost.queries.error),
        "confidence_error": _share(cost.rules.confidence_error),
        "missed_rules": _share(cost.rules.missed_rules),
        "false_rules": _share(cost.rules.false_rules),
        "average_group": cost.average_group,
        "possible": release.audit_after.matching_l,
        "people_before": release.audit_before.people_at_risk,
        "seconds": round(time.perf_counter() - start, 3),
    }


def _share(percent: float | None) -> float | None:
    return None if percent is None else percent / 100
