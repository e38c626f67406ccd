"""Sweeps where people chose for themselves: safe by the oracle, never worse, and close to the true optimum."""

from __future__ import annotations

import os
import signal
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import oracle
import sordino
from people_choosing import Chosen, chosen_tables
from sordino.audit.index import index_records
from sordino.audit.kernels.personal import wishes_beside
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.protect import dist, mine, personal_improve
from sordino.protect.kernels.improve.asked import Others, Room, asked_parts
from sordino.protect.kernels.improve.tree import Units
from sordino.protect.objective import moved
from sordino.protect.registry import METHODS
from sordino.utility.exact import solve
from sordino.utility.personal_bound import wishes_by_class
from tables import examples


def drawn(seed: int, records: int, items: int, share: float = 0.4, longest: int = 5) -> Chosen:
    """People with records like shoppers'; each minds each item with this probability."""
    rng = np.random.default_rng(seed)
    names = [f"{k:02}" for k in range(items)]
    often = 1 / np.arange(1, items + 1)
    table = [
        frozenset(rng.choice(names, size=rng.integers(1, longest + 1), replace=False, p=often / often.sum()).tolist())
        for _ in range(records)
    ]
    choices = [frozenset(name for name in names if rng.random() < share) for _ in table]
    return Chosen(table, table, choices, sordino.InferencePolicy([], ("1/2", "0.3", "0.7")[seed % 3]).rho, None)


def protected(case: Chosen, method: object = mine, jobs: int = 1, seed: int = 1, **options: object) -> Baskets:
    table = Baskets.from_sets(case.original)
    resolved = case.policy.resolve(table, missing="accept")
    return method.protect(table, resolved, seed=seed, jobs=jobs, watch=Watch(), **options)  # type: ignore[attr-defined,no-any-return]


def is_safe(case: Chosen, better: Baskets) -> bool:
    assert all(new <= old for new, old in zip(better, case.original, strict=True))
    return oracle.personal_holds(case.original, list(better), case.choices, case.rho_of, case.knowledge)


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(case=chosen_tables())
def test_improving_is_safe_and_never_costs(case: Chosen) -> None:
    plain, better = protected(case), protected(case, improve=12)
    assert better.occurrences >= plain.occurrences
    assert is_safe(case, better)


def test_how_close_to_the_optimum(capsys: pytest.CaptureFixture[str]) -> None:
    """Tables with proved optima: the sweeps close most of what `mine` loses too much."""
    lost = {"mine": 0, "improved": 0, "optimum": 0}
    for seed in range(6):
        case = drawn(seed, records=40, items=14, longest=4)
        table = Baskets.from_sets(case.original)
        better = protected(case, improve=200)
        assert is_safe(case, better)
        found = solve(table, case.policy.resolve(table, missing="accept"), seconds=60)
        assert found.proved
        lost["optimum"] += found.deletions
        lost["improved"] += table.occurrences - better.occurrences
        lost["mine"] += table.occurrences - protected(case).occurrences
    with capsys.disabled():
        print("\nitems lost in 6 tables of personal choices:", ", ".join(f"{k} {v:,}" for k, v in lost.items()))
    assert lost["optimum"] <= lost["improved"] < lost["mine"]
    assert lost["improved"] - lost["optimum"] <= 0.5 * (lost["mine"] - lost["optimum"])


@pytest.mark.parametrize("knowledge", [None, 2])
def test_long_records_move_in_windows(monkeypatch: pytest.MonkeyPatch, knowledge: int | None) -> None:
    monkeypatch.setattr(personal_improve, "WHOLE", 3)
    monkeypatch.setattr(personal_improve, "WINDOW", 3)
    gained = 0
    for seed in range(5):
        case = drawn(seed, records=80, items=12, longest=7)._replace(knowledge=knowledge)
        plain, better = protected(case), protected(case, improve=20)
        gained += better.occurrences - plain.occurrences
        assert better.occurrences >= plain.occurrences
        assert is_safe(case, better)
    assert gained > 0


def test_nobody_moves_whose_window_is_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(personal_improve, "WHOLE", 0)
    monkeypatch.setattr(personal_improve, "WINDOW", 0)
    case = drawn(3, records=40, items=10)
    plain, same = protected(case), protected(case, improve=3)
    assert 0 < plain.occurrences < sum(map(len, case.original))
    assert same.items.tolist() == plain.items.tolist()


