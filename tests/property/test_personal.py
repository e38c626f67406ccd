"""Personal choices against the oracle: the audit, and the methods that honour them (model.md 1.1, 1.4)."""

from __future__ import annotations

import importlib
from fractions import Fraction
from itertools import combinations
from unittest import mock

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import oracle
import sordino
from people_choosing import Chosen, audited, chosen_tables
from sordino.audit.inference import audit_baskets
from sordino.data.aligned import align
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.protect.personal_workspace import PersonalWorkspace
from sordino.protect.registry import METHODS
from sordino.verify.people import PeopleCheck
from tables import examples

PERSONAL = importlib.import_module("sordino.audit.personal")
some = settings(max_examples=examples(120), suppress_health_check=[HealthCheck.too_slow])
few = settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow])


def must_agree(case: Chosen) -> None:
    result = audited(case)
    fewest = oracle.personal_people_at_risk(case.original, case.published, case.choices, case.rho_of, case.knowledge)
    event(f"holds: {result.holds}; personal: {result.personal}")
    assert result.holds == (not fewest)
    assert bool(result.findings) == (not result.holds)
    assert result.personal
    sizes = [str(size) if size <= 3 else "more" for size in fewest.values()]
    assert result.exposure_by_knowledge == {size: sizes.count(size) for size in ("1", "2", "3", "more")}
    assert result.people_at_risk == len(fewest)
    for finding in result.findings:
        q, e = frozenset(finding.antecedent), finding.consequent
        assert finding.support == oracle.support(case.published, q)
        assert finding.with_consequent == oracle.support(case.published, q | {e})
        assert finding.confidence > case.rho
        known_of = [u for u, record in enumerate(case.original) if q <= record and e in case.choices[u]]
        assert finding.people == len(known_of) > 0


@some
@given(case=chosen_tables())
def test_the_audit_says_what_the_oracle_says(case: Chosen) -> None:
    must_agree(case)


@some
@given(case=chosen_tables(), short=st.sampled_from((1, 2, 4)))
def test_the_search_in_long_records_says_it_too(case: Chosen, short: int) -> None:
    with mock.patch.object(PERSONAL, "SHORT", short):
        must_agree(case)


@some
@given(case=chosen_tables())
def test_the_verifier_says_what_the_oracle_says(case: Chosen) -> None:
    """Of the release, by code of its own: a record of which a part discloses something, exactly if there is one."""
    original = Baskets.from_sets(case.original)
    published = align(Baskets.from_sets(case.published), original)
    resolved = case.policy.resolve(original, missing="accept")
    check = PeopleCheck(published, original, resolved.personal_choices(len(original)), resolved.comparison)
    found = check.first_disclosure(case.knowledge)
    holds = oracle.personal_holds(case.original, case.published, case.choices, case.rho_of, case.knowledge)
    assert (found is None) == holds
    if found is not None:  # the others' parts disclose it as well, but it is a part of this one
        within = case.published[found]
        assert any(
            not oracle.adversary_is_safe(q, case.published, {e}, case.rho_of)
            for u, record in enumerate(case.original)
            for e in within & case.choices[u]
            for size in range(1, len(within))
            for q in map(frozenset, combinations(sorted(record & within - {e}), size))
        )


def test_what_only_a_long_record_discloses_is_found_and_named() -> None:
    """Long records keep no candidates: the finding is searched for afterwards, among the people who mind something."""
    long = frozenset(f"{k:02}" for k in range(13)) | {"secret"}
    original = [frozenset({x}) for x in sorted(long) for _ in range(3)] + [long]
    choices = [frozenset[str]()] * (len(original) - 1) + [frozenset({"secret"})]
    result = audited(Chosen(original, original, choices, Fraction(1, 2), None))
    assert not result.holds
    assert result.people_at_risk == 1
    (finding,) = result.findings
    assert finding.consequent == "secret"
    assert frozenset(finding.antecedent) < long
    assert (finding.support, finding.with_consequent, finding.people) == (1, 1, 1)


