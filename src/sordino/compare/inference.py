"""Comparing on baskets: the threshold is rho."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sordino.compare.scale import SURE, Measure, Preference, Scale
from sordino.data.baskets import Baskets
from sordino.policy.inference import InferencePolicy
from sordino.protect.registry import Method
from sordino.release.baskets.result import BasketRelease

__all__ = ["SCALE", "at", "check", "figures", "key", "own", "remarks", "tiny", "usual", "within_reach"]

SCALE = Scale(
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
        Measure("deleted", "deleted"),
        Measure("wider", "shown wider"),
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

NCP = "NCP, in which an entry shown as a wider item counts as a part of a loss"
DELETED = "the share of the entries that are deleted"
BUILT = (
    "its hierarchy was built from the names, so what it shows are blocks of names and not categories; give a real one: "
    "{method}:hierarchy=FILE"
)
ABSENCE_OPEN = "nothing is promised against someone who knows what a person does not have."


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


def usual(policy: InferencePolicy) -> tuple[str, ...]:
    """Where absence may be known, the price of that promise shows beside what the others promise."""
    return SCALE.methods if policy.absent is None else ("twins", *SCALE.methods)


def remarks(policy: InferencePolicy, thresholds: bool) -> tuple[str, ...]:
    del policy, thresholds
    return ()


def check(data: Baskets, policy: InferencePolicy, prefer: str, missing: str) -> None:
    del prefer
    policy.resolve(data, missing=missing)


def tiny() -> tuple[Baskets, InferencePolicy]:
    baskets = Baskets.from_sets([{"a", "x"}, {"a", "x"}, {"a"}, {"b", "x", "y"}, {"b", "y"}])
    return baskets, InferencePolicy(["x", "y"], "1/2")


def within_reach(policy: InferencePolicy, method: Method) -> tuple[InferencePolicy, str]:
    if policy.absent is None or method.absent:
        return policy, ""
    return replace(policy, absent=None), ABSENCE_OPEN


def figures(release: BasketRelease, data: Baskets, missing: str) -> dict[str, Any]:
    del data, missing
    cost = release.utility
    penalty = getattr(cost, "ncp", None)
    first = None if cost.rules is None else cost.rules.changes[0]
    built = penalty is not None and not getattr(release, "brought", False)
    return {
        "loss": float(cost.lost),
        "loss_is": DELETED if penalty is None else NCP,
        "aside": BUILT.format(method=release.method) if built else "",
        "deleted": float(cost.ns),
        "wider": 0.0 if penalty is None else penalty.generalized / max(penalty.occurrences, 1),
        "weaker": release.weaker,
        "kl": cost.divergence.to_dict()["kl"],
        "symmetric_kl": cost.divergence.symmetric,
        "jaccard": None if first is None or not (first.before or first.after) else float(first.jaccard),
        "bound": None if cost.bound is None else float(cost.bound.share),
    }
