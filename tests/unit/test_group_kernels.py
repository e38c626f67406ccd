"""The kernels that put people into groups, and the looks at single records, against plain Python."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import config

import sordino
from doors import door
from sordino.audit.kernels.grouping import group_keys
from sordino.audit.kernels.matching import possible_values
from sordino.engine.kernels.bits import ones
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.local import Watch
from sordino.protect.kernels.common.look import bit_index, lacks, may_lack_one, need
from sordino.protect.kernels.common.repair import repair_rule
from sordino.protect.kernels.common.sweep import sweep
from sordino.protect.kernels.groups.anatomize import take_largest
from sordino.protect.kernels.groups.bucketize import count_incompatible, join_queue, leave_queue
from sordino.protect.kernels.groups.cahd import form_groups
from sordino.protect.kernels.tables.gather import Kinds, gather
from sordino.protect.workspace import Workspace

DOWN = np.zeros(1, dtype=np.uint8)  # a flag that nobody raises


@given(st.lists(st.integers(0, 2**50), max_size=40))
def test_equal_keys_are_one_group(keys: list[int]) -> None:
    n = len(keys)
    group, first, rows = np.empty(n, np.int32), np.empty(n, np.int64), np.empty(n, np.int64)
    found = group_keys(np.array(keys, dtype=np.int64), group, first, rows, np.full(128, -1, np.int32), DOWN)
    order = list(dict.fromkeys(keys))
    assert [order[g] for g in group] == keys
    assert [keys[k] for k in first[:found]] == order
    assert rows[:found].tolist() == [Counter(keys)[key] for key in order]


@given(st.lists(st.tuples(st.integers(0, 3), st.sets(st.integers(0, 3), max_size=3)), min_size=1, max_size=5))
def test_possible_values_are_those_of_some_assignment(people: list[tuple[int, set[int]]]) -> None:
    n = len(people)
    values = [value for value, _ in people]
    sets = np.array([[sum(1 << v for v in excluded)] for _, excluded in people], dtype=np.uint64)
    start = np.array([0, n], dtype=np.int64)
    possible = np.empty(n, dtype=np.int64)
    none = np.empty((0, 1), dtype=np.uint64)
    kind, value = np.arange(n, dtype=np.int64), np.array(values, dtype=np.int64)
    possible_values(start, kind, value, sets, n, n, 0, 1, possible, none, DOWN)
    ways = [way for way in permutations(values) if all(v not in people[k][1] for k, v in enumerate(way))]
    assert possible.tolist() == [len({way[k] for way in ways}) if ways else -1 for k in range(n)]


@given(st.lists(st.integers(0, 6), min_size=2, max_size=6), st.integers(2, 4))
def test_anatomy_takes_the_most_frequent_values(waiting: list[int], size: int) -> None:
    left = np.array(waiting, dtype=np.int64)
    made = np.full((sum(waiting) + 1, size), -1, dtype=np.int64)
    groups = take_largest(left, size, made, DOWN)
    rest = list(waiting)
    for g in range(groups):
        best = sorted(range(len(rest)), key=lambda v: (-rest[v], v))[:size]
        assert made[g].tolist() == best
        for v in best:
            rest[v] -= 1
    assert left.tolist() == rest
    assert sum(count > 0 for count in rest) < size


@given(st.lists(st.tuples(st.integers(0, 3), st.sets(st.integers(0, 3)), st.integers(0, 5)), min_size=1, max_size=8))
def test_incompatible_people_are_counted(classes: list[tuple[int, set[int], int]]) -> None:
    """Definition 2 of LI: the same value, or one cannot have the other's."""
    sets = np.array([[sum(1 << v for v in excluded)] for _, excluded, _ in classes], dtype=np.uint64)
    value = np.array([value for value, _, _ in classes], dtype=np.int64)
    kind, count = np.arange(len(classes)), np.array([n for _, _, n in classes], dtype=np.int64)
    clash, found = np.zeros((4, 4), np.int64), np.zeros(len(classes), np.int64)
    count_incompatible(value, kind, count, sets, np.arange(4), clash, found, DOWN)
    assert found.tolist() == [
        sum(n for other, theirs, n in classes if own == other or other in mine or own in theirs)
        for own, mine, _ in classes
    ]
    assert clash.tolist() == [
        [sum(n for v, excluded, n in classes if v == a and b in excluded) for b in range(4)] for a in range(4)
    ]


def test_who_came_last_leaves_first() -> None:
    last, before, waiting = np.full(2, -1, np.int64), np.full(5, -1, np.int64), np.zeros(2, np.int64)
    join_queue(np.arange(5), np.array([0, 1, 0, 0, 1]), last, before, waiting)
    assert waiting.tolist() == [3, 2]
    group_of = np.full(5, -1, dtype=np.int64)
    leave_queue(np.array([[0, 1], [0, 1]]), 7, last, before, group_of)
    assert group_of.tolist() == [-1, 8, 8, 7, 7]


