"""Sweeps that improve a safe table, beside the true optimum of small tables; and the optimum by a solver."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import oracle
import sordino
from sordino.audit.index import index_records
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.errors import InputError
from sordino.protect import fewest, improve, mine, sweeps
from sordino.protect.kernels.improve.tree import FOUND, Units, add_paths, inner_nodes, plant
from sordino.protect.kernels.improve.visit import NEVER
from sordino.protect.objective import Fewest
from sordino.utility.bound import least_loss
from sordino.utility.exact import solve
from sordino.utility.kernels.around import make_room
from sordino.utility.kernels.possible import Asked, possible_parts
from tables import Case, dense_tables, examples, small_tables

Records = list[frozenset[str]]


def shopping(seed: int, records: int = 200, items: int = 20, longest: int = 6) -> Records:
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, items + 1)
    sizes = rng.integers(1, longest + 1, size=records)
    return [
        frozenset(f"{i:02}" for i in rng.choice(items, size=n, replace=False, p=share / share.sum())) for n in sizes
    ]


def protected(
    records: Records, policy: sordino.InferencePolicy, jobs: int = 1, seed: int = 1, **options: object
) -> Baskets:
    table = Baskets.from_sets(records)
    resolved = policy.resolve(table, missing="accept")
    return mine.protect(table, resolved, seed=seed, jobs=jobs, watch=Watch(), **options)


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(case=small_tables() | dense_tables())
def test_improving_is_safe_and_never_costs(case: Case) -> None:
    plain, better = protected(case.records, case.policy), protected(case.records, case.policy, improve=12)
    assert better.occurrences >= plain.occurrences
    assert all(new <= old for new, old in zip(better, case.records, strict=True))
    assert oracle.holds(list(better), case.policy.sensitive, case.rho_of, case.policy.knowledge)


def test_how_close_to_the_optimum(capsys: pytest.CaptureFixture[str]) -> None:
    """Pieces like small real ones: within 1 % of the optimum on average with improving, within 4 % without."""
    lost = {"mine": 0, "mine, no second chance": 0, "improved": 0, "optimum": 0}
    for seed in range(9):
        records = shopping(seed, records=90, items=24, longest=5)
        policy = sordino.InferencePolicy([f"{i:02}" for i in range(0, 24, 3)], ("0.3", "0.5", "0.7")[seed % 3])
        table = Baskets.from_sets(records)
        better = protected(records, policy, improve=200)
        least = table.occurrences - better.occurrences
        found = solve(table, policy.resolve(table, missing="accept"), seconds=60, fewer_than=least)
        assert found.proved or found.least == least
        if found.kept is not None:
            rho_of = dict.fromkeys(policy.sensitive, Fraction(policy.rho))
            assert oracle.holds(list(found.kept), policy.sensitive, rho_of)
        lost["optimum"] += found.least
        lost["improved"] += least
        lost["mine"] += table.occurrences - protected(records, policy).occurrences
        lost["mine, no second chance"] += table.occurrences - protected(records, policy, again=0).occurrences
    with capsys.disabled():
        print("\nitems lost in 9 pieces:", ", ".join(f"{name} {number:,}" for name, number in lost.items()))
    assert lost["optimum"] <= lost["improved"] <= 1.01 * lost["optimum"]
    assert lost["improved"] < lost["mine"] <= 1.04 * lost["optimum"]
    assert lost["mine, no second chance"] > lost["mine"]


def test_the_same_on_any_number_of_threads() -> None:
    records = shopping(5, records=1500, items=60)
    policy = sordino.InferencePolicy([f"{i:02}" for i in range(0, 60, 4)], "0.5")
    first, again = (protected(records, policy, jobs=jobs, improve=12) for jobs in (1, 3))
    assert first.items.tolist() == again.items.tolist()
    other = protected(records, policy, seed=2, improve=12)
    assert other.items.tolist() != first.items.tolist()


def test_the_same_if_threads_share_the_visits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of many movers: what each draws is looked at again before it is carried out, the same for all jobs."""
    records = shopping(9, records=4000, items=60, longest=8)
    secret = [f"{i:02}" for i in range(0, 60, 4)]
    policy = sordino.InferencePolicy(secret, "0.5")
    monkeypatch.setattr(sweeps, "FEW", 64)
    plain = protected(records, policy)
    found = {jobs: protected(records, policy, jobs=jobs, improve=20) for jobs in (1, 2, 5)}
    for jobs in (2, 5):
        assert found[jobs].items.tolist() == found[1].items.tolist()
        assert found[jobs].indptr.tolist() == found[1].indptr.tolist()
    assert found[1].occurrences > plain.occurrences
    assert oracle.holds(list(found[1]), secret, dict.fromkeys(secret, Fraction(1, 2)))


