"""`disclosure-local`: its steps, and what it reaches on real data."""

from __future__ import annotations

import importlib
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from test_table_suite import judged_by_the_oracle

import oracle_disclosure as oracle
import sordino
from people import People, peoples
from sordino.audit.combinations import combine
from sordino.engine.local import Watch
from sordino.policy.template import Template, TemplatePolicy
from sordino.protect.row_kinds import RowKinds
from sordino.protect.trees import grow_trees
from sordino.utility.table_cost import measure_table_cost
from tables import examples

local: Any = importlib.import_module("sordino.protect.disclosure_local")
below: Any = importlib.import_module("sordino.protect.from_below")
few = settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


@pytest.mark.parametrize("frame", [0, 5])
@few
@given(case=peoples(most=40))
def test_split_as_far_as_can_be(case: People, frame: int) -> None:
    with mock.patch.object(local, "FRAME", frame):
        judged_by_the_oracle(case, "disclosure-local", {})


@few
@given(case=peoples(most=40))
def test_groups_from_the_top_are_safe_and_hold_every_row_once(case: People) -> None:
    assume(oracle.holds(oracle.suppressed(case.rows, list(case.paths)), case.templates))
    policy = case.policy.resolve(case.table)
    assume(policy.masking)
    rows = RowKinds(policy, grow_trees(policy.table, policy.masking, policy.hierarchies))
    with mock.patch.object(local, "FRAME", 0):
        frames, bare = local.split_from_the_top(rows, Watch())
    assert sorted(np.concatenate([*frames, bare]).tolist()) == list(range(len(rows)))
    for kinds in frames:
        frame = np.flatnonzero(np.isin(rows.of_row, kinds))
        alike = {tuple(case.rows[k][name] for name in given_and_fixed(case)) for k in frame.tolist()}
        assert len(alike) == 1
        for template in case.templates:
            held = sum(case.rows[k][template.sensitive] == template.value for k in frame.tolist())
            assert held <= template.limit * len(frame)


def given_and_fixed(case: People) -> list[str]:
    """The columns that some template names and that may not be changed."""
    return sorted({name for t in case.templates for name in t.given if name not in case.paths})


@given(levels=st.lists(st.integers(1, 4), min_size=1, max_size=4), data=st.data())
def test_patterns_come_cheapest_first_and_each_once(levels: list[int], data: st.DataObject) -> None:
    costs = [np.cumsum(data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))).tolist() for n in levels]
    found = list(below.cheapest(costs, 10**6))
    assert sorted(found) == sorted(product(*(range(n) for n in levels)))
    prices = [sum(costs[a][level] for a, level in enumerate(pattern)) for pattern in found]
    assert prices == sorted(prices)
    assert list(below.cheapest(costs, 3)) == found[:3]


@given(
    rows=st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1),
    sizes=st.sampled_from([(4, 4, 4), (2**40, 2**40, 4), (2**61, 2**61, 2**61)]),
)
def test_combinations(rows: list[tuple[int, int, int]], sizes: tuple[int, int, int]) -> None:
    columns = [np.array([row[k] for row in rows], dtype=np.int64) for k in range(3)]
    group, first, held = combine(columns, sizes, len(rows))
    distinct = list(dict.fromkeys(rows))
    assert group.tolist() == [distinct.index(row) for row in rows]
    assert first.tolist() == [rows.index(row) for row in distinct]
    assert held.tolist() == [rows.count(row) for row in distinct]


def test_equal_rows_that_are_safe_stay_as_they_are_and_others_find_the_nearest() -> None:
    """Bob is alone with his age, and joins the group in his town; the people of the other town are left in peace."""
    people = [
        ("X", "20", "a"),
        ("X", "20", "b"),
        ("X", "20", "c"),
        ("X", "21", "a"),
        ("Y", "30", "a"),
        ("Y", "30", "b"),
    ]
    table = sordino.read_table([dict(zip(("town", "age", "s"), one, strict=True)) for one in people])
    policy = TemplatePolicy([Template(["town", "age"], "s", ["a", "b", "c"], "0.5")]).resolve(table)
    result = local.protect(policy.table, policy, seed=0, jobs=1, watch=Watch())
    assert list(result.column("town").cells()) == ["X"] * 4 + ["Y"] * 2
    ages = list(result.column("age").cells())
    assert ages[4:] == ["30", "30"]
    assert ages[3] == "*"
    assert ages[:3].count("*") in (1, 3)  # one partner is enough


@pytest.mark.parametrize(("rho", "arx"), [("0.7", 0.896), ("0.5", 0.802), ("0.3", 0.595)])
def test_more_granularity_than_arx_on_adult(data_folder: Path, rho: str, arx: float) -> None:
    names = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")
    hierarchies = {name: data_folder / "adult_hierarchies" / f"adult_hierarchy_{name}.csv" for name in names}
    table = sordino.read_table(data_folder / "adult_arx.csv.gz")
    policy = TemplatePolicy([Template(names, "occupation", at_most=rho, rarest="100%")], hierarchies=hierarchies)
    resolved = policy.resolve(table)
    result = local.protect(resolved.table, resolved, seed=0, jobs=2, watch=Watch())
    assert sordino.audit(result, policy, missing="accept").holds
    granularity = measure_table_cost(result, resolved).granularity
    assert min(granularity.mean, granularity.pooled) > arx
