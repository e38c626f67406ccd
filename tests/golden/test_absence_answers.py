"""Known answers about knowing what a person does NOT have; each by brute force, and by the audit."""

from __future__ import annotations

from fractions import Fraction

import pytest

import oracle_absence
import sordino

HALF = {"e": Fraction(1, 2)}
TABLE_1 = [
    {"bread", "milk", "condom"},
    {"bread", "milk"},
    {"milk", "condom"},
    {"flour", "fruits"},
    {"flour", "condom"},
    {"bread", "fruits"},
    {"fruits", "condom"},
]


def table(*records: str) -> list[set[str]]:
    return [set(record) for record in records]


def audit(records: list[set[str]], rho: str = "1/2", **options: object) -> sordino.AuditResult:
    result: sordino.AuditResult = sordino.audit(records, sordino.InferencePolicy(["e"], rho, **options))  # type: ignore[arg-type]
    return result


@pytest.mark.parametrize(
    ("records", "fewest"),  # absences that disclose something; None: however many are known, nothing is disclosed
    [
        (table("ae", "ab"), 1),
        (table("ae", "ab", "ac"), 2),
        (table("ae", "a", "abe", "ab"), None),
        (table("ae", "a"), None),
        (table("ae", "ae", "a"), 0),
        (table("e", "ab"), None),  # nothing else is known of who has e: that is outside
    ],
)
def test_how_few_absences_disclose(records: list[set[str]], fewest: int | None) -> None:
    for number in (0, 1, 2, 3, None):
        safe = fewest is None or (number is not None and number < fewest)
        assert oracle_absence.holds(records, "e", HALF, number) == safe
    assert oracle_absence.safe_from_every_predicate(records, "e", HALF) == (fewest is None)
    result = audit(records, absent="any")
    assert result.holds == (fewest is None)
    if fewest is not None:
        assert result.exposure_by_absence[str(fewest)] == result.people_at_risk
    assert audit(records).holds == (fewest is None or fewest > 0)


def test_one_absence_makes_sure() -> None:
    """{a, e}, {a, b}: half sure without absence; whoever knows that there is no b is certain."""
    (finding,) = audit(table("ae", "ab"), absent="any").findings
    assert (finding.antecedent, finding.absent, finding.consequent, finding.confidence) == (("a",), ("b",), "e", 1)
    assert finding.sentence() == (
        "Someone who knows a, and knows that there is no b, can infer e for 1 person (1 of 1, 100% sure)."
    )


def test_deleting_is_not_monotone() -> None:
    """Without b in the third record, (a, not b) -> e is 2/3, while presence alone is still safe."""
    safe, less = table("ae", "a", "abe", "ab"), table("ae", "a", "ae", "ab")
    assert audit(safe, absent="any").holds
    assert audit(less).holds
    result = audit(less, absent="any")
    assert not result.holds
    (finding,) = result.findings
    assert (finding.antecedent, finding.absent, finding.confidence) == (("a",), ("b",), Fraction(2, 3))


def test_jia_table_1_loses_four_instead_of_two() -> None:
    third = {"condom": Fraction(1, 3)}
    assert oracle_absence.least_loss(TABLE_1, third, third, absence=False) == 2
    assert oracle_absence.least_loss(TABLE_1, third, third) == 4
    release = sordino.protect(TABLE_1, sordino.InferencePolicy(["condom"], "1/3", absent="any"))
    assert (release.method, release.deletions) == ("twins", 4)
    assert oracle_absence.holds(list(release.data), third, third)


def test_the_length_of_a_record_is_outside() -> None:
    """{a, e}, {a}: safe against all knowledge of other items; "has exactly two items" looks at e itself."""
    records = table("ae", "a")
    assert audit(records, absent="any").holds
    assert [record for record in records if len(record) == 2] == [{"a", "e"}]