@pytest.mark.parametrize("seed", range(4))
def test_all_tracked_rules_hold_after_every_sweep(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if all draw at once, what they drew beside each other. Supports are what a count of the table says."""
    records = shopping(seed, records=300, items=16, longest=7)
    policy = sordino.InferencePolicy([f"{i:02}" for i in range(0, 16, 3)], ("0.3", "0.5", "0.7", "0.6")[seed])
    table = Baskets.from_sets(records)
    resolved = policy.resolve(table, missing="accept")
    safe = protected(records, policy)
    monkeypatch.setattr(sweeps, "FEW", 0)
    monkeypatch.setattr(sweeps, "BATCHES", 2)
    state = improve._sweeps(table, safe, resolved, 2, Watch(), False, improve.Reach())
    for number in range(1, 13):
        state.run(number, number, Fewest())
        rules, movers = state.rules, state.movers
        kept, demand = rules.support.copy(), rules.demand.copy()
        still = kept.copy()
        for u, c in enumerate(movers.of_unit.tolist()):
            for p in range(movers.begins[c], movers.begins[c + 1]):
                still[movers.nodes[p]] -= (movers.parts[p] & ~FOUND) & ~movers.shown[u] == 0
        if number == 1:
            first = still[1:].tolist()
        assert still[1:].tolist() == first  # what does not move; the rest is what movers show
        source = np.repeat(np.arange(len(kept)), np.diff(rules.edge_ptr))
        real = source > 0
        num, den = rules.num[rules.about][real], rules.den[rules.about][real]
        assert np.all(den * kept[rules.target][real] <= num * kept[source][real])
        assert np.all(demand[source][real] * num >= den * kept[rules.target][real])
        shown = np.zeros(len(state.code), dtype=np.int64)
        now = state._supports()
        for u, c in enumerate(movers.of_unit.tolist()):
            items = state.units.items[state.units.ptr[c] : state.units.ptr[c + 1]]
            shown[[x for k, x in enumerate(items.tolist()) if movers.shown[u] >> k & 1]] += 1
        assert (state.still + shown).tolist() == now.tolist()


def test_nothing_but_sensitive_items_is_deleted_if_so_asked() -> None:
    records = shopping(6)
    secret = {f"{i:02}" for i in range(0, 20, 3)}
    policy = sordino.InferencePolicy(secret, "0.5")
    for number in (0, 5, 20):  # a touch-up, nothing but the best, and detours
        better = protected(records, policy, improve=number, only_sensitive=True)
        assert all(old - new <= secret for old, new in zip(records, better, strict=True))
    assert oracle.holds(list(better), secret, dict.fromkeys(secret, Fraction(1, 2)))
    assert better.occurrences > protected(records, policy, only_sensitive=True, again=0).occurrences


def test_ctrl_c_keeps_the_best_so_far() -> None:
    """The first ends the sweeps, not the run; what comes out is safe and lost less than before."""
    records = shopping(7, records=400)
    policy = sordino.InferencePolicy([f"{i:02}" for i in range(0, 20, 3)], "0.5")
    table = Baskets.from_sets(records)
    told: list[str] = []

    def progress(phase: str, done: int, _: int) -> None:
        told.append(phase)
        if phase.startswith("improving") and done == 30:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.5)

    from sordino.protect.registry import METHODS

    watch = Watch(progress)
    better = METHODS["mine"].load()(table, policy.resolve(table), seed=1, jobs=1, watch=watch, improve=1_000_000)
    assert any(phase.startswith("ended after 30 sweeps") for phase in told)
    assert better.occurrences > protected(records, policy, again=0).occurrences
    assert oracle.holds(list(better), policy.sensitive, dict.fromkeys(policy.sensitive, Fraction(1, 2)))
    assert threading.current_thread() is threading.main_thread()


@pytest.mark.parametrize(("method", "kind"), [("mine", {}), ("twins", {"absent": "any"})])
def test_what_ctrl_c_ended_is_told_in_keep(method: str, kind: dict[str, str], tmp_path: Path) -> None:
    """The same seed and options do not lead to these bytes: so keep/ must not say no more than them."""
    records = shopping(7, records=400)
    policy = sordino.InferencePolicy([f"{i:02}" for i in range(0, 20, 3)], "0.5", **kind)

    def progress(phase: str, done: int, of: int) -> None:
        if phase.startswith("improving") and done == 3 and of == 500:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.5)

    release = sordino.protect(records, policy, method=method, seed=1, jobs=1, improve=500, progress=progress)
    folder = release.write(tmp_path / "out")
    told = json.loads((folder / "keep" / "audit.json").read_text())["options"]
    assert told == {"improve": 500, "ended_early": "by Ctrl-C, during sweep 4 of 500"}
    assert "during sweep 4 of 500" in (folder / "keep" / "report.html").read_text()
    assert all("sweep" not in file.read_text() for file in (folder / "publish").glob("*.json"))
    whole = sordino.protect(records, policy, method=method, seed=1, jobs=1, improve=5)
    assert json.loads((whole.write(tmp_path / "b") / "keep" / "audit.json").read_text())["options"] == {"improve": 5}


@pytest.mark.parametrize("value", ["-1", "many", 1.5])
def test_a_number_of_sweeps(value: object) -> None:
    with pytest.raises(InputError, match="whole number of sweeps"):
        protected([frozenset("ax")], sordino.InferencePolicy("x", "0.5"), improve=value)


def test_a_touch_up_is_the_default_where_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    """It loses less, whatever the seed; not where finding parts would take long."""
    records = shopping(8, records=400, items=40)
    policy = sordino.InferencePolicy([f"{i:02}" for i in range(0, 40, 3)], "0.5")
    table = Baskets.from_sets(records)
    better, other = (protected(records, policy, seed=seed, jobs=seed) for seed in (1, 2))
    assert better.items.tolist() == other.items.tolist()
    resolved = policy.resolve(table)
    assert improve.touch_up_pays(table, resolved, Watch())
    few = sordino.InferencePolicy(policy.sensitive, "0.5", knowledge=2).resolve(table)
    assert improve.touch_up_pays(table, few, Watch())
    monkeypatch.setattr(improve, "MOMENT", 0)
    monkeypatch.setattr(improve, "CHEAP", 1)
    assert not improve.touch_up_pays(table, resolved, Watch())
    assert protected(records, policy).occurrences < better.occurrences


@pytest.mark.parametrize("known", [1, 2, 3, 4])
def test_who_knows_less_costs_no_more(known: int) -> None:
    """What is safe against unlimited knowledge is safe against less: nobody loses more for the weaker promise."""
    for seed in range(6):
        records = shopping(seed, records=150, items=16, longest=8)
        secret = [f"{i:02}" for i in range(0, 16, 3)]
        rho = ("0.3", "0.5", "0.7")[seed % 3]
        all_of_it = protected(records, sordino.InferencePolicy(secret, rho))
        some = protected(records, sordino.InferencePolicy(secret, rho, knowledge=known))
        assert some.occurrences >= all_of_it.occurrences
        assert oracle.holds(list(some), secret, dict.fromkeys(secret, Fraction(rho)), known)


def test_a_touch_up_against_limited_knowledge(monkeypatch: pytest.MonkeyPatch) -> None:
    """It loses less than without, and where both are not tried it is what is published."""
    records = shopping(8, records=400, items=40)
    policy = sordino.InferencePolicy([f"{i:02}" for i in range(0, 40, 3)], "0.5", knowledge=2)
    monkeypatch.setattr(fewest, "SMALL", 0)
    better, plain = protected(records, policy), protected(records, policy, again=0)
    assert better.occurrences > plain.occurrences
    assert oracle.holds(list(better), policy.sensitive, dict.fromkeys(policy.sensitive, Fraction(1, 2)), 2)


# Kernels


def test_the_tree_has_all_that_is_inside_what_can_be_kept() -> None:
    """Two records {a, b, x} and one {a, b}: at rho 1/2 one can keep everything, if another shows {a, b}."""
    table = Baskets.from_sets([{"a", "b", "x"}, {"a", "b", "x"}, {"a", "b"}])
    index = index_records(table)
    sensitive = np.array([name == "x" for name in table.names])[index.code]
    lengths = np.diff(index.ptr)
    by_length = np.searchsorted(lengths, np.arange(5)).astype(np.int64)
    begin = np.zeros(index.classes + 1, dtype=np.int64)
    least = np.where(lengths == 3, 3, -1).astype(np.int64)
    room = make_room(index.classes)
    need = np.where(sensitive, 1, 0).astype(np.int64)
    stop = np.zeros(1, dtype=np.uint8)
    asked = Asked(sensitive, need, 3, 100)
    found = possible_parts(0, 2, index, by_length, asked, least, False, room, begin, stop)
    assert (begin.tolist(), found.tolist()) == ([0, 0, 1], [7])
    need *= 3
    assert possible_parts(0, 2, index, by_length, asked, least, False, make_room(2), begin, stop).tolist() == []
    begin = np.array([0, 0, 1])
    moving = np.array([False, True])
    found = np.array([7], dtype=np.int32)
    secret = np.array([0, 1 << index.items[index.ptr[1] : index.ptr[2]].tolist().index(int(sensitive.argmax()))])
    units = Units(index.ptr, index.items, secret.astype(np.int32))
    nothing = np.zeros(0, dtype=np.int32)
    tree = plant(units, 3, begin, found, nothing, 3, 3, 1000, moving, stop)
    assert tree.size.tolist() == [8, 3]  # all parts; {a}, {b} and {a, b} -> x
    tree = add_paths(tree, sensitive, np.array([0, 2]), np.array([0, 2], dtype=np.int32), stop)
    assert tree.size.tolist()[0] == 8
    begins, parts, nodes, asks, after = inner_nodes(units, 3, tree, begin, found, nothing, 3, moving, stop)
    assert asks.tolist() == [w & secret[1] if w & (w - 1) else 0 for w in range(1, 8)]
    assert begins.tolist() == [0, 0, 7]
    assert [part ^ FOUND for part in parts.tolist()] == list(range(1, 8))
    assert sorted(nodes.tolist()) == list(range(1, 8))
    assert after.tolist() == [1, 3, 3, 7, 5, 7, 7]  # behind {x0, x1} = 3, for one, comes nothing inside its branch
    assert NEVER > 2**40


# The optimum


def optimum(records: Records, rho_of: dict[str, Fraction], m: int | None) -> int:
    places = [(u, item) for u, record in enumerate(records) for item in sorted(record)]
    for number in range(len(places) + 1):
        for gone in combinations(places, number):
            left = [record - {item for v, item in gone if v == u} for u, record in enumerate(records)]
            if oracle.holds(left, list(rho_of), rho_of, m):
                return number
    raise AssertionError


@pytest.mark.parametrize("known", [None, 1, 2])
def test_the_solver_finds_the_optimum(known: int | None) -> None:
    rng = np.random.default_rng(known or 0)
    for _ in range(25):
        records = [frozenset("abcx"[i] for i in np.flatnonzero(rng.random(4) < 0.6)) for _ in range(3)]
        rho = ("0.3", "0.5", "0.7")[int(rng.integers(3))]
        policy = sordino.InferencePolicy("xa" if rng.random() < 0.5 else "x", rho, knowledge=known)
        table = Baskets.from_sets(records)
        found = solve(table, policy.resolve(table, missing="accept"), seconds=60)
        assert found.proved
        assert found.deletions == optimum(records, dict.fromkeys(policy.sensitive, Fraction(rho)), known)


@pytest.mark.parametrize("known", [None, 1, 2, 3])
def test_no_bound_is_above_the_optimum(known: int | None) -> None:
    tight = 0
    for seed in range(60):
        records = shopping(seed, records=12 + seed % 20, items=8, longest=5)
        policy = sordino.InferencePolicy(["00", "03", "06"], ("0.3", "0.5", "0.7", "0.4")[seed % 4], knowledge=known)
        table = Baskets.from_sets(records)
        resolved = policy.resolve(table, missing="accept")
        found = solve(table, resolved, seconds=60)
        least = least_loss(table, resolved)
        assert found.proved
        assert least is not None
        assert least.deletions <= found.deletions
        assert least.deletions > 0 or found.deletions == 0
        tight += least.deletions == found.deletions
    assert tight > 0


def test_the_method_exact() -> None:
    records = shopping(3, records=60, items=12, longest=5)
    policy = sordino.InferencePolicy(["00", "04", "08"], "0.5")
    table = Baskets.from_sets(records)
    best = solve(table, policy.resolve(table), seconds=60)
    told: list[str] = []
    release = sordino.protect(records, policy, method="exact", seed=1, progress=lambda phase, *_: told.append(phase))
    assert release.deletions == best.deletions
    assert f"{best.deletions:,} deleted, which is the least possible" in told
    hurried = sordino.protect(records, policy, method="exact", seed=1, seconds=0.000001)
    assert hurried.audit_after.holds
    assert hurried.deletions >= best.deletions


def test_what_is_too_large_for_an_exact_answer_is_improved() -> None:
    policy = sordino.InferencePolicy(["00", "03", "06"], "0.5")
    records = [*shopping(1, records=60, items=12, longest=5), frozenset(f"{k:02}" for k in range(13))]
    told: list[str] = []
    release = sordino.protect(records, policy, method="exact", seed=1, progress=lambda phase, *_: told.append(phase))
    improved = protected(records, policy, improve=100)
    assert release.deletions == sum(map(len, records)) - improved.occurrences
    least = least_loss(Baskets.from_sets(records), policy.resolve(Baskets.from_sets(records)))
    assert least is not None
    assert 0 < least.deletions < release.deletions
    assert f"{release.deletions:,} deleted, the least possible is {least.deletions:,} or more" in told
    with pytest.raises(InputError, match="seconds must be"):
        sordino.protect([{"a", "00"}], policy, method="exact", seconds=0, missing="accept")
