"""Baskets from which items were deleted, under an inference policy with absent = "any". The file is its own proof.

The entries of the manifest are those of the shape "inference"; its policy also says "absent": "any".

**What is checked.** Equal records are counted. For every record that holds a sensitive item e, and something beside it:
if w records are equal to it, and v are equal to it but for e, then w / (w + v) must not exceed the threshold of e.
**Why this suffices.** Whether a record agrees with what somebody knows about a person's other items does not depend on
e. So the records that agree are a union of such pairs, and in each of them, hence in all, the share of e is small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

from sordino.data.baskets import Baskets
from sordino.policy.answer import Answer
from sordino.policy.inference import InferencePolicy, ResolvedInference
from sordino.verify.shapes.inference import PROOF, InferenceManifest, named
from sordino.verify.verdict import Verdict

__all__ = ["AbsenceManifest", "count_twins"]


@dataclass(frozen=True, kw_only=True)
class AbsenceManifest(InferenceManifest):
    """What the manifest says; its policy has absent = "any"."""

    shape: ClassVar[str] = "absence"

    def document(self) -> dict[str, Any]:
        entries = super().document()
        return {**entries, "policy": {**entries["policy"], "absent": self.policy.absent}}

    @classmethod
    def read_policy(cls, stated: Mapping[str, Any]) -> InferencePolicy:
        policy = replace(super().read_policy(stated), absent=stated["absent"])
        if policy.absent is None:
            raise ValueError
        return policy

    def needed(self) -> frozenset[str]:
        """The data; there is no proof beside them."""
        return super().needed() - {PROOF}

    def shown(
        self, publish: Path, table: Baskets, resolved: ResolvedInference, item_of: Mapping[str, str] | None
    ) -> Verdict:
        """Count the records of the table."""
        del publish  # there is no proof
        pairs, reason = count_twins(table, named(resolved.thresholds, item_of), item_of)
        return Verdict(Answer.FAILS if reason else Answer.HOLDS, reason or "counted", 0, pairs, 0, 0.0)

    def found(self, verdict: Verdict) -> tuple[str, ...]:
        return (
            "no sensitive item can be inferred above its threshold, whatever is known of a person's other items.",
            self.size(verdict),
            f"{self.read_as()} {verdict.served:,} entries (equal records taken once) were compared with their twins, "
            f"the records that are equal but for the sensitive item. It took {verdict.seconds:.1f} s.",
        )


def count_twins(
    baskets: Baskets, thresholds: Mapping[str, Fraction], called: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """How many different records with a sensitive item were compared with their twins; and what is wrong, or nothing.

    The reason names a record by its number, from 0, and a sensitive item, as it is `called`.
    """
    number: dict[frozenset[str], int] = {}
    equal: Counter[frozenset[str]] = Counter()
    for u, record in enumerate(baskets):
        equal[record] += 1
        number.setdefault(record, u)
    pairs = 0
    for record, with_item in equal.items():
        for item in record & thresholds.keys():
            rho, rest = thresholds[item], record - {item}
            if not rest:
                continue
            pairs += 1
            if with_item * (rho.denominator - rho.numerator) > equal[rest] * rho.numerator:
                name = item if called is None else called[item]
                return pairs, f"record {number[record]} has too few twins without '{name}'"
    return pairs, ""
