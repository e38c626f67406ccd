"""The dial of `dist`, and sweeps that improve `dist`, `twins` and parts, each by its own measure."""

from __future__ import annotations

import os
import signal
import time
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import oracle
import sordino
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.errors import InputError
from sordino.protect import heat
from sordino.protect.kernels.twins.insert import People
from sordino.protect.kernels.twins.places import new_places
from sordino.protect.kernels.twins.wander import wander
from sordino.protect.objective import Fewest, SameShares, moved
from sordino.protect.registry import METHODS
from sordino.protect.workspace import Workspace
from sordino.utility.divergence import measure_divergence
from tables import Case, dense_tables, examples, small_tables

Records = list[frozenset[str]]


def shopping(seed: int, records: int = 200, items: int = 20, longest: int = 6) -> Records:
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, items + 1)
    sizes = rng.integers(1, longest + 1, size=records)
    return [
        frozenset(f"{i:02}" for i in rng.choice(items, size=n, replace=False, p=share / share.sum())) for n in sizes
    ]


def policy_of(items: int, rho: str = "0.5", **more: Any) -> sordino.InferencePolicy:
    return sordino.InferencePolicy([f"{i:02}" for i in range(0, items, 3)], rho, **more)


def protected(
    method: str, records: Records, policy: sordino.InferencePolicy, jobs: int = 1, seed: int = 1, **options: Any
) -> Baskets:
    table = Baskets.from_sets(records)
    resolved = policy.resolve(table, missing="accept")
    return METHODS[method].load()(table, resolved, seed=seed, jobs=jobs, watch=Watch(), **options)


# The dial


def test_the_ends_of_the_dial_are_mine_and_dist() -> None:
    records = shopping(1, records=500, items=40, longest=12)
    policy = policy_of(40)
    plain = protected("dist", records, policy)
    assert protected("dist", records, policy, keep=1).items.tolist() == plain.items.tolist()
    for more in ({}, {"improve": 3}, {"parts": 3}):
        least = protected("mine", records, policy, **more)
        assert protected("dist", records, policy, keep="0", **more).items.tolist() == least.items.tolist()
    assert protected("mine", records, policy).items.tolist() != plain.items.tolist()


def test_between_its_ends_less_is_deleted_and_shares_move_more() -> None:
    """Less with every quarter; shares move with every one but the first, as the touch-up of `mine` evens out by itself.

    The same on any number of threads."""
    records = shopping(2, records=3000, items=60, longest=12)
    policy, before = policy_of(60), Baskets.from_sets(records)
    tables = [protected("dist", records, policy, keep=Fraction(k, 4)) for k in range(5)]
    lost = [before.occurrences - table.occurrences for table in tables]
    away = [measure_divergence(before, table).symmetric for table in tables]
    assert all(a < b for a, b in pairwise(lost))
    assert all(a > b for a, b in pairwise(away[1:]))
    assert away[0] > away[2]
    again = protected("dist", records, policy, keep="50%", jobs=3)
    assert again.items.tolist() == tables[2].items.tolist()


def test_the_shortest_records_are_spread() -> None:
    """Records of 2, 3 and 5 items: 5 of 10 entries are those of the first two; single items do not count."""
    table = Baskets.from_sets([set("abcde"), set("ab"), set("abc"), set("a")])
    space = Workspace(table, sordino.InferencePolicy("e", "0.5").resolve(table), jobs=1, watch=Watch())
    for share, number in (("0", 0), ("0.19", 0), ("1/5", 1), ("0.49", 1), ("1/2", 2), ("0.999", 2), ("1", 3)):
        assert space._shortest(Fraction(share)).tolist() == [True] * number + [False] * (3 - number)


@pytest.mark.parametrize("value", ["-0.1", "1.1", "much", True, "0.1234567", None])
def test_a_dial_has_ends(value: object) -> None:
    with pytest.raises(InputError, match="keep must be a number from 0"):
        protected("dist", [frozenset("ax")], sordino.InferencePolicy("x", "0.5"), keep=value)


def test_only_dist_has_a_dial() -> None:
    with pytest.raises(InputError, match="keep"):
        sordino.protect([{"a", "x"}], sordino.InferencePolicy("x", "0.5"), method="mine", keep="0.5")


