"""Measures of what a change of a table cost, against hand calculations."""

from __future__ import annotations

import builtins
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from people import TREES, tree_of
from sordino.data.table import Column, Table
from sordino.errors import InputError, MissingExtra
from sordino.policy.template import Template, TemplatePolicy
from sordino.utility.cells import measure_cells
from sordino.utility.classifiers import measure_errors
from sordino.utility.granularity import measure_granularity
from sordino.utility.table_cost import measure_table_cost


def table(**columns: list[str | None]) -> Table:
    return Table(tuple(Column.of_texts(name, cells) for name, cells in columns.items()))


BEFORE = table(k=["a", "a", "b", "c", None], j=["a", "b", "c", "d", "d"], s=["x", "y", "x", "y", "y"])
AFTER = table(k=["a", "*", "*", "c", "*"], j=["A", "A", "c", "*", "d"], s=["x", "y", "x", "y", "y"])


def test_cells() -> None:
    cells = measure_cells(BEFORE, AFTER, [0, 1], "*")
    k, j = cells.attributes
    assert (k.cells, k.kept, k.generalized, k.suppressed) == (5, 2, 0, 3)
    assert (k.values, k.values_left, k.values_whole) == (3, 2, 1)
    assert (j.kept, j.generalized, j.suppressed) == (2, 2, 1)
    assert (j.values, j.values_left, j.values_whole) == (4, 3, 1)
    assert (cells.share, cells.kept, cells.suppressed, cells.generalized) == (Fraction(4, 10), 4, 4, 2)
    assert (cells.rows, cells.changed_rows, cells.suppressed_rows) == (5, 5, 0)
    assert measure_cells(BEFORE, BEFORE, [0, 1], "*").share == 1
    everything = table(k=["*"] * 5, j=["*"] * 5, s=["x", "y", "x", "y", "y"])
    assert measure_cells(BEFORE, everything, [0, 1], "*").suppressed_rows == 5


def test_granularity_by_hand() -> None:
    """k has 3 values: 2 + (missing, suppressed) ... shares 1/3, 1, 1, 1/3, 1; j: A is 2 of 4 leaves."""
    found = measure_granularity(BEFORE, AFTER, [0, 1], {1: tree_of(TREES["two"])}, "*")
    k = (1 / 3 + 1 + 1 + 1 / 3 + 1) / 5
    j = (1 / 2 + 1 / 2 + 1 / 4 + 1 + 1 / 4) / 5
    assert found.by_attribute == pytest.approx((1 - (k - 1 / 3) / (2 / 3), 1 - (j - 1 / 4) / (3 / 4)))
    assert found.mean == pytest.approx(sum(found.by_attribute) / 2)
    least = (1 / 3 + 1 / 4) / 2
    assert found.pooled == pytest.approx(1 - ((k + j) / 2 - least) / (1 - least))


def test_granularity_at_its_ends() -> None:
    trees = {1: tree_of(TREES["two"])}
    assert measure_granularity(BEFORE, BEFORE, [0, 1], trees, "*").mean == 1
    everything = table(k=["*"] * 5, j=["*"] * 5, s=["x"] * 5)
    assert measure_granularity(BEFORE, everything, [0, 1], trees, "*").mean == pytest.approx(0)
    assert measure_granularity(BEFORE, AFTER, [], {}, "*").mean == 1
    single = table(k=["a", "a"])
    assert measure_granularity(single, single, [0], {}, "*").mean == 1
    assert measure_granularity(single, table(k=["*", "a"]), [0], {}, "*").mean == 1  # nothing could be lost


def people() -> Table:
    """The class follows k, and s follows k too; j is noise."""
    rng = np.random.default_rng(1)
    k = rng.integers(0, 4, 3000)
    label = np.where(rng.random(3000) < 0.1, rng.integers(0, 2, 3000), k % 2)
    return table(
        k=[f"k{v}" for v in k],
        j=[f"j{v}" for v in rng.integers(0, 3, 3000)],
        s=[f"s{v}" for v in (k + (rng.random(3000) < 0.2)) % 4],
        label=[f"c{v}" for v in label],
    )


def test_errors() -> None:
    before = people()
    policy = TemplatePolicy([Template(["k", "j"], "s", ["s0"], "0.5")], class_column="label").resolve(before)
    gone = before.with_column(Column.of_texts("k", ["*"] * 3000))
    for kept, hidden in zip(measure_errors(before, policy), measure_errors(gone, policy), strict=True):
        assert kept.base == kept.suppression == hidden.base
        assert 0.02 < kept.base < 0.08  # one in ten classes is drawn, and half of these are right
        assert abs(kept.removal - kept.base) < 0.02  # k says it all
        assert hidden.suppression > kept.base + 0.1  # only s is left
        assert kept.learned + kept.tested == 3000
    assert [one.classifier for one in measure_errors(before, policy)] == ["tree", "logistic"]


def test_errors_with_a_stated_split_and_the_same_seed() -> None:
    before = people()
    policy = TemplatePolicy([Template(["k", "j"], "s", ["s0"], "0.5")], class_column="label").resolve(before)
    train = np.arange(3000) < 1000
    (tree, _) = measure_errors(before, policy, train=train)
    assert (tree.learned, tree.tested) == (1000, 2000)
    assert measure_errors(before, policy, seed=3) == measure_errors(before, policy, seed=3)
    with pytest.raises(InputError, match="too few rows"):
        measure_errors(before, policy, train=np.ones(3000, dtype=np.bool_))
    with pytest.raises(InputError, match="no classifier"):
        measure_errors(before, policy, classifiers=["oracle"])
    without = TemplatePolicy([Template(["k", "j"], "s", ["s0"], "0.5")]).resolve(before)
    with pytest.raises(InputError, match="names a class"):
        measure_errors(before, without)


def test_without_scikit_learn_there_is_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("sklearn"):
            raise ImportError(name)
        return real(name, *rest, **more)

    before = people()
    policy = TemplatePolicy([Template(["k", "j"], "s", ["s0"], "0.5")], class_column="label").resolve(before)
    monkeypatch.setattr(builtins, "__import__", without)
    assert measure_table_cost(before, policy).errors == ()
    with pytest.raises(MissingExtra, match=r"sordino\[ml\]"):
        measure_table_cost(before, policy, errors=True)


def test_all_at_once_is_json() -> None:
    before = people()
    policy = TemplatePolicy([Template(["k", "j"], "s", ["s0"], "0.5")], class_column="label").resolve(before)
    cost = measure_table_cost(before, policy, errors=True)
    told = json.loads(json.dumps(cost.to_dict()))
    assert told["cells"]["share_kept"] == told["granularity"]["mean"] == 1
    assert {one["classifier"] for one in told["errors"]} == {"tree", "logistic"}
    with pytest.raises(InputError, match="number of rows"):
        measure_table_cost(table(k=["a"], j=["b"]), policy)
    with pytest.raises(InputError, match="missing after"):
        measure_table_cost(table(k=["a"]), policy)
