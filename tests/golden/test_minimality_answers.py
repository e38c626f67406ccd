"""Who knows the method can read a tiny release backwards: the three examples of the promise page, as they come out.

Nothing is promised against this; the page says so. These tests see to it that what it shows is so.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import pytest

import sordino

HALF = "1/2"


def published(records: list[set[str]], sensitive: str, method: str = "mine", **options: Any) -> list[frozenset[str]]:
    policy = sordino.InferencePolicy(list(sensitive), HALF)
    return list(sordino.protect(records, policy, method=method, seed=0, missing="accept", **options).data)


def shown(records: list[frozenset[str]]) -> list[str]:
    """The published table; the order of records says nothing."""
    return sorted("".join(sorted(record)) for record in records)


def test_two_originals_lead_to_the_same_release() -> None:
    """So e given a has posterior 1 / (2 - p) at a prior p: 0.526 for p = 0.1, a little above the threshold."""
    tables = combinations_with_replacement(("", "a", "e", "ae"), 4)
    originals = [table for table in tables if shown(published(list(map(set, table)), "e")) == ["", "", "a", "ae"]]
    assert originals == [("", "", "a", "ae"), ("", "", "ae", "ae")]
    # The first original needs that one of the two with a lacks e, the second that both have it: with prior odds
    # 1 - p to p, who has a has e in half of the first cases, and in all of the second.
    p = Fraction(1, 10)
    first, second = 2 * p * (1 - p), p * p  # either of the two may be the one without e
    assert (first / 2 + second) / (first + second) == 1 / (2 - p)
    assert round(float(1 / (2 - p)), 3) == 0.526


@pytest.mark.parametrize(("sensitive", "kind"), [("ef", "harmless"), ("aef", "sensitive")])
def test_a_missing_item_speaks(sensitive: str, kind: str) -> None:
    """Nobody shows a, so it was deleted; it can only have been deleted from a record that shows something else."""
    records: list[set[str]] = [set(), set(), set(), {"e"}, {"f"}, {"a", "e", "f"}]
    after = published(records, sensitive)
    assert after == [set(), set(), set(), {"e"}, {"f"}, {"e", "f"}], kind


def test_deleting_only_sensitive_items_closes_the_second_case() -> None:
    records: list[set[str]] = [set(), set(), set(), {"e"}, {"f"}, {"a", "e", "f"}]
    for method in ("mine", "dist"):
        after = published(records, "ef", method, only_sensitive=True)
        assert after[-1] == {"a"}
    policy = sordino.InferencePolicy(["e", "f"], HALF, absent="any")
    assert list(sordino.protect(records, policy, only_sensitive=True, seed=0).data)[-1] == {"a"}
