"""Comparing on baskets: the threshold is rho."""

from __future__ import annotations

import contextlib
import hashlib
import time
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

from sordino.compare.choice import why_not
from sordino.compare.request import Variant
from sordino.data.baskets import Baskets
from sordino.data.read import read_baskets
from sordino.errors import InputError, PolicyError, SordinoError, Unsatisfiable
from sordino.policy.inference import InferencePolicy
from sordino.release.protect import protect_baskets
from sordino.release.request import check_request

__all__ = ["at", "check", "key", "measure", "own", "read", "remarks", "warm"]

ABSENCE_OPEN = "nothing is promised against someone who knows what a person does not have."


def read(data: object) -> Baskets:
    return read_baskets(data)


def own(policy: InferencePolicy) -> Fraction:
    return policy.rho


def at(policy: InferencePolicy, threshold: Fraction) -> InferencePolicy:
    return replace(policy, rho=threshold)


def key(policy: InferencePolicy) -> str:
    """What a policy demands, in a few letters: equal for equal policies. Choices of persons do not show in it."""
    digest = hashlib.sha256()
    plain = replace(policy, per_record=None, except_for=None)
    digest.update(repr(plain).encode())
    for choices in (policy.per_record, policy.except_for):
        digest.update(b"/")
        if choices is not None:
            digest.update(repr((choices.first, choices.names)).encode())
            if choices.table is not None:
                digest.update(repr(choices.table.ids).encode() + choices.table.fingerprint.encode())
            if choices.bits is not None:
                digest.update(choices.bits.tobytes())
    return digest.hexdigest()


def remarks(policy: InferencePolicy, thresholds: bool) -> tuple[str, ...]:
    del policy, thresholds
    return ()


def check(data: Baskets, policy: InferencePolicy, prefer: str, missing: str) -> None:
    del prefer
    policy.resolve(data, missing=missing)


@cache
def _warm_by_name(method: str, options: tuple[tuple[str, Any], ...]) -> None:
    """Run a method on next to nothing, so that it is compiled."""
    tiny = Baskets.from_sets([{"a", "x"}, {"a", "x"}, {"a"}, {"b", "x", "y"}, {"b", "y"}])
    with contextlib.suppress(SordinoError):  # what it cannot do, it will say again when it matters
        protect_baskets(tiny, InferencePolicy(["x", "y"], "1/2"), method=method, options=dict(options))


def warm(variant: Variant) -> None:
    """See to it that a method is compiled before it is timed."""
    _warm_by_name(variant.method, tuple(sorted(variant.options.items())))


def measure(
    data: Baskets, policy: InferencePolicy, variant: Variant, seed: int, jobs: int | None, missing: str
) -> dict[str, Any]:
    """Protect and measure once; the time does not include compiling, which happens once a machine."""
    warm(variant)
    weaker = ""
    if policy.absent is not None and not check_request(variant.method, variant.options, seed=seed, jobs=jobs).absent:
        policy, weaker = replace(policy, absent=None), ABSENCE_OPEN
    start = time.perf_counter()
    try:
        release = protect_baskets(
            data, policy, method=variant.method, seed=seed, jobs=jobs, missing=missing, options=variant.options
        )
    except (Unsatisfiable, InputError, PolicyError) as error:  # this method cannot do this; the others may
        return {"done": False, "reason": why_not(error)}
    cost = release.utility
    return {
        "done": True,
        "loss": float(cost.lost),
        "weaker": " ".join(filter(None, (weaker, release.weaker))),
        "kl": cost.divergence.to_dict()["kl"],
        "symmetric_kl": cost.divergence.symmetric,
        "jaccard": None if cost.rules is None else float(cost.rules.changes[0].jaccard),
        "bound": None if cost.bound is None else float(cost.bound.share),
        "people_before": release.audit_before.people_at_risk,
        "seconds": round(time.perf_counter() - start, 3),
    }