def test_the_dial_is_compared() -> None:
    found = sordino.compare(
        shopping(3, records=400, items=30, longest=9), policy_of(30), methods=["mine", "dist:keep=0.5", "dist"]
    )
    rows = {cell.method: cell for cell in found.cells}
    loss = [rows[name].loss or 0.0 for name in ("mine", "dist:keep=0.5", "dist")]
    assert loss == sorted(loss)
    assert len(set(loss)) == 3


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(case=small_tables() | dense_tables())
def test_anywhere_on_the_dial_it_is_safe(case: Case) -> None:
    for options in ({"keep": "1/2"}, {"keep": "1/2", "improve": 12}, {"improve": 3}):
        table = protected("dist", case.records, case.policy, **options)
        assert all(new <= old for new, old in zip(table, case.records, strict=True))
        assert oracle.holds(list(table), case.policy.sensitive, case.rho_of, case.policy.knowledge)


# Sweeps of `dist`


@pytest.mark.parametrize("keep", ["1", "1/2"])
def test_improved_dist_deletes_less_and_moves_no_further(keep: str) -> None:
    records, policy = shopping(4, records=1500, items=40, longest=8), policy_of(40)
    before = Baskets.from_sets(records)
    plain = protected("dist", records, policy, keep=keep)
    better = protected("dist", records, policy, keep=keep, improve=20)
    assert better.occurrences > plain.occurrences
    assert measure_divergence(before, better).symmetric <= measure_divergence(before, plain).symmetric + 1e-12
    assert oracle.holds(list(better), policy.sensitive, dict.fromkeys(policy.sensitive, Fraction(1, 2)))
    same = protected("dist", records, policy, keep=keep, improve=20, jobs=3)
    assert same.items.tolist() == better.items.tolist()
    other = protected("dist", records, policy, keep=keep, improve=20, seed=2)
    assert other.items.tolist() != better.items.tolist()


