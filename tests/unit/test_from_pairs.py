"""Baskets from pairs of record and item: in whatever stretches they are put in order, the records are the same."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest

from sordino.data import baskets
from sordino.data.baskets import Baskets


@pytest.mark.parametrize("pairs", [1, 2, 3, 7, 10_000])
@pytest.mark.parametrize("ordered", [True, False])
def test_records_are_those_of_the_pairs(pairs: int, ordered: bool) -> None:
    rng = np.random.default_rng(pairs)
    owner, codes = rng.integers(0, 9, 60).astype(np.int32), rng.integers(0, 12, 60)
    owner[owner == 4] = 5  # nobody has number 4; number 7 has a record longer than all stretches but one
    owner = np.concatenate([owner, np.full(20, 7, dtype=np.int32)])
    codes = np.concatenate([codes, rng.integers(0, 12, 20)])
    if ordered:
        order = np.argsort(owner, kind="stable")
        owner, codes = owner[order], codes[order]
    with mock.patch.object(baskets, "PAIRS", pairs):
        made = Baskets.from_pairs(owner, codes, tuple("abcdefghijkl"), 11)
    expected = [sorted({"abcdefghijkl"[c] for u, c in zip(owner, codes, strict=True) if u == k}) for k in range(11)]
    found = [[made.names[c] for c in made.items[a:b]] for a, b in zip(made.indptr[:-1], made.indptr[1:], strict=True)]
    assert found == expected
    assert made.repeated == 80 - len(made.items)


def test_no_pairs() -> None:
    made = Baskets.from_pairs(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), (), 3)
    assert made.indptr.tolist() == [0, 0, 0, 0]
