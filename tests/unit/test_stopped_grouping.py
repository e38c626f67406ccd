"""Injector and its rules look at the flag between any two long steps: no clock is asked, only what is done after it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sordino.data.table import Column, Table
from sordino.engine.local import Stopped, Watch
from sordino.knowledge import assumed as knowledge
from sordino.knowledge import mine as mining
from sordino.knowledge.exclusion import Exclusion, excluded_sets
from sordino.policy.diversity import DiversityPolicy, ResolvedDiversity
from sordino.policy.rules import NegativeRule
from sordino.protect import bucketization, injector
from sordino.protect.buckets import alike_order, classes_of, deal
from sordino.protect.registry import METHODS

ROWS = 600
UP = np.ones(1, dtype=np.uint8)


def resolved(**more: Any) -> ResolvedDiversity:
    rng = np.random.default_rng(0)
    columns = [Column.of_texts(f"k{k}", [f"v{x}" for x in rng.integers(0, 6, ROWS)]) for k in range(2)]
    columns.append(Column.of_texts("s", [f"s{x}" for x in rng.integers(0, 9, ROWS)]))
    return DiversityPolicy("s", ["k0", "k1"], 3, max_conditions=2, min_expectation="0.5", **more).resolve(
        Table(tuple(columns))
    )


def nobody_cannot() -> Exclusion:
    return Exclusion(np.zeros((1, 1), dtype=np.uint64), np.zeros(ROWS, dtype=np.int32))


def stopping(monkeypatch: pytest.MonkeyPatch, room: Any, name: str, watch: Watch) -> list[str]:
    """The function of this name raises the flag when it is called, and does its work; a line for each call."""
    usual, calls = getattr(room, name), []

    def call(*given: Any, **named: Any) -> Any:
        calls.append(name)
        found = usual(*given, **named)
        watch.stop[0] = 1
        return found

    monkeypatch.setattr(room, name, call)
    return calls


@pytest.mark.parametrize("options", [{"alike": False, "choice": "nit"}, {"alike": False}, {}])
@pytest.mark.parametrize("step", ["count_incompatible", "form_groups"])
def test_after_a_step_of_forming_there_is_no_other(
    options: dict[str, Any], step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the two is called again and again; here the flag goes up in the first call."""
    watch = Watch()
    calls = stopping(monkeypatch, injector, step, watch)
    with pytest.raises(Stopped):
        METHODS["injector"].load_groups()(
            resolved(mined=False), nobody_cannot(), rng=np.random.default_rng(0), watch=watch, **options
        )
    assert calls == [step]


def test_after_a_count_of_the_paper_there_is_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch()
    calls = stopping(monkeypatch, bucketization, "count_incompatible", watch)
    with pytest.raises(Stopped):
        injector.bucketize_as_printed(
            resolved(mined=False).value, nobody_cannot(), 3, np.random.default_rng(0), watch=watch
        )
    assert calls == ["count_incompatible"]


def test_steps_that_begin_with_the_flag_up_raise() -> None:
    policy = resolved()
    value, exclusion = policy.value, nobody_cannot()
    classes = classes_of(value, exclusion.kind_of)
    rows = np.arange(ROWS)
    with pytest.raises(Stopped):
        injector.largest_l(value, exclusion, UP)
    with pytest.raises(Stopped):
        alike_order(policy.codes, [9, 9], value, np.random.default_rng(0), UP)
    with pytest.raises(Stopped):
        deal(classes.class_of, rows, classes.class_of, rows, rows.copy(), UP)
    watch = Watch()
    watch.stop[0] = 1
    with pytest.raises(Stopped):
        excluded_sets(policy.codes, policy.nodes, policy.given, len(policy.names), watch)


def test_rules_are_not_put_into_words_once_the_flag_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch()
    made = []

    def rule(*given: Any) -> NegativeRule:
        made.append(given)
        watch.stop[0] = 1
        return NegativeRule(*given)

    policy = resolved()
    assert len(knowledge.mine_resolved(policy, min_confidence=Fraction(1, 2)).source) > 1
    monkeypatch.setattr(mining, "NegativeRule", rule)
    with pytest.raises(Stopped):
        mining.mine_codes(
            policy.codes, policy.nodes, policy.value, policy.names, min_expectation=Fraction(1, 2),
            min_confidence=Fraction(1, 2), longest=2, jobs=1, watch=watch,
        )  # fmt: skip
    assert len(made) == 1


def test_wrong_rules_are_not_looked_for_once_the_flag_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one call that looks at the whole table is that for all rules at once."""
    rules = [NegativeRule((("k0", f"v{k}"),), f"s{v}") for k in range(6) for v in range(9)]
    policy = resolved(rules=rules)
    watch = Watch()
    calls = stopping(monkeypatch, knowledge, "known_rules", watch)
    with pytest.raises(Stopped):
        knowledge.assumed(policy, watch=watch)
    assert calls == ["known_rules"]
