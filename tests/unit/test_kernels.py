"""Every kernel of the audit beside a naive twin that says the same in plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from unittest import mock

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from doors import door
from sordino.audit import examination
from sordino.audit.examination import Examination
from sordino.audit.index import RecordIndex, index_records
from sordino.audit.kernels.alibis import assign_alibis
from sordino.audit.kernels.classes import build_postings, gather_sorted, group_equal
from sordino.audit.kernels.growth import grown
from sordino.audit.kernels.leads import remember
from sordino.audit.kernels.leaves import has_item, leaf_counts, posting_start
from sordino.audit.kernels.nodes import Best, Task
from sordino.audit.kernels.search import search as search_antecedents
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.policy.inference import InferencePolicy
from tables import colliding_records, examples


@pytest.fixture(autouse=True, scope="module")
def deep_searches() -> Iterator[None]:
    """Small tables are searched by the kernel for large ones as well."""
    with mock.patch.object(examination, "FEW_SETS", 0):
        yield


Sets = list[frozenset[int]]
DOWN = np.zeros(1, dtype=np.uint8)  # a flag that nobody raises


@st.composite
def few_items(draw: st.DrawFn) -> Sets:
    """Up to 14 records of up to 7 items: many equal ones, many parts of others."""
    width = draw(st.integers(1, 7))
    return draw(st.lists(st.frozensets(st.integers(0, width - 1)), min_size=1, max_size=14))


@st.composite
def many_items(draw: st.DrawFn) -> Sets:
    """More items than signature bits, in families of near-copies; the codes of a family often share a bit."""
    width = draw(st.sampled_from((66, 130, 200, 320)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    records: Sets = [frozenset([k]) for k in range(width)]
    for _ in range(draw(st.integers(1, 12))):
        start, stride = int(rng.integers(width)), int(rng.choice((1, 7, 64)))
        family = [(start + stride * k) % width for k in range(8)] + [int(rng.integers(width))]
        for _ in range(draw(st.integers(1, 8))):
            records.append(frozenset(k for k in family if rng.random() < 0.8))
    # how often an item occurs decides its rank, hence its bit: now and then the family's are all rare, or all frequent
    records += [frozenset([int(k)]) for k in rng.choice(width, size=draw(st.integers(0, 100)))]
    return records


TABLES = st.one_of(few_items(), many_items())
HARD_TABLES = st.one_of(few_items(), many_items(), colliding_records())


def arrays(records: Iterable[Iterable[int]]) -> tuple[np.ndarray, np.ndarray]:
    lists = [sorted(record) for record in records]
    indptr = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return indptr, np.array([item for record in lists for item in record], dtype=np.int32)


def baskets_of(records: Sets) -> Baskets:
    """Items keep their numbers as codes, also those that occur nowhere."""
    indptr, items = arrays(records)
    width = int(items.max(initial=-1)) + 1
    return Baskets(indptr, items, tuple(str(k) for k in range(width)))


def classes_of(index: RecordIndex) -> Sets:
    return [frozenset(index.items[index.ptr[c] : index.ptr[c + 1]].tolist()) for c in range(index.classes)]


def test_posting_start_and_has_item() -> None:
    post = np.array([9, 1, 3, 3, 8, 0], dtype=np.int32)
    assert [door(posting_start)(post, 1, 5, least) for least in range(10)] == [1, 1, 2, 2, 4, 4, 4, 4, 4, 5]
    items = np.array([5, 1, 4, 7, 5], dtype=np.int32)
    assert [want for want in range(9) if door(has_item)(items, 1, 4, want)] == [1, 4, 7]


def test_grown_keeps_what_was_there() -> None:
    bigger = door(grown)(np.array([1, 2, 3], dtype=np.int32), 5)
    assert bigger[:3].tolist() == [1, 2, 3]
    assert len(bigger) >= 5
    assert bigger.dtype == np.int32


@given(TABLES, st.booleans())
@settings(max_examples=examples(300))
def test_group_equal(records: Sets, crowded: bool) -> None:
    indptr, items = arrays(records)
    distinct = list(dict.fromkeys(record for record in records if record))
    bits = max(1, len(distinct).bit_length()) if crowded else 10  # crowded: hardly a free slot, so every probe counts
    with np.errstate(over="ignore"):  # as its caller does
        class_of, first = group_equal(indptr, items, bits)
    assert class_of.tolist() == [distinct.index(record) if record else -1 for record in records]
    assert first.tolist() == [records.index(record) for record in distinct]


@given(TABLES, st.randoms(use_true_random=False))
@settings(max_examples=examples(200))
def test_gather_sorted(records: Sets, random: object) -> None:
    indptr, items = arrays(records)
    width = int(items.max(initial=0)) + 1
    rank = list(range(width))
    random.shuffle(rank)  # type: ignore[attr-defined]
    firsts = [u for u in range(len(records)) if random.random() < 0.7]  # type: ignore[attr-defined]
    expected = [sorted(rank[i] for i in records[u]) for u in firsts]
    ptr, flat = arrays(expected)
    out = np.full(len(flat) + 1, -7, dtype=np.int32)
    gather_sorted(indptr, items, np.array(firsts, dtype=np.int32), np.array(rank, dtype=np.int32), ptr, out)
    assert out.tolist() == [*flat.tolist(), -7]


@given(TABLES, st.integers(0, 3))
@settings(max_examples=examples(200))
def test_build_postings(records: Sets, unused: int) -> None:
    records = sorted((r for r in records if r), key=len)
    ptr, items = arrays(records)
    width = int(items.max(initial=-1)) + 1 + unused
    sig0 = np.zeros(len(records), dtype=np.uint64)
    sig1 = np.zeros(len(records), dtype=np.uint64)
    post_ptr, post, post_sig = build_postings(ptr, items, width, sig0, sig1)
    own = max(width - 64, 0)  # the items from here on have a bit of their own in the second word
    for item in range(width):
        listed = post[post_ptr[item] : post_ptr[item + 1]].tolist()
        assert listed == [c for c, record in enumerate(records) if item in record]
    for c, record in enumerate(records):
        assert int(sig1[c]).bit_count() == sum(item >= own for item in record)
        assert int(sig0[c]).bit_count() <= sum(item < own for item in record)
        assert (int(sig0[c]) != 0) == any(item < own for item in record)
        for d, other in enumerate(records):  # a part has no bit that the whole lacks
            if record <= other:
                assert int(sig0[c]) & ~int(sig0[d]) == 0
                assert int(sig1[c]) & ~int(sig1[d]) == 0
            if {i for i in record if i >= own} - other:  # and a lacking item with its own bit shows
                assert int(sig1[c]) & ~int(sig1[d]) != 0
    assert [sig.tolist() for sig in post_sig] == [[int(sig0[c]), int(sig1[c])] for c in post]


@given(TABLES)
@settings(max_examples=examples(200))
def test_index_records(records: Sets) -> None:
    index = index_records(baskets_of(records))
    classes = classes_of(index)
    code = index.code.tolist()
    spelled = [frozenset(code[r] for r in c) for c in classes]
    assert sorted(map(sorted, spelled)) == sorted(sorted(r) for r in set(records) if r)
    assert [len(c) for c in classes] == sorted(len(c) for c in classes)
    assert [spelled[c] if c >= 0 else frozenset() for c in index.class_of] == records
    assert index.weight.tolist() == [records.count(c) for c in spelled]
    assert index.first.tolist() == [records.index(c) for c in spelled]
    assert index.support.tolist() == [sum(item in r for r in records) for item in code]
    assert index.support.tolist() == sorted(index.support.tolist())
    assert index.rank[index.code].tolist() == list(range(index.width))


def by_length(index: RecordIndex) -> np.ndarray:
    lengths = np.diff(index.ptr)
    return np.searchsorted(lengths, np.arange(int(lengths.max(initial=0)) + 2)).astype(np.int64)


@given(HARD_TABLES, st.integers(0, 2**32 - 1), st.sampled_from((0.0, 0.3, 1.0)))
@settings(max_examples=examples(400))
def test_leaf_counts(records: Sets, seed: int, share: float) -> None:
    index = index_records(baskets_of(records))
    rng = np.random.default_rng(seed)
    sensitive = rng.random(len(index.items)) < share  # of occurrences: nothing may assume one set for all
    sup_all = np.zeros(index.classes, dtype=np.int64)
    sup_without = np.zeros(len(index.items), dtype=np.int64)
    middle = int(rng.integers(index.classes + 1))
    for lo, hi in ((middle, index.classes), (0, middle)):
        with np.errstate(over="ignore"):  # as its caller does
            leaf_counts(lo, hi, index, by_length(index), sensitive, sup_all, sup_without, DOWN)
    classes = classes_of(index)
    weight = index.weight.tolist()
    for c, content in enumerate(classes):
        places = range(index.ptr[c], index.ptr[c + 1])
        wanted = len(content) > 1 and any(sensitive[p] for p in places)
        inside = sum(w for d, w in zip(classes, weight, strict=True) if content <= d)
        assert sup_all[c] == (inside if wanted else 0)
        for p in places:
            e = int(index.items[p])
            without = sum(w for d, w in zip(classes, weight, strict=True) if content - {e} <= d and e not in d)
            assert sup_without[p] == (without if wanted and sensitive[p] else 0)


@given(
    HARD_TABLES,
    st.sampled_from(((1, 2), (1, 3), (2, 3), (7, 10), (0, 1), (1, 9))),
    st.sampled_from((0, 0, 1, 2)),  # 0: all ask for alibis; else only some, and only for what a group would ask
)
@settings(max_examples=examples(400))
def test_assign_alibis(records: Sets, rho: tuple[int, int], asking: int) -> None:
    num, den = rho
    index = index_records(baskets_of(records))
    classes = classes_of(index)
    left = np.full(index.classes, 12345, dtype=np.int64)  # rubbish: only stamped places may be believed
    stamp = np.full(index.classes, -1, dtype=np.int64)
    need, roots = index.weight, (0, index.width)
    if asking:
        need, roots = index.weight * (np.arange(index.classes) % 3 != 0), (asking, index.width - 1)
    for e in range(index.width):
        rows_class, rows_alibi, rows_units, unserved = assign_alibis(
            e, num, den, index, by_length(index), need, roots, left, stamp, e, DOWN
        )
        rows = list(zip(rows_class.tolist(), rows_alibi.tolist(), rows_units.tolist(), strict=True))
        needy = [c for c in range(index.classes) if e in classes[c] and len(classes[c]) > 1]
        needy = [c for c in needy if need[c] and roots[0] <= min(classes[c] - {e}) < roots[1]]
        free = {c: int(w) * num for c, w in enumerate(index.weight) if e not in classes[c]}
        expected: list[tuple[int, int, int]] = []
        short: list[int] = []
        for c in reversed(needy):  # the longest first, each from the shortest that is free: nobody is passed over
            demand = int(need[c]) * (den - num)
            for alibi in free:
                units = min(demand, free[alibi])
                if units and classes[c] - {e} <= classes[alibi]:
                    free[alibi] -= units
                    demand -= units
                    expected.append((c, alibi, units))
            if demand:
                short.append(c)
        assert rows == expected
        assert unserved.tolist() == short
        event(f"unserved: {bool(short)}, rows: {bool(rows)}")


@st.composite
def searches(draw: st.DrawFn) -> tuple[Sets, list[int], str, int, int]:
    records = draw(HARD_TABLES)
    present = sorted(set().union(*records))
    sensitive = draw(st.one_of(st.just(present), st.lists(st.sampled_from(present), unique=True))) if present else []
    least = draw(st.integers(1, 5))
    return records, sensitive, draw(st.sampled_from(("0.3", "1/2", "0.7"))), least, least + draw(st.integers(0, 3))


@given(
    searches(), st.sampled_from(("all", "fresh", "deep", "closed")), st.booleans(), st.sampled_from((0, 3)),
    st.integers(0, 2**32 - 1),
)  # fmt: skip
@settings(max_examples=examples(300))
def test_searches(search: tuple[Sets, list[int], str, int, int], way: str, bounds: bool, few: int, seed: int) -> None:
    """Exactly the open occurrences with an antecedent of a size in range that no smaller one stands for are marked.

    An antecedent with the same records as a smaller one may be passed over, as the audit goes from small to large. So
    what has a proper one must be marked, and what has none of these sizes must not. Where one antecedent stands for
    all with the same records, of any size, that is promised for confidences below 1 only: the rest are leaves.
    """
    records, sensitive, rho, least, most = search
    fresh, closed = way != "all", way == "closed"
    if closed:
        least, most = 1, max(map(len, records)) + 1
    baskets = baskets_of(records)
    policy = InferencePolicy([str(e) for e in sensitive], rho).resolve(baskets)
    exam = Examination(baskets, policy, jobs=1, watch=Watch())
    if bounds:
        exam.leaves()
    index = exam.index
    classes, weight = classes_of(index), index.weight.tolist()
    rng = np.random.default_rng(seed)
    is_open = exam.occurrences[rng.random(len(exam.occurrences)) < rng.choice((0.5, 1.0))]
    roots = np.arange(index.width, dtype=np.int32)
    level = np.zeros(len(index.items), dtype=np.uint8)
    kept = 1000
    people = np.zeros((index.width, kept), dtype=np.int64)
    keys = np.full((index.width, kept, most + 3), np.iinfo(np.int64).max, dtype=np.int64)
    for chunk in (roots[1::2], roots[::2]):
        task = Task(least, most, 9, fresh, few, DOWN)
        some, deep = np.ascontiguousarray(chunk), closed if way in ("deep", "closed") else None
        opened = exam.opened(is_open, level)
        search_antecedents(some, task, deep, exam.records, opened, Best(roots, people, keys))

    sup = {}
    for c, content in enumerate(classes):
        for size in range(1, len(content) + 1):
            for q in combinations(sorted(content), size):
                sup[frozenset(q)] = sup.get(frozenset(q), 0) + weight[c]
    exposing: set[tuple[frozenset[int], int]] = set()
    for both in sup:
        for e in both:
            q = both - {e}
            wanted = least <= len(q) <= most and str(index.code[e]) in policy.thresholds
            if wanted and sup[both] * exam.den[e] > sup[q] * exam.num[e]:
                exposing.add((q, e))
    proper = {(q, e) for q, e in exposing if all(sup[q - {x}] > sup[q] for x in q if len(q) > 1)}
    if closed:
        proper = {(q, e) for q, e in exposing if sup[q | {e}] < sup[q]}
    opened = set(is_open.tolist())
    for c, content in enumerate(classes):
        for place in range(index.ptr[c], index.ptr[c + 1]):
            e = int(index.items[place])
            must = place in opened and any(x == e and q | {e} <= content for q, x in proper)
            may = place in opened and any(x == e and q | {e} <= content for q, x in exposing)
            assert level[place] in ((9,) if must else (0, 9) if may else (0,))
    if fresh or most < least:
        assert not people.any()
    for e, k in zip(*np.nonzero(people), strict=True):
        key = keys[e, k].tolist()
        q = frozenset(key[: key[-3]])
        assert (q, int(e)) in exposing
        assert (key[-1], key[-2]) == (sup[q], sup[q | {int(e)}])
        assert sup[q] >= few
        newly = sum(
            w
            for c, (content, w) in enumerate(zip(classes, weight, strict=True))
            if q | {int(e)} <= content
            and opened & {p for p in range(index.ptr[c], index.ptr[c + 1]) if index.items[p] == e}
        )
        assert people[e, k] == newly
    if not fresh and least == most and few == 0:
        told = {
            (frozenset(key[: key[-3]].tolist()), int(e))
            for e, k in zip(*np.nonzero(people), strict=True)
            for key in [keys[e, k]]
        }
        concerned = {
            (q, e) for q, e in proper
            if any(index.items[p] == e and q <= classes[exam.owner[p]] for p in is_open)
        }  # fmt: skip
        assert concerned <= told
        event(f"leads: {bool(told)}")


@given(TABLES, st.sampled_from(("0.3", "1/2", "0.7")), st.booleans(), st.integers(0, 2**32 - 1))
@settings(max_examples=examples(400))
def test_closed_search(records: Sets, rho: str, bounds: bool, seed: int) -> None:
    """With one antecedent for every set of classes, all is marked that some antecedent exposes, but not for sure.

    What is exposed for sure (confidence 1) shows at leaves, and may be passed over.
    """
    baskets = baskets_of(records)
    rng = np.random.default_rng(seed)
    present = sorted(set().union(*records))
    sensitive = [e for e in present if rng.random() < 0.7]
    exam = Examination(baskets, InferencePolicy(map(str, sensitive), rho).resolve(baskets), jobs=1, watch=Watch())
    if bounds:
        exam.leaves()
    index = exam.index
    classes, weight = classes_of(index), index.weight.tolist()
    is_open = exam.occurrences[rng.random(len(exam.occurrences)) < rng.choice((0.3, 1.0))]
    risk = np.zeros(len(index.items), dtype=np.uint8)
    exam.search(risk, is_open, 1, exam.longest, 9, phase="test")
    sup: dict[frozenset[int], int] = {}
    for c, content in enumerate(classes):
        for size in range(1, len(content) + 1):
            for q in combinations(sorted(content), size):
                sup[frozenset(q)] = sup.get(frozenset(q), 0) + weight[c]
    exposing = [
        (both, e, sup[both] < sup[both - {e}])
        for both in sup
        for e in both
        if len(both) > 1 and sup[both] * exam.den[e] > sup[both - {e}] * exam.num[e]
    ]
    for place in is_open:
        content, item = classes[exam.owner[place]], int(index.items[place])
        found = {unsure for both, e, unsure in exposing if e == item and both <= content}
        assert risk[place] in ((9,) if True in found else (0, 9) if found else (0,))
        event(f"exposed, but not for sure: {True in found}")
    assert not np.delete(risk, is_open).any()


def test_closed_search_beside_what_all_records_share() -> None:
    """All records with r hold y as well; {r, a, b} -> e is 2 of 3, and no part of it exposes e, nor does {y, a, b}."""
    counts = {"ryabe": 2, "ryab": 1, "rya": 2, "ryb": 2, "yab": 5, "y": 1, "a": 9, "b": 9}
    baskets = Baskets.from_sets([set(record) for record, many in counts.items() for _ in range(many)])
    exam = Examination(baskets, InferencePolicy(["e"], "1/2").resolve(baskets), jobs=1, watch=Watch())
    for leaves in (False, True):
        if leaves:
            exam.leaves()
        risk = np.zeros(len(exam.index.items), dtype=np.uint8)
        exam.search(risk, exam.occurrences, 1, exam.longest, 9, phase="test")
        assert np.flatnonzero(risk).tolist() == exam.occurrences.tolist()


def test_search_needs_more_room_than_it_begins_with() -> None:
    """More classes and more extensions than the first stacks hold (1,024)."""
    rng = np.random.default_rng(3)
    records = [frozenset([0, 1, *(rng.choice(1400, size=3, replace=False) + 3).tolist()]) for _ in range(1500)]
    records += [r - {1} for r in records[:700]] + [frozenset([0, k, k + 1]) for k in range(3, 1400)]
    policy = InferencePolicy(["1"], "0.6")
    baskets = baskets_of(records)
    exam = Examination(baskets, policy.resolve(baskets), jobs=1, watch=Watch())
    risk = np.zeros(len(exam.index.items), dtype=np.uint8)
    exam.search(risk, exam.occurrences, 1, 2, 7, phase="test")
    sup: dict[frozenset[int], int] = {}
    for record in records:
        for size in (1, 2, 3):
            for q in combinations(sorted(record), size):
                sup[frozenset(q)] = sup.get(frozenset(q), 0) + 1
    exposing = {both - {1} for both, n in sup.items() if 1 in both and len(both) > 1 and n * 10 > sup[both - {1}] * 6}
    at_risk = sum(
        any(frozenset(q) in exposing for size in (1, 2) for q in combinations(sorted(record - {1}), size))
        for record in records
        if 1 in record
    )
    assert at_risk > 0
    assert int(exam.index.weight[exam.owner[np.flatnonzero(risk)]].sum()) == at_risk


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 3), st.integers(0, 3)), unique=True), st.integers(1, 4))
@settings(max_examples=examples(200))
def test_remember_keeps_the_best(told: list[tuple[int, int, int]], keep: int) -> None:
    told = list({path: (people, *path) for people, *rest in told for path in [tuple(rest)]}.values())
    people = np.zeros((2, keep), dtype=np.int64)
    keys = np.full((2, keep, 5), np.iinfo(np.int64).max, dtype=np.int64)
    for newly, a, b in told:
        best = Best(np.ones(3, dtype=np.int32), people, keys)
        door(remember)(best, 2, newly, 40 + newly, 90 + a, 2, np.array([a, b, 99], dtype=np.int32))
    kept = sorted((-newly, a, b) for newly, a, b in told)[:keep]
    assert not people[0].any()
    assert people[1, : len(kept)].tolist() == [-newly for newly, _, _ in kept]
    assert not people[1, len(kept) :].any()
    assert keys[1, : len(kept)].tolist() == [[a, b, 2, 40 - newly, 90 + a] for newly, a, b in kept]


@pytest.mark.parametrize("records", [[frozenset()], [frozenset(), frozenset([0])], [frozenset([0])] * 3])
def test_nothing_beside_anything(records: Sets) -> None:
    index = index_records(baskets_of(records))
    assert index.classes == len({r for r in records if r})
    assert index.weight.sum() == sum(1 for r in records if r)
