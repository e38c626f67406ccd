"""Kernels of the methods and rules for tables: small cases, answers by hand."""

from __future__ import annotations

import numpy as np

from doors import door
from sordino.data.table import Column, Table
from sordino.engine.local import Watch
from sordino.knowledge.kernels.exclude import mark_excluded
from sordino.knowledge.kernels.negative import NodeTables, find_rules
from sordino.policy.template import Template, TemplatePolicy
from sordino.protect import from_below as below
from sordino.protect.disclosure import Disclosure
from sordino.protect.kernels.tables.cells import Groups, meet
from sordino.protect.kernels.tables.channel import sum_up
from sordino.protect.kernels.tables.place_rest import deal_all, place_rest
from sordino.protect.requirement import summarize
from sordino.protect.row_kinds import RowKinds
from sordino.protect.trees import grow_trees

DOWN = np.zeros(1, dtype=np.uint8)


def numbers(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_rules_exclude_values() -> None:
    """Attribute 0 has the leaves 0, 1, attribute 1 the leaves 2, 3; rule: 0 and 3 exclude value 65."""
    low, high = numbers(0, 1, 2, 3), numbers(1, 2, 3, 4)
    leaf = np.array([[0, 0, 1], [2, 3, 3]], dtype=np.int64)
    post_ptr, post = numbers(0, 2, 3, 4, 6), numbers(0, 1, 2, 0, 1, 2)
    mask = np.zeros((3, 2), dtype=np.uint64)
    mark_excluded(
        low, high, leaf, post_ptr, post, numbers(0, 2), numbers(0, 3), numbers(0, 1), numbers(65), mask, DOWN
    )  # fmt: skip
    assert mask.tolist() == [[0, 0], [0, 2], [0, 0]]


def test_negative_rules() -> None:
    """One attribute of two values, 3 rows each; value 0 never has s = 1, and with a support of 3 that is a rule."""
    columns = np.array([[0, 1, 1]], dtype=np.int32)
    sensitive, weight = np.array([0, 0, 1], dtype=np.int32), numbers(3, 2, 1)
    trees = NodeTables(numbers(0, 2), numbers(0, 1, 2), np.array([0, 1], np.int32), numbers(1, 1), numbers(1))
    for need, expected in ((3, [[1, 3, 0, 1]]), (4, [])):
        facts, nodes, found = find_rules(
            columns, sensitive, weight, trees, numbers(need, need), 0, 1, 1, False, 0, 2, DOWN
        )
        assert facts[:found].tolist() == expected
        assert nodes[:found].tolist() == [[0]] * len(expected)


def test_where_nodes_meet() -> None:
    """0 above 1 and 2, 1 above 3 and 4."""
    parent, depth = np.array([-1, 0, 0, 1, 1], np.int32), np.array([0, 1, 1, 2, 2], np.int32)
    pairs = {(3, 4): 1, (3, 2): 0, (1, 4): 1, (4, 4): 4}
    assert {pair: door(meet)(parent, depth, *pair) for pair in pairs} == pairs


def asked(jobs: str, ill: str, most: str) -> RowKinds:
    table = Table((Column.of_texts("job", tuple(jobs)), Column.of_texts("ill", tuple(ill))))
    policy = TemplatePolicy([Template(["job"], "ill", ["y"], most)]).resolve(table)
    return RowKinds(policy, grow_trees(policy.table, policy.masking, policy.hierarchies))


def test_a_channel_is_summed_up() -> None:
    rows = asked("aabb", "ynnn", "1/2")
    state = Disclosure(rows.trees, summarize(rows.policy, rows.trees))
    held = np.zeros(1, dtype=np.int64)
    assert sum_up(state.channels[0], 0, held) == 4  # all suppressed: one partition
    assert held.tolist() == [1]


def members(groups: Groups) -> dict[int, list[tuple[int, int]]]:
    """The kinds of each group, and how many of each, by its lots; its size and its counts must be theirs."""
    found: dict[int, list[tuple[int, int]]] = {}
    for g in np.flatnonzero(groups.size[: groups.total[0]]).tolist():
        lot, here = int(groups.head[g]), []
        while lot >= 0:
            assert groups.owner[lot] == g
            here.append((int(groups.kind[lot]), int(groups.many[lot])))
            lot = int(groups.next_lot[lot])
        assert sum(many for _, many in here) == groups.size[g]
        sick = sum(
            many for kind, many in here if groups.flag_ptr[groups.sort[kind]] < groups.flag_ptr[groups.sort[kind] + 1]
        )
        assert groups.count[g].tolist() == [sick]
        assert bool(groups.plain[g]) == (sick == 0)
        found[g] = here
    return found


def test_rows_are_dealt_and_the_rest_is_placed() -> None:
    """Two of four are ill, at most half may be: two safe piles of two; a fifth, who is well, fits anywhere."""
    rows = asked("aabba", "yynnn", "1/2")  # kinds: a and ill (2), b and well (2), a and well (1)
    assert rows.many.tolist() == [2, 2, 1]
    groups = below.no_groups(rows, rows.codes, rows.sort, (8, 8), Watch().stop)
    deal_all(groups, np.array([0, 1], dtype=np.int32), numbers(2, 2), numbers(0, 2), 8)
    assert sorted(sorted(here) for here in members(groups).values()) == [[(0, 1), (1, 1)], [(0, 1), (1, 1)]]
    left, at = numbers(1), numbers(0)
    assert place_rest(groups, np.array([2], dtype=np.int32), left, at)
    assert (left.tolist(), at.tolist()) == ([0], [1])
    assert sum(many for here in members(groups).values() for _, many in here) == 5


def test_many_rows_are_placed_at_once_and_those_that_fit_nowhere_are_left() -> None:
    """A plain group of 10 takes in 10 that are ill, in as many turns as there is room for; 2 of 12 are left."""
    rows = asked("a" * 22, "y" * 12 + "n" * 10, "1/2")
    groups = below.no_groups(rows, rows.codes, rows.sort, (1, 1), Watch().stop)
    deal_all(groups, np.array([1], dtype=np.int32), numbers(10), numbers(0, 1), 8)
    assert members(groups) == {0: [(1, 10)]}
    left, at = numbers(12), numbers(0)
    assert not place_rest(groups, np.array([0], dtype=np.int32), left, at)  # no room for another group
    assert (left.tolist(), at.tolist()) == ([12], [0])
    groups = below.with_room(below.with_room(groups))
    assert place_rest(groups, np.array([0], dtype=np.int32), left, at)
    assert left.tolist() == [2]
    assert sorted(kind for here in members(groups).values() for kind, _ in here) == [0, 1]
    assert groups.size[: groups.total[0]].sum() == 20
