"""One or two known items, all sets counted: the kernels beside plain counting, and the same answers as by searching."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise, product
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import sordino
from sordino.audit import few_known
from sordino.audit.few_known import count_exposure
from sordino.audit.inference import audit_baskets
from sordino.audit.kernels import small_sets
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from tables import Case, colliding_records, dense_tables, examples, hub_tables, policies, quiet_tables, small_tables

Sets = list[frozenset[int]]


def baskets_of(records: Sets, width: int) -> Baskets:
    """Items keep their numbers as codes."""
    lists = [sorted(record) for record in records]
    indptr = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    items = np.array([item for record in lists for item in record], dtype=np.int32)
    return Baskets(indptr, items, tuple(f"{k:03}" for k in range(width)))


@st.composite
def records_and_sensitive(draw: st.DrawFn) -> tuple[Baskets, set[int]]:
    few = st.lists(st.frozensets(st.integers(0, 9), max_size=7), min_size=1, max_size=30)
    records = draw(st.one_of(few, colliding_records()))
    width = 1 + max((k for record in records for k in record), default=0)
    share = draw(st.sampled_from((0.0, 0.3, 1.0)))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    return baskets_of(records, width), set(np.flatnonzero(rng.random(width) < share).tolist())


def merged(baskets: Baskets, sensitive: set[int], jobs: int) -> tuple[few_known.Rows, int, int, int]:
    mask = np.isin(np.arange(len(baskets.names)), list(sensitive))
    with mock.patch.object(few_known, "EACH", 1000):
        found = few_known._merged(baskets, mask, jobs, Watch())
    assert found is not None
    return found


def rows_of(rows: few_known.Rows) -> Iterator[tuple[int, list[int], int, int]]:
    """(sensitive items, all items, weight, start) of every row."""
    for length, sensitive, lo, hi, begin in rows.blocks.tolist():
        for row in range(lo, hi):
            at = begin + (row - lo) * length
            yield sensitive, rows.items[at : at + length].tolist(), int(rows.weight[row]), int(rows.start[row])


@given(records_and_sensitive(), st.integers(1, 3))
@settings(max_examples=examples(120))
def test_equal_records_are_one_row(data: tuple[Baskets, set[int]], jobs: int) -> None:
    baskets, sensitive = data
    rows, longest, pairs, triples = merged(baskets, sensitive, jobs)
    records = [tuple(baskets.items[a:b].tolist()) for a, b in pairwise(baskets.indptr.tolist())]
    many = Counter(record for record in records if len(record) > 1)
    found = list(rows_of(rows))
    assert {tuple(sorted(items)): weight for _, items, weight, _ in found} == many
    assert len(found) == len(many)
    for inside, items, _, start in found:
        head = [x for x in sorted(items) if x in sensitive]
        assert items == head + [x for x in sorted(items) if x not in sensitive]
        assert inside == len(head)
        assert start == baskets.indptr[records.index(tuple(sorted(items)))]
    assert longest == max(map(len, many), default=0)
    assert pairs == sum(len(list(combinations(record, 2))) for record in many)
    assert triples == sum(bool(sensitive & {*three}) for record in many for three in combinations(record, 3))
    assert rows.occurrences == sum(len(sensitive & {*record}) for record in many)


@given(records_and_sensitive(), st.booleans(), st.integers(1, 9))
@settings(max_examples=examples(120))
def test_sets_are_counted_in_tables_of_any_size(data: tuple[Baskets, set[int]], three: bool, log: int) -> None:
    baskets, sensitive = data
    rows, _, pairs, triples = merged(baskets, sensitive, 1)
    slots = np.full(triples if three else pairs, -1, dtype=np.int32)
    bits, count_bits = 9, 12
    with np.errstate(over="ignore"):  # as its caller does
        table = small_sets.count_sets(three, rows, bits, count_bits, 64 - log, np.zeros(1 << log, np.int64), slots)
    event(f"the table grows: {len(table) > 1 << log}")
    expected: Counter[tuple[int, ...]] = Counter()
    listed = []
    for inside, items, weight, _ in rows_of(rows):
        for some in combinations(items, 3) if three else combinations(items, 2):
            if not three or some[0] in items[:inside]:
                expected[some] += weight
                listed.append(some)
    keys = {sum(x << bits * k for k, x in enumerate(reversed(some))): some for some in expected}
    assert {keys[int(w) >> count_bits]: int(w) & (1 << count_bits) - 1 for w in table if w} == expected
    assert [keys[int(table[slot]) >> count_bits] for slot in slots] == listed
    sets = few_known.Sets(table, bits, count_bits)
    assert {some: sets[some] for some in expected} == expected


def answers(case: Case, baskets: Baskets, *, jobs: int = 1, top: int = 50, **patched: int) -> dict[str, Any]:
    with mock.patch.multiple(few_known, **({"EACH": 1000} | patched)):
        result = audit_baskets(baskets, case.policy, jobs=jobs, top=top)
    return {key: value for key, value in result.to_dict().items() if key != "seconds"}


@st.composite
def repeated(draw: st.DrawFn) -> Case:
    """Few items, many records: antecedents of many people, so that there are leads."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    width = draw(st.integers(4, 7))
    odds = rng.random(width)
    records = [frozenset("abcdefg"[k] for k in range(width) if rng.random() < odds[k]) for _ in range(60)]
    return draw(policies(records, (1, 2)))


