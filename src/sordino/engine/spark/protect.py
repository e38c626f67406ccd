"""Making records safe in a cluster: in parts, and then as a whole.

**Adaptive thresholds** follow from how frequent items are in what is published (release/baskets/protect.py). So the
result is read anew; where a threshold fell below the one that was used, everything is done again with the lower ones.
They can only fall, and each has finitely many values, so this ends.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from sordino.data.read import check_alike
from sordino.data.sources.coded import look_alike
from sordino.data.totals import Totals
from sordino.engine.spark.frames import Coded, Input, classes_of, coded_by, totals_of
from sordino.engine.spark.ids import check_ids
from sordino.engine.spark.parts import protect_parts
from sordino.engine.spark.place import Held
from sordino.engine.spark.release import SparkRelease
from sordino.engine.spark.whole import put_back, released_classes
from sordino.errors import InputError
from sordino.policy.inference import InferencePolicy, ResolvedInference

__all__ = ["METHODS", "MODES", "protect_input"]

METHODS: dict[str, dict[str, Any]] = {"mine": {"even": 0.0, "again": 1}, "dist": {"even": 8.0, "again": 0}, "twins": {}}
MODES = ("whole", "parts")
EFFORT = 6_000  # as the methods have it on one machine
RECORDS_A_PART = 60_000  # if nobody says
MOST_PARTS = 100_000


def protect_input(
    read: Input,
    policy: InferencePolicy,
    *,
    method: str | None,
    mode: str,
    parts: int | None,
    groups: int | None,
    seed: int,
    missing: str,
    only_sensitive: bool,
) -> SparkRelease:
    """A release in which the policy holds."""
    method = method or ("mine" if policy.absent is None else "twins")
    effort = _effort(policy, method, mode, parts)
    if read.item == "record":
        raise InputError("the column of items is called as published numbers are", hint="Rename it: not 'record'.")
    check_ids(read)
    totals = totals_of(read)
    check_alike(look_alike(totals.names), "item", None)
    policy = _stated(policy, totals, missing)
    resolved = policy.resolve(totals, missing=missing)
    number = parts or max(1, -(-totals.records // RECORDS_A_PART))
    coded = classes_of(coded_by(read.frame.select("items"), totals.names), totals)
    held = Held()
    coded = Coded(held(coded.frame), totals)
    while True:
        rows = held(protect_parts(coded, resolved, number, only=only_sensitive, seed=seed, **effort))
        audits = 0
        if mode == "whole" and number > 1 and effort.get("again") and resolved.knowledge is None:
            rows, audits = put_back(rows, coded, resolved, number, held, only=only_sensitive)
        after = released_classes(rows, totals).totals
        lower = _lower(policy, resolved, after)
        if lower is None:
            break
        resolved = lower
    return SparkRelease(
        source=read, rows=rows, totals=totals, after=after, policy=policy, method=method, mode=mode, parts=number,
        groups=groups, audits=audits, seed=seed, held=held,
    )  # fmt: skip


def _effort(policy: InferencePolicy, method: str, mode: str, parts: int | None) -> dict[str, Any]:
    if method not in METHODS:
        raise InputError(f"there is no method '{method}' for clusters", hint=f"Possible: {', '.join(METHODS)}.")
    if mode not in MODES:
        raise InputError(f"the mode cannot be '{mode}'", hint=f"Possible: {', '.join(MODES)}.")
    if parts is not None and not 1 <= parts <= MOST_PARTS:
        raise InputError(f"parts must be a whole number from 1 to {MOST_PARTS:,}")
    absent = policy.absent is not None
    if absent != (method == "twins"):
        raise InputError(
            "against knowledge of what people do not have there is the method 'twins', and it is for nothing else",
            hint="Say method='twins'." if absent else "Leave the method out.",
        )
    return {} if absent else {"effort": EFFORT, **METHODS[method]}


def _stated(policy: InferencePolicy, totals: Totals, missing: str) -> InferencePolicy:
    """The policy with its thresholds stated, if they are to be those of the original."""
    if policy.adaptive_on == "release":
        return policy
    found = policy.resolve(totals, missing=missing).thresholds
    return replace(policy, rho_of={**policy.rho_of, **found}, adaptive=False, adaptive_on="release")


def _lower(policy: InferencePolicy, used: ResolvedInference, after: Totals) -> ResolvedInference | None:
    """The policy with thresholds as low as what is published demands; None if they were so already."""
    if policy.adaptive is False:
        return None
    now = policy.resolve(after, missing="accept")
    fallen = {name: rho for name, rho in now.comparison.items() if rho < used.comparison[name]}
    if not fallen:
        return None
    num, den = used.num.copy(), used.den.copy()
    for name, rho in fallen.items():
        code = after.code_of[name]
        num[code], den[code] = rho.numerator, rho.denominator
    comparison: dict[str, Fraction] = {**used.comparison, **fallen}
    return replace(used, num=np.asarray(num), den=np.asarray(den), comparison=comparison)
