"""A time limit cuts counts short, never the verdict; and what is said to be exact is."""

from __future__ import annotations

import types
from unittest import mock

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import sordino
from counting import judge
from sordino.audit import examination, inference
from tables import Case, dense_tables, examples, quiet_tables, small_tables, wide_tables

SIZES = ("1", "2", "3", "more")


def audit_cut_at(case: Case, cut: int) -> sordino.AuditResult:
    """An audit whose time is over when the progress has been told `cut` times."""
    told = 0

    def progress(*_: object) -> None:
        nonlocal told
        told += 1

    clock = types.SimpleNamespace(monotonic=lambda: 1e9 if told >= cut else 0.0)
    with (
        mock.patch.object(examination, "time", clock),
        mock.patch.object(inference, "time", clock),
        mock.patch.object(examination, "PIECE", 1),  # else small work is not divided, and cannot be cut
    ):
        return sordino.audit(case.records, case.policy, jobs=1, time_limit=1.0, progress=progress)


@given(st.one_of(dense_tables(), quiet_tables(), small_tables(), wide_tables()), st.integers(0, 60))
@settings(max_examples=examples(600))
def test_the_verdict_is_exact_and_the_counts_say_what_they_are(case: Case, cut: int) -> None:
    result = audit_cut_at(case, cut)
    truth = judge(case.records, case.rho_of, case.policy.knowledge)
    counts = {"people_at_risk": result.people_at_risk, **result.exposure_by_knowledge}
    full = {"people_at_risk": truth.people, **truth.exposure}
    event(f"exact: {' '.join(key for key, exact in result.exact.items() if exact)}")
    assert result.holds == truth.holds
    assert set(result.exact) == set(counts)
    for key, count in counts.items():
        assert count == full[key] if result.exact[key] else count <= full[key], key
    assert sum(result.exposure_by_knowledge.values()) <= result.people_at_risk
    assert bool(result.findings) == bool(result.people_at_risk) == (not result.holds)
    for finding in result.findings:
        counted = finding.support, finding.with_consequent
        assert truth.disclosures[frozenset(finding.antecedent), finding.consequent] == counted


@pytest.mark.parametrize("lengths", [(2, 2), (5, 5), (2, 8)])
def test_no_time_at_all(lengths: tuple[int, int]) -> None:
    """Records known to be exposed by all the rest of them are people at risk, and can be told as findings."""
    shortest, longest = lengths
    records = [{"e", *(f"{u}.{k}" for k in range(1, shortest + u % (longest - shortest + 1)))} for u in range(9)]
    records += [{"quiet", "x", "y", "z"}]
    result = sordino.audit(records, sordino.InferencePolicy(["e"], "0.5"), time_limit=0)
    assert not result.holds
    assert result.findings
    assert result.people_at_risk == 9  # exposed by the rest of the record already, which needs no search


def test_an_exposure_that_no_whole_record_shows_is_still_told() -> None:
    """Each leaf has its alibi, yet {a} -> e is above the threshold: found by search while the verdict is settled."""
    rest = ["bcde", "fghi", "jklm"]
    records = [{"a", "E", *r} for r in rest for _ in range(2)] + [{"a", *r} for r in rest] + [set("abcdefghijklm")]
    policy = sordino.InferencePolicy(["E"], "0.5")
    truth = judge(records, {"E": policy.rho})
    assert not truth.holds
    result = audit_cut_at(Case([frozenset(r) for r in records], policy, {"E": policy.rho}), 0)
    assert not result.holds
    assert 0 < result.people_at_risk <= truth.people
    assert result.findings
    assert sordino.audit(records, policy).exposure_by_knowledge == truth.exposure


def test_enough_time_is_no_limit() -> None:
    records = [set("abce"), set("abc"), set("bcde"), set("acde")]
    result = sordino.audit(records, sordino.InferencePolicy(["e"], "0.4"), time_limit=3600)
    assert result.complete
    assert "at least" not in result.verdict()
