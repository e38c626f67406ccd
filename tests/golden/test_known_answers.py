"""Answers known from the papers (model.md 1.3, 1.5) or by hand, and exactness at the threshold."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sordino
from sordino.data.baskets import Baskets
from sordino.policy.threshold import floor_fraction

TABLE_1 = [
    {"bread", "milk", "condom"},
    {"bread", "milk"},
    {"milk", "condom"},
    {"flour", "fruits"},
    {"flour", "condom"},
    {"bread", "fruits"},
    {"fruits", "condom"},
]
CHEN = [set("adαβ"), set("abd"), set("bcαβ"), set("acα"), set("abα"), set("aα")]
CHEN_RELEASE = [set("ab"), set("aα"), set("aBβ"), set("abB"), set("bBα"), set("aBα")]


def rules(result: sordino.AuditResult) -> dict[tuple[str, ...], tuple[int, int]]:
    return {(*f.antecedent, f.consequent): (f.with_consequent, f.support) for f in result.findings}


def without(records: list[set[str]], *deleted: tuple[int, str]) -> list[set[str]]:
    """The records with some occurrences deleted: (number of the record from 1, item)."""
    return [record - {item for u, item in deleted if u == k} for k, record in enumerate(records, 1)]


@pytest.mark.parametrize("knowledge", [None, 1, 2, 3])
def test_jia_table_1(knowledge: int | None) -> None:
    """By hand: milk -> condom 2/3, flour -> condom 1/2, {bread, milk} -> condom 1/2; bread and fruits stay at 1/3."""
    policy = sordino.InferencePolicy(["condom"], "1/3", knowledge=knowledge)
    result = sordino.audit(TABLE_1, policy)
    assert not result.holds
    assert result.exposure_by_knowledge == {"1": 3, "2": 0, "3": 0, "more": 0}
    assert result.people_at_risk == 3
    assert rules(result) == {("milk", "condom"): (2, 3), ("flour", "condom"): (1, 2)}
    assert result.findings[0].confidence == Fraction(2, 3)
    assert [(f.item, f.people) for f in result.frequent] == [("condom", 4)]


@pytest.mark.parametrize("knowledge", [None, 1, 2])
def test_jia_table_1_as_released(knowledge: int | None) -> None:
    policy = sordino.InferencePolicy(["condom"], "1/3", knowledge=knowledge)
    mine = without(TABLE_1, (1, "condom"), (5, "condom"))
    dist = without(TABLE_1, (1, "condom"), (5, "flour"))
    for released in (mine, dist):
        assert sordino.audit(released, policy).holds
    for half_done in (mine[:4] + TABLE_1[4:], [TABLE_1[0], *mine[1:]]):
        result = sordino.audit(half_done, policy)
        assert not result.holds
        assert result.people_at_risk > 0


def test_two_known_items_can_be_needed() -> None:
    """{bread, milk} -> condom at 1/2 is a finding of its own once milk and bread alone say too little."""
    records = [{"bread", "milk", "condom"}, {"bread", "milk"}, {"bread"}, {"milk"}]
    policy = sordino.InferencePolicy(["condom"], "1/3")
    result = sordino.audit(records, policy)
    assert rules(result) == {("bread", "milk", "condom"): (1, 2)}
    assert result.exposure_by_knowledge == {"1": 0, "2": 1, "3": 0, "more": 0}
    assert sordino.audit(records, sordino.InferencePolicy(["condom"], "1/3", knowledge=1)).holds


def test_chen_original_table() -> None:
    """By hand: c -> α 2/2, a -> α 4/5 (c -> β 1/2 and so on beside them); everybody with α or β is at risk."""
    policy = sordino.InferencePolicy(["α", "β"], "0.3", rho_of={"α": "0.7", "β": "0.3"})
    result = sordino.audit(CHEN, policy, top=100)
    assert not result.holds
    found = rules(result)
    assert found["a", "α"] == (4, 5)
    assert found["c", "α"] == (2, 2)
    assert result.exposure_by_knowledge == {"1": 5, "2": 0, "3": 0, "more": 0}


def test_chen_releases_its_own_disclosure() -> None:
    """The paper's release breaks its own threshold: {a, B} -> β has confidence 1/3 > 0.3."""
    policy = sordino.InferencePolicy(["α", "β"], "0.3", rho_of={"α": "0.7"})
    result = sordino.audit(CHEN_RELEASE, policy)
    assert not result.holds
    assert rules(result) == {("B", "a", "β"): (1, 3)}
    assert result.exposure_by_knowledge == {"1": 0, "2": 1, "3": 0, "more": 0}
    assert result.findings[0].confidence == Fraction(1, 3)
    limited = sordino.InferencePolicy(["α", "β"], "0.3", rho_of={"α": "0.7"}, knowledge=1)
    assert sordino.audit(CHEN_RELEASE, limited).holds


