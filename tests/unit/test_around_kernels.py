"""What others share with a record, and what can be kept of it (utility/kernels), beside naive twins in plain Python."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doors import door
from sordino.audit.index import RecordIndex, index_records
from sordino.data.baskets import Baskets
from sordino.engine.kernels.bits import ones
from sordino.utility.kernels.around import EVERYBODY, Minds, Unit, begin_around, make_room, reach_of, read_around
from sordino.utility.kernels.kept import most_kept
from sordino.utility.kernels.possible import Asked, exact_kept
from tables import colliding_records, examples

STOP = np.zeros(1, dtype=np.uint8)
Sets = list[frozenset[int]]


def indexed(records: Sets) -> tuple[RecordIndex, np.ndarray, Sets, list[int]]:
    """The index, the first class of at least so many items, and the classes in plain Python: ranks, weights."""
    index = index_records(Baskets.from_sets([{str(x) for x in record} for record in records]))
    lengths = np.diff(index.ptr)
    by_length = np.searchsorted(lengths, np.arange(int(lengths.max(initial=0)) + 2)).astype(np.int64)
    classes = [frozenset(index.items[index.ptr[c] : index.ptr[c + 1]].tolist()) for c in range(index.classes)]
    return index, by_length, classes, index.weight.tolist()


@given(word=st.integers(0, 2**64 - 1))
def test_bits_are_counted(word: int) -> None:
    assert door(ones)(np.uint64(word)) == word.bit_count()


@settings(max_examples=examples(60), deadline=None)
@given(
    records=colliding_records() | st.lists(st.frozensets(st.integers(0, 6)), min_size=1, max_size=14),
    data=st.data(),
)
def test_each_other_record_counts_once_whatever_the_pace(records: Sets, data: st.DataObject) -> None:
    """Read in steps of 1, 2, 4... postings of each list, or all at once: the same counts, those of plain Python."""
    index, by_length, classes, weight = indexed(records)
    able = [c for c in range(index.classes) if len(classes[c]) >= 2]
    if not able:
        return
    c = data.draw(st.sampled_from(able))
    first = data.draw(st.integers(0, len(classes[c]) - 2))
    n = data.draw(st.integers(2, min(len(classes[c]) - first, 8)))
    share = data.draw(st.integers(1, n))
    row = np.array([(-1, EVERYBODY, 0)[x % 3] for x in range(index.width)])
    wish = np.full((1, index.classes // 64 + 1), 0x5555555555555555, dtype=np.uint64)  # minded by even classes
    own = index.items[index.ptr[c] + first : index.ptr[c] + first + n].tolist()
    unit = Unit(index.items, index.ptr[c] + first, n, c, 7)
    reach = sum(int(index.support[x] > 0) and sum(x in other for other in classes) for x in own[: n - share + 1])
    assert door(reach_of)(unit, share, index) == reach
    support, minded = [0] * (1 << n), [0] * (1 << n)
    for v, other in enumerate(classes):
        w = sum(1 << k for k, x in enumerate(own) if x in other)
        if v == c or w.bit_count() >= share:
            support[w] += weight[v] - (v == c)
            minded[w] |= sum(1 << k for k, x in enumerate(own) if x % 3 == 1 or (x % 3 == 2 and v % 2 == 0))
    for limit in (1, 1 << 40):
        room, minds = make_room(index.classes, n), Minds(row, wish, np.empty(1 << n, dtype=np.int64))
        at = np.empty(n, dtype=np.int64)
        door(begin_around)(unit, share, index, room, minds, at)
        while door(read_around)(unit, share, index, by_length, limit, room, minds, at, STOP):
            limit *= 2
        assert room.support.tolist() == support
        assert minds.minded.tolist() == minded


def largest(own: list[int], others: list[tuple[frozenset[int], int]], secret: set[int], need: int, known: int) -> int:
    """The largest part of which every part (of two items or more, up to known + 1) finds its alibis among the others.

    What keeps nothing sensitive can always be kept, and one item.
    """
    plain = len([x for x in own if x not in secret])
    share = max(1, min(max(plain, 1), known))

    def possible(part: frozenset[int]) -> bool:
        with_all = sum(weight for other, weight in others if part <= other)
        lacking = 0
        for e in part & secret:
            without = sum(weight for other, weight in others if part - {e} <= other and e not in other)
            lacking += max(0, need - without)
        return lacking <= with_all

    parts = [frozenset(part) for size in range(share + 1, len(own) + 1) for part in combinations(own, size)]
    fails = [part for part in parts if len(part) <= known + 1 and not possible(part)]
    return max([max(plain, 1), *(len(part) for part in parts if not any(bad <= part for bad in fails))])


@pytest.mark.parametrize("known", [2, 99])
@pytest.mark.parametrize("need", [1, 2, 40])
def test_the_largest_part_that_can_be_kept(need: int, known: int) -> None:
    """Lists of several hundred postings, so that they are read in several steps."""
    rng = np.random.default_rng(need)
    share = 1.0 / np.arange(1, 90) ** 0.7
    sizes = rng.integers(1, 7, size=900)
    records = [frozenset(rng.choice(89, size=n, replace=False, p=share / share.sum()).tolist()) for n in sizes]
    index, by_length, classes, weight = indexed(records)
    sensitive = rng.random(index.width) < 0.5
    asked = Asked(sensitive, np.full(index.width, need, dtype=np.int64), min(known, len(by_length) - 2), 10**9)
    kept = np.diff(index.ptr)
    counted = known == 99
    room = make_room(index.classes)
    if counted:
        alibis = np.empty((index.classes, 3), np.int64)
        most_kept(0, index.classes, index, by_length, sensitive, asked.demand, room.seen, alibis, kept, STOP)
        room.seen[:] = -1
    exact_kept(0, index.classes, index, by_length, asked, counted, room, kept, STOP)
    secret, tried = set(np.flatnonzero(sensitive).tolist()), set()
    for c in rng.permutation(index.classes)[:150].tolist():
        others = [(other, weight[v] - (v == c)) for v, other in enumerate(classes)]
        found = largest(sorted(classes[c]), others, secret, need, asked.known)
        assert kept[c] == found
        tried.add((len(classes[c]) - found, len(classes[c]) > 1))
    assert len(tried) > 2