@few
@given(case=chosen_tables(width=11, least=6))
def test_records_that_share_much(case: Chosen) -> None:
    with mock.patch.object(PERSONAL, "SHORT", 3):
        must_agree(case)


@few
@given(case=chosen_tables())
def test_threads_change_nothing(case: Chosen) -> None:
    one, two = (audited(case, jobs).to_dict() for jobs in (1, 3))
    assert one | {"seconds": 0} == two | {"seconds": 0}


@pytest.mark.parametrize("method", ["mine", "dist", "naka", "naka-sampled"])
@some
@given(case=chosen_tables())
def test_methods_make_it_safe(case: Chosen, method: str) -> None:
    baskets = Baskets.from_sets(case.original)
    policy = case.policy.resolve(baskets, missing="accept")
    after = list(METHODS[method].load()(baskets, policy, seed=0, jobs=1, watch=Watch()))
    assert all(new <= old for new, old in zip(after, case.original, strict=True))
    assert oracle.personal_holds(case.original, after, case.choices, case.rho_of, case.knowledge)
    if oracle.personal_holds(case.original, case.original, case.choices, case.rho_of, case.knowledge):
        assert after == case.original


@pytest.mark.parametrize("method", ["mine", "dist", "naka"])
@settings(max_examples=examples(12), suppress_health_check=[HealthCheck.too_slow])
@given(case=chosen_tables(width=15, least=13))
def test_long_records_are_made_safe(case: Chosen, method: str) -> None:
    baskets = Baskets.from_sets(case.original)
    policy = case.policy.resolve(baskets, missing="accept")
    after = list(METHODS[method].load()(baskets, policy, seed=0, jobs=1, watch=Watch()))
    known = 4 if case.knowledge is None else min(case.knowledge, 4)  # the oracle takes 2^n steps
    assert oracle.personal_holds(case.original, after, case.choices, case.rho_of, known)
    assert audit_baskets(Baskets.from_sets(after), case.policy, original=baskets, missing="accept", jobs=1).holds


@pytest.mark.parametrize("method", ["mine", "dist"])
@few
@given(case=chosen_tables(), size=st.integers(1, 6))
def test_parts_are_repaired_as_a_whole(case: Chosen, method: str, size: int) -> None:
    """Parts that cannot see each other, and the same bytes on any number of threads."""
    baskets = Baskets.from_sets(case.original)
    policy = case.policy.resolve(baskets, missing="accept")
    if policy.personal is None:
        return
    one, two = (
        METHODS[method].load()(baskets, policy, seed=0, jobs=jobs, watch=Watch(), part_size=size) for jobs in (1, 3)
    )
    assert list(one) == list(two)
    assert oracle.personal_holds(case.original, list(one), case.choices, case.rho_of, case.knowledge)


# The original record is what is known


def test_what_was_suppressed_from_a_record_is_still_known_of_the_person() -> None:
    """u has milk and bread, and minds medicine. Her milk is suppressed, but whoever knows that she bought milk sees
    that all who still show milk show medicine too."""
    original = [{"milk", "bread"}, {"milk", "medicine"}, {"bread"}]
    published = [{"bread"}, {"milk", "medicine"}, {"bread"}]
    policy = sordino.InferencePolicy([], "1/2", per_record={0: ["medicine"]})
    assert sordino.audit(original, policy).holds
    assert sordino.audit(published, policy).holds  # taken for the original, nothing is known that would tell
    result = sordino.audit(published, policy, original=original)
    assert not result.holds
    assert result.people_at_risk == 1
    assert result.findings[0].antecedent == ("milk",)
    assert not oracle.personal_holds(original, published, [{"medicine"}, set(), set()], {"medicine": Fraction(1, 2)})


