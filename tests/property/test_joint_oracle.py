"""Several releases side by side, against brute force over all facts that somebody may know."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import oracle_joint
import sordino
from sordino.audit.joint import JointAudit, audit_joint
from sordino.data.baskets import Baskets
from sordino.errors import InputError, PolicyError
from tables import examples

RHOS = ("1/2", "0.7", "1/3", "2/3")


class Case(NamedTuple):
    releases: list[dict[str, frozenset[str]]]
    policy: sordino.InferencePolicy
    rho_of: dict[str, Fraction]


@st.composite
def several(draw: st.DrawFn) -> Case:
    """Two or three releases of up to seven people, some of whom come and go, and records that often stay the same."""
    people = "123456789"[: draw(st.integers(2, 9))]
    number = draw(st.sampled_from((1, 2, 2, 2, 2, 3)))
    items = "abef" if number < 3 else "abe"
    kinds = draw(st.lists(st.frozensets(st.sampled_from(items), max_size=3), min_size=1, max_size=5))
    first = {person: draw(st.sampled_from(kinds)) for person in people}
    releases = []
    for _ in range(number):
        here = {person: record for person, record in first.items() if draw(st.integers(0, 5)) > 0}
        for person in here:
            if draw(st.integers(0, 3)) == 0:
                here[person] = draw(st.sampled_from(kinds))
        releases.append(here or dict(first))
    sensitive = draw(st.sampled_from((["e"], ["e", "f"], ["e", "f", "a"])))
    rho = draw(st.sampled_from(RHOS))
    own = {"e": draw(st.sampled_from(RHOS))} if draw(st.booleans()) else {}
    return Case(
        releases,
        sordino.InferencePolicy(sensitive, rho, rho_of=own),
        {e: Fraction(own.get(e, rho)) for e in sensitive},
    )


def audit(case: Case, **options: int) -> JointAudit:
    tables = [Baskets.from_sets(release.values()) for release in case.releases]
    return audit_joint(tables, [list(release) for release in case.releases], case.policy, **options)


@given(several())
@settings(max_examples=examples(1500), suppress_health_check=[HealthCheck.too_slow])
def test_the_joint_audit_agrees_with_all_that_can_be_known(case: Case) -> None:
    result = audit(case, jobs=1, top=20)
    expected = oracle_joint.people_at_risk(case.releases, case.rho_of, case.rho_of)
    event(f"holds: {not expected}; releases: {len(case.releases)}")
    assert result.holds == (not expected)
    assert result.people_at_risk == len(expected)
    assert bool(result.findings) == bool(expected)
    assert sum(result.exposure_by_knowledge.values()) == len(expected)
    people = {person for release in case.releases for person in release}
    assert result.records == len(people) == sum(pattern.people for pattern in result.patterns)
    for pattern in result.patterns:
        here = {
            person
            for person in people
            if oracle_joint.pattern(case.releases, person) == frozenset(t - 1 for t in pattern.releases)
        }
        assert (pattern.people, pattern.at_risk) == (len(here), len(here & expected))


@given(several())
@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow])
def test_one_release_is_audited_as_ever(case: Case) -> None:
    only = case._replace(releases=case.releases[:1])
    alone = sordino.audit(list(only.releases[0].values()), case.policy, jobs=1, missing="accept")
    together = audit(only, jobs=1)
    assert (together.holds, together.people_at_risk) == (alone.holds, alone.people_at_risk)
    assert together.exposure_by_knowledge == alone.exposure_by_knowledge


@given(several())
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
def test_two_threads_give_what_one_gives(case: Case) -> None:
    one, two = audit(case, jobs=1, top=9).to_dict(), audit(case, jobs=2, top=9).to_dict()
    assert {**one, "seconds": 0} == {**two, "seconds": 0}


def test_a_sensitive_item_in_a_certain_release_gives_another_one_away() -> None:
    """f was shown of 1 in both releases, of 2 only in the second: who knows f of the first knows e."""
    releases = [{"1": frozenset("f"), "2": frozenset()}, {"1": frozenset("fe"), "2": frozenset("f")}]
    half = {"e": Fraction(1, 2), "f": Fraction(1, 2)}
    assert oracle_joint.people_at_risk(releases, half, half) == {"1"}
    result = audit(Case(releases, sordino.InferencePolicy(["e", "f"], "1/2"), half))
    assert result.people_at_risk == 1
    assert any("f in release 1" in finding.antecedent for finding in result.findings)


@pytest.mark.parametrize("more", [{"knowledge": 2}, {"absent": "any"}, {"adaptive": True}, {"per_record": {0: ["a"]}}])
def test_what_cannot_be_judged_together_yet_says_so(more: dict[str, object]) -> None:
    policy = sordino.InferencePolicy(["e"], "1/2", **more)  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="several releases cannot be judged together"):
        audit_joint([Baskets.from_sets([{"e"}])], [["1"]], policy)


def test_a_person_twice_is_refused() -> None:
    with pytest.raises(InputError, match="holds a person twice"):
        audit_joint([Baskets.from_sets([{"e"}, {"a"}])], [["1", "1"]], sordino.InferencePolicy(["e"], "1/2"))
