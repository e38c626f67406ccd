"""Records and thresholds at the edges of what numbers can hold; warnings are errors here."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import sordino
from sordino.audit.index import index_records
from sordino.audit.sampled import draw_adversaries
from sordino.data.baskets import Baskets


@pytest.mark.parametrize("length", [1_023, 1_024, 1_100])
def test_records_of_more_items_than_a_number_has_binary_places(length: int) -> None:
    """2 to the power of a record's length is more than a floating-point number can be."""
    rest = [str(k) for k in range(length)]
    result = sordino.audit([{"e", *rest}, set(rest[1:])], sordino.InferencePolicy(["e"], "0.5", knowledge=1))
    assert (result.holds, result.people_at_risk) == (False, 1)
    assert result.findings[0].antecedent == ("0",)


def test_records_of_more_items_than_16_bits_number() -> None:
    """In another order than that of rarity; and the lots for adversaries do not take a place for each item of each."""
    length = 70_000
    rng = np.random.default_rng(0)
    lists = [np.sort(rng.permutation(length)), np.sort(rng.permutation(length)[:66_000]), np.arange(3)]
    owner = np.repeat(np.arange(3), [len(codes) for codes in lists])
    table = Baskets.from_pairs(owner, np.concatenate(lists), tuple(f"{k:05}" for k in range(length)), 3)
    index = index_records(table)
    assert np.diff(index.ptr).tolist() == [3, 66_000, 70_000]
    for c, codes in enumerate(lists[::-1]):
        ranks = index.items[index.ptr[c] : index.ptr[c + 1]]
        assert (np.diff(ranks) > 0).all()
        assert np.array_equal(np.sort(index.code[ranks]), codes)
    users, known = draw_adversaries(table, index.rank, 2, 700, rng)
    assert set(users.tolist()) == {0, 1, 2}
    assert (known[:, 0] < known[:, 1]).all()


@pytest.mark.parametrize(
    "rho", ["1/3", "333333333/1000000000", "0.333333333333333333333333333333", "0.33333333333333333333333333333334"]
)
def test_thresholds_of_many_digits_are_compared_exactly(rho: str) -> None:
    """1 of 3 is above all that fall short of a third, however little; and no product of counts overflows."""
    records = [{"a", "e"}, {"a"}, {"a"}] * 40_000
    for knowledge in (1, None):
        result = sordino.audit(records, sordino.InferencePolicy(["e"], rho, knowledge=knowledge))
        assert result.holds == (Fraction(1, 3) <= Fraction(rho))
        assert result.people_at_risk == (0 if result.holds else 40_000)