FEW_KNOWN = st.one_of(small_tables(), dense_tables(), quiet_tables(), hub_tables(), repeated())


@given(FEW_KNOWN, st.integers(1, 2), st.sampled_from((0, 3, 50)))
@settings(max_examples=examples(200))
def test_counting_gives_what_searching_gives(case: Case, knowledge: int, top: int) -> None:
    """People, findings, their order and all; on one thread and on two, with leads that need more room, and one by one.

    Of up to 24 leads for an item, searches keep all, as counting does: here there are never more.
    """
    policy = sordino.InferencePolicy(
        case.policy.sensitive, case.policy.rho, rho_of=case.policy.rho_of, knowledge=knowledge
    )
    case = case._replace(policy=policy)
    baskets = Baskets.from_sets(case.records)
    with mock.patch.object(few_known, "EACH", 1000):
        assert count_exposure(baskets, policy.resolve(baskets), knowledge, jobs=1, watch=Watch()) is not None
    searched = answers(case, baskets, top=top, MOST_SETS=0)
    event(f"findings: {min(len(searched['findings']), 3)}")
    assert answers(case, baskets, top=top) == searched
    assert answers(case, baskets, top=top, jobs=2, ALONE=0, ROOM=1, BATCH=1) == searched


def test_whatever_holds_too_many_sets_is_searched() -> None:
    long = Baskets.from_sets([{f"{k:03}" for k in range(few_known.MOST_ITEMS + 1)}, {"000", "001"}])
    policy = sordino.InferencePolicy(["000"], "0.5", knowledge=2).resolve(long)
    with mock.patch.object(few_known, "EACH", 10_000):
        assert count_exposure(long, policy, 2, jobs=1, watch=Watch()) is None
    assert audit_baskets(long, policy).people_at_risk == 2
    short = Baskets.from_sets([{f"{k:03}" for k in range(few_known.MOST_ITEMS)}, {"000", "001"}])
    policy = sordino.InferencePolicy(["000"], "0.5", knowledge=2).resolve(short)
    pairs, triples, occurrences = 64 * 63 // 2 + 1, 63 * 62 // 2, 66
    enough = -(-(pairs + triples) // occurrences)
    for less, jobs in product((0, 1), (1, 2)):
        with mock.patch.multiple(few_known, EACH=enough - less, ALONE=0):
            assert (count_exposure(short, policy, 2, jobs=jobs, watch=Watch()) is None) == bool(less)
        with mock.patch.multiple(few_known, EACH=1000, MOST_SETS=pairs + triples - less, ALONE=0):
            assert (count_exposure(short, policy, 2, jobs=jobs, watch=Watch()) is None) == bool(less)
    with mock.patch.multiple(few_known, EACH=1000, WORD=3 * 7 + 2 - 1):  # 64 items of 7 bits, 2 records
        assert count_exposure(short, policy, 1, jobs=1, watch=Watch()) is not None
        assert count_exposure(short, policy, 2, jobs=1, watch=Watch()) is None


@pytest.mark.parametrize("records", [[set()], [set(), {"a"}], [{"a"}] * 3])
def test_nothing_beside_anything(records: list[set[str]]) -> None:
    result = sordino.audit(records, sordino.InferencePolicy(["a"], "0.5", knowledge=2), missing="accept")
    assert result.holds
    assert result.searched_items == result.searched_occurrences == 0
