"""Whenever the time is over: what is told is so, what was not looked at is told as that, and never as holding."""

from __future__ import annotations

import types
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import oracle
import sordino
from counting import judge
from people import tree_of
from people_choosing import Chosen, audited, chosen_tables
from sordino.audit import examination, inquiry, personal_audit
from sordino.audit.generalization import audit_generalized
from sordino.audit.permutation import audit_permuted
from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.data.permuted import Permuted
from sordino.engine import local
from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.policy.assurance import Assurance
from tables import Case, dense_tables, examples, quiet_tables, small_tables, wide_tables

SIZES = ("1", "2", "3", "more")


@contextmanager
def time_over_after(cut: int) -> Iterator[local.Progress]:
    """A progress to listen with: within, time stands still until it has been told `cut` times, and then is over."""
    told, asked = 0, 0

    def progress(*_: object) -> None:
        nonlocal told
        told += 1

    def now() -> float:
        nonlocal asked
        asked += 1  # first when the limit begins
        return 1e9 if asked > 1 and told >= cut else 0.0

    clock = types.SimpleNamespace(monotonic=now)
    with (
        mock.patch.object(local, "time", clock),
        mock.patch.object(inquiry, "time", clock),
        mock.patch.object(personal_audit, "time", clock),
        mock.patch.object(examination, "PIECE", 1),  # else small work is not divided
    ):
        yield progress


def audit_cut_at(case: Case, cut: int) -> sordino.AuditResult:
    with time_over_after(cut) as progress:
        return sordino.audit(case.records, case.policy, jobs=1, time_limit=1.0, progress=progress, missing="accept")


def must_be_honest(result: sordino.AuditResult, people: int, exposure: dict[str, int]) -> None:
    """The answer follows from what was found, and every count is what it is said to be."""
    counts = {"people_at_risk": result.people_at_risk, **result.exposure_by_knowledge}
    full = {"people_at_risk": people, **exposure}
    event(f"answer: {result.answer}; exact: {' '.join(key for key, exact in result.exact.items() if exact)}")
    assert set(result.exact) == set(counts)
    for key, count in counts.items():
        assert count == full[key] if result.exact[key] else count <= full[key], key
    assert sum(result.exposure_by_knowledge.values()) <= result.people_at_risk
    assert bool(result.findings) == bool(result.people_at_risk)
    assert result.holds == (result.answer is Answer.HOLDS)
    assert (result.answer is Answer.FAILS) == (result.people_at_risk > 0)
    if result.answer is Answer.HOLDS:
        assert people == 0
        assert result.complete
    assert bool(result.unchecked) == (not result.complete)
    assert ("at least" in result.verdict()) == (result.answer is Answer.FAILS and not result.complete)
    assert ("NOT CHECKED" in result.verdict()) == (result.answer is Answer.NOT_CHECKED)
    assert result.to_dict()["unchecked"] == list(result.unchecked)


@given(st.one_of(dense_tables(), quiet_tables(), small_tables(), wide_tables()), st.integers(0, 60))
@settings(max_examples=examples(600))
def test_the_answer_and_the_counts_say_what_they_are(case: Case, cut: int) -> None:
    result = audit_cut_at(case, cut)
    truth = judge(case.records, case.rho_of, case.policy.knowledge)
    must_be_honest(result, truth.people, dict(truth.exposure))
    for finding in result.findings:
        counted = finding.support, finding.with_consequent
        assert truth.disclosures[frozenset(finding.antecedent), finding.consequent] == counted


@given(chosen_tables(), st.integers(0, 200))
@settings(max_examples=examples(200))
def test_where_people_chose_for_themselves(case: Chosen, cut: int) -> None:
    with time_over_after(cut) as progress:
        result = audited(case, time_limit=1.0, progress=progress)
    fewest = oracle.personal_people_at_risk(case.original, case.published, case.choices, case.rho_of, case.knowledge)
    sizes = [str(size) if size <= 3 else "more" for size in fewest.values()]
    must_be_honest(result, len(fewest), {size: sizes.count(size) for size in SIZES})


RECORDS = [{"e", *(f"{u}.{k}" for k in range(1, 2 + u % 7))} for u in range(9)] + [{"quiet", "x", "y", "z"}]


