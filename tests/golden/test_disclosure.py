"""What Wang, Fung and Yu (2005) print of their running example (model.md 2.1)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from bank import BANK, COLUMNS
from sordino.data.table import Column, Table
from sordino.engine.local import Watch
from sordino.errors import Unsatisfiable
from sordino.policy.template import Template, TemplatePolicy
from sordino.protect.disclosure import Disclosure, protect
from sordino.protect.requirement import summarize
from sordino.protect.trees import Trees, grow_trees

EXAMPLE_2 = [
    Template(["Job", "Country"], "Bankruptcy", ["Discharged"], "0.5"),
    Template(["Job", "Child"], "Bankruptcy", ["Discharged"], "0.5"),
]


def bank() -> Table:
    return Table(tuple(Column.of_texts(name, [row[name] for row in BANK]) for name in COLUMNS))


def node(table: Table, trees: Trees, name: str, value: str) -> int:
    a = trees.columns.index(table.index(name))
    return int(trees.first[a]) + table.column(name).code_of[value]


def counts(state: Disclosure, k: int) -> Counter[tuple[int, int]]:
    """(rows, rows with Discharged) of every ic of a channel that has any Discharged."""
    channel = state.channels[k]
    found: Counter[tuple[int, int]] = Counter()
    for p in range(int(channel.parts[0])):
        inside = slice(int(channel.start[p]), int(channel.end[p]))
        held = [int(channel.flag_ptr[s + 1] - channel.flag_ptr[s]) for s in channel.sort[inside]]
        found[int(channel.count[inside].sum()), int((channel.count[inside] * held).sum())] += 1
    return found


def test_the_evolution_of_figures_1_and_2() -> None:
    table = bank()
    policy = TemplatePolicy(EXAMPLE_2, class_column="Rating").resolve(table)
    trees = grow_trees(table, policy.masking, {})
    state = Disclosure(trees, summarize(policy, trees))
    assert [conf.tolist() for conf in state.confidence] == [[5 / 24], [5 / 24]]  # 20.83 %
    assert [counts(state, k) for k in (0, 1)] == [Counter({(24, 5): 1})] * 2
    state.disclose(node(table, trees, "Job", "Clerk"))
    assert [conf.tolist() for conf in state.confidence] == [[1 / 4], [1 / 4]]
    assert [counts(state, k) for k in (0, 1)] == [Counter({(20, 4): 1, (4, 1): 1})] * 2
    state.disclose(node(table, trees, "Country", "Canada"))
    assert [conf.tolist() for conf in state.confidence] == [[1 / 4], [1 / 4]]
    assert counts(state, 0) == Counter({(19, 4): 1, (4, 1): 1})  # (⊥, Canada) has 0 of 1 and need not be kept
    assert counts(state, 1) == Counter({(20, 4): 1, (4, 1): 1})


def test_the_release_of_table_2() -> None:
    policy = TemplatePolicy([Template(["Job", "Country"], "Bankruptcy", ["Discharged"], "0.75")], class_column="Rating")
    resolved = policy.resolve(bank())
    result = protect(resolved.table, resolved, seed=0, jobs=1, watch=Watch())
    rows = [result.row(k) for k in range(len(result))]
    table_2 = Counter(
        {
            ("Cook", "US", "Current"): 4,
            ("Artist", "France", "Current"): 4,
            ("Doctor", "US", "Never"): 6,
            ("*", "*", "Never"): 5,
            ("*", "*", "Discharged"): 5,
        }
    )
    assert Counter((row[0], row[1], row[3]) for row in rows) == table_2
    groups = Counter((row[0], row[1]) for row in rows)
    discharged = Counter((row[0], row[1]) for row in rows if row[3] == "Discharged")
    assert max(Fraction(held, groups[ic]) for ic, held in discharged.items()) == Fraction(1, 2)
    assert [row[2] for row in rows] == [row["Child"] for row in BANK]  # not in any template: not touched


def test_what_can_never_hold_is_told_with_what_would() -> None:
    policy = TemplatePolicy([*EXAMPLE_2, Template(["Child"], "Bankruptcy", ["Discharged", "Never"], "0.2")])
    resolved = policy.resolve(bank())
    with pytest.raises(Unsatisfiable, match=r"template 3 \(Child -> Bankruptcy\).*45\.83%.*11/24 or more"):
        protect(resolved.table, resolved, seed=0, jobs=1, watch=Watch())


def test_at_the_lowest_threshold_there_is_one() -> None:
    resolved = TemplatePolicy([Template(["Job", "Child"], "Bankruptcy", ["Never"], "11/24")]).resolve(bank())
    result = protect(resolved.table, resolved, seed=0, jobs=1, watch=Watch())
    assert np.all(result.column("Job").codes == 0)
    assert result.column("Job").texts == ("*",)
