"""Kernels of the methods and rules for tables: small cases, answers by hand."""

from __future__ import annotations

import numpy as np

from doors import door
from sordino.data.table import Column, Table
from sordino.engine.local import Watch
from sordino.knowledge.kernels.exclude import mark_excluded
from sordino.knowledge.kernels.negative import NodeTables, find_rules
from sordino.policy.template import Template, TemplatePolicy
from sordino.protect import disclosure_local as local
from sordino.protect.disclosure import Disclosure
from sordino.protect.kernels.tables.cells import meet
from sordino.protect.kernels.tables.channel import sum_up
from sordino.protect.kernels.tables.place_rest import deal_all, place_rest
from sordino.protect.requirement import summarize
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


def asked(jobs: str, ill: str, most: str) -> local.Rows:
    table = Table((Column.of_texts("job", tuple(jobs)), Column.of_texts("ill", tuple(ill))))
    policy = TemplatePolicy([Template(["job"], "ill", ["y"], most)]).resolve(table)
    return local.Rows(policy, grow_trees(policy.table, policy.masking, policy.hierarchies))


def test_a_channel_is_summed_up() -> None:
    rows = asked("aabb", "ynnn", "1/2")
    state = Disclosure(rows.trees, summarize(rows.policy, rows.trees))
    held = np.zeros(1, dtype=np.int64)
    assert sum_up(state.channels[0], 0, held) == 4  # all suppressed: one partition
    assert held.tolist() == [1]


def test_rows_are_dealt_and_the_rest_is_placed() -> None:
    """Two of four are ill, at most half may be: two safe piles of two; a fifth, who is well, fits anywhere."""
    rows = asked("aabba", "yynnn", "1/2")
    groups = local.no_groups(rows, rows.codes, rows.sort, Watch().stop)
    deal_all(groups, np.array([0, 1, 2, 3], dtype=np.int32), numbers(0, 4), 8)
    held = groups.of.tolist()
    assert held[4] == -1
    for g in set(held[:4]):
        members = [k for k in range(4) if held[k] == g]
        assert 2 * sum(k < 2 for k in members) <= len(members)
    place_rest(groups, np.array([4], dtype=np.int32))
    assert groups.of[4] >= 0
