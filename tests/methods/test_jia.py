"""Partial suppression as published: the paper's example, the oracle, its algorithms taken literally (model.md 1.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import oracle
import sordino
from counting import judge
from sordino.audit.inference import audit_baskets
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.errors import InputError
from sordino.policy.inference import InferencePolicy
from sordino.protect import jia
from tables import Case, Records, dense_tables, examples, quiet_tables, small_tables, wide_tables

HEURISTICS = ("mine", "dist")
TABLE_1 = [
    {"bread", "milk", "condom"},
    {"bread", "milk"},
    {"milk", "condom"},
    {"flour", "fruits"},
    {"flour", "condom"},
    {"bread", "fruits"},
    {"fruits", "condom"},
]


def run(records: Any, policy: InferencePolicy, seed: int = 0, jobs: int = 1, **options: Any) -> Baskets:
    baskets = records if isinstance(records, Baskets) else Baskets.from_sets(records)
    return jia.protect(baskets, policy.resolve(baskets), seed=seed, jobs=jobs, watch=Watch(), **options)


def deleted(before: Any, after: Baskets) -> list[tuple[int, str]]:
    """What was taken out of which record; and nothing else happened."""
    assert len(before) == len(after)
    assert all(new <= old for old, new in zip(before, after, strict=True))
    return [(u, x) for u, (old, new) in enumerate(zip(before, after, strict=True)) for x in sorted(old - new)]


# the paper's example


@pytest.mark.parametrize("seed", range(5))
def test_table_1(seed: int) -> None:
    """Table 1(d) and 1(c), whatever is drawn."""
    policy = InferencePolicy(["condom"], "1/3")
    mine, dist = (run(TABLE_1, policy, seed, heuristic=heuristic) for heuristic in HEURISTICS)
    assert deleted(TABLE_1, mine) == [(0, "condom"), (4, "condom")]
    assert deleted(TABLE_1, dist) == [(0, "condom"), (4, "flour")]


# the twin: Algorithms 1 and 2 in plain Python, on sets and fractions


def qids(record: list[str], most: int, short: bool) -> Iterator[tuple[str, ...]]:
    """Largest or smallest first; those of a size by their largest item, then the next (colexicographic)."""
    sizes = range(1, min(most, len(record) - 1) + 1)
    for size in reversed(sizes) if short else sizes:
        yield from sorted(combinations(record, size), key=lambda q: q[::-1])


def twin(case: Case, dist: bool, seed: int, short: bool) -> Records:
    """One part, no buffer limit; the draws are those that model.md 1.3 and the note in jia.py describe."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    table = [set(record) for record in case.records]
    first = [set(record) for record in case.records]
    most = case.policy.knowledge or 99

    def sup(items: set[str], records: list[set[str]] = table) -> int:
        return sum(items <= record for record in records)

    def unsafe(q: set[str], items: set[str]) -> list[str]:
        return sorted(e for e in items - q if e in case.rho_of and sup(q | {e}) > case.rho_of[e] * sup(q))

    def score(d: str, n: int) -> tuple[Any, int]:
        if dist:
            share, share0 = sup({d}) / sum(map(len, table)), sup({d}, first) / sum(map(len, first))
            return -(share * math.log(share / share0)) / n, n
        return Fraction(sup({d}), sup({d}, first)) * n, n

    safe = False
    while not safe:
        safe = True
        for record in table:
            for q in qids(sorted(record), most, short):
                known = set(q)
                while known <= record and unsafe(known, record):
                    safe = False
                    choices = []
                    for e in unsafe(known, set(case.rho_of)):
                        over = sup(known | {e}) - case.rho_of[e] * sup(known)
                        choices.append((e, e, math.ceil(over)))
                        choices += [(d, e, math.ceil(over / (1 - case.rho_of[e]))) for d in q]
                    d, e, n = min(choices, key=lambda choice: score(choice[0], choice[2]))
                    holders = [u for u, other in enumerate(table) if known | {e} <= other]
                    for i in range(n):
                        j = int(rng.integers(i, len(holders)))
                        holders[i], holders[j] = holders[j], holders[i]
                        table[holders[i]].remove(d)
    return [frozenset(record) for record in table]


