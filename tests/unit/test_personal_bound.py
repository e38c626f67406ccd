"""The lower bound where people chose for themselves: never above the true optimum; and the optimum by a solver."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import oracle
import sordino
from people_choosing import Chosen, chosen_tables
from sordino.data.baskets import Baskets
from sordino.utility import personal_bound
from sordino.utility.bound import least_loss
from sordino.utility.exact import solve
from tables import examples


def deletions(case: Chosen) -> int:
    table = Baskets.from_sets(case.original)
    return least_loss(table, case.policy.resolve(table, missing="accept")).deletions


def optimum(case: Chosen) -> int:
    """The fewest deletions that make the table safe, by trying all of them."""
    places = [(u, item) for u, record in enumerate(case.original) for item in sorted(record)]
    for number in range(len(places) + 1):
        for gone in combinations(places, number):
            left = [record - {item for v, item in gone if v == u} for u, record in enumerate(case.original)]
            if oracle.personal_holds(case.original, left, case.choices, case.rho_of, case.knowledge):
                return number
    raise AssertionError("an empty table is safe")


def drawn(seed: int, records: int, items: int, share: float, knowledge: int | None = None) -> Chosen:
    rng = np.random.default_rng(seed)
    names = [f"{k:02}" for k in range(items)]
    table = [frozenset(rng.choice(names, size=rng.integers(1, 5), replace=False).tolist()) for _ in range(records)]
    choices = [frozenset(name for name in names if rng.random() < share) for _ in table]
    return Chosen(table, table, choices, ("1/2", "0.3", "0.7")[seed % 3], knowledge)  # type: ignore[arg-type]


@pytest.mark.parametrize("known", [None, 1, 2])
def test_the_solver_finds_the_optimum_and_no_bound_is_above(known: int | None) -> None:
    for seed in range(25):
        case = drawn(seed, records=4, items=4, share=0.4, knowledge=known)
        while sum(map(len, case.original)) > 9:
            case = case._replace(original=case.original[:-1], choices=case.choices[:-1])
        case = case._replace(rho=sordino.InferencePolicy([], case.rho).rho)
        table = Baskets.from_sets(case.original)
        best = optimum(case)
        assert solve(table, case.policy.resolve(table, missing="accept"), seconds=60).deletions == best
        assert deletions(case) <= best
        assert deletions(case) > 0 or best == 0  # a tiny table that is not safe always has one


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(case=chosen_tables(width=6))
def test_never_above_what_the_solver_proves(case: Chosen) -> None:
    table = Baskets.from_sets(case.original)
    best = solve(table, case.policy.resolve(table, missing="accept"), seconds=60)
    assert deletions(case) <= best.deletions or not best.proved


def test_larger_tables_and_pieces_of_records(monkeypatch: pytest.MonkeyPatch) -> None:
    tight = 0
    for seed in range(12):
        case = drawn(seed, records=25, items=8, share=0.4)
        case = case._replace(rho=sordino.InferencePolicy([], case.rho).rho)
        table = Baskets.from_sets(case.original)
        best = solve(table, case.policy.resolve(table, missing="accept"), seconds=60)
        whole = deletions(case)
        assert best.proved
        assert 0 < whole <= best.deletions
        tight += whole == best.deletions
        with monkeypatch.context() as changed:  # records of three items and more in pieces of two
            changed.setattr(personal_bound, "MOST", 2)
            changed.setattr(personal_bound, "PIECE", 2)
            assert deletions(case) <= whole
    assert tight > 0


def test_by_hand() -> None:
    """{a, x} and {a}: at 1/2 safe, whoever minds x. With two who have both, one must lose something, if x is minded."""
    both, one = frozenset("ax"), frozenset("a")
    nobody: frozenset[str] = frozenset()
    mind = frozenset("x")
    half = sordino.InferencePolicy([], "1/2").rho
    for original, choices, best, least in (
        ([both, one], [mind, nobody], 0, 0),
        ([both, both, frozenset("b")], [mind, nobody, nobody], 1, 1),  # each could be the other's alibi, but a -> x
        ([both, frozenset("b")], [nobody, mind], 0, 0),  # who minds x has nothing from which it follows
        ([both, one], [frozenset("a"), nobody], 1, 1),  # x tells a
    ):
        case = Chosen(original, original, choices, half, None)
        assert optimum(case) == best
        assert deletions(case) == least
