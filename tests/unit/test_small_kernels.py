"""The small kernels under the large ones, against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doors import door
from sordino.audit.kernels.holding import find_item, holds_all
from sordino.audit.kernels.personal import Store  # of ours: types of tests must not get into the cache of kernels
from sordino.audit.kernels.supersets import add_supersets, unite_supersets
from sordino.engine.kernels.sorting import places_by, sort_part
from sordino.protect.kernels.store import keep_weight, put_in, take_out

LISTS = st.lists(st.integers(-5, 5), max_size=40)
RECORDS = st.lists(st.frozensets(st.integers(0, 6), min_size=1), min_size=1, max_size=6)


def stored(records: list[frozenset[int]]) -> Store:
    ptr = np.cumsum([0, *map(len, records)]).astype(np.int64)
    items = np.array([x for record in records for x in sorted(record)], dtype=np.int32)
    by_item = np.argsort(items, kind="stable")
    slot = np.empty(len(items), dtype=np.int64)
    slot[by_item] = np.arange(len(items))
    support = np.bincount(items, minlength=7).astype(np.int64)
    post_ptr = np.concatenate([[0], np.cumsum(support)]).astype(np.int64)
    owner = np.repeat(np.arange(len(records), dtype=np.int32), np.diff(ptr))
    one = np.ones(7, dtype=np.int64)
    weight = np.ones(len(records), dtype=np.int64)
    return Store(ptr, items, np.diff(ptr), weight, slot, post_ptr, owner[by_item], support, one, one)


@given(LISTS, st.integers(0, 3))
def test_a_part_is_sorted_and_nothing_else(values: list[int], before: int) -> None:
    array = np.array([9] * before + values + [-9], dtype=np.int64)
    door(sort_part)(array, before, len(values))
    assert array.tolist() == [9] * before + sorted(values) + [-9]


@given(LISTS)
def test_of_equal_keys_the_first_comes_first(values: list[int]) -> None:
    places = np.full(len(values) + 1, -1, dtype=np.int64)
    door(places_by)(np.array([*values, 0], dtype=np.float64), len(values), places)
    assert places.tolist() == [*sorted(range(len(values)), key=lambda k: values[k]), -1]


@given(st.lists(st.integers(0, 9), min_size=16, max_size=16))
def test_tables_over_parts(single: list[int]) -> None:
    total, bits = np.array(single, dtype=np.int64), np.array(single, dtype=np.int64)
    door(add_supersets)(total, 4)
    door(unite_supersets)(bits, 4)
    for part in range(16):
        above = [single[w] for w in range(16) if w & part == part]
        assert total[part] == sum(above)
        assert bits[part] == np.bitwise_or.reduce(above)


@given(RECORDS, st.frozensets(st.integers(0, 6), max_size=3))
def test_who_holds_what(records: list[frozenset[int]], wanted: frozenset[int]) -> None:
    store = stored(records)
    known = np.array(sorted(wanted), dtype=np.int32)
    for u, record in enumerate(records):
        assert door(holds_all)(store.ptr, store.items, store.length, u, known, len(known)) == (wanted <= record)
        for x in range(7):
            at = door(find_item)(store, u, x)
            assert (at >= 0) == (x in record)
            assert at < 0 or (store.ptr[u] <= at < store.ptr[u + 1] and store.items[at] == x)


@given(RECORDS, st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), max_size=12))
def test_items_are_taken_out_and_put_in_again(records: list[frozenset[int]], steps: list[tuple[int, int]]) -> None:
    """Whatever was done: records ascend, what they lost lies behind, and postings and supports say the same."""
    store = stored(records)
    held = [set(record) for record in records]
    for number, x in steps:
        u = number % len(records)
        start, end = int(store.ptr[u]), int(store.ptr[u + 1])
        places = [at for at in range(start, end) if store.items[at] == x]
        if not places:
            continue
        if x in held[u]:
            assert door(take_out)(store, u, places[0]) == x
        else:
            assert door(put_in)(store, u, places[0]) == x
        held[u] ^= {x}
    for u, record in enumerate(records):
        start, split, end = int(store.ptr[u]), int(store.ptr[u] + store.length[u]), int(store.ptr[u + 1])
        assert store.items[start:split].tolist() == sorted(held[u])
        assert set(store.items[split:end].tolist()) == record - held[u]
        for at in range(start, end):
            assert store.post[store.slot[at]] == (u if at < split else -1 - u)
            assert store.post_ptr[store.items[at]] <= store.slot[at] < store.post_ptr[store.items[at] + 1]
    assert store.support.tolist() == [sum(x in record for record in held) for x in range(7)]


def test_what_an_item_is_worth() -> None:
    assert door(keep_weight)(np.int64(5), np.int64(10), 0.0) == pytest.approx(1.005)
    assert door(keep_weight)(np.int64(5), np.int64(10), 2.0) == pytest.approx(4.0)
    assert door(keep_weight)(np.int64(0), np.int64(10), 1.0) == pytest.approx(1e9)
