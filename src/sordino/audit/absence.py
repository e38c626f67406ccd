"""The audit against whoever knows what people have and what they do NOT have (policies with absent = "any").

The verdict is one pass, and exact: every record that holds something sensitive, and more than that, needs enough twins
(audit/twins.py). Only if some have too few, people are counted, by how few absences suffice (audit/few_absences.py).
"""

from __future__ import annotations

import time

import numpy as np

from sordino.audit.absence_findings import absence_findings
from sordino.audit.examination import Examination
from sordino.audit.few_absences import ROWS, FewAbsences, exposed_by_one
from sordino.audit.result import AuditResult, Finding, FrequentItem
from sordino.audit.twins import twin_excess
from sordino.data.baskets import Baskets
from sordino.engine.local import OutOfTime, Watch
from sordino.policy.inference import ResolvedInference

__all__ = ["absence_remark", "audit_absence"]


def audit_absence(
    baskets: Baskets,
    resolved: ResolvedInference,
    *,
    top: int,
    time_limit: float | None,
    jobs: int,
    watch: Watch,
    frequent: tuple[FrequentItem, ...] = (),
) -> AuditResult:
    """What can be inferred by someone who may know of any absence. A time limit cuts only counts short."""
    start = time.monotonic()
    exam = Examination(baskets, resolved, jobs=jobs, watch=watch)
    watch.tell("twins", 0, 0)
    excess = twin_excess(exam.index, resolved)
    holds = not bool((excess > 0).any())
    people = dict.fromkeys(ROWS, 0)
    exact = dict.fromkeys(("people_at_risk", *ROWS), True)
    findings: tuple[Finding, ...] = ()
    if not holds:
        if time_limit is not None:
            watch.deadline = start + time_limit
        few = FewAbsences(exam, excess)
        try:
            few.count()
        except OutOfTime:
            few.out_of_time()
        watch.deadline = None
        people, exact = few.people(), few.exact
        findings = absence_findings(few, top)
    beside = exam.occurrences[exam.lengths[exam.owner[exam.occurrences]] > 1]
    return AuditResult(
        holds=holds,
        records=len(baskets),
        items=baskets.distinct_items,
        people_at_risk=sum(people.values()),
        exposure_by_knowledge={},
        findings=findings,
        proved_items=0,
        searched_items=len(exam.distinct(exam.index.items[beside])),
        seconds=time.monotonic() - start,
        sensitive_items=len(resolved.thresholds),
        searched_occurrences=len(beside),
        frequent=frequent,
        remarks=resolved.remarks,
        exact=exact,
        absent=resolved.policy.absent,
        exposure_by_absence=people,
    )


def absence_remark(exam: Examination, at_risk: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> str:
    """For an audit without absence, in one line: how many people, besides those at risk, one absent item exposes."""
    people = exposed_by_one(exam, at_risk)
    if people is None:
        return ""
    if people == 0:
        return (
            'What people do NOT have was taken to be unknown (absent = "any" covers it). One such item, known beside '
            "all else that a person has, would expose nobody more."
        )
    who = "1 person" if people == 1 else f"{people:,} people"
    more = " more" if at_risk.any() else ""
    return (
        "What people do NOT have was taken to be unknown: knowing one item that a person lacks would put at least "
        f'{who}{more} at risk (absent = "any" covers it).'
    )
