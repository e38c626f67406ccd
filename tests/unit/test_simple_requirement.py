"""LI's simple requirement beside the matching one: its own example, in which they differ."""

from __future__ import annotations

import sordino
from sordino.data.table import Column, Table
from sordino.policy.diversity import DiversityPolicy
from sordino.policy.rules import NegativeRule


def test_the_woman_passes_the_simple_requirement_only() -> None:
    """One woman and three men; ovarian cancer and three diseases that all can have (section V.A, l = 3)."""
    table = Table(
        (
            Column.of_texts("sex", ("F", "M", "M", "M")),
            Column.of_texts("group", ("1", "1", "1", "1")),
            Column.of_texts("disease", ("ovarian", "flu", "cold", "gout")),
        )
    )
    policy = DiversityPolicy("disease", ["sex"], 3, mined=False, rules=[NegativeRule({"sex": "M"}, "ovarian")])
    found = sordino.audit(sordino.read_groups(table, "group"), policy)
    assert (found.plain_l, found.simple_l, found.matching_l) == (4, 3, 1)
    assert (found.simple_at_risk, found.people_at_risk) == (0, 1)
    assert not found.holds
    assert found.to_dict()["simple_l_diversity"] == 3


def test_without_rules_all_three_are_the_same() -> None:
    table = Table((Column.of_texts("sex", ("F", "M") * 3), Column.of_texts("disease", ("flu", "cold", "gout") * 2)))
    found = sordino.audit(table, DiversityPolicy("disease", ["sex"], 2, mined=False))
    assert found.plain_l == found.simple_l == found.matching_l == 3