def test_the_same_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(personal_improve, "CHUNK", 32)
    case = drawn(5, records=600, items=40, longest=6)
    first, again = (protected(case, jobs=jobs, improve=12) for jobs in (1, 3))
    assert first.items.tolist() == again.items.tolist()
    assert protected(case, seed=2, improve=12).items.tolist() != first.items.tolist()


def test_dist_moves_no_further_than_before() -> None:
    case = drawn(7, records=300, items=20)
    table = Baskets.from_sets(case.original)
    plain, better = protected(case, dist), protected(case, dist, improve=30)
    assert better.occurrences > plain.occurrences
    assert moved(table.supports, better.supports) <= moved(table.supports, plain.supports)
    assert is_safe(case, better)


def test_ctrl_c_keeps_the_best_so_far() -> None:
    case = drawn(8, records=300, items=20)
    table = Baskets.from_sets(case.original)
    told: list[str] = []

    def progress(phase: str, done: int, _: int) -> None:
        told.append(phase)
        if phase.startswith("improving") and done == 30:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.5)

    resolved = case.policy.resolve(table, missing="accept")
    better = METHODS["mine"].load()(table, resolved, seed=1, jobs=1, watch=Watch(progress), improve=1_000_000)
    assert any(phase.startswith("ended after 30 sweeps") for phase in told)
    assert better.occurrences > protected(case).occurrences
    assert is_safe(case, better)


def test_what_the_audit_finds_is_repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing depends on what is tracked: without any tracked rule all is shown at first, and the audit objects."""
    case = drawn(9, records=60, items=10)
    kernel = personal_improve.asked_parts

    def careless(*arguments: object) -> object:
        found, asks = kernel(*arguments)
        return found, np.zeros_like(asks)

    monkeypatch.setattr(personal_improve, "asked_parts", careless)
    better = protected(case, improve=12)
    assert is_safe(case, better)
    assert better.occurrences >= protected(case).occurrences


# Kernels


@pytest.mark.parametrize("known", [1, 2, 9])
def test_what_is_asked_about(known: int) -> None:
    """Beside a plain count: which parts could be kept, and about which items their rules are asked."""
    for seed in range(8):
        case = drawn(seed, records=25, items=7, share=0.2)
        table = Baskets.from_sets(case.original)
        resolved = case.policy.resolve(table, missing="accept")
        assert resolved.personal is not None
        index = index_records(table)
        units = Units(index.ptr, index.items, np.zeros(index.classes, dtype=np.int32))
        row, wish = resolved.personal.row[index.code], wishes_by_class(resolved.personal, index)
        beside = np.zeros((index.width, 1), dtype=np.uint64)
        stop = np.zeros(1, dtype=np.uint8)
        wishes_beside(index.ptr, index.items, index.post_ptr, index.post, row, wish, beside, stop)
        by_length = np.searchsorted(np.diff(index.ptr), np.arange(8)).astype(np.int64)
        others = Others(index, by_length, row, wish, beside)
        room = Room(np.full(index.classes, -1, np.int32), np.empty(1 << 6, np.int64), np.empty(1 << 6, np.int64))
        begin = np.zeros(index.classes + 1, dtype=np.int64)
        need = np.full(index.width, 1, dtype=np.int64)
        of = np.arange(index.classes, dtype=np.int64)
        found, asks = asked_parts(0, index.classes, units, of, others, need, known, room, begin, stop)
        names = [table.names[code] for code in index.code.tolist()]
        for c in range(index.classes):
            items = [names[x] for x in index.items[index.ptr[c] : index.ptr[c + 1]].tolist()]
            got = {int(found[p]): int(asks[p]) for p in range(begin[c], begin[c + 1])}
            assert got == _plainly(case, items, known)
            assert list(got) == sorted(got)


def _plainly(case: Chosen, items: list[str], known: int) -> dict[int, int]:
    """By part that could be kept with one alibi for each rule that is asked about: the items of these rules."""
    found: dict[int, int] = {}
    for w in range(1, 1 << len(items)):
        part = frozenset(item for k, item in enumerate(items) if w >> k & 1)
        asked = 0
        lacking = 0
        for k, e in enumerate(items):
            if e in part and 1 < len(part) <= known + 1:
                rest = part - {e}
                if any(rest <= record and e in own for record, own in zip(case.original, case.choices, strict=True)):
                    asked |= 1 << k
                    lacking += not any(rest <= record and e not in record for record in case.original)
        inside = all(w ^ 1 << k in found for k in range(len(items)) if w >> k & 1 and w ^ 1 << k)
        if inside and lacking <= sum(part <= record for record in case.original) - 1:
            found[w] = asked
    return found
