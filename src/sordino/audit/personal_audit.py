"""What the audit of personal choices (personal.py) found: counts, findings, and what a time limit left open."""

from __future__ import annotations

import heapq
import time
from functools import partial

import numpy as np
import numpy.typing as npt

from sordino.audit.inquiry import GRACE, SIZES
from sordino.audit.kernels.personal_long import MARK
from sordino.audit.personal import People, PersonalExamination, PersonalLead
from sordino.audit.result import NOTHING_EXAMINED, AuditResult, Finding, sizes_left_open
from sordino.data.baskets import Baskets
from sordino.engine.local import OutOfTime, Watch
from sordino.policy.choices import NOBODY
from sordino.policy.inference import ResolvedInference

__all__ = ["audit_personal"]

CANDIDATES = 300  # antecedents that are weighed for findings


def audit_personal(
    baskets: Baskets,
    resolved: ResolvedInference,
    original: Baskets,
    *,
    top: int,
    jobs: int,
    watch: Watch,
    start: float,
) -> AuditResult:
    """What can be inferred from `baskets` (in the codes of `original`) about what each person finds sensitive."""
    wishes = resolved.personal_choices(len(baskets))
    exact = dict.fromkeys(("people_at_risk", *SIZES), False)
    exam: PersonalExamination | None = None
    unchecked: tuple[str, ...] = ()
    try:
        people = watch.call(partial(People, original, wishes, stop=watch.stop))
        exam = PersonalExamination(baskets, resolved, people, jobs=jobs, watch=watch)
        _search(exam, exact)
        exact = dict.fromkeys(exact, True)
    except OutOfTime:
        left = next(size for size in SIZES if not exact[size])
        first = 4 if left == "more" else int(left)
        unchecked = (NOTHING_EXAMINED if exam is None else sizes_left_open(first, resolved.knowledge),)
    sizes = np.zeros(5, dtype=np.int64) if exam is None else np.bincount(exam.risk, minlength=5)
    found = exam is not None and exam.found
    return AuditResult(
        holds=not found and not unchecked,
        records=len(baskets),
        items=baskets.distinct_items,
        people_at_risk=int(sizes[1:].sum()),
        exposure_by_knowledge=dict(zip(SIZES, sizes[1:5].tolist(), strict=True)),
        findings=_findings(exam, baskets, top, watch) if exam is not None and found else (),
        proved_items=0,
        searched_items=0 if exam is None else len(resolved.thresholds),
        seconds=time.monotonic() - start,
        knowledge=resolved.knowledge,
        sensitive_items=len(resolved.thresholds),
        proved_occurrences=0,
        searched_occurrences=0 if exam is None else int((wishes.row[baskets.items] != NOBODY).sum()),
        remarks=resolved.remarks,
        exact=exact,
        personal=True,
        unchecked=unchecked,
    )


def _search(exam: PersonalExamination, exact: dict[str, bool]) -> None:
    """Looks for antecedents of 1, 2, 3 and more items; `exact` tells which sizes were seen to."""
    exam.singles(marking=True)
    exact["1"] = True
    if exam.most == 1:
        return
    exam.shorts(marking=True)
    for depth, size in ((2, "2"), (3, "3"), (exam.most, "more")):
        if depth <= exam.most:
            exam.longs(depth, MARK)
        exact[size] = True


def _findings(exam: PersonalExamination, baskets: Baskets, top: int, watch: Watch) -> tuple[Finding, ...]:
    """At most `top` findings, the most telling first; each is judged by people whom those above it do not cover."""
    if top < 1:
        return ()
    if watch.deadline is not None:
        watch.deadline = max(watch.deadline, time.monotonic() + GRACE)
    people = exam.people
    about: dict[PersonalLead, npt.NDArray[np.int64]] = {}
    try:
        leads = exam.leads or {exam.first_disclosure()}
    except OutOfTime:
        return ()
    for lead in heapq.nsmallest(CANDIDATES, leads, key=lambda lead: (_priority(lead[2], lead), len(lead[1]), lead)):
        about[lead] = people.knowing(lead[1], lead[0])
        if watch.over:
            break
    heap = [(_priority(len(users), lead), len(lead[1]), lead) for lead, users in about.items()]
    heapq.heapify(heap)
    covered: dict[int, npt.NDArray[np.bool_]] = {}
    chosen: list[Finding] = []
    while heap and len(chosen) < top and not (chosen and watch.over):
        score, size, lead = heapq.heappop(heap)
        item, known, both, support = lead
        users = about[lead]
        left = len(users) - (int(np.count_nonzero(covered[item][users])) if item in covered else 0)
        if left == 0:
            continue
        if _priority(left, lead) > score:  # fewer people than thought: back into the queue
            heapq.heappush(heap, (_priority(left, lead), size, lead))
            continue
        covered.setdefault(item, np.zeros(len(people.class_of), dtype=np.bool_))[users] = True
        names = tuple(sorted(baskets.names[people.code[r]] for r in known))
        chosen.append(Finding(names, baskets.names[people.code[item]], support, both, len(users)))
    return tuple(chosen)


def _priority(people: int, lead: PersonalLead) -> float:
    """How much a lead about so many has to tell; the lower the more."""
    return -people / len(lead[1]) ** 2
