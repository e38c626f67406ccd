"""Order and classes of equal rows, against Python's own sorting; and the flag between two steps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino.engine import sorted as engine_sorted
from sordino.engine.local import Stopped
from sordino.engine.sorted import equal_rows, order_of

WHOLE = st.one_of(st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1), st.integers(2**16 - 2, 2**16 + 2))
UP = np.ones(1, dtype=np.uint8)


@given(st.lists(st.tuples(WHOLE, st.integers(0, 2**64 - 1), st.floats(0, 1e9)), max_size=30))
def test_the_order_is_that_of_the_keys(rows: list[tuple[int, int, float]]) -> None:
    keys = [np.array([row[k] for row in rows], dtype=kind) for k, kind in enumerate((np.int64, np.uint64, np.float64))]
    expected = sorted(range(len(rows)), key=lambda k: rows[k][::-1])
    assert order_of(*keys).tolist() == expected


@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(2**64 - 3, 2**64 - 1)), max_size=30))
def test_equal_rows_are_one_class(rows: list[tuple[int, int]]) -> None:
    first, class_of, count = equal_rows(
        np.array([a for a, _ in rows], dtype=np.int32), np.array([b for _, b in rows], dtype=np.uint64)
    )
    distinct = sorted(set(rows), key=lambda row: row[::-1])
    assert [rows[k] for k in first] == distinct
    assert first.tolist() == [rows.index(row) for row in distinct]
    assert [distinct[k] for k in class_of] == rows
    assert count.tolist() == [rows.count(row) for row in distinct]


def test_it_stops_between_two_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of 64 bits are four sorts; the flag goes up during the second, and there is no third."""
    stop, sorts = np.zeros(1, dtype=np.uint8), []

    class Counting:
        def __getattr__(self, name: str) -> object:
            return getattr(np, name)

        def argsort(self, digit: np.ndarray, kind: str) -> np.ndarray:  # type: ignore[type-arg]
            sorts.append(digit.dtype)
            stop[0] = len(sorts) == 2
            return np.argsort(digit, kind=kind)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(engine_sorted, "np", Counting())
    with pytest.raises(Stopped):
        order_of(np.array([1, 2**60, 7]), stop=stop)
    assert sorts == [np.uint16, np.uint16]


def test_nothing_begins_once_the_flag_is_up() -> None:
    with pytest.raises(Stopped):
        order_of(np.arange(3), stop=UP)
    with pytest.raises(Stopped):
        equal_rows(np.arange(3), stop=UP)
