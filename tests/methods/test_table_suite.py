"""One suite for every registered method on tables. Adding one is a line in the registry; then it is covered here."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oracle_disclosure as oracle
import sordino.protect.disclosure_local  # noqa: F401 - its threshold is set below
from people import People, peoples
from sordino.data.table import Column, Table
from sordino.engine.local import Watch
from sordino.errors import Unsatisfiable
from sordino.policy.template import Template, TemplatePolicy
from sordino.protect.registry import METHODS, methods_for
from tables import examples

VARIANTS: dict[str, list[dict[str, Any]]] = {"disclosure": [{"then_maximal": True}]}
CHOICES = [(name, options) for name in methods_for("template") for options in [{}, *VARIANTS.get(name, [])]]
every_method = pytest.mark.parametrize(("method", "options"), CHOICES, ids=["-".join([n, *o]) for n, o in CHOICES])
MAXIMAL = [(name, options) for name, options in CHOICES if name != "disclosure" or options]
every_maximal = pytest.mark.parametrize(("method", "options"), MAXIMAL, ids=["-".join([n, *o]) for n, o in MAXIMAL])
few = settings(max_examples=examples(120), suppress_health_check=[HealthCheck.too_slow])
fewer = settings(max_examples=examples(25), suppress_health_check=[HealthCheck.too_slow])


def protect(table: Table, policy: TemplatePolicy, method: str, options: dict[str, Any], **more: Any) -> Table:
    resolved = policy.resolve(table)
    more = {"seed": 0, "jobs": 1, "watch": Watch()} | more
    return METHODS[method].load_table()(resolved.table, resolved, **more, **options)


def rows_of(table: Table) -> list[dict[str, str | None]]:
    return [dict(zip(table.names, table.row(k), strict=True)) for k in range(len(table))]


def judged_by_the_oracle(case: People, method: str, options: dict[str, Any]) -> None:
    masking = list(case.paths)
    if not oracle.holds(oracle.suppressed(case.rows, masking), case.templates):
        with pytest.raises(Unsatisfiable):
            protect(case.table, case.policy, method, options)
        return
    result = protect(case.table, case.policy, method, options)
    after = rows_of(result)
    assert result.names == case.table.names
    assert len(after) == len(case.rows)
    for old, new in zip(case.rows, after, strict=True):
        for name in old:
            assert new[name] in (case.paths[name][old[name]] if name in case.paths else (old[name],))
    assert oracle.holds(after, case.templates)
    for template in case.templates:
        assert oracle.worst_by_leaves(case.rows, after, template, case.paths) <= template.limit
    if (method, options) in MAXIMAL and oracle.holds(case.rows, case.templates) and method == "disclosure":
        assert after == case.rows


# Random tables against the oracle


@every_method
@few
@given(case=peoples())
def test_random_tables(case: People, method: str, options: dict[str, Any]) -> None:
    judged_by_the_oracle(case, method, options)


@every_method
@fewer
@given(case=peoples(most=80, trees=False))
def test_longer_tables(case: People, method: str, options: dict[str, Any]) -> None:
    judged_by_the_oracle(case, method, options)


# The corners, one by one


def people(number: int, columns: int, *, seed: int, values: int = 5) -> Table:
    """Columns k0.. and a sensitive one, s, whose values follow k0 a little."""
    rng = np.random.default_rng(seed)
    known = [rng.integers(0, values + k, number) for k in range(columns)]
    secret = np.where(rng.random(number) < 0.3, known[0], rng.integers(0, 8, number))
    made = [Column.of_texts(f"k{k}", [f"v{code}" for code in codes]) for k, codes in enumerate(known)]
    return Table((*made, Column.of_texts("s", [f"s{code}" for code in secret])))


def policy_for(table: Table, limit: str = "0.3") -> TemplatePolicy:
    return TemplatePolicy([Template([n for n in table.names if n != "s"], "s", at_most=limit, rarest="100%")])


def templates_for(table: Table, policy: TemplatePolicy) -> list[oracle.Template]:
    return [
        oracle.Template(t.given, t.sensitive, value, t.at_most)
        for t in policy.templates
        for value in table.column("s").texts
    ]


@every_method
def test_one_row(method: str, options: dict[str, Any]) -> None:
    table = Table((Column.of_texts("k", ["a"]), Column.of_texts("s", ["x"])))
    with pytest.raises(Unsatisfiable, match="no threshold below 1 would do"):
        protect(table, TemplatePolicy([Template("k", "s", "x", "0.5")]), method, options)


@every_method
def test_no_rows(method: str, options: dict[str, Any]) -> None:
    table = Table((Column.of_texts("k", []), Column.of_texts("s", [])))
    policy = TemplatePolicy([Template("k", "s", "x", "0.5")]).resolve(table, missing="accept")
    result = METHODS[method].load_table()(table, policy, seed=0, jobs=1, watch=Watch(), **options)
    assert len(result) == 0


@every_maximal
def test_what_is_safe_is_not_changed(method: str, options: dict[str, Any]) -> None:
    table = Table((Column.of_texts("k", ["a", "a", "b", "b", "b"]), Column.of_texts("s", ["x", "y", "x", "y", None])))
    result = protect(table, TemplatePolicy([Template("k", "s", ["x", "y"], "0.5")]), method, options)
    assert rows_of(result) == rows_of(table)


@every_method
@pytest.mark.parametrize("limit", ["0.2", "0.5", "0.9"])
def test_many_columns(method: str, options: dict[str, Any], limit: str) -> None:
    table = people(300, 6, seed=1)
    policy = policy_for(table, limit)
    result = protect(table, policy, method, options)
    assert oracle.holds(rows_of(result), templates_for(table, policy))


@every_method
def test_numbers_become_texts_only_where_they_must(method: str, options: dict[str, Any]) -> None:
    numbers = np.array([10, 20, 30])
    table = Table(
        (
            Column("age", np.array([0, 0, 1, 1, 2, -1], dtype=np.int32), numbers, "integer"),
            Column("year", np.array([0, 0, 0, 0, 0, 0], dtype=np.int32), np.array([1999]), "integer"),
            Column.of_texts("s", ["x", "y", "x", "y", "x", "y"]),
        )
    )
    result = protect(table, TemplatePolicy([Template(["age", "year"], "s", ["x", "y"], "1/2")]), method, options)
    age = [row["age"] for row in rows_of(result)]
    assert age[:4] == ["10", "10", "20", "20"]
    assert age[4:] == ["*", "*"]
    assert result.column("year").kind == "integer"


@every_method
def test_no_row_to_spare(method: str, options: dict[str, Any]) -> None:
    """19 of 20 rows may have x, and 95 of 100 do: there is not one row to spare."""
    table = Table(
        (
            Column.of_texts("k", [f"v{k % 10}" for k in range(100)]),
            Column.of_texts("j", [f"v{k % 7}" for k in range(100)]),
            Column.of_texts("s", ["x" if k >= 5 else "y" for k in range(100)]),
        )
    )
    policy = TemplatePolicy([Template(["k", "j"], "s", "x", "0.95")])
    after = rows_of(protect(table, policy, method, options))
    assert (
        oracle.worst(after, oracle.Template(("k", "j"), "s", "x", policy.templates[0].at_most))
        == policy.templates[0].at_most
    )


# Seeds and threads


def same(one: Table, other: Table) -> bool:
    return all(
        np.array_equal(a.codes, b.codes) and a.texts == b.texts for a, b in zip(one.columns, other.columns, strict=True)
    )


@every_method
def test_the_same_on_any_number_of_threads_and_with_any_seed(
    method: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["sordino.protect.disclosure_local"], "FRAME", 60)
    table = people(700, 4, seed=3)
    policy = policy_for(table)
    first = protect(table, policy, method, options)
    for seed, jobs in ((0, 2), (0, 4), (7, 1)):
        assert same(first, protect(table, policy, method, options, seed=seed, jobs=jobs))
    assert oracle.holds(rows_of(first), templates_for(table, policy))


@every_method
def test_input_is_left_alone_and_progress_is_told(method: str, options: dict[str, Any]) -> None:
    table = people(200, 4, seed=4)
    codes = [column.codes.copy() for column in table.columns]
    told: list[tuple[str, int, int]] = []
    protect(table, policy_for(table), method, options, watch=Watch(lambda *said: told.append(said)))
    assert all(np.array_equal(column.codes, old) for column, old in zip(table.columns, codes, strict=True))
    assert told
    assert all(phase and 0 <= done <= of for phase, done, of in told)


# Suppressing never raises the worst confidence (Corollary 3.1)


@settings(max_examples=examples(150))
@given(case=peoples(trees=False), steps=st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abcd")), max_size=6))
def test_suppressing_never_raises_the_worst_confidence(case: People, steps: Sequence[tuple[int, str]]) -> None:
    from sordino.protect.disclosure import Disclosure
    from sordino.protect.requirement import summarize
    from sordino.protect.trees import grow_trees

    resolved = case.policy.resolve(case.table)
    rows = [dict(row) for row in case.rows]
    masking = list(case.paths)
    now = [oracle.worst(rows, t) for t in case.templates]
    for column, value in steps:
        if masking:
            name = masking[column % len(masking)]
            for row in rows:
                row[name] = "*" if row[name] == value else row[name]
            then = [oracle.worst(rows, t) for t in case.templates]
            assert all(b <= a for a, b in zip(now, then, strict=True))
            now = then
    trees = grow_trees(resolved.table, resolved.masking, {})
    state = Disclosure(trees, summarize(resolved, trees))
    before = [confidence.copy() for confidence in state.confidence]
    while (node := state.winner(True)) is not None:
        state.disclose(node)
        assert all((new >= old).all() for new, old in zip(state.confidence, before, strict=True))
        before = [confidence.copy() for confidence in state.confidence]
