"""Audits generalized data at leaf knowledge (model.md 1.5).

Somebody who knows items matches, in each group of records, the nodes that show them there. If every group by itself is
safe at the symbols it shows, so is the sum: sup(q + e) <= rho sup(q) holds group by group. All groups are audited at
once, as one table in which no two groups share a name. Only if that fails does the sum have to be looked at: then every
node is replaced by the items under it, which is exactly what somebody with these items can match, and the audit of that
table decides.

Where it may be known what people do NOT have, every group must be safe by itself (audit/absence.py): whatever is known
of items is, in each group, something about the symbols that show them, and so the sum is safe, too.
"""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

import numpy as np

from sordino.audit.inference import audit_watched, frequent_items, not_examined
from sordino.audit.result import ABSENCE_UNKNOWN, AuditResult, Finding
from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.engine.local import OutOfTime, Progress, Watch, deadline_after, thread_count
from sordino.policy.inference import InferencePolicy, ResolvedInference

__all__ = ["audit_generalized", "tagged_policy"]


def audit_generalized(
    data: Generalized,
    policy: InferencePolicy,
    *,
    by_group: bool = False,
    top: int = 10,
    time_limit: float | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> AuditResult:
    """What can be inferred from generalized data by somebody who knows items, about how many people.

    With `by_group` it holds only if every group is safe by itself: that is what can be proved from what is published.
    """
    watch, threads = Watch(progress, deadline_after(time_limit)), thread_count(jobs)
    return watch.aside(lambda: _audit(data, policy, by_group=by_group, top=top, jobs=threads, watch=watch))


def _audit(
    data: Generalized, policy: InferencePolicy, *, by_group: bool, top: int, jobs: int, watch: Watch
) -> AuditResult:
    start = time.monotonic()
    resolved = policy.resolve(data.baskets, missing="accept")
    try:
        tagged = watch.call(data.tagged)
        result = audit_watched(tagged, tagged_policy(tagged, resolved), watch, top=0, jobs=jobs, counting=False)
        if result.holds:  # the counts are those of the published table, and frequent is what is so in the whole of it
            open_ = () if policy.absent is not None else (ABSENCE_UNKNOWN,)
            return replace(
                result,
                remarks=(*(remark for remark in result.remarks if remark not in open_), *open_),
                items=data.baskets.distinct_items,
                sensitive_items=len(resolved.thresholds),
                frequent=frequent_items(data.baskets, resolved),
            )
        if by_group:
            return result
        if policy.absent is not None:
            return _in_groups(
                audit_watched(tagged, tagged_policy(tagged, resolved), watch, top=top, jobs=jobs), data, resolved
            )
        leaves = watch.call(data.at_leaves)
    except OutOfTime:
        return not_examined(data.baskets, resolved, start)
    thresholds = resolved.thresholds
    exact = InferencePolicy(policy.sensitive, policy.rho, rho_of=thresholds, knowledge=policy.knowledge)
    return audit_watched(leaves, exact, watch, top=top, jobs=jobs, missing="accept")


def _in_groups(result: AuditResult, data: Generalized, resolved: ResolvedInference) -> AuditResult:
    """A result about tagged records, in plain names: who infers something knows the group of the person."""

    def in_plain_names(finding: Finding) -> Finding:
        group, _, consequent = finding.consequent.partition(":")
        known, gone = (
            tuple(name.partition(":")[2] for name in names) for names in (finding.antecedent, finding.absent)
        )
        return replace(finding, antecedent=(f"presence in group {group}", *known), consequent=consequent, absent=gone)

    return replace(
        result,
        items=data.baskets.distinct_items,
        sensitive_items=len(resolved.thresholds),
        frequent=frequent_items(data.baskets, resolved),
        findings=tuple(map(in_plain_names, result.findings)),
    )


def tagged_policy(tagged: Baskets, resolved: ResolvedInference) -> ResolvedInference:
    """The policy in the names of `Generalized.tagged`: every group's copy of an item has the item's threshold."""
    names = [name.partition(":")[2] for name in tagged.names]
    mask = np.array([name in resolved.comparison for name in names], dtype=np.bool_)
    thresholds: dict[str, Fraction] = {}
    comparison: dict[str, Fraction] = {}
    num, den = np.ones(len(names), dtype=np.int64), np.ones(len(names), dtype=np.int64)
    for code in np.flatnonzero(mask).tolist():
        exact = resolved.comparison[names[code]]
        thresholds[tagged.names[code]] = resolved.thresholds[names[code]]
        comparison[tagged.names[code]] = exact
        num[code], den[code] = exact.numerator, exact.denominator
    return ResolvedInference(resolved.policy, mask, num, den, thresholds, comparison, resolved.remarks)
