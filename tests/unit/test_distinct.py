"""Distinct numbers are those of np.unique."""

from __future__ import annotations

import numpy as np
import pytest

from sordino.data.distinct import distinct


@pytest.mark.parametrize("numbers", [[], [3], [2, 2], [5, -1, 5, 3, 3, 2**40]], ids=["none", "one", "twice", "several"])
def test_distinct(numbers: list[int]) -> None:
    given = np.array(numbers, dtype=np.int64)
    assert distinct(given).tolist() == sorted(set(numbers))
    assert given.tolist() == numbers
    assert distinct(given).dtype == given.dtype