def test_the_distance_is_that_of_the_measure() -> None:
    """And its slope is what a small change of one count does."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        before = rng.integers(0, 40, size=12)
        now = np.minimum(before, rng.integers(0, 40, size=12))
        old, new = (
            Baskets.from_pairs(np.arange(c.sum()), np.repeat(np.arange(12), c), tuple("abcdefghijkl"), int(c.sum()))
            for c in (before, now)
        )
        assert moved(before, now) == pytest.approx(measure_divergence(old, new).symmetric, abs=1e-12)
    before, now = rng.integers(200, 400, size=12), rng.integers(100, 200, size=12)
    goal = SameShares(0.0)
    values = goal.values(before * 1000, now * 1000)
    for k in range(12):
        step = now * 1000
        step[k] += 1
        closer = moved(before * 1000, now * 1000) - moved(before * 1000, step)
        worth = 1 + goal.weight * closer * now.sum() * 1000
        assert values[k] / goal.unit == pytest.approx(np.clip(worth, -1, 12), abs=0.07)
    assert goal.cost(before, now) == np.inf
    assert SameShares(1.0).cost(before, now) == Fewest().cost(before, now) == before.sum() - now.sum()


# Sweeps of `twins`


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(case=small_tables() | dense_tables())
def test_improved_twins_are_twins(case: Case) -> None:
    policy = sordino.InferencePolicy(case.policy.sensitive, case.policy.rho, rho_of=case.policy.rho_of, absent="any")
    plain = protected("twins", case.records, policy)
    better = protected("twins", case.records, policy, improve=15)
    assert better.occurrences >= plain.occurrences
    assert all(new <= old for new, old in zip(better, case.records, strict=True))
    assert not oracle_absent(list(better), policy)


def oracle_absent(records: Records, policy: sordino.InferencePolicy) -> list[tuple[frozenset[str], str]]:
    """All W and e with too few equal to W beside those equal to W + e (RESEARCH: A1)."""
    found = []
    for whole in set(records):
        for e in whole & set(policy.sensitive):
            rest, rho = whole - {e}, policy.rho_of.get(e, policy.rho)
            if rest and (1 - rho) * records.count(whole) > rho * records.count(rest):
                found.append((rest, e))
    return found


def test_improved_twins_lose_less() -> None:
    records, policy = shopping(6, records=1200, items=18), policy_of(18, absent="any")
    plain = protected("twins", records, policy)
    better = protected("twins", records, policy, improve=60)
    assert better.occurrences > plain.occurrences
    assert not oracle_absent(list(better), policy)
    same = protected("twins", records, policy, improve=60, jobs=3)
    assert same.items.tolist() == better.items.tolist()
    only = protected("twins", records, policy, improve=60, only_sensitive=True)
    assert all(old - new <= set(policy.sensitive) for old, new in zip(records, only, strict=True))
    assert not oracle_absent(list(only), policy)


def test_who_is_not_needed_takes_what_is_best() -> None:
    """Three people with the harmless part {a}, two of them with x: at 1/2 one may show x, if another shows just {a}."""
    half = np.array([1]), np.array([2])
    places = new_places(np.array([1, 0], dtype=np.int32), 8, *half)
    places.people[0] = 3
    people = People(
        np.zeros(3, dtype=np.int64),
        np.array([0, 1, 2, 2]),
        np.zeros(2, dtype=np.int32),
        np.zeros(3, dtype=np.int64),
        np.empty(0, dtype=np.int32),
    )
    shown, rng, down = np.zeros(3, dtype=np.int64), np.array([7]), np.zeros(1, dtype=np.uint8)
    stack = np.empty((16, 2), dtype=np.int64)
    assert wander(places, np.arange(3), people, shown, stack, rng, np.empty(0), down, down) == 1
    assert sorted(places.people[:3].tolist()) == [0, 1, 2]
    assert shown.tolist() == [2, 0, 0]


@pytest.mark.parametrize("method", ["twins", "dist"])
def test_ctrl_c_keeps_the_best_so_far(method: str) -> None:
    records = shopping(7, records=400)
    policy = policy_of(20, absent="any") if method == "twins" else policy_of(20)
    table = Baskets.from_sets(records)
    told: list[str] = []

    def progress(phase: str, done: int, _: int) -> None:
        told.append(phase)
        if phase.startswith("improving") and done == 30:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.5)

    protect = METHODS[method].load()
    better = protect(table, policy.resolve(table), seed=1, jobs=1, watch=Watch(progress), improve=1_000_000)
    assert any(phase.startswith("ended after 30 sweeps") for phase in told)
    assert better.occurrences >= protected(method, records, policy).occurrences
    if method == "twins":
        assert not oracle_absent(list(better), policy)
    else:
        assert oracle.holds(list(better), policy.sensitive, dict.fromkeys(policy.sensitive, Fraction(1, 2)))


def test_improving_what_was_divided() -> None:
    """Sweeps over the whole bring back more than what the parts cost.

    That they cost something shows without the touch-up, which is a draw of its own in each of them.
    """
    records, policy = shopping(8, records=1500, items=40, longest=8), policy_of(40)
    whole, divided = (protected("mine", records, policy, again=0, **more) for more in ({}, {"parts": 6}))
    assert divided.occurrences < whole.occurrences
    touched = [protected("mine", records, policy, **more) for more in ({}, {"parts": 6})]
    better = protected("mine", records, policy, parts=6, improve=60)
    assert whole.occurrences < min(table.occurrences for table in touched)
    assert max(table.occurrences for table in touched) < better.occurrences
    assert oracle.holds(list(better), policy.sensitive, dict.fromkeys(policy.sensitive, Fraction(1, 2)))


def test_heat_falls_and_ends_in_what_is_best() -> None:
    hot, cold = heat.weights(0, 100), heat.weights(94, 100)
    assert hot[13] / hot[12] == pytest.approx(np.exp(1 / 0.15))
    assert cold[13] / cold[12] == pytest.approx(np.exp(12.5))
    assert len(heat.weights(95, 100)) == len(heat.weights(0, 9)) == 0
    fine = heat.weights(0, 100, unit=8, never_less=True)
    assert fine[0] == 0
    assert fine[8 * 12 + 8] == pytest.approx(hot[13])
