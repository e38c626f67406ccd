"""The records that whoever shows sensitive items needs around it (utility/kernels/cubes.py), beside naive twins."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import ceil

import numpy as np
import pytest

from doors import door
from sordino.utility.kernels.around import Unit
from sordino.utility.kernels.cubes import Odds, has_twins, twins_wanted

MANY = 1_000


def naive(own: list[int], secret: set[int], rho: dict[int, Fraction]) -> dict[frozenset[int], int]:
    """By set of items of a record, how many records publish it without some sensitive part of that set."""
    asked: dict[frozenset[int], int] = {frozenset(): 1}
    for size in range(1, len(own) + 1):
        for part in map(frozenset, combinations(sorted(secret & set(own)), size)):
            ways = [asked[part - {e}] * (1 - rho[e]) / rho[e] if rho[e] else MANY for e in part]
            asked[part] = max(min(ceil(way), MANY) for way in ways)
    sets = [frozenset(some) for size in range(len(own) + 1) for some in combinations(own, size)]
    return {some: sum(n for part, n in asked.items() if part <= some) for some in sets}


@pytest.mark.parametrize("seed", range(12))
def test_so_many_records_are_wanted(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, width = int(rng.integers(1, 7)), 9
    own = sorted(rng.choice(width, size=n, replace=False).tolist())
    den = rng.integers(1, 8, size=width)
    num = np.array([rng.integers(0, d + 1) for d in den])
    secret = {x for x in own if rng.random() < 0.6}
    bits = sum(1 << k for k, x in enumerate(own) if x in secret)
    unit = Unit(np.array(own, dtype=np.int32), np.int64(0), np.int64(n), np.int64(0), np.int64(1))
    wanted = np.full(1 << n, -1, dtype=np.int64)
    door(twins_wanted)(unit, np.int64(bits), Odds(num, den, np.int64(MANY)), wanted)
    expected = naive(own, secret, {x: Fraction(int(num[x]), int(den[x])) for x in range(width)})
    for some, number in expected.items():
        assert wanted[sum(1 << k for k, x in enumerate(own) if x in some)] == number


def test_who_shows_two_secrets_needs_three_others() -> None:
    """{a, e, f} at 1/2: one record each with {a, e}, {a, f} and {a}. So four originals hold a, itself among them."""
    secret, wanted = np.int64(0b110), np.array([1, 1, 2, 2, 2, 2, 4, 4], dtype=np.int64)
    for others, fine in ((3, True), (2, False)):
        support = np.array([9, others, 9, 1, 9, 1, 1, 0], dtype=np.int64)  # of others, by part of {a, e, f}
        whole = np.ones(8, dtype=np.uint8)
        assert door(has_twins)(np.int64(0b111), secret, np.int64(3), np.int64(1), support, wanted, whole) == fine
    whole[0b011] = 0  # and what has no twins as a smaller part has none here
    support[1] = 3
    assert not door(has_twins)(np.int64(0b111), secret, np.int64(3), np.int64(1), support, wanted, whole)
