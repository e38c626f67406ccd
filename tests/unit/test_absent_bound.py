"""The lower bound where somebody also knows what people lack: never above the true optimum, quick or thorough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import chain, combinations
from math import ceil

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import absent
import oracle as presence
import oracle_absence as oracle
import sordino
from sordino.data.baskets import Baskets
from sordino.utility import bound, thorough
from sordino.utility.bound import least_loss
from tables import examples

Records = list[frozenset[str]]
RHOS = ("0.3", "1/2", "0.7", "2/3")


def parts(record: frozenset[str]) -> list[frozenset[str]]:
    return list(map(frozenset, chain.from_iterable(combinations(sorted(record), n) for n in range(len(record) + 1))))


def optimum(records: Records, rho_of: Mapping[str, Fraction]) -> int:
    """The fewest deletions, by a solver: how many records of each kind are published as each part."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    kinds = Counter(record for record in records if record)
    columns = [(record, part) for record in kinds for part in parts(record)]
    rows, low, high = [], [], []
    for record, number in kinds.items():
        rows.append([float(owner == record) for owner, _ in columns])
        low.append(float(number))
        high.append(float(number))
    for whole in {part for _, part in columns}:
        for e in whole & set(rho_of):
            if rest := whole - {e}:
                num, den = rho_of[e].numerator, rho_of[e].denominator
                rows.append([float((den - num) * (part == whole) - num * (part == rest)) for _, part in columns])
                low.append(-np.inf)
                high.append(0.0)
    if not columns:
        return 0
    most = np.array([float(kinds[record]) for record, _ in columns])
    found = milp(
        -np.array([float(len(part)) for _, part in columns]),
        integrality=np.ones(len(columns)),
        bounds=Bounds(0, most),
        constraints=LinearConstraint(np.array(rows), low, high),
        options={"mip_rel_gap": 0.0},
    )
    assert found.status == 0
    return sum(map(len, records)) - round(-found.fun)


def deletions(records: Records, policy: sordino.InferencePolicy, steps: int = 0, jobs: int = 1) -> int:
    table = Baskets.from_sets(records)
    return least_loss(table, policy.resolve(table, missing="accept"), steps=steps, jobs=jobs).deletions


def drawn(seed: int, records: int, items: int, longest: int) -> Records:
    """Records of a few kinds, parts of them, and others."""
    rng = np.random.default_rng(seed)
    names = [f"{k:02}" for k in range(items)]
    kinds = [frozenset(rng.choice(names, size=rng.integers(1, longest + 1), replace=False)) for _ in range(4)]
    table = []
    for _ in range(records):
        kind = kinds[rng.integers(4)] if rng.random() < 0.7 else frozenset(rng.choice(names, size=2, replace=False))
        table.append(frozenset(str(name) for name in sorted(kind) if rng.random() < 0.8))
    return table


def formula(records: Records, rho_of: Mapping[str, Fraction]) -> int:
    """docs/notes/bound.md word by word, for records of up to 15 items."""
    total = worst = 0
    numbers = Counter(records)
    for whole, with_e in numbers.items():
        for e in whole & set(rho_of):
            if rest := whole - {e}:
                worst = max(worst, ceil(with_e - rho_of[e] * (with_e + numbers[rest])))
    for rule in presence.disclosures(records, list(rho_of), rho_of, None):
        worst = max(worst, ceil(rule.sup_qe - rho_of[rule.e] * rule.sup_q))
    for u, record in enumerate(records):
        others = records[:u] + records[u + 1 :]
        best = max(len(record - set(rho_of)), min(1, len(record)))
        below, possible = best, {}
        for part in parts(record):
            if len(part) > below:
                possible[part] = all(possible.get(part - {x}, True) for x in part) and alibis(part, others, rho_of)
                if possible[part] and twins(part, others, rho_of, max(1, below - 1), len(records)):
                    best = max(best, len(part))
        total += len(record) - best
    return max(total, worst)


def alibis(part: frozenset[str], others: Records, rho_of: Mapping[str, Fraction]) -> bool:
    lacking = 0
    for e in part & set(rho_of):
        lacking += max(0, ceil(1 / rho_of[e]) - 1 - sum(part - {e} <= other and e not in other for other in others))
    return lacking <= sum(part <= other for other in others)


def twins(part: frozenset[str], others: Records, rho_of: Mapping[str, Fraction], share: int, most: int) -> bool:
    """Whether enough originals hold each set that is published for the part; sets of `share` items are looked at."""
    wanted: dict[frozenset[str], int] = {frozenset(): 1}
    for less in parts(part & set(rho_of)):
        for e in less:
            number = min(most + 1, ceil((1 - rho_of[e]) / rho_of[e] * wanted[less - {e}]))
            wanted[less] = max(wanted.get(less, 0), number)
    return all(
        sum(part - less <= other for other in others) + 1 >= sum(n for y, n in wanted.items() if y <= less)
        for less in wanted
        if less and len(part - less) >= share
    )


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(case=absent.any_tables(items=4, records=4) | absent.twin_tables(items=4))
def test_the_solver_finds_the_optimum(case: absent.Case) -> None:
    records = case.records
    while sum(map(len, records)) > 9:
        records = records[:-1]
    assert optimum(records, case.rho_of) == oracle.least_loss(records, list(case.rho_of), case.rho_of)


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(case=absent.any_tables() | absent.twin_tables())
def test_never_above_the_optimum(case: absent.Case) -> None:
    best = optimum(case.records, case.rho_of)
    quick = deletions(case.records, case.policy)
    assert quick <= best
    assert quick > 0 or best == 0  # what is not safe has a bound above 0
    for steps in (1, 2, 12):
        assert quick <= deletions(case.records, case.policy, steps) <= best


