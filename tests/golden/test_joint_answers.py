"""Known answers about several releases of the same people (rho 1/2; rows linked; each release safe alone)."""

from __future__ import annotations

from fractions import Fraction

import pytest

import oracle_joint
import sordino

HALF = {"e": Fraction(1, 2)}
POLICY = sordino.InferencePolicy(["e"], "1/2")


def release(**rows: str) -> dict[str, frozenset[str]]:
    return {person: frozenset(record) for person, record in rows.items()}


@pytest.mark.parametrize(
    ("first", "second", "at_risk"),
    [
        (release(u="a", v="b"), release(u="e", v="b"), 1),
        (release(u="a", v="a"), release(u="a", v="a", w="ae"), 1),
        (release(u="a", v="a"), release(u="a", v="a", w="ae", x="a"), 0),
        (release(u="ae", v="a"), release(v="a"), 1),
        (release(u="ae", v="a"), release(u="ae", v="a"), 0),
    ],
)
def test_two_releases(first: dict[str, frozenset[str]], second: dict[str, frozenset[str]], at_risk: int) -> None:
    assert len(oracle_joint.people_at_risk([first, second], "e", HALF)) == at_risk
    old, new = (sordino.Baskets.from_sets(r.values(), ids=r) for r in (first, second))
    result = sordino.audit(new, POLICY, previous=old)
    assert (result.holds, result.people_at_risk) == (at_risk == 0, at_risk)
    assert result.releases == 2


def test_findings_say_which_release_taught_what() -> None:
    old = sordino.Baskets.from_sets([{"a"}, {"b"}], ids=["u", "v"])
    new = sordino.Baskets.from_sets([{"e"}, {"b"}], ids=["u", "v"])
    (finding,) = sordino.audit(new, POLICY, previous=old).findings
    assert finding.antecedent == ("presence in releases 1 and 2", "a")
    assert finding.consequent == "e (shown by release 2)"
    assert finding.confidence == 1


def test_who_left_is_told() -> None:
    old = sordino.Baskets.from_sets([{"a", "e"}, {"a"}], ids=["u", "v"])
    new = sordino.Baskets.from_sets([{"a"}], ids=["v"])
    result = sordino.audit(new, POLICY, previous=old)
    assert "1 person who were in release 1 and are in the last one no more: 1 of them is at risk." in result.remarks
    release = sordino.protect(new, sordino.InferencePolicy(["e"], "1/2"), previous=old, missing="accept")
    assert not release.together
    assert any("Ways out" in line for line in release.remarks)
    kept = sordino.protect(new, sordino.InferencePolicy(["e"], "1/2"), previous=old, leavers="keep")
    assert kept.together
    assert sorted(map(sorted, kept.data)) == [["a"], ["a", "e"]]