def test_cahd_groups_hold_a_sensitive_item_once() -> None:
    """Six records in order, two of them with the item that needs groups of three."""
    open_ptr, open_items = np.arange(7, dtype=np.int64), np.zeros(6, dtype=np.int32)
    secret_ptr, secret_items = np.array([0, 1, 1, 1, 2, 2, 2]), np.zeros(2, dtype=np.int32)
    one, three = np.array([1], dtype=np.int64), np.array([3], dtype=np.int64)
    count = np.array([2], dtype=np.int64)
    order = np.arange(6, dtype=np.int64)
    group = form_groups(order, open_ptr, open_items, secret_ptr, secret_items, three, one, three, count, 2, DOWN)
    assert group[0] != group[3]
    assert min(Counter(group.tolist()).values()) >= 3


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans(), st.integers(1, 5)), min_size=1, max_size=12))
def test_gathered_groups_are_alike_safe_and_as_large_as_can_be(rows: list[tuple[int, bool, int]]) -> None:
    """At most one half may be ill: of a bucket everybody who is well is taken, and as many of the others."""
    codes = np.array([[code] for code, _, _ in rows], dtype=np.int32)
    sort = np.array([ill for _, ill, _ in rows], dtype=np.int32)  # sort 1 is in the only template
    flag_ptr, flags = np.array([0, 0, 1], dtype=np.int64), np.zeros(1, dtype=np.int32)
    left = np.array([many for _, _, many in rows], dtype=np.int64)
    kinds = Kinds(
        codes, sort, flag_ptr, flags, np.array([1], dtype=np.int64), np.array([2], dtype=np.int64), left, DOWN
    )
    into, took, found = (np.zeros(n, dtype=np.int64) for n in (len(rows), len(rows), 1))
    gather(kinds, np.arange(3, dtype=np.int32), np.arange(len(rows), dtype=np.int32), into, took, found)
    assert (took >= 0).all()
    assert (took <= left).all()
    seen = set()
    for code in {code for code, _, _ in rows}:
        here = [k for k, row in enumerate(rows) if row[0] == code]
        well, ill = (sum(rows[k][2] for k in here if rows[k][1] == sick) for sick in (False, True))
        assert sum(took[k] for k in here if not rows[k][1]) == well
        assert sum(took[k] for k in here if rows[k][1]) == min(ill, well)
        groups = {int(into[k]) for k in here if took[k]}
        assert len(groups) == (well > 0)
        assert not groups & seen
        seen |= groups
    assert seen == set(range(int(found[0])))


# Looks at single records


@given(st.integers(0, 63), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_words(bit: int, a: int, b: int) -> None:
    assert door(bit_index)(np.uint64(1 << bit)) == bit
    assert door(ones)(np.uint64(a)) == a.bit_count()
    assert door(may_lack_one)(np.uint64(a), np.uint64(b)) == (a.bit_count() + b.bit_count() <= 1)


@given(st.integers(0, 10), st.integers(1, 10), st.integers(1, 1000))
def test_how_many_must_stand_against_it(num: int, den: int, with_e: int) -> None:
    wanted = door(need)(np.int64(min(num, den)), np.int64(den), np.int64(with_e))
    rho = Fraction(min(num, den), den)
    if rho == 0:
        assert wanted > 10**15
        return
    assert Fraction(with_e, with_e + int(wanted)) <= rho
    assert wanted == 0 or Fraction(with_e, with_e + int(wanted) - 1) > rho


@given(st.frozensets(st.integers(0, 9), min_size=1), st.frozensets(st.integers(0, 9)))
def test_what_a_record_lacks(own: frozenset[int], other: frozenset[int]) -> None:
    items = np.array([*sorted(own), *sorted(other)], dtype=np.int32)
    n = len(own)
    missing = [k for k, x in enumerate(sorted(own)) if x not in other]
    found = door(lacks)(items, n, len(items), 0, 0, n, np.int64(-1))
    assert found == (-1 if not missing else missing[0] if len(missing) == 1 else -2)


def workspace(records: list[set[str]], rho: str) -> Workspace:
    baskets = sordino.read_baskets(records)
    policy = sordino.InferencePolicy(["s"], rho).resolve(baskets, missing="accept")
    return Workspace(baskets, policy, jobs=1, watch=Watch())


def test_a_rule_is_repaired_in_as_few_records_as_it_takes() -> None:
    work = workspace([{"a", "b", "s"}, {"a", "b", "s"}, {"a", "b", "s"}, {"a", "b"}, {"b", "c"}], "0.5")
    known = np.sort(work.rank[[work.baskets.names.index("a")]])
    e = int(work.rank[work.baskets.names.index("s")])
    every = np.arange(len(work.record), dtype=np.int64)
    assert repair_rule(work.ledger, every, known, e) == 1
    assert repair_rule(work.ledger, every, known, e) == 0
    assert sum("s" in record for record in work.table()) == 2


def test_a_sweep_leaves_nothing_to_infer_from_one_item() -> None:
    work = workspace([{"a", "s"}, {"a", "s"}, {"a", "c"}, {"c", "s"}, {"b", "c"}, {"b", "s"}], "0.5")
    roots = np.arange(len(work.rank), dtype=np.int64)
    while sweep(work.ledger, roots, 1, work.original, 0.0):
        pass
    after = list(work.table())
    for item in "abc":
        holders = [record for record in after if item in record]
        assert 2 * sum("s" in record for record in holders) <= len(holders)
    assert sum(map(len, after)) >= 10


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")
def test_what_only_kernels_call_has_no_door() -> None:
    function = inner(lambda x: x)
    assert function.targetoptions["no_cpython_wrapper"]
    assert kernel(lambda x: x + 1)(1) == 2
    assert door(function)(3) == 3