@pytest.mark.parametrize("short", [True, False])
@given(case=st.one_of(small_tables(), quiet_tables()), dist=st.booleans(), seed=st.integers(0, 3))
@settings(max_examples=examples(200))
def test_the_kernel_is_its_twin(short: bool, case: Case, dist: bool, seed: int) -> None:
    """Both ways of counting: the table of subsets, and the lists, for which every record here is made a long one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jia, "SHORT", jia.SHORT if short else 1)
        after = run(case.records, case.policy, seed, heuristic=HEURISTICS[dist], t_max=1e9)
    event(f"deletions: {min(len(deleted(case.records, after)), 3)}")
    assert list(after) == twin(case, dist, seed, short)


# what holds afterwards


LIMITS = {"b_max": st.sampled_from((1, 3, 40, 1_000_000)), "t_max": st.sampled_from((0.1, 4.0, 500.0))}


@given(st.one_of(small_tables(), quiet_tables()), st.sampled_from(HEURISTICS), st.fixed_dictionaries(LIMITS))
@settings(max_examples=examples(400))
def test_the_oracle_finds_nothing(case: Case, heuristic: str, limits: dict[str, Any]) -> None:
    """With room for few qids the rest is searched, and with small parts the union must be safe too."""
    after = run(case.records, case.policy, heuristic=heuristic, **limits)
    event(f"deletions: {min(len(deleted(case.records, after)), 3)}")
    assert after.names == Baskets.from_sets(case.records).names
    assert oracle.holds(list(after), list(case.rho_of), case.rho_of, case.policy.knowledge)


@given(st.one_of(dense_tables(), wide_tables()), st.sampled_from(HEURISTICS), st.fixed_dictionaries(LIMITS))
@settings(max_examples=examples(200))
def test_long_near_duplicates_and_many_items(case: Case, heuristic: str, limits: dict[str, Any]) -> None:
    after = run(case.records, case.policy, heuristic=heuristic, **limits)
    deleted(case.records, after)
    assert judge(list(after), case.rho_of, case.policy.knowledge).holds


@given(quiet_tables(), st.sampled_from(HEURISTICS))
@settings(max_examples=examples(100))
def test_what_is_safe_stays_as_it_is(case: Case, heuristic: str) -> None:
    safe = list(run(case.records, case.policy, heuristic=heuristic))
    policy = InferencePolicy(
        [e for e in case.policy.sensitive if any(e in record for record in safe)],
        case.policy.rho,
        knowledge=case.policy.knowledge,
    )
    assert list(run(safe, policy, heuristic=heuristic)) == safe


# randomness, threads, heuristics: a table of the middle size


def middle(records: int = 1500, items: int = 120, seed: int = 8) -> Baskets:
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, items + 1)
    lengths = np.minimum(1 + rng.geometric(0.3, size=records), 40)
    return Baskets.from_sets(rng.choice(items, size=n, replace=False, p=share / share.sum()) for n in lengths)


def middle_policy(baskets: Baskets) -> InferencePolicy:
    return InferencePolicy(np.random.default_rng(0).choice(np.array(baskets.names), 48, replace=False).tolist(), "0.7")


def divergence(after: Baskets, before: Baskets) -> float:
    p, q = before.supports / before.occurrences, after.supports / after.occurrences
    return float(np.sum(q[q > 0] * np.log(q[q > 0] / p[q > 0])))


@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_threads_change_nothing_and_seeds_do(heuristic: str) -> None:
    baskets = middle()
    policy = middle_policy(baskets)
    assert len(jia.split(baskets, 60)) > 4
    one, two, other = (
        run(baskets, policy, seed, jobs, heuristic=heuristic, t_max=60) for seed, jobs in ((3, 1), (3, 2), (4, 2))
    )
    assert one.fingerprint == two.fingerprint != other.fingerprint
    assert audit_baskets(other, policy, missing="accept").holds


def test_dist_keeps_the_distribution_and_mine_more_items() -> None:
    baskets = middle()
    policy = middle_policy(baskets)
    mine, dist = (run(baskets, policy, heuristic=heuristic) for heuristic in HEURISTICS)
    assert 0 < divergence(dist, baskets) < divergence(mine, baskets) / 2
    assert dist.occurrences < mine.occurrences < baskets.occurrences


@pytest.mark.parametrize("knowledge", [None, 3])
def test_a_long_record_is_no_obstacle(knowledge: int | None) -> None:
    """2^200 qids in one record: only those that may be unsafe are ever looked at."""
    rng = np.random.default_rng(1)
    long = {str(x) for x in range(200)}
    halves = [{str(x) for x in range(200) if x % 2 == k} for k in (0, 1)] * 3
    records = [long, long - {"7"}, *halves, *({str(x) for x in rng.choice(200, 4)} for _ in range(300))]
    policy = InferencePolicy([str(x) for x in range(0, 200, 5)], "0.7", knowledge=knowledge)
    after = run(records, policy, b_max=30_000, t_max=math.inf)
    assert deleted(records, after)
    assert audit_baskets(after, policy, missing="accept").holds


# parts


def test_parts_are_split_as_algorithm_3_says() -> None:
    baskets = middle()
    for t_max in (1, 60, 500, math.inf):
        parts = jia.split(baskets, t_max)
        assert sorted(np.concatenate(parts).tolist()) == list(range(len(baskets)))
        for rows in parts:
            held = [baskets.record(u) for u in rows]
            cost = len(held) * 2 ** (sum(map(len, held)) / len(held)) / len(frozenset().union(*held))
            assert cost <= t_max or len(rows) == 1
    assert len(jia.split(baskets, math.inf)) == 1


def test_progress_is_told_by_parts() -> None:
    baskets = middle(300)
    told: list[tuple[str, int, int]] = []
    watch = Watch(lambda *step: told.append(step))
    policy = middle_policy(baskets).resolve(baskets, missing="accept")
    jia.protect(baskets, policy, seed=0, jobs=1, watch=watch, t_max=20)
    parts = len(jia.split(baskets, 20))
    assert told == [("parts", done, parts) for done in range(parts + 1)]


@pytest.mark.parametrize("records", [[], [[]], [[], ["a"], []], [["a", "b"]]])
@pytest.mark.parametrize("sensitive", [(), ("a",), ("a", "b")])
def test_tiny_tables(records: list[list[str]], sensitive: tuple[str, ...]) -> None:
    baskets = Baskets.from_sets(records)
    policy = InferencePolicy(sensitive, "0.9").resolve(baskets, missing="accept")
    after = jia.protect(baskets, policy, seed=0, jobs=2, watch=Watch())
    lost = deleted(list(baskets), after)
    assert len(lost) == (1 if sensitive and records == [["a", "b"]] else 0)


@pytest.mark.parametrize("options", [{"heuristic": "mien"}, {"b_max": 0}, {"t_max": 0}])
def test_options_that_mean_nothing(options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        run(TABLE_1, InferencePolicy(["condom"], "1/3"), **options)


@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_webview_whole(data_folder: Path, heuristic: str) -> None:
    path = data_folder / "BMS-WebView-1.dat.gz"
    if not path.is_file():
        pytest.skip(f"{path.name} is not among the real files")
    baskets = sordino.read_baskets(path)
    sensitive = np.random.default_rng(0).choice(np.array(baskets.names), round(0.4 * len(baskets.names)), replace=False)
    policy = InferencePolicy(sensitive.tolist(), "0.7")
    after = run(baskets, policy, jobs=2, heuristic=heuristic)
    deleted(list(baskets), after)
    assert audit_baskets(after, policy, missing="accept").holds
    assert 0.1 < 1 - after.occurrences / baskets.occurrences < (0.16 if heuristic == "mine" else 0.33)