@pytest.mark.parametrize("how", ["as it is", "long from 4 items on", "nothing known of most"])
@pytest.mark.parametrize("rho", RHOS)
def test_never_above_the_optimum_of_larger_tables(rho: str, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if how == "long from 4 items on":
        monkeypatch.setattr(thorough, "MOST", 3)
    elif how == "nothing known of most":
        monkeypatch.setattr(thorough, "EFFORT", 12)
    gained = more = 0
    for seed in range(15):
        records = drawn(seed, records=20 + seed, items=7, longest=6)
        policy = sordino.InferencePolicy(["00", "02", "04", "06"], rho, absent="any")
        best = optimum(records, dict.fromkeys(policy.sensitive, Fraction(rho)))
        weaker = sordino.InferencePolicy(policy.sensitive, rho)
        quick, closer = deletions(records, policy), deletions(records, policy, 60)
        assert deletions(records, weaker) <= quick <= closer <= best
        more += quick > deletions(records, weaker)
        gained += closer > quick
    assert more > 0
    assert gained > 0


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(case=absent.any_tables() | absent.twin_tables())
def test_the_formula(case: absent.Case) -> None:
    assert deletions(case.records, case.policy) == formula(case.records, case.rho_of)


@pytest.mark.parametrize(
    ("records", "rho", "least", "best"),
    [
        (["ax", "ab"], "1/2", 1, 1),  # safe without absence; but who lacks b has x
        (["ax", "a"], "1/2", 0, 0),
        (["ax", "a", "abx", "ab"], "1/2", 0, 0),
        (["axy", "ax", "ay", "a"], "1/2", 0, 0),  # a whole cube
        (["axy", "ax", "ay", "ay"], "1/2", 1, 1),  # by the pair {a, y}, {a}; the ones of one sensitive item could stay
        (["axy", "axy", "axy", "axy"], "1/2", 4, 4),  # one shows a, x, y, one a, x, one a, y, and one a
        (["axy", "axy", "axy"], "1/2", 4, 4),  # a cube takes four: so a, x and a, y and a remain
        (["xy", "x", "y"], "1/2", 0, 0),  # who is known to have nothing is nobody
        (["ax", "a", "a"], "0.3", 1, 1),  # three twins are wanted
        (["ax", "a", "a", "a"], "0.3", 0, 0),
    ],
)
def test_by_hand(records: list[str], rho: str, least: int, best: int) -> None:
    table = [frozenset(record) for record in records]
    sensitive = sorted({"x", "y"} & set().union(*table))
    policy = sordino.InferencePolicy(sensitive, rho, absent="any")
    assert oracle.least_loss(table, sensitive, dict.fromkeys(sensitive, Fraction(rho))) == best
    assert deletions(table, policy) <= least
    assert deletions(table, policy, 80) == least


def test_table_1_of_the_paper() -> None:
    """rho = 1/3: four deletions are needed where absence may be known, two where it may not."""
    lines = ["bread milk condom", "bread milk", "milk condom", "flour fruits", "flour condom", "bread fruits"]
    records = [frozenset(line.split()) for line in [*lines, "fruits condom"]]
    assert optimum(records, {"condom": Fraction(1, 3)}) == 4
    assert 2 <= deletions(records, sordino.InferencePolicy(["condom"], "1/3", absent="any"), 100) <= 4


@pytest.mark.parametrize("factor", ["-0.3", "0.2"])
def test_adaptive_thresholds(factor: str) -> None:
    """What is safe at the thresholds of its own frequencies never lost less; tables small enough to try all."""
    for seed in range(12):
        records = drawn(seed, records=4, items=4, longest=3)
        while sum(map(len, records)) > 8:
            records = records[:-1]
        if not any("00" in record for record in records):
            continue
        policy = sordino.InferencePolicy(["00"], "0.5", adaptive=factor, absent="any")
        found = deletions(records, policy)
        best = adaptive_optimum(records, "00", Fraction("0.5"), Fraction(factor))
        assert deletions(records, policy, 20) <= best
        assert found <= best
        assert found > 0 or best == 0


def adaptive_optimum(records: Records, e: str, rho: Fraction, factor: Fraction) -> int:
    places = [(u, item) for u, record in enumerate(records) for item in sorted(record)]
    for number in range(len(places) + 1):
        for gone in combinations(places, number):
            left = [record - {item for v, item in gone if v == u} for u, record in enumerate(records)]
            rho_of = {e: rho + factor * Fraction(sum(e in record for record in left), len(left))}
            if oracle.twins_hold(left, [e], rho_of):
                return number
    raise AssertionError("an empty table is safe")


def test_the_same_with_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thorough, "CHUNK", 7)
    monkeypatch.setattr(bound, "CHUNK", 7)
    records = drawn(3, records=300, items=14, longest=8)
    policy = sordino.InferencePolicy([f"{k:02}" for k in range(0, 14, 3)], "0.7", absent="any")
    for steps in (0, 20):
        assert len({deletions(records, policy, steps, jobs) for jobs in (1, 2, 3)}) == 1


def test_a_release_of_twins_says_how_near_it_is() -> None:
    records = drawn(1, records=60, items=8, longest=6)
    policy = sordino.InferencePolicy(["00", "03", "06"], "0.5", absent="any")
    release = sordino.protect(records, policy, seed=1)
    least = deletions(records, policy)
    assert release.method == "twins"
    assert 0 < least <= release.deletions
    assert "more than the least possible" in release.utility.summary()