def test_the_owner_of_the_disclosing_record_need_not_mind() -> None:
    """Both who show medicine do not mind; the one who minds has what leads to it."""
    table = [{"milk", "medicine"}, {"milk", "medicine"}, {"milk"}]
    minds = sordino.audit(table, sordino.InferencePolicy([], "1/2", per_record={2: ["medicine"]}))
    assert (minds.holds, minds.people_at_risk) == (False, 1)
    assert sordino.audit([*table, {"tea"}], sordino.InferencePolicy([], "1/2", per_record={3: ["medicine"]})).holds


def test_protection_keeps_to_the_original_too() -> None:
    original = [{"milk", "bread"}, {"milk", "medicine"}, {"bread", "milk", "tea"}, {"tea"}]
    policy = sordino.InferencePolicy(["tea"], "1/2", per_record={0: ["medicine"], 2: ["medicine", "milk"]})
    release = sordino.protect(original, policy, method="mine")
    choices = [{"tea", "medicine"}, {"tea"}, {"tea", "medicine", "milk"}, {"tea"}]
    exact = dict.fromkeys(("tea", "medicine", "milk"), Fraction(1, 2))
    assert oracle.personal_holds([frozenset(r) for r in original], list(release.data), choices, exact)


# What records get back


@few
@given(case=chosen_tables())
def test_what_is_given_back_harms_nobody(case: Chosen) -> None:
    """A table that is safe stays so, holds all that it held, and nothing more of a short record could be added."""
    baskets = Baskets.from_sets(case.original)
    policy = case.policy.resolve(baskets, missing="accept")
    workspace = PersonalWorkspace(baskets, policy, jobs=1, watch=Watch())
    workspace.clean(0.0)
    before = list(workspace.table())
    workspace._put_back(0.0)
    after = list(workspace.table())
    assert all(old <= new <= whole for old, new, whole in zip(before, after, case.original, strict=True))
    assert sum(map(len, after)) - sum(map(len, before)) == workspace.returned
    assert oracle.personal_holds(case.original, after, case.choices, case.rho_of, case.knowledge)
    workspace._put_back(0.0)
    if workspace.returned == sum(map(len, after)) - sum(
        map(len, before)
    ):  # a second pass found nothing: nor does the oracle
        for u, record in enumerate(after):
            for x in case.original[u] - record:
                more = [record | {x} if v == u else other for v, other in enumerate(after)]
                assert not oracle.personal_holds(case.original, more, case.choices, case.rho_of, case.knowledge)


# Found by fuzzing


@pytest.mark.parametrize("own", [{"except_for": {5: ["i4"]}}, {"per_record": {5: ["i4"]}, "except_for": {5: ["i4"]}}])
def test_a_short_record_that_only_much_knowledge_gives_away(own: dict[str, dict[int, list[str]]]) -> None:
    """No lead of up to three items is kept, and there is no long record to look into."""
    records = ["0 1 8", "0 6 8", "1 6 8", "0 1 4 6 8", "0 1 6", ""]
    table = [frozenset(f"i{k}" for k in record.split()) for record in records]
    result = sordino.audit(table, sordino.InferencePolicy(["i4"], "0.9", **own))
    assert (result.holds, result.people_at_risk, result.exposure_by_knowledge["more"]) == (False, 1, 1)
    (finding,) = result.findings
    assert (finding.antecedent, finding.consequent, finding.people) == (("i0", "i1", "i6", "i8"), "i4", 1)


def test_who_lacks_what_all_mind_may_be_suspected_of_it() -> None:
    """Both mind both, and one of two who have i1 has i0: of the other it is as likely, and more than she allows."""
    table = [{"i0", "i1"}, {"i1"}]
    everyone = {u: ["i0", "i1"] for u in range(2)}
    chosen = sordino.audit(table, sordino.InferencePolicy([], "0.1", per_record=everyone))
    assert (chosen.people_at_risk, chosen.exposure_by_knowledge["1"], chosen.personal) == (2, 2, True)
    assert [finding.people for finding in chosen.findings] == [2, 1]
    common = sordino.audit(table, sordino.InferencePolicy(["i0", "i1"], "0.1"))
    assert (common.people_at_risk, common.personal, common.holds) == (1, False, False)
