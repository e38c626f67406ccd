"""engine/kernels/lookup.py: what was put under a key is found under it, and nothing else is."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from doors import door
from sordino.engine.kernels.lookup import doubled, place_of


@given(st.dictionaries(st.integers(0, 2**62 - 1), st.integers(0, 2**31 - 1), max_size=60), st.integers(0, 2**62 - 1))
def test_a_table_is_a_dictionary(content: dict[int, int], other: int) -> None:
    keys, values = np.full(2, -1, dtype=np.int64), np.empty(2, dtype=np.int32)
    for number, (key, value) in enumerate(content.items(), 1):
        at = door(place_of)(keys, key)
        assert keys[at] == -1
        keys[at], values[at] = key, value
        if 2 * number >= len(keys):
            keys, values = door(doubled)(keys, values)
    for key, value in content.items():
        at = door(place_of)(keys, key)
        assert (keys[at], values[at]) == (key, value)
    assert (keys[door(place_of)(keys, other)] == other) == (other in content)
    assert sorted(keys[keys != -1].tolist()) == sorted(content)
