"""`global`: whole item types go, chosen by unsafe rules removed per occurrence lost (model.md 1.3)."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import oracle
import sordino
from sordino.audit.index import index_records
from sordino.data.baskets import Baskets
from sordino.protect.kernels.common.rules import short_rules

TABLE_1 = [
    {"bread", "milk", "condom"},
    {"bread", "milk"},
    {"milk", "condom"},
    {"flour", "fruits"},
    {"flour", "condom"},
    {"bread", "fruits"},
    {"fruits", "condom"},
]


def test_table_1_of_jia_loses_four_occurrences() -> None:
    release = sordino.protect(TABLE_1, sordino.InferencePolicy(["condom"], "1/3"), method="global")
    assert release.deletions == 4
    assert list(release.data) == [record - {"condom"} for record in TABLE_1]


def test_a_type_goes_whole_or_not_at_all() -> None:
    rng = np.random.default_rng(2)
    table = [{str(i) for i in rng.choice(30, size=rng.integers(1, 7), replace=False)} for _ in range(300)]
    release = sordino.protect(table, sordino.InferencePolicy(list("0123456789"), "0.4"), method="global")
    left = set().union(*release.data)
    assert not release.unchanged
    assert list(release.data) == [record & left for record in table]


def test_a_non_sensitive_type_goes_where_that_is_cheaper() -> None:
    table = [{"x"}] * 20 + [{"x", "a"}, {"b", "x"}, {"b"}, {"b"}]
    release = sordino.protect(table, sordino.InferencePolicy(["x"], "0.5"), method="global")
    assert list(release.data) == [record - {"a"} for record in table]


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("room", [10_000, 40])
def test_the_rules_of_one_and_two_known_items_are_all_found(pairs: bool, room: int) -> None:
    rng = np.random.default_rng(5)
    records = [{f"{i:02}" for i in rng.choice(14, size=rng.integers(1, 6), replace=False)} for _ in range(60)]
    sensitive = {f"{i:02}" for i in range(0, 14, 3)}
    rho = Fraction(2, 5)
    expected = {
        (frozenset(q), e)
        for record in records
        for q in combinations(sorted(record), 2 if pairs else 1)
        for e in sensitive - set(q)
        if Fraction(oracle.support(records, {*q, e}), oracle.support(records, set(q))) > rho
    }
    baskets = Baskets.from_sets(records)
    index = index_records(baskets)
    names = [baskets.names[code] for code in index.code]
    mask = np.array([name in sensitive for name in names])
    width = len(names)
    found = set()
    first = 0
    while first < width:
        rules = np.empty((room, 3), dtype=np.int32)
        count, first = short_rules(
            first, pairs, index, mask, np.full(width, 2), np.full(width, 5), rules, np.zeros(1, dtype=np.uint8)
        )
        for row in rules[:count].tolist():
            *q, e = (names[r] for r in row if r >= 0)
            assert (frozenset(q), e) not in found
            found.add((frozenset(q), e))
    assert found == expected
