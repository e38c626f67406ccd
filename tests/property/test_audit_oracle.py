"""The audit against two independent judges, on thousands of random tables (model.md 1.1, 1.2)."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import oracle
import sordino
from counting import Judgement, judge
from sordino.audit import examination, few_known
from sordino.audit.examination import Examination
from sordino.audit.inference import audit_baskets, certify
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from tables import Case, colliding_tables, dense_tables, examples, hub_tables, quiet_tables, small_tables, wide_tables


def must_agree(case: Case, expected: Judgement) -> sordino.AuditResult:
    """The audit says what the judge says, and each of its findings is one of the judge's, with the same counts."""
    # Small tables have few sets of items; every other one is searched by the kernel that is for many. Against one or
    # two known items every third is searched, and for the others all sets are counted.
    with (
        mock.patch.object(examination, "FEW_SETS", len(case.records) % 2 * examination.FEW_SETS),
        mock.patch.object(few_known, "EACH", (len(case.records) % 3 > 0) * 1000),
    ):
        result = sordino.audit(case.records, case.policy, missing="accept", jobs=1, top=5)
    event(f"holds: {result.holds}")
    event(f"proved by alibis: {result.proved_items > 0}")
    event(f"more than 3 known: {result.exposure_by_knowledge['more'] > 0}")
    assert result.holds == expected.holds
    assert result.exposure_by_knowledge == expected.exposure
    assert result.people_at_risk == expected.people
    assert result.complete
    assert result.records == len(case.records)
    assert result.items == len(set().union(*case.records))
    assert bool(result.findings) == (not result.holds)
    assert len({(f.antecedent, f.consequent) for f in result.findings}) == len(result.findings) <= 5
    for finding in result.findings:
        counts = finding.support, finding.with_consequent
        assert expected.disclosures[frozenset(finding.antecedent), finding.consequent] == counts
        assert finding.people == finding.with_consequent
        assert finding.confidence > case.rho_of[finding.consequent]
    beside = {e for record in case.records if len(record) > 1 for e in record if e in case.rho_of}
    assert result.proved_items + result.searched_items == len(beside)
    occurrences = sum(len(record & beside) for record in set(case.records) if len(record) > 1)
    assert result.proved_occurrences >= 0
    assert result.proved_occurrences + result.searched_occurrences >= occurrences if len(beside) else True
    return result


@given(small_tables())
@settings(max_examples=examples(1500))
def test_small_tables_agree_with_the_oracle(case: Case) -> None:
    m = case.policy.knowledge
    disclosures = oracle.disclosures(case.records, case.rho_of, case.rho_of, m)
    exposure = oracle.exposure(case.records, case.rho_of, case.rho_of, m)
    total = exposure.pop("total")
    expected = Judgement({(d.q, d.e): (d.sup_q, d.sup_qe) for d in disclosures}, exposure)
    must_agree(case, expected)
    second = judge(case.records, case.rho_of, m)  # so that the tests below may trust it
    assert (second.disclosures, second.exposure, second.people) == (expected.disclosures, exposure, total)


@given(dense_tables())
@settings(max_examples=examples(500))
def test_long_near_duplicates_agree(case: Case) -> None:
    must_agree(case, judge(case.records, case.rho_of, case.policy.knowledge))


@given(quiet_tables())
@settings(max_examples=examples(600))
def test_tables_that_nearly_hold_agree(case: Case) -> None:
    must_agree(case, judge(case.records, case.rho_of, case.policy.knowledge))


@given(st.one_of(wide_tables(), colliding_tables(), hub_tables()))
@settings(max_examples=examples(160))
def test_more_items_than_signature_bits_agree(case: Case) -> None:
    must_agree(case, judge(case.records, case.rho_of, case.policy.knowledge))


@given(st.one_of(quiet_tables(), dense_tables(), wide_tables(), colliding_tables(), hub_tables()))
@settings(max_examples=examples(300))
def test_alibis_never_vouch_for_an_unsafe_item(case: Case) -> None:
    """An item whose records all have alibis is safe against unlimited knowledge, whatever limit the policy sets."""
    baskets = Baskets.from_sets(case.records)
    exam = Examination(baskets, case.policy.resolve(baskets), jobs=1, watch=Watch())
    exam.leaves()
    unlimited = judge(case.records, case.rho_of)
    unsafe = {e for _, e in unlimited.disclosures}
    ranks = np.unique(exam.index.items[exam.occurrences]).astype(np.int64)
    alibis, found = certify(exam, ranks, exam.longest)
    name = {int(rank): baskets.names[exam.index.code[rank]] for rank in ranks}
    assert {name[int(rank)] for rank in exam.index.items[found]} == unsafe
    for rank, certificate in exam.alibis(ranks).items():
        if len(certificate.unserved) == 0:
            event("an item with all alibis")
            assert name[rank] not in unsafe
    assert {name[rank] for rank in alibis} == set(name.values()) - unsafe


