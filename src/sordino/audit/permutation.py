"""Audits permuted data, for the guarantee that they have: against somebody who knows non-sensitive items only.

In a group of n records, c of which have e, every record is as likely as any other to have it: c/n. Whoever knows
non-sensitive items matches records of some groups, and the likelihood of e is the mean over these. If c/n <= rho_e in
every group, it never exceeds rho_e.
"""

from __future__ import annotations

import time

from sordino.audit.result import ABSENCE_UNKNOWN, AuditResult, Finding, FrequentItem
from sordino.data.permuted import Permuted
from sordino.engine.local import Watch, deadline_after
from sordino.policy.inference import InferencePolicy
from sordino.words.claims import NON_SENSITIVE

__all__ = ["REMARK", "audit_permuted"]

REMARK = "This is about knowledge of non-sensitive items only; somebody who knows a sensitive item may infer more."
EACH = 1_000  # groups between two looks at the clock


def audit_permuted(
    data: Permuted, policy: InferencePolicy, *, top: int = 10, time_limit: float | None = None
) -> AuditResult:
    """What somebody who knows non-sensitive items can infer; people at risk are those in groups with too many."""
    start = time.monotonic()
    watch = Watch(deadline=deadline_after(time_limit))
    supports = data.supports()
    thresholds = policy.thresholds_of(supports, len(data))
    sizes = data.sizes.tolist()
    findings: list[Finding] = []
    at_risk: set[int] = set()
    left = 0
    for g, held in enumerate(data.held):
        if g % EACH == 0 and watch.over:
            left = len(data.held) - g
            break
        for name, count in sorted(held.items()):
            rho = thresholds.get(name)
            if rho is not None and count * rho.denominator > rho.numerator * sizes[g]:
                findings.append(Finding((f"group {g}",), name, sizes[g], count, count))
                at_risk.add(g)
    people = sum(sizes[g] for g in at_risk)
    findings.sort(key=lambda f: (-f.people, f.antecedent, f.consequent))
    return AuditResult(
        holds=not findings and not left,
        records=len(data),
        items=data.baskets.distinct_items + len(supports),
        people_at_risk=people,
        exposure_by_knowledge={"1": people, "2": 0, "3": 0, "more": 0},  # whoever finds the group need know no more
        findings=tuple(findings[:top]),
        proved_items=0,
        searched_items=len(thresholds),
        seconds=time.monotonic() - start,
        knowledge=policy.knowledge,
        sensitive_items=len(thresholds),
        proved_occurrences=0,
        searched_occurrences=sum(map(len, data.held)),
        frequent=tuple(
            FrequentItem(name, supports[name], rho)
            for name, rho in thresholds.items()
            if supports[name] > rho * len(data)
        ),
        remarks=(REMARK, ABSENCE_UNKNOWN),
        exact=dict.fromkeys(("people_at_risk", "1", "2", "3", "more"), not left),
        unchecked=(f"Of {len(data.held):,} groups {left:,} were not looked at.",) if left else (),
        reach=NON_SENSITIVE,
    )
