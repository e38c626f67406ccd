"""What a change of the data cost, in all measures at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from sordino.data.baskets import Baskets
from sordino.engine.local import Progress, Watch
from sordino.errors import InputError, MissingExtra
from sordino.policy.inference import ResolvedInference
from sordino.utility.anonymity import Anonymity, anonymity
from sordino.utility.bound import LowerBound, least_loss, steps_of
from sordino.utility.divergence import Divergence, measure_divergence
from sordino.utility.loss import Loss, measure_loss
from sordino.utility.pair import in_codes_of, pair
from sordino.utility.rules import RuleComparison, compare_rules
from sordino.words.inference_cost import sentences
from sordino.words.names import mentioned

__all__ = ["Cost", "measure_cost"]


@dataclass(frozen=True)
class Cost:
    """All measures of one change. What was not measured is None, and `remarks` say why if it was asked for."""

    records: int
    occurrences: int
    left: int
    divergence: Divergence
    loss: Loss | None  # None if the records were not paired
    rules: RuleComparison | None
    bound: LowerBound | None
    remarks: tuple[str, ...]
    seconds: float
    anonymity: tuple[Anonymity, Anonymity] | None = None  # before and after
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)  # what codes mean, if there is a code book

    @property
    def ns(self) -> Fraction:
        """NS: the share of the occurrences that are gone."""
        return Fraction(self.occurrences - self.left, max(self.occurrences, 1))

    @property
    def lost(self) -> Fraction:
        """The share of the information that is lost: of what only deletes, NS."""
        return self.ns

    @property
    def times_bound(self) -> Fraction | None:
        """The loss as a multiple of the least there can be; None without a bound above 0."""
        if self.bound is None or self.bound.deletions == 0:
            return None
        return self.ns / self.bound.share

    @property
    def ns_times_kl(self) -> float | None:
        """The objective of those who keep the distribution (model.md 1.3); None if KL is infinite."""
        value = float(self.ns) * self.divergence.kl
        return value if np.isfinite(value) else None

    def ns_over_jaccard(self) -> tuple[float | None, ...]:
        """The objective of who keeps the rules (model.md 1.3), for each confidence; None where no rule survived."""
        if self.rules is None:
            return ()
        return tuple(float(self.ns / c.jaccard) if c.jaccard else None for c in self.rules.changes)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, ready for JSON; the same for the same data, so without the time it took."""
        plain = self._plain()
        return {**plain, "labels": mentioned(plain, self.labels)} if self.labels else plain

    def _plain(self) -> dict[str, Any]:
        return {
            "records": self.records,
            "occurrences": self.occurrences,
            "left": self.left,
            "ns": float(self.ns),
            **self.divergence.to_dict(),
            "ns_times_kl": self.ns_times_kl,
            "ns_over_jaccard": list(self.ns_over_jaccard()),
            "lower_bound": None if self.bound is None else float(self.bound.share),
            "lower_bound_deletions": None if self.bound is None else self.bound.deletions,
            "rules": None if self.rules is None else self.rules.to_dict(),
            "loss": None if self.loss is None else self.loss.to_dict(),
            "anonymity": None if self.anonymity is None else _both(self.anonymity),
            "remarks": list(self.remarks),
        }

    def summary(self) -> str:
        """The cost in a few plain sentences."""
        return "\n".join(sentences(self.to_dict()))

    def __str__(self) -> str:
        from sordino.report.notebook import cost_text

        return cost_text(self.to_dict())

    def _repr_html_(self) -> str:
        from sordino.report.notebook import cost_html

        return cost_html(self.to_dict())


def measure_cost(
    before: Baskets,
    after: Baskets,
    *,
    policy: ResolvedInference | None = None,
    rules: bool = True,
    bound: bool | str = True,
    paired: bool = True,
    jobs: int | None = None,
    progress: Progress | None = None,
    least_loss_of: Callable[[], LowerBound | None] | None = None,
) -> Cost:
    """What it cost to get from `before` to `after`.

    `policy` must be resolved against `before`; it tells which rules are not sensitive and gives the lower bound. Record
    k after must be a part of record k before (else InputError); with paired=False that is not asked, and only what
    needs no pairs is measured: distribution, number of occurrences, lower bound (bound="thorough": more closely).
    `least_loss_of`: who has it from elsewhere, as `bound` asks for it.
    """
    start = time.monotonic()
    watch = Watch(progress)
    steps = steps_of(bound)
    if policy is not None and len(policy.sensitive) != len(before.names):
        raise InputError("the policy was resolved against other data than `before`")
    remarks: list[str] = []
    personal = policy is not None and policy.personal is not None
    sensitive = None if policy is None or personal else policy.sensitive
    loss: Loss | None = None
    comparison: RuleComparison | None = None
    watch.report("Comparing", 0, 0)
    if paired:
        after = pair(before, after)
        loss = measure_loss(before, after, sensitive)
        if rules:
            watch.report("Mining rules", 0, 0)
            try:
                comparison = compare_rules(before, after, sensitive)
            except MissingExtra as missing:
                remarks.append(f"Rules were left out. {' '.join(str(missing).split())}")
    else:
        after = in_codes_of(before, after)
        remarks.append("Records were not paired, so losses by item and record, and rules, were not measured.")
    least: LowerBound | None = None
    sampled = policy is not None and policy.policy.assurance is not None
    if bound and sampled:
        remarks.append("There is no lower bound on the loss: what a sample demands leaves some adversaries out.")
    elif bound and policy is not None:
        if least_loss_of is not None:
            watch.report("the least possible loss", 0, 0)
            least = least_loss_of()
        else:
            least = least_loss(before, policy, steps=steps, jobs=jobs, progress=progress)
        if least is not None and paired and before.occurrences - after.occurrences < least.deletions:
            remarks.append("Less was deleted than any safe version takes: the policy cannot hold after.")
    return Cost(
        records=len(before),
        occurrences=before.occurrences,
        left=after.occurrences,
        divergence=measure_divergence(before, after),
        loss=loss,
        rules=comparison,
        bound=least,
        remarks=tuple(remarks),
        seconds=time.monotonic() - start,
        anonymity=(anonymity(before, sensitive), anonymity(after, sensitive)),
    )


def _both(sides: tuple[Anonymity, Anonymity]) -> dict[str, Any]:
    return {"before": sides[0].to_dict(), "after": sides[1].to_dict()}
