"""The audit against whoever knows what people have and what they do NOT have (policies with absent = "any").

The verdict is one pass, and exact: every record that holds something sensitive, and more than that, needs enough twins
(audit/twins.py). Only if some have too few, people are counted, by how few absences suffice (audit/few_absences.py).
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sordino.audit.absence_findings import absence_findings
from sordino.audit.examination import Examination
from sordino.audit.few_absences import ROWS, FewAbsences, exposed_by_one
from sordino.audit.result import ABSENCE_UNKNOWN, NOTHING_EXAMINED, AuditResult
from sordino.audit.twins import twin_excess
from sordino.data.baskets import Baskets
from sordino.engine.local import OutOfTime, Watch
from sordino.policy.inference import ResolvedInference

__all__ = ["absence_remark", "audit_absence"]

NOT_COUNTED = "People at risk were not all counted."


def audit_absence(
    baskets: Baskets,
    resolved: ResolvedInference,
    common: AuditResult,
    watch: Watch,
    *,
    jobs: int,
    top: int,
    start: float,
    counting: bool,
) -> AuditResult:
    """What can be inferred by someone who may know of any absence; `common` is the result if there is nothing.

    Without counting, or when the time is over, the people at risk are those who have too few twins.
    """
    common = replace(
        common,
        absent=resolved.policy.absent,
        exposure_by_knowledge={},
        exposure_by_absence=dict.fromkeys(ROWS, 0),
        exact=dict.fromkeys(("people_at_risk", *ROWS), True),
    )
    if not baskets.supports[resolved.sensitive].any():
        return replace(common, seconds=time.monotonic() - start)
    try:
        exam = Examination(baskets, resolved, jobs=jobs, watch=watch)
        watch.report("twins", 0, 0)
        watch.check()
        excess = twin_excess(exam.index, resolved)
    except OutOfTime:
        return replace(
            common,
            holds=False,
            exact=dict.fromkeys(common.exact, False),
            unchecked=(NOTHING_EXAMINED,),
            seconds=time.monotonic() - start,
        )
    beside = exam.occurrences[exam.lengths[exam.owner[exam.occurrences]] > 1]
    common = replace(
        common,
        searched_items=len(exam.distinct(exam.index.items[beside])),
        searched_occurrences=len(beside),
        seconds=time.monotonic() - start,
    )
    if not (excess > 0).any():
        return common
    few = FewAbsences(exam, excess)
    counted = few.count() if counting else few.leave_out()
    people = few.people()
    return replace(
        common,
        holds=False,
        people_at_risk=sum(people.values()),
        exposure_by_absence=people,
        exact=few.exact,
        findings=absence_findings(few, top),
        unchecked=() if counted or not counting else (NOT_COUNTED,),
        seconds=time.monotonic() - start,
    )


def absence_remark(exam: Examination, at_risk: npt.NDArray[np.bool_]) -> tuple[str, ...]:
    """For an audit without absence, in one line: how many people, besides those at risk, one absent item exposes."""
    try:
        exam.watch.check()
        people = exposed_by_one(exam, at_risk)
    except OutOfTime:
        people = None
    if people is None:
        return (ABSENCE_UNKNOWN,)
    if people == 0:
        return (
            'What people do NOT have was taken to be unknown (absent = "any" covers it). One such item, known beside '
            "all else that a person has, would expose nobody more.",
        )
    more = " more" if at_risk.any() else ""
    who = f"1{more} person" if people == 1 else f"{people:,}{more} people"
    return (
        "What people do NOT have was taken to be unknown: knowing one item that a person lacks would put at least "
        f'{who} at risk (absent = "any" covers it).',
    )
