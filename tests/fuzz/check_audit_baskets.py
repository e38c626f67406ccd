"""The audit of baskets says what the oracle says: verdict, people, levels, and every finding."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from typing import Any

import oracle
from fuzz.case import BasketCase
from fuzz.finding import Complaint, demand
from fuzz.made import MadeBaskets
from fuzz.truth_baskets import (
    Exposure,
    chosen,
    common_truth,
    is_refused,
    minded,
    personal_truth,
    thresholds,
    unsafe_shares,
)
from sordino.errors import PolicyError
from sordino.policy.answer import Answer

__all__ = ["check", "check_jobs", "check_limit", "truth"]

Records = Sequence[AbstractSet[str]]


def truth(case: BasketCase, original: Records, published: Records) -> Exposure:
    """What is at risk in published records, of which those who know somebody know the original ones."""
    if case.own is not None or case.less is not None:
        return personal_truth(case, original, published)
    return common_truth(published, set(case.sensitive), thresholds(case, published), case.knowledge)


def check(made: MadeBaskets) -> None:
    case = made.case
    if is_refused(case):
        _refused(made)
        return
    result = made.audit()
    demand(result.records == len(case.records), "the audit counts other records")
    if case.assurance is not None:
        _check_sampled(made, result)
        return
    expected = truth(case, made.records, made.records)
    _same_verdict(result, expected)
    if _counts_are_stated(made, result):
        demand(
            result.people_at_risk == expected.people,
            f"people at risk: {result.people_at_risk}, the oracle counts {expected.people}",
        )
        demand(
            dict(result.exposure_by_knowledge) == dict(expected.levels),
            f"levels: {dict(result.exposure_by_knowledge)}, the oracle's {dict(expected.levels)}",
        )
    demand(result.complete, "counts that are not exact, though there was no time limit")
    demand(bool(result.findings) == (not result.holds), "findings do not fit the verdict")
    _check_findings(made, result)


def _refused(made: MadeBaskets) -> None:
    """A policy in which nobody in the data chooses would call every file safe: it is not accepted."""
    made.refused = True
    try:
        made.audit()
    except PolicyError:
        return
    raise Complaint("unsafe", "choices of strangers only were accepted")


def _counts_are_stated(made: MadeBaskets, result: Any) -> bool:
    """Choices of nobody can be counted by either definition."""
    case = made.case
    return chosen(case) or result.personal or (case.own is None and case.less is None)


def check_jobs(made: MadeBaskets) -> None:
    """Two threads, the same answers."""
    if made.refused:
        return
    one, two = (made.audit(jobs=jobs, top=50).to_dict() | {"seconds": 0} for jobs in (1, 2))
    demand(one == two, "two threads give other answers than one")


def check_limit(made: MadeBaskets) -> None:
    """A time limit makes answers weaker, never wrong."""
    if made.refused or made.case.assurance is not None:
        return
    result = made.audit(time_limit=float(made.rng.choice([0.0, 1e-6, 1e-3])))
    expected = truth(made.case, made.records, made.records)
    if result.answer is Answer.NOT_CHECKED:
        demand(bool(result.unchecked), "not checked, but no word about what")
    else:
        _same_verdict(result, expected)
    if not _counts_are_stated(made, result):
        return
    demand(result.people_at_risk <= expected.people, "more people at risk than there are")
    for level, exact in result.exact.items():
        said = result.people_at_risk if level == "people_at_risk" else result.exposure_by_knowledge[level]
        true = expected.people if level == "people_at_risk" else expected.levels[level]
        demand(not exact or said == true, f"a count that is called exact is wrong: {level}")


def _same_verdict(result: Any, expected: Exposure) -> None:
    said = f"the audit says {result.answer}, the oracle counts {expected.people} people at risk"
    demand(result.holds == expected.holds, said, "unsafe" if result.holds else "mismatch")
    wanted = Answer.HOLDS if expected.holds else Answer.FAILS
    demand(result.answer is wanted, said)


def _check_findings(made: MadeBaskets, result: Any) -> None:
    rho_of, wishes = thresholds(made.case, made.records), minded(made.case)
    for finding in result.findings:
        q, e = frozenset(finding.antecedent), finding.consequent
        counts = oracle.support(made.records, q), oracle.support(made.records, q | {e})
        demand((finding.support, finding.with_consequent) == counts, "a finding with other counts than the oracle's")
        demand(Fraction(counts[1], counts[0]) > rho_of[e], "a finding that is below its threshold")
        if result.personal:
            people = sum(q <= record and e in wish for record, wish in zip(made.records, wishes, strict=True))
        else:
            people = counts[1]
        demand(finding.people == people > 0, "a finding that concerns other people")


def _check_sampled(made: MadeBaskets, result: Any) -> None:
    """Only what is promised: no false alarm; and a clean sample means few unsafe adversaries (delta is tiny)."""
    assert made.case.assurance is not None
    shares = unsafe_shares(made.case, made.records, made.records)
    if result.holds:
        worst = max(shares.values(), default=Fraction(0))
        demand(worst < Fraction(made.case.assurance[0]), "a clean sample, though many can infer something", "unsafe")
    else:
        demand(any(shares.values()), "the sample finds somebody, though nobody can infer anything")