@pytest.mark.parametrize("rho", ["1/3", "0.34", "0.333333333333333334", Fraction(1, 3)])
def test_chen_release_is_accepted_at_one_third(rho: str) -> None:
    assert sordino.audit(CHEN_RELEASE, sordino.InferencePolicy(["α", "β"], rho, rho_of={"α": "0.7"})).holds


@pytest.mark.parametrize("rho", ["0.3333", "0.333333333333333333", "33.3333333333333333333%"])
def test_chen_release_is_refused_just_below_one_third(rho: str) -> None:
    assert not sordino.audit(CHEN_RELEASE, sordino.InferencePolicy(["α", "β"], rho, rho_of={"α": "0.7"})).holds


def share(with_e: int, of: int) -> list[set[str]]:
    return [{"q", "e"}] * with_e + [{"q"}] * (of - with_e)


def long_share(with_e: int, of: int) -> list[set[str]]:
    """The same with long records, so that leaves and alibis decide and not the search by size."""
    return [set("pqrstue")] * with_e + [set("pqrstu")] * (of - with_e)


Table = Callable[[int, int], list[set[str]]]
TABLES = pytest.mark.parametrize("table", [share, long_share])


@TABLES
@pytest.mark.parametrize("rho", ["0.07", 0.07, "7%", "7/100", Fraction(7, 100)])
def test_seven_of_a_hundred_is_seven_percent(table: Table, rho: str) -> None:
    """0.07 * 100 > 7 in floating point: a float here is a missed disclosure, or an invented one."""
    policy = sordino.InferencePolicy(["e"], rho)
    assert sordino.audit(table(7, 100), policy).holds
    result = sordino.audit(table(8, 100), policy)
    assert not result.holds
    assert result.people_at_risk == 8
    assert result.findings[0].confidence == Fraction(8, 100)


@TABLES
@pytest.mark.parametrize(
    ("rho", "with_e", "of"),
    [("0.29", 29, 100), ("0.57", 57, 100), ("0.58", 116, 200), ("0.1", 3, 30), ("0.7", 7, 10), ("1/3", 1000, 3000)],
)
def test_equal_to_the_threshold_holds_and_one_more_does_not(table: Table, rho: str, with_e: int, of: int) -> None:
    policy = sordino.InferencePolicy(["e"], rho)
    assert sordino.audit(table(with_e, of), policy).holds
    assert not sordino.audit(table(with_e + 1, of), policy).holds
    assert not sordino.audit(table(with_e, of - 1), policy).holds


@TABLES
def test_thresholds_with_huge_denominators(table: Table) -> None:
    """10/81 = 0.123456790123...: the thresholds around it differ in the 9th, 12th and 18th digit."""
    records = table(100, 810)
    for rho, holds in (
        ("0.123456789012345678", False),
        ("0.123456790123", False),
        ("0.123456790123456790", False),
        ("0.123456790123456791", True),
        ("0.12345679012345679012345679012345679013", True),
        ("0.12345679012345679012345679012345679012", False),
        ("123456789012345678/999999999999999999", False),
    ):
        assert sordino.audit(records, sordino.InferencePolicy(["e"], rho)).holds is holds


@TABLES
def test_a_threshold_below_what_any_count_can_reach(table: Table) -> None:
    """rho < 1/|D|: every single inference is one too many; and rho just below 1 forbids certainty only."""
    tiny = sordino.InferencePolicy(["e"], "0.000000000000000001")
    assert not sordino.audit(table(1, 500), tiny).holds
    nearly = sordino.InferencePolicy(["e"], "0.999999999999999999")
    assert sordino.audit(table(499, 500), nearly).holds
    assert not sordino.audit(table(500, 500), nearly).holds


def test_chen_adaptive_thresholds() -> None:
    """With rho 3/10, F = 0.8, 0.6 and 0.2 give 0.7, 0.5 and 0.3."""
    records = [{"q", *(e for e, support in (("often", 8), ("half", 6), ("rare", 2)) if u < support)} for u in range(10)]
    policy = sordino.InferencePolicy(["often", "half", "rare"], "0.3", adaptive=True)
    resolved = policy.resolve(Baskets.from_sets(records))
    assert resolved.thresholds == {"often": Fraction(7, 10), "half": Fraction(1, 2), "rare": Fraction(3, 10)}
    result = sordino.audit(records, policy)
    assert ("q", "often") in rules(result)
    assert not result.holds