@pytest.mark.parametrize("knowledge", [None, 1, 2, 3, 4])
@pytest.mark.parametrize("choices", [None, {0: ["1.1"]}, {u: ["e"] for u in range(10)}])
def test_no_time_at_all(knowledge: int | None, choices: dict[int, list[str]] | None) -> None:
    policy = sordino.InferencePolicy(["e"], "0.5", knowledge=knowledge, per_record=choices)
    assert sordino.audit(RECORDS, policy).answer is Answer.FAILS
    result = sordino.audit(RECORDS, policy, time_limit=0)
    assert result.answer is Answer.NOT_CHECKED
    assert not result.holds
    assert result.people_at_risk == result.proved_items == result.searched_items == 0
    assert not any(result.exact.values())
    assert result.unchecked == ("Nothing was examined: the time was over while the records were being prepared.",)


def test_no_time_at_all_for_a_sample() -> None:
    assurance = Assurance("0.1", "0.1", max_knowledge=2)
    result = sordino.audit(RECORDS, sordino.InferencePolicy(["e"], "0.5", assurance=assurance), time_limit=0)
    assert result.answer is Answer.NOT_CHECKED
    assert "NOT CHECKED" in result.verdict()


def test_no_time_at_all_for_groups() -> None:
    baskets = Baskets.from_sets([{"a", "e"}, {"a"}, {"b"}])
    policy = sordino.InferencePolicy(["e"], "0.3")
    group = np.array([0, 0, 1], dtype=np.int32)
    permuted = Permuted(Baskets.from_sets([{"a"}, {"a"}, {"b"}]), group, ({"e": 1}, {}))
    assert audit_permuted(permuted, policy).answer is Answer.FAILS
    cut = audit_permuted(permuted, policy, time_limit=0)
    assert (cut.answer, cut.unchecked) == (Answer.NOT_CHECKED, ("Of 2 groups 2 were not looked at.",))
    tree = tree_of([("a", "ALL"), ("b", "ALL")])
    generalized = Generalized(baskets, 0 * group, tree, ((0,),), tree.labels)
    assert audit_generalized(generalized, policy).answer is Answer.FAILS
    assert audit_generalized(generalized, policy, time_limit=0).answer is Answer.NOT_CHECKED


def test_what_needs_no_looking_needs_no_time() -> None:
    result = sordino.audit([{"a"}, {"b"}], sordino.InferencePolicy([], "0.5"), time_limit=0, missing="accept")
    assert (result.answer, result.unchecked) == (Answer.HOLDS, ())


@pytest.mark.parametrize("limit", [-1, float("nan"), True, "5"])
def test_a_limit_is_a_number_of_seconds(limit: float) -> None:
    with pytest.raises(InputError, match="number of seconds"):
        sordino.audit(RECORDS, sordino.InferencePolicy(["e"], "0.5"), time_limit=limit)


def test_an_exposure_that_no_whole_record_shows_is_still_told() -> None:
    """Each leaf has its alibi, yet {a} -> e is above the threshold: found by search while the verdict is settled."""
    rest = ["bcde", "fghi", "jklm"]
    records = [{"a", "E", *r} for r in rest for _ in range(2)] + [{"a", *r} for r in rest] + [set("abcdefghijklm")]
    policy = sordino.InferencePolicy(["E"], "0.5")
    truth = judge(records, {"E": policy.rho})
    assert not truth.holds
    case = Case([frozenset(r) for r in records], policy, {"E": Fraction(1, 2)})
    results = [audit_cut_at(case, cut) for cut in range(120)]
    assert results[0].answer is Answer.NOT_CHECKED
    assert Answer.HOLDS not in [result.answer for result in results]
    assert any(result.answer is Answer.FAILS and not result.complete for result in results)
    assert sordino.audit(records, policy).exposure_by_knowledge == truth.exposure


def test_enough_time_is_no_limit() -> None:
    records = [set("abce"), set("abc"), set("bcde"), set("acde")]
    result = sordino.audit(records, sordino.InferencePolicy(["e"], "0.4"), time_limit=3600)
    assert result.complete
    assert "at least" not in result.verdict()