def answers(result: sordino.AuditResult) -> dict[str, Any]:
    return {key: value for key, value in result.to_dict().items() if key != "seconds"}


@given(st.one_of(small_tables(), dense_tables(), wide_tables()))
@settings(max_examples=examples(150))
def test_two_threads_give_what_one_gives(case: Case) -> None:
    baskets = Baskets.from_sets(case.records)
    one = audit_baskets(baskets, case.policy, jobs=1, top=50)
    with mock.patch.object(examination, "PIECE", 1), mock.patch.object(few_known, "ALONE", 0):  # else undivided
        two = audit_baskets(baskets, case.policy, jobs=2, top=50)
    assert answers(one) == answers(two)


@pytest.mark.parametrize("kept", [1, 3, 200])
def test_two_threads_give_what_one_gives_when_leads_are_many(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for few leads only, which ones are kept may not depend on who found them."""
    monkeypatch.setattr(examination, "KEPT_LEADS", kept)
    monkeypatch.setattr(examination, "PIECE", 1)
    rng = np.random.default_rng(5)
    records = [frozenset(f"{k:02}" for k in rng.choice(25, size=5, replace=False)) for _ in range(400)]
    policy = sordino.InferencePolicy(["03", "14"], "0.2", knowledge=3)
    one = answers(sordino.audit(records, policy, jobs=1, top=60))
    for _ in range(5):
        assert answers(sordino.audit(records, policy, jobs=2, top=60)) == one


@pytest.mark.parametrize("jobs", [2, 3])
def test_threads_do_not_change_the_answers_on_the_sample(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from sordino.sample import path

    monkeypatch.setattr(examination, "PIECE", 100)
    monkeypatch.setattr(few_known, "ALONE", 100)
    baskets = sordino.read_baskets(path("pharmacy.csv"))
    sensitive = baskets.names[::5]
    for rho, knowledge in (("0.3", None), ("0.6", 2)):
        policy = sordino.InferencePolicy(sensitive, rho, knowledge=knowledge)
        one = audit_baskets(baskets, policy, jobs=1, top=100)
        assert one.findings
        assert answers(audit_baskets(baskets, policy, jobs=jobs, top=100)) == answers(one)


@given(small_tables(), st.integers(0, 6))
@settings(max_examples=examples(150))
def test_the_number_of_findings_is_bounded_and_changes_no_answer(case: Case, top: int) -> None:
    few, many = (sordino.audit(case.records, case.policy, missing="accept", jobs=1, top=t) for t in (top, 1000))
    assert len(few.findings) == min(top, len(many.findings))
    assert few.findings == many.findings[:top]
    rules = [{*f.antecedent, f.consequent} for f in many.findings]  # together they concern everybody at risk
    assert sum(any(rule <= record for rule in rules) for record in case.records) == many.people_at_risk
    told: set[tuple[int, str]] = set()  # and each of them concerns somebody whom those above it do not
    for rule, finding in zip(rules, many.findings, strict=True):
        concerned = {(u, finding.consequent) for u, record in enumerate(case.records) if rule <= record}
        assert concerned - told
        told |= concerned
    assert (few.holds, few.exposure_by_knowledge) == (many.holds, many.exposure_by_knowledge)


@given(small_tables())
@settings(max_examples=examples(150))
def test_names_that_occur_nowhere_change_nothing(case: Case) -> None:
    plain = Baskets.from_sets(case.records)
    names = tuple(sorted({*plain.names, *"ABCxyz"}))
    codes = np.array([names.index(name) for name in plain.names], dtype=np.int32)
    padded = Baskets(plain.indptr, codes[plain.items] if len(codes) else plain.items, names)
    assert answers(audit_baskets(plain, case.policy, jobs=1)) == answers(audit_baskets(padded, case.policy, jobs=1))