@pytest.mark.parametrize(("support", "holds"), [(5, True), (6, True), (7, True), (8, False), (9, False)])
def test_adaptive_thresholds_are_compared_exactly(support: int, holds: bool) -> None:
    """q -> e has confidence s/10 in a table of 20 where F = s/20, and rho_e = 3/10 + F at eps 1: s/20 <= 3/10 holds."""
    records = [{"q", "e"}] * support + [{"q"}] * (10 - support) + [{"z"}] * 10
    expected = Fraction(support, 10) <= Fraction(3, 10) + Fraction(support, 20)
    policy = sordino.InferencePolicy(["e"], "0.3", adaptive="1")
    assert sordino.audit(records, policy).holds is expected
    assert expected is (support <= 6)
    default = sordino.InferencePolicy(["e"], "0.7", adaptive=True)  # F <= 0.45: 0.7, or 0.75 at s = 9
    assert sordino.audit(records, default).holds is holds


def test_the_default_adaptive_rule_stops_below_certainty() -> None:
    policy = sordino.InferencePolicy(["e"], "0.9", adaptive=True)
    result = sordino.audit(share(96, 100), policy)
    assert not result.holds
    assert sordino.audit(share(95, 100), policy).holds
    assert any("0.95" in remark for remark in result.remarks)


def test_sensitive_items_are_knowledge_too() -> None:
    """e -> f is a disclosure although e itself is sensitive."""
    records = [{"e", "f"}] * 3 + [{"e"}] + [{"f"}] * 20
    result = sordino.audit(records, sordino.InferencePolicy(["e", "f"], "0.7"))
    assert rules(result) == {("e", "f"): (3, 4)}
    assert result.people_at_risk == 3


def test_an_item_alone_in_its_records_needs_nothing() -> None:
    """model.md 1.2, point 4; but it is told that everybody can guess it."""
    result = sordino.audit([{"e"}] * 9 + [{"a"}, set()], sordino.InferencePolicy(["e"], "0.1"))
    assert result.holds
    assert [(f.item, f.people) for f in result.frequent] == [("e", 9)]


@pytest.mark.parametrize("size", range(1, 8))
def test_a_deep_inference_among_a_hundred_other_items(size: int) -> None:
    """The same where no whole record shows it: 4 of the 6 with all of X have e, and each of these 4 has its alibis.

    A hundred more items stand beside X, more frequent than those of X: too many for a machine word.
    """
    x = {f"x{k}" for k in range(size)}
    more = [f"p{k:02}" for k in range(100)]
    records = [{*x, "e", *more[j::4]} for j in range(4)] + [{*x, *more}] * 2
    records += [x - {item} for item in x for _ in range(5)] + [{p} for p in more for _ in range(6 + 5 * size)]
    for knowledge in (*range(1, 9), None):
        result = sordino.audit(records, sordino.InferencePolicy(["e"], "1/2", knowledge=knowledge), jobs=1)
        assert result.holds is (knowledge is not None and knowledge < size)
        expected = {"1": 0, "2": 0, "3": 0, "more": 0}
        if not result.holds:
            expected[str(size) if size <= 3 else "more"] = 4
            assert [set(f.antecedent) for f in result.findings] == [x]
            assert result.findings[0].confidence == Fraction(4, 6)
        assert result.exposure_by_knowledge == expected


@given(st.fractions(0, 1, max_denominator=10**20).filter(lambda f: f < 1), st.integers(1, 60))
def test_floor_fraction_is_the_largest_that_counts_can_reach(number: Fraction, limit: int) -> None:
    reachable = max(Fraction(number.numerator * d // number.denominator, d) for d in range(1, limit + 1))
    assert floor_fraction(number, limit) == (number if number.denominator <= limit else reachable)
    assert floor_fraction(number, limit) == reachable


@pytest.mark.parametrize("size", range(1, 10))
def test_an_inference_that_takes_exactly_so_many_items(size: int) -> None:
    """All of X tells e, but every smaller part of it has an alibi without e; the whole record is one item more."""
    x = {f"x{k}" for k in range(size)}
    records = [{*x, "y", "e"}, *({*x, "y"} - {item} for item in x), {"y"}]
    for knowledge in (*range(1, 12), None):
        result = sordino.audit(records, sordino.InferencePolicy(["e"], "1/2", knowledge=knowledge), jobs=1)
        assert result.holds is (knowledge is not None and knowledge < size)
        expected = {"1": 0, "2": 0, "3": 0, "more": 0}
        if not result.holds:
            expected[str(size) if size <= 3 else "more"] = 1
            assert [set(f.antecedent) for f in result.findings] == [x]
        assert result.exposure_by_knowledge == expected
