"""The audit of baskets: exact at any record length, against limited and unlimited knowledge (model.md 1.1, 1.2).

What is searched, and in what order: inquiry.py; where records are short and little is known: few_known.py; where people
chose for themselves: personal.py; where only a sample is asked for: sampled.py.

A time limit applies to all of it, from the start. If it passes, what was found by then stands, the counts are lower
bounds, and the result names what was not looked at. If nothing was found, it is not known whether the policy holds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sordino.audit.certify import certify, search_unserved, unserved_places
from sordino.audit.examination import Examination
from sordino.audit.few_known import Exposure, count_exposure
from sordino.audit.findings import choose_findings
from sordino.audit.inquiry import SIZES, Inquiry
from sordino.audit.result import ABSENCE_UNKNOWN, NOTHING_EXAMINED, AuditResult, FrequentItem
from sordino.data.aligned import align
from sordino.data.baskets import Baskets
from sordino.data.totals import Totals
from sordino.engine.local import OutOfTime, Progress, Watch, deadline_after, thread_count
from sordino.errors import InternalError
from sordino.policy.answer import Answer
from sordino.policy.inference import InferencePolicy, ResolvedInference

if TYPE_CHECKING:
    from sordino.audit.surest import Inferred

__all__ = [
    "audit_baskets",
    "audit_watched",
    "certify",
    "frequent_items",
    "not_examined",
    "nothing_found",
    "search_unserved",
    "unserved_places",
]


def audit_baskets(
    baskets: Baskets,
    policy: InferencePolicy | ResolvedInference,
    *,
    top: int = 10,
    time_limit: float | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    missing: str = "error",
    original: Baskets | None = None,
    same_order: bool = True,
    seed: int = 0,
    round_: int = 1,
    keep: Callable[[Inquiry], None] | None = None,
    surest: bool = False,
) -> AuditResult:
    """What can be inferred from `baskets` against `policy`, about how many people, by whom.

    `original`: the records from which `baskets` were made. Where people chose for themselves, an adversary knows items
    of these; without it, `baskets` are taken to be the original. `same_order`: whose record is whose is known; else
    they are in the codes of the original already (data/aligned.py). Under a sampled assurance, adversaries are drawn
    after `seed`, and judged as in round `round_` of looking at these people's data. `keep` gets the inquiry, if there
    is one sensitive set for all: what it has found need not be found again by whoever proves it. `surest`: also how
    surely each item can be inferred anywhere, where there is one sensitive set for all.
    """
    watch, threads = Watch(progress, deadline_after(time_limit)), thread_count(jobs)

    def work() -> AuditResult:
        return audit_watched(
            baskets,
            policy,
            watch,
            top=top,
            jobs=threads,
            missing=missing,
            original=original,
            same_order=same_order,
            seed=seed,
            round_=round_,
            keep=keep,
            surest=surest,
        )

    return watch.aside(work)


def audit_watched(
    baskets: Baskets,
    policy: InferencePolicy | ResolvedInference,
    watch: Watch,
    *,
    jobs: int,
    top: int = 10,
    missing: str = "error",
    original: Baskets | None = None,
    same_order: bool = True,
    seed: int = 0,
    round_: int = 1,
    counting: bool = True,
    keep: Callable[[Inquiry], None] | None = None,
    surest: bool = False,
) -> AuditResult:
    """The same, kept to the deadline of `watch`. Without counting, only as far as the verdict needs."""
    start = time.monotonic()
    if isinstance(policy, ResolvedInference):
        original = policy.original if original is None else original
    if original is not None and same_order:
        baskets = align(baskets, original)
    resolved = policy if isinstance(policy, ResolvedInference) else policy.resolve(baskets, missing=missing)
    if resolved.policy.assurance is not None:
        from sordino.audit.sampled import audit_sampled

        return _with_remark(
            audit_sampled(baskets, resolved, original or baskets, jobs=jobs, watch=watch, seed=seed, round_=round_)
        )
    if not resolved.policy.personal:
        return _audit_common(
            baskets, resolved, watch, jobs=jobs, top=top, start=start, counting=counting, keep=keep, surest=surest
        )
    from sordino.audit.personal_audit import audit_personal

    common: AuditResult | None = None
    if resolved.personal is None:
        # All chose alike. Whether the policy holds is asked quicker without regard to who has what; who is at risk, and
        # by how little knowledge, is not the same: who lacks an item that she chose may still be suspected of it.
        common = _audit_common(baskets, resolved, watch, jobs=jobs, top=0, start=start, counting=False)
        if common.answer is not Answer.FAILS:
            return _with_remark(replace(common, personal=True))
    result = audit_personal(baskets, resolved, original or baskets, top=top, jobs=jobs, watch=watch, start=start)
    if common is None or result.answer is Answer.FAILS:
        return _with_remark(result)
    if result.holds:
        raise InternalError("two ways to audit the same records disagree")
    # These were found before the time was over.
    return _with_remark(replace(result, people_at_risk=common.people_at_risk))


def _with_remark(result: AuditResult) -> AuditResult:
    others = tuple(remark for remark in result.remarks if remark != ABSENCE_UNKNOWN)
    return replace(result, remarks=(*others, ABSENCE_UNKNOWN))


def _audit_common(
    baskets: Baskets,
    resolved: ResolvedInference,
    watch: Watch,
    *,
    jobs: int,
    top: int,
    start: float,
    counting: bool,
    keep: Callable[[Inquiry], None] | None = None,
    surest: bool = False,
) -> AuditResult:
    """One sensitive set for all. A person is at risk whose record holds what is known and what is inferred."""
    common = nothing_found(baskets, resolved)
    if resolved.policy.absent is not None:
        from sordino.audit.absence import audit_absence

        return audit_absence(baskets, resolved, common, watch, jobs=jobs, top=top, start=start, counting=counting)
    if not baskets.supports[resolved.sensitive].any():  # nobody has anything that could be inferred
        return replace(common, seconds=time.monotonic() - start)
    exposure: Exposure | None = None
    try:
        if resolved.knowledge is not None and resolved.knowledge <= 2:
            exposure = count_exposure(baskets, resolved, resolved.knowledge, jobs=jobs, watch=watch)
        if exposure is not None:
            if surest:
                common = replace(common, surest=_surest_of_few(baskets, resolved, exposure, jobs, watch))
            return _counted(common, exposure, top, start, watch)
        inquiry = Inquiry(Examination(baskets, resolved, jobs=jobs, watch=watch))
    except OutOfTime:
        return not_examined(baskets, resolved, start)
    inquiry.run(counting=counting)
    if keep is not None:
        keep(inquiry)
    if surest:
        from sordino.audit.surest import surest_searched

        watch.report("how surely", 0, 0)
        common = replace(common, surest=surest_searched(inquiry))
    people, by_size = inquiry.people()
    proved, searched = inquiry.occurrences()
    return replace(
        common,
        holds=inquiry.holds,
        people_at_risk=people,
        exposure_by_knowledge=by_size,
        findings=inquiry.findings(top),
        proved_items=inquiry.proved_items,
        searched_items=inquiry.searched_items,
        proved_occurrences=proved,
        searched_occurrences=searched,
        exact=inquiry.exact,
        unchecked=inquiry.unchecked(),
        remarks=(*common.remarks, *_about_absence(inquiry, counting)),
        seconds=time.monotonic() - start,
    )


def _about_absence(inquiry: Inquiry, counting: bool) -> tuple[str, ...]:
    """A line about who would be at risk if one absent item were known."""
    if not counting:
        return ()
    known = inquiry.exam.policy.knowledge
    if known is not None and known <= 2:  # as where all that so little exposes is counted
        return (ABSENCE_UNKNOWN,)
    from sordino.audit.absence import absence_remark

    return absence_remark(inquiry.exam, inquiry.risk > 0)


def nothing_found(baskets: Baskets | Totals, resolved: ResolvedInference) -> AuditResult:
    """The result where there is nothing to infer."""
    return AuditResult(
        holds=True,
        records=len(baskets),
        items=baskets.distinct_items,
        people_at_risk=0,
        exposure_by_knowledge=dict.fromkeys(SIZES, 0),
        findings=(),
        proved_items=0,
        searched_items=0,
        seconds=0.0,
        knowledge=resolved.knowledge,
        sensitive_items=len(resolved.thresholds),
        frequent=frequent_items(baskets, resolved),
        remarks=resolved.remarks,
        exact=dict.fromkeys(("people_at_risk", *SIZES), True),
    )


def not_examined(baskets: Baskets | Totals, resolved: ResolvedInference, start: float) -> AuditResult:
    """The result where the time was over before anything was looked at."""
    return replace(
        nothing_found(baskets, resolved),
        holds=False,
        exact=dict.fromkeys(("people_at_risk", *SIZES), False),
        unchecked=(NOTHING_EXAMINED,),
        seconds=time.monotonic() - start,
    )


def _surest_of_few(
    baskets: Baskets, resolved: ResolvedInference, exposure: Exposure, jobs: int, watch: Watch
) -> tuple[Inferred, ...]:
    """How surely, where one or two items may be known: from what was counted; all of it, where that is little."""
    from sordino.audit.surest import surest_counted, surest_searched
    from sordino.audit.surest_small import is_small

    assert resolved.knowledge is not None
    if resolved.knowledge > 1 and is_small(baskets.lengths, resolved.knowledge):
        inquiry = Inquiry(Examination(baskets, resolved, jobs=jobs, watch=watch))
        inquiry.run(counting=True)
        return surest_searched(inquiry)
    return surest_counted(exposure, resolved.knowledge, resolved.sensitive, watch)


def _counted(common: AuditResult, exposure: Exposure, top: int, start: float, watch: Watch) -> AuditResult:
    """The result where all that one or two items expose could be counted."""
    people = exposure.by_one + exposure.by_two
    return replace(
        common,
        holds=bool(people == 0),
        people_at_risk=people,
        exposure_by_knowledge={**common.exposure_by_knowledge, "1": exposure.by_one, "2": exposure.by_two},
        findings=choose_findings(exposure, top, watch) if people else (),
        searched_items=exposure.items,
        searched_occurrences=exposure.rows.occurrences,
        remarks=(*common.remarks, ABSENCE_UNKNOWN),
        seconds=time.monotonic() - start,
    )


def frequent_items(baskets: Baskets | Totals, resolved: ResolvedInference) -> tuple[FrequentItem, ...]:
    """Sensitive items that can be guessed of anybody above their threshold, most frequent first."""
    over = resolved.sensitive & (baskets.supports * resolved.den > resolved.num * len(baskets))
    codes = np.flatnonzero(over)
    codes = codes[np.argsort(-baskets.supports[codes], kind="stable")]
    return tuple(
        FrequentItem(baskets.names[c], int(baskets.supports[c]), resolved.thresholds[baskets.names[c]]) for c in codes
    )
