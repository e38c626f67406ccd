"""What the toy brings to a comparison: k is its threshold."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from sordino.compare.scale import Measure, Preference, Scale
from sordino.data.table import Column, Table
from sordino.protect.registry import Method
from toy.policy import CrowdPolicy
from toy.verbs import CrowdRelease

SCALE = Scale(
    kind="crowd",
    field="k",
    rising=True,
    records="rows",
    example="k=[2, 3]",
    methods=("hide",),
    loss="rows lost",
    strictness="further right is stricter",
    measures=(Measure("loss", "lost"), Measure("left", "rows left", "number")),
    preferences={"loss": Preference("the least loss", "loss", "{:.1%} lost")},
)


def own(policy: CrowdPolicy) -> Fraction:
    return Fraction(policy.k)


def at(policy: CrowdPolicy, threshold: Fraction) -> CrowdPolicy:
    return replace(policy, k=int(threshold))


def key(policy: CrowdPolicy) -> str:
    return repr(policy)


def usual(policy: CrowdPolicy) -> tuple[str, ...]:
    del policy
    return SCALE.methods


def remarks(policy: CrowdPolicy, thresholds: bool) -> tuple[str, ...]:
    del policy, thresholds
    return ()


def check(data: Table, policy: CrowdPolicy, prefer: str, missing: str) -> None:
    del prefer
    policy.resolve(data, missing)


def tiny() -> tuple[Table, CrowdPolicy]:
    return Table((Column.of_texts("a", ("x", "x")),)), CrowdPolicy(("a",), 2)


def within_reach(policy: CrowdPolicy, method: Method) -> tuple[CrowdPolicy, str]:
    del method
    return policy, ""


def figures(release: CrowdRelease, data: Table, missing: str) -> dict[str, Any]:
    del missing
    return {"loss": release.utility.gone / len(data), "left": len(release.data)}
