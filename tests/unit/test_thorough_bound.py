"""The thorough bound: never above the true optimum, at no step; and better than the quick one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import sordino
from sordino.data.baskets import Baskets
from sordino.errors import InputError
from sordino.utility import thorough
from sordino.utility.bound import least_loss, steps_of
from sordino.utility.exact import solve
from tables import Case, dense_tables, examples, small_tables

Records = list[frozenset[str]]


def shopping(seed: int, records: int, items: int, longest: int) -> Records:
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, items + 1)
    sizes = rng.integers(1, longest + 1, size=records)
    return [
        frozenset(f"{i:02}" for i in rng.choice(items, size=n, replace=False, p=share / share.sum())) for n in sizes
    ]


def deletions(table: Baskets, policy: sordino.InferencePolicy, steps: int, jobs: int = 1) -> int:
    return least_loss(table, policy.resolve(table, missing="accept"), steps=steps, jobs=jobs).deletions


@pytest.mark.parametrize("known", [None, 1, 2])
@pytest.mark.parametrize("how", ["as it is", "long from 4 items on", "nothing known of most"])
def test_never_above_the_optimum(known: int | None, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if how == "long from 4 items on":
        monkeypatch.setattr(thorough, "MOST", 3)
    elif how == "nothing known of most":
        monkeypatch.setattr(thorough, "EFFORT", 12)
    gained = tight = 0
    for seed in range(30):
        records = shopping(seed, records=12 + seed % 20, items=8, longest=5)
        policy = sordino.InferencePolicy(["00", "03", "06"], ("0.3", "0.5", "0.7", "0.4")[seed % 4], knowledge=known)
        table = Baskets.from_sets(records)
        best = solve(table, policy.resolve(table, missing="accept"), seconds=60)
        quick, closer = deletions(table, policy, 0), deletions(table, policy, 40)
        assert best.proved
        assert quick <= closer <= best.deletions
        gained += closer > quick
        tight += closer == best.deletions
    if how == "as it is":  # else little is known: what counts is that nothing false is
        assert gained > 0
        assert tight > 0


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(case=small_tables() | dense_tables())
def test_every_table(case: Case) -> None:
    """Thresholds by item, adaptive ones, a threshold below every confidence, empty and equal records."""
    table = Baskets.from_sets(case.records)
    policy = sordino.InferencePolicy(
        case.policy.sensitive, case.policy.rho, rho_of=case.rho_of, knowledge=case.policy.knowledge
    )
    best = solve(table, policy.resolve(table, missing="accept"), seconds=2)
    for steps in (1, 2, 12):
        assert deletions(table, policy, steps) <= best.deletions or not best.proved


def test_the_same_with_any_number_of_threads_and_rising(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thorough, "CHUNK", 7)
    table = Baskets.from_sets(shopping(1, records=300, items=24, longest=6))
    policy = sordino.InferencePolicy([f"{i:02}" for i in range(0, 24, 3)], "0.7")
    assert len({deletions(table, policy, 30, jobs) for jobs in (1, 2, 3)}) == 1
    told: list[str] = []
    found = least_loss(table, policy.resolve(table), steps=30, progress=lambda phase, *_: told.append(phase))
    assert len(told) > 30
    least = [int(phase.split("at least ")[1].split()[0].replace(",", "")) for phase in told if "at least " in phase]
    assert least == sorted(least)
    assert deletions(table, policy, 0) == least[0] < least[-1] <= found.deletions


def test_who_interrupts_keeps_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Baskets.from_sets(shopping(1, records=300, items=24, longest=6))
    policy = sordino.InferencePolicy([f"{i:02}" for i in range(0, 24, 3)], "0.7")
    step, shown = thorough.Prices.step, []

    def interrupted(self: thorough.Prices, pace: float) -> int:
        shown.append(step(self, pace))
        if len(shown) == 15:
            assert self.watch._content()  # what Ctrl-C does
        return shown[-1]

    monkeypatch.setattr(thorough.Prices, "step", interrupted)
    assert deletions(table, policy, 1000) == table.occurrences - min(shown) > deletions(table, policy, 0)
    assert len(shown) == 15


def test_what_may_be_asked() -> None:
    assert steps_of(True) == steps_of(False) == steps_of("quick") == 0
    assert steps_of("thorough") > 0
    with pytest.raises(InputError, match="bound cannot be 'close'"):
        steps_of("close")
