"""The judge is judged by the papers' worked examples and by hand calculation."""

from __future__ import annotations

import ast
from fractions import Fraction
from pathlib import Path

import pytest

import oracle

THIRD = Fraction(1, 3)
JIA_TABLE_1 = [
    {"bread", "milk", "condom"},
    {"bread", "milk"},
    {"milk", "condom"},
    {"flour", "fruits"},
    {"flour", "condom"},
    {"bread", "fruits"},
    {"fruits", "condom"},
]
CHEN_TABLE = [
    {"a", "d", "α", "β"},
    {"a", "b", "d"},
    {"b", "c", "α", "β"},
    {"a", "c", "α"},
    {"a", "b", "α"},
    {"a", "α"},
]
CHEN_RELEASE = [{"a", "b"}, {"a", "α"}, {"a", "B", "β"}, {"a", "b", "B"}, {"b", "B", "α"}, {"a", "B", "α"}]


def without(records: list[set[str]], *deleted: tuple[int, str]) -> list[set[str]]:
    """Records less the (record number from 1, item) given."""
    return [record - {item for u, item in deleted if u == number} for number, record in enumerate(records, start=1)]


def test_the_oracle_imports_nothing_it_judges() -> None:
    tree = ast.parse(Path(oracle.__file__).read_text())
    imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported == {"__future__", "collections.abc", "fractions", "itertools", "typing"}


def test_jia_raw_table_discloses() -> None:
    found = {
        (q, sup_qe, sup_q) for q, _, sup_q, sup_qe in oracle.disclosures(JIA_TABLE_1, {"condom"}, {"condom": THIRD})
    }
    assert found == {
        (frozenset({"milk"}), 2, 3),
        (frozenset({"bread", "milk"}), 1, 2),
        (frozenset({"flour"}), 1, 2),
    }  # bread 1/3 and fruits 1/3 are on the boundary, and allowed
    assert oracle.max_confidence(JIA_TABLE_1, "condom") == Fraction(2, 3)


@pytest.mark.parametrize("fifth", ["condom", "flour"])
def test_jia_two_deletions_make_it_safe(fifth: str) -> None:
    assert oracle.holds(without(JIA_TABLE_1, (1, "condom"), (5, fifth)), {"condom"}, {"condom": THIRD})
    assert not oracle.holds(without(JIA_TABLE_1, (1, "condom")), {"condom"}, {"condom": THIRD})
    assert not oracle.holds(without(JIA_TABLE_1, (5, fifth)), {"condom"}, {"condom": THIRD})


def test_jia_people_at_risk() -> None:
    at_risk = oracle.people_at_risk(JIA_TABLE_1, {"condom"}, {"condom": THIRD})
    assert at_risk == {0: 1, 2: 1, 4: 1}  # milk tells on 1 and 3, flour on 5; 7 is safe, 2 and 4 do not have it
    count = oracle.exposure(JIA_TABLE_1, {"condom"}, {"condom": THIRD})
    assert count == {"1": 3, "2": 0, "3": 0, "more": 0, "total": 3}


def test_exposure_by_length() -> None:
    """Each pair of {a b c d} less one item hides e, until so much is known that only its holder is left."""
    records = [{"a", "b", "c", "d", "e"}, *({"a", "b", "c", "d"} - {x} for x in "abcd")]
    half = {"e": Fraction(1, 2)}
    assert oracle.exposure(records, {"e"}, half) == {"1": 0, "2": 0, "3": 0, "more": 1, "total": 1}
    assert oracle.exposure(records, {"e"}, {"e": Fraction(2, 5)})["3"] == 1  # three items known: 1 of 2
    assert oracle.exposure(records, {"e"}, {"e": Fraction(3, 10)})["2"] == 1  # two items known: 1 of 3
    assert oracle.holds(records, {"e"}, half, m=3)
    assert not oracle.holds(records, {"e"}, half, m=4)


def test_chen_release_breaks_its_own_threshold() -> None:
    rho = {"α": Fraction(7, 10), "β": Fraction(3, 10)}
    assert oracle.disclosures(CHEN_RELEASE, {"α", "β"}, rho) == [oracle.Disclosure(frozenset({"a", "B"}), "β", 3, 1)]
    assert oracle.holds(CHEN_RELEASE, {"α", "β"}, rho | {"β": THIRD})


def test_adaptive_thresholds() -> None:
    rho = Fraction(3, 10)
    five = [{"a", "b", "c"}, {"a", "b"}, {"a", "b"}, {"a"}, set[str]()]
    assert oracle.adaptive_rho(five, rho) == {"a": Fraction(7, 10), "b": Fraction(1, 2), "c": rho}
    assert oracle.adaptive_rho([{"a"}], Fraction(1, 2)) == {"a": Fraction(19, 20)}
    assert oracle.adaptive_rho(five, rho, Fraction(1, 2), {"a"}) == {"a": Fraction(7, 10)}
    assert oracle.adaptive_rho(five, rho, {"a": Fraction(-1, 4)}, "ab") == {"a": Fraction(1, 10), "b": rho}
    with pytest.raises(ValueError, match="not between 0 and 1"):
        oracle.adaptive_rho(five, rho, Fraction(1))
    assert oracle.adaptive_rho(CHEN_TABLE, rho, items={"β"}) == {"β": rho}


def test_the_boundary_is_exact() -> None:
    """7 of 100 at 0.07 is allowed, although 0.07 * 100 > 7 in floating point; 8 of 100 is not."""
    seven = [{"x", "e"}] * 7 + [{"x"}] * 93
    rho = {"e": Fraction("0.07")}
    assert oracle.holds(seven, {"e"}, rho)
    assert not oracle.holds([{"x", "e"}, *seven[:-1]], {"e"}, rho)
    assert not oracle.holds(seven[:-1], {"e"}, rho)


def test_a_lone_item_needs_nothing() -> None:
    assert oracle.holds([{"e"}] * 3, {"e"}, {"e": Fraction(1, 10)})
    assert oracle.max_confidence([{"e"}] * 3, "e") == 0


def test_sensitive_items_may_be_known() -> None:
    found = oracle.disclosures([{"s", "e"}], {"s", "e"}, {"s": THIRD, "e": THIRD})
    assert [(d.q, d.e) for d in found] == [(frozenset("e"), "s"), (frozenset("s"), "e")]


def test_personal_knowledge_is_of_the_original_record() -> None:
    """x was suppressed from the first record, but its neighbour still knows it, and x points to e in the rest."""
    original = [{"x", "y"}, {"x", "e"}, {"y"}]
    published = [{"y"}, {"x", "e"}, {"y"}]
    rho = {"e": Fraction(1, 2)}
    only_first = [{"e"}, set[str](), set[str]()]
    assert oracle.personal_people_at_risk(original, published, only_first, rho) == {0: 1}
    assert not oracle.personal_holds(original, published, only_first, rho)
    assert oracle.personal_holds(published, published, only_first, rho)
    assert oracle.personal_holds(original, published, [set[str](), set[str](), {"e"}], rho)
    assert oracle.personal_people_at_risk(original, published, [{"e"}] * 3, rho) == {0: 1, 1: 1}


def test_personal_with_one_common_set_is_the_common_requirement() -> None:
    rho = {"condom": THIRD}
    everybody = [{"condom"}] * len(JIA_TABLE_1)
    assert not oracle.personal_holds(JIA_TABLE_1, JIA_TABLE_1, everybody, rho)
    safe = without(JIA_TABLE_1, (1, "condom"), (5, "condom"))
    assert oracle.personal_holds(JIA_TABLE_1, safe, everybody, rho)
