"""Knowledge of absence against brute force: over all (P, N), and over all predicates, on thousands of small tables."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import oracle
import oracle_absence
import sordino
from absent import Case, any_tables, twin_tables
from sordino.audit import few_absences
from sordino.audit.examination import Examination
from sordino.audit.few_absences import exposed_by_one
from sordino.audit.inference import audit_baskets
from sordino.audit.twins import unsafe_records
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from tables import examples

slow = [HealthCheck.too_slow]


@given(st.one_of(any_tables(items=4, records=7), twin_tables(items=4)))
@settings(max_examples=examples(400), suppress_health_check=slow)
def test_the_judges_agree_with_each_other(case: Case) -> None:
    """All (P, N), all predicates, and the condition on twins are three ways to say the same."""
    by_pairs = oracle_absence.holds(case.records, case.rho_of, case.rho_of)
    event(f"holds: {by_pairs}")
    assert oracle_absence.twins_hold(case.records, case.rho_of, case.rho_of) == by_pairs
    assert oracle_absence.safe_from_every_predicate(case.records, case.rho_of, case.rho_of) == by_pairs
    without = oracle_absence.holds(case.records, case.rho_of, case.rho_of, 0)
    assert without == oracle.holds(case.records, case.rho_of, case.rho_of)
    assert without or not by_pairs


@given(st.one_of(any_tables(), twin_tables()))
@settings(max_examples=examples(2500), suppress_health_check=slow)
def test_the_verdict_agrees_with_all_that_can_be_known(case: Case) -> None:
    result = sordino.audit(case.records, case.policy, jobs=1, missing="accept")
    event(f"holds: {result.holds}")
    assert result.holds == oracle_absence.holds(case.records, case.rho_of, case.rho_of)
    assert result.holds == (result.people_at_risk == 0)
    assert bool(result.findings) == (not result.holds)


def rows(people: dict[int, int]) -> dict[str, int]:
    fewest = [min(number, 3) for number in people.values()]
    return {"0": fewest.count(0), "1": fewest.count(1), "2": fewest.count(2), "more": fewest.count(3)}


@given(st.one_of(any_tables(), twin_tables()), st.booleans())
@settings(max_examples=examples(1200), suppress_health_check=slow)
def test_people_are_counted_by_the_fewest_absences(case: Case, two: bool) -> None:
    with mock.patch.object(few_absences, "PIECE", 1 if two else 500):
        result = sordino.audit(case.records, case.policy, jobs=1 + two, missing="accept")
    expected = oracle_absence.people_at_risk(case.records, case.rho_of, case.rho_of)
    assert result.complete
    assert result.exposure_by_absence == rows(expected)
    assert result.people_at_risk == len(expected)
    event(f"absences: {max(expected.values(), default=-1)}")


@given(st.one_of(any_tables(), twin_tables()), st.sampled_from((0, 1, 3, 8, 30, 100)), st.integers(0, 3))
@settings(max_examples=examples(500), suppress_health_check=slow)
def test_with_little_effort_the_counts_are_bounds_and_say_so(case: Case, effort: int, small: int) -> None:
    with (
        mock.patch.multiple(few_absences, EFFORT=effort, SMALL=small, FEW_OPEN=effort, FEW_HELPERS=small),
    ):
        result = sordino.audit(case.records, case.policy, jobs=1, missing="accept")
    expected = rows(oracle_absence.people_at_risk(case.records, case.rho_of, case.rho_of))
    event(f"complete: {result.complete}")
    assert result.holds == (sum(expected.values()) == 0)
    found, upto, expected_upto = 0, 0, 0
    for row in ("0", "1", "2"):
        upto, expected_upto = upto + result.exposure_by_absence[row], expected_upto + expected[row]
        assert upto <= expected_upto  # who is found at fewer absences is there
        if result.exact[row]:
            assert result.exposure_by_absence[row] == expected[row]
        found += result.exposure_by_absence[row]
    assert result.people_at_risk == found + result.exposure_by_absence["more"] <= sum(expected.values())
    if result.exact["people_at_risk"]:
        assert result.people_at_risk == sum(expected.values())
    if result.exact["more"]:
        assert result.exposure_by_absence["more"] == expected["more"]


@given(st.one_of(any_tables(), twin_tables()))
@settings(max_examples=examples(500), suppress_health_check=slow)
def test_findings_are_what_one_can_count(case: Case) -> None:
    result = sordino.audit(case.records, case.policy, jobs=1, top=6, missing="accept")
    assert len(result.findings) <= 6
    assert len({(f.antecedent, f.absent, f.consequent) for f in result.findings}) == len(result.findings)
    for finding in result.findings:
        present, absent = set(finding.antecedent), set(finding.absent)
        assert present
        assert finding.consequent not in present | absent
        match = oracle_absence.matching(case.records, present, absent)
        with_e = sum(finding.consequent in record for record in match)
        assert (finding.support, finding.with_consequent, finding.people) == (len(match), with_e, with_e)
        assert finding.confidence > case.rho_of[finding.consequent]
        assert all(f"no {item}" in finding.sentence() for item in absent)


@given(st.one_of(any_tables(), twin_tables()))
@settings(max_examples=examples(300), suppress_health_check=slow)
def test_what_one_absence_adds_is_never_overstated(case: Case) -> None:
    baskets = Baskets.from_sets(case.records)
    resolved = case.policy.resolve(baskets, missing="accept")
    exam = Examination(baskets, resolved, jobs=1, watch=Watch())
    nobody = np.zeros(len(exam.index.items), dtype=np.bool_)
    people = exposed_by_one(exam, nobody)
    assert people is not None
    with mock.patch.object(few_absences, "FEW_PLACES", -1):  # the kernel, which is for more than these
        assert people == exposed_by_one(exam, nobody)
    assert people <= len(oracle_absence.people_at_risk(case.records, case.rho_of, case.rho_of, 1))


@given(st.one_of(any_tables(), twin_tables()))
@settings(max_examples=examples(300), suppress_health_check=slow)
def test_who_has_too_few_twins(case: Case) -> None:
    baskets = Baskets.from_sets(case.records)
    found = unsafe_records(baskets, case.policy.resolve(baskets, missing="accept")).tolist()
    for record, unsafe in zip(case.records, found, strict=True):
        pairs = ((e, record - {e}) for e in record & case.rho_of.keys() if len(record) > 1)
        shares = [(e, case.records.count(record), case.records.count(rest)) for e, rest in pairs]
        assert unsafe == any(w > case.rho_of[e] * (w + v) for e, w, v in shares)


def answers(result: sordino.AuditResult) -> dict[str, Any]:
    return {key: value for key, value in result.to_dict().items() if key != "seconds"}


@pytest.mark.parametrize("rho", ["0.3", "0.7"])
def test_threads_do_not_change_the_answers(rho: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(few_absences, "PIECE", 7)
    rng = np.random.default_rng(3)
    records = [frozenset(f"{k:02}" for k in rng.choice(15, size=int(rng.integers(1, 6)))) for _ in range(600)]
    policy = sordino.InferencePolicy([f"{k:02}" for k in range(0, 15, 2)], rho, absent="any")
    baskets = Baskets.from_sets(records)
    one = audit_baskets(baskets, policy, jobs=1, top=40)
    assert one.findings
    assert any(finding.absent for finding in one.findings)
    for jobs in (2, 3):
        assert answers(audit_baskets(baskets, policy, jobs=jobs, top=40)) == answers(one)
