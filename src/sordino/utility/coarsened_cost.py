"""What it cost to generalize, or to tell sensitive items by group."""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.data.permuted import Permuted
from sordino.engine.local import Progress, Watch
from sordino.errors import MissingExtra
from sordino.policy.inference import ResolvedInference
from sordino.utility.cost import Cost
from sordino.utility.divergence import measure_divergence
from sordino.utility.leaf_rules import compare_leaf_rules
from sordino.utility.ncp import ADVICE, Ncp, measure_ncp
from sordino.utility.pair import in_codes_of, pair
from sordino.utility.rules import FrequentSets, RuleComparison, compare_rules

__all__ = ["CoarsenedCost", "measure_coarsened"]


@dataclass(frozen=True)
class CoarsenedCost(Cost):
    """All measures of one change. `left` are original occurrences that are still shown, as themselves or wider.

    The divergence of generalized data takes a generalized item for an item of its own, as JIA does; then KL is infinite
    and only the symmetric form says something. Rules are compared at leaf level. Of permuted data, divergence and rules
    are those of one table that agrees with the release.
    """

    ncp: Ncp | None = None
    groups: int = 1
    paired: bool = True

    @property
    def lost(self) -> Fraction:
        """NCP, in which a wider item is a part of a loss; without one, what is suppressed."""
        return self.ns if self.ncp is None else self.ncp.share

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        return {
            **super().to_dict(),
            "groups": self.groups,
            "paired": self.paired,
            "ncp": None if self.ncp is None else self.ncp.to_dict(),
        }


def measure_coarsened(
    before: Baskets,
    after: Generalized | Permuted,
    policy: ResolvedInference,
    *,
    rules: bool = True,
    paired: bool = True,
    progress: Progress | None = None,
    mined: FrequentSets | None = None,
) -> CoarsenedCost:
    """What it cost to get from `before` to `after`; the policy must be resolved against `before`.

    Record k after must show what was in record k before (else InputError); with paired=False that is not asked, and
    only the distribution of items is measured. `mined` remembers what was frequent before.
    """
    start = time.monotonic()
    watch = Watch(progress)
    remarks: list[str] = []
    comparison: RuleComparison | None = None
    penalty: Ncp | None = None
    watch.report("Comparing", 0, 0)
    if isinstance(after, Generalized):
        shown = in_codes_of(before, after.baskets)
        left = shown.occurrences
        if paired:
            penalty = measure_ncp(before, after, policy.sensitive)
            left = before.occurrences - penalty.suppressed
    else:
        if paired:
            pair(before, after.baskets, advice=ADVICE)
        left = after.baskets.occurrences + sum(after.supports().values())
        shown = in_codes_of(before, after.drawn(0))
    if not paired:
        remarks.append("Records were not paired: rules, and what is lost by generalizing, were not measured.")
        if isinstance(after, Generalized):
            remarks.append("Items of a record that are shown as one wider item count once after.")
    elif rules:
        watch.report("Mining rules", 0, 0)
        try:
            if isinstance(after, Generalized):
                comparison = compare_leaf_rules(before, after, policy.sensitive, mined=mined)
            else:
                comparison = compare_rules(before, shown, policy.sensitive, mined=mined)
        except MissingExtra as missing:
            remarks.append(f"Rules were left out. {' '.join(str(missing).split())}")
    return CoarsenedCost(
        records=len(before),
        occurrences=before.occurrences,
        left=left,
        divergence=measure_divergence(before, shown),
        loss=None,
        rules=comparison,
        bound=None,
        remarks=tuple(remarks),
        seconds=time.monotonic() - start,
        ncp=penalty,
        groups=after.groups,
        paired=paired,
    )
