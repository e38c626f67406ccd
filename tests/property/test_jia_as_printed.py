"""Algorithms 1 and 2 of JIA: `algorithm=paper` against a literal reading on sets and fractions, and the oracle."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import oracle
from counting import judge
from jia_literally import Literally
from sordino.audit.inference import audit_baskets
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.errors import InputError
from sordino.policy.inference import InferencePolicy
from sordino.protect import jia
from sordino.protect.literally import Literally as Suppressor
from tables import Case, Records, dense_tables, examples, quiet_tables, random_table, small_tables, wide_tables

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


def run(records: Any, policy: InferencePolicy, seed: int = 0, jobs: int = 1, **options: Any) -> list[frozenset[str]]:
    baskets = Baskets.from_sets(records)
    resolved = policy.resolve(baskets, missing="accept")
    after = jia.protect(baskets, resolved, seed=seed, jobs=jobs, watch=Watch(), algorithm="paper", **options)
    assert all(new <= old for old, new in zip(baskets, after, strict=True))
    return list(after)


@given(
    case=st.one_of(small_tables(), quiet_tables()),
    dist=st.booleans(),
    seed=st.integers(0, 3),
    room=st.sampled_from((0, 20, 10**6)),
)
@settings(max_examples=examples(100), deadline=None)
def test_it_deletes_what_the_printed_algorithm_does(case: Case, dist: bool, seed: int, room: int) -> None:
    """With a buffer for the longest record alone, for some records, and for all."""
    b_max = 2 ** max(map(len, case.records), default=0) + room
    reading = Literally(case, dist, seed)
    expected = reading.suppress(b_max)
    lost = sum(map(len, case.records)) - sum(map(len, expected))
    event(f"deletions: {min(lost, 3)}")
    event(f"several buffers: {reading.buffers > 2}")
    assert run(case.records, case.policy, seed, heuristic=HEURISTICS[dist], t_max=1e300, b_max=b_max) == expected


def repeating_tables(seed: int) -> Case:
    """Up to 70 records of few items, so that the same antecedents come again in many buffers and passes, some of them
    in more records than are kept beside an antecedent."""
    rng = np.random.default_rng(seed)
    number, width = int(rng.integers(5, 70)), int(rng.integers(3, 9))
    drawn = random_table(number, width, min(width, int(rng.integers(2, 6))), seed=seed)
    records: Records = [frozenset(record) for record in drawn] + [frozenset("01")]
    items = sorted(set().union(*records))
    sensitive = [e for e in items if rng.random() < rng.choice((0.2, 0.5, 1.0))] or items[:1]
    of = {e: Fraction(str(rng.choice(("0.3", "1/2", "0.7", "0.9")))) for e in sensitive}
    if seed % 3:
        of = dict.fromkeys(sensitive, of[sensitive[0]])
    known = (None, None, 1, 2, 3)[seed % 5]
    return Case(records, InferencePolicy(sensitive, "1/2", rho_of=of, knowledge=known), of)


@pytest.mark.parametrize("dist", [False, True], ids=HEURISTICS)
@pytest.mark.parametrize("b_max", [1, 4, 12, 40, 100])
def test_what_is_kept_from_buffer_to_buffer_changes_nothing(b_max: int, dist: bool) -> None:
    """40 tables each; with room for few antecedents, records are too long for the buffer, and are searched."""
    several = searched = 0
    for seed in range(examples(40)):
        case = repeating_tables(1000 * b_max + seed)
        reading = Literally(case, dist, seed)
        expected = reading.suppress(b_max)
        several += reading.buffers > 2
        searched += reading.searched > 0
        assert run(case.records, case.policy, seed, heuristic=HEURISTICS[dist], t_max=1e300, b_max=b_max) == expected
    assert several > 0 or b_max == 100
    assert searched > 0 or b_max > 4


@given(case=small_tables(), dist=st.booleans(), seed=st.integers(0, 3))
@settings(max_examples=examples(60), deadline=None)
def test_lgps_suppresses_each_group_by_it(case: Case, dist: bool, seed: int) -> None:
    """Every other record is a group; what is drawn depends on the seed, the call and the group."""
    baskets = Baskets.from_sets(case.records)
    part_of = np.arange(len(baskets)) % 2
    suppressor = Suppressor(HEURISTICS[dist], seed)
    for call in (1, 2):
        policy = case.policy.resolve(baskets, missing="accept")
        kept = suppressor.left(baskets, policy, part_of, jobs=1, watch=Watch())
        expected = list(case.records)
        for number in sorted(set(part_of.tolist())):
            group = case._replace(records=case.records[number::2])
            expected[number::2] = Literally(group, dist, seed, (call, number)).suppress(1_000)
        indptr = np.concatenate([[0], np.cumsum(kept)])[baskets.indptr]
        assert list(Baskets(indptr, baskets.items[kept], baskets.names)) == expected


LIMITS = {"b_max": st.sampled_from((1, 3, 40, 1_000_000)), "t_max": st.sampled_from((0.1, 4.0, 500.0))}


@given(st.one_of(small_tables(), quiet_tables()), st.sampled_from(HEURISTICS), st.fixed_dictionaries(LIMITS))
@settings(max_examples=examples(150), deadline=None)
def test_the_oracle_finds_nothing(case: Case, heuristic: str, limits: dict[str, Any]) -> None:
    """With room for few qids a record is a buffer of its own, and the rest of it is searched."""
    after: Records = run(case.records, case.policy, heuristic=heuristic, **limits)
    event(f"deletions: {min(sum(map(len, case.records)) - sum(map(len, after)), 3)}")
    assert oracle.holds(after, list(case.rho_of), case.rho_of, case.policy.knowledge)


@given(st.one_of(dense_tables(), wide_tables()), st.sampled_from(HEURISTICS), st.fixed_dictionaries(LIMITS))
@settings(max_examples=examples(60), deadline=None)
def test_long_near_duplicates_and_many_items(case: Case, heuristic: str, limits: dict[str, Any]) -> None:
    after = run(case.records, case.policy, heuristic=heuristic, **limits)
    assert judge(after, case.rho_of, case.policy.knowledge).holds


@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_table_1(heuristic: str) -> None:
    """Two deletions, as in Table 1(c) and 1(d)."""
    after = run(TABLE_1, InferencePolicy(["condom"], "1/3"), heuristic=heuristic)
    assert sum(map(len, TABLE_1)) - sum(map(len, after)) == 2


def test_a_long_record_and_threads() -> None:
    """2^60 qids in one record; and the same bytes with one thread and with two."""
    rng = np.random.default_rng(1)
    long = {str(x) for x in range(60)}
    records = [long, long - {"7"}, *({str(x) for x in rng.choice(60, 4)} for _ in range(200))]
    policy = InferencePolicy([str(x) for x in range(0, 60, 5)], "0.7")
    whole = run(records, policy, b_max=500, t_max=1e300)
    assert audit_baskets(Baskets.from_sets(whole), policy, missing="accept").holds
    parts = [run(records, policy, jobs=jobs, b_max=500, t_max=40) for jobs in (1, 2)]
    assert parts[0] == parts[1] != whole


def test_an_algorithm_that_there_is_not() -> None:
    baskets = Baskets.from_sets(TABLE_1)
    policy = InferencePolicy(["condom"], "1/3").resolve(baskets)
    with pytest.raises(InputError, match="unknown algorithm 'papre'"):
        jia.protect(baskets, policy, seed=0, jobs=1, watch=Watch(), algorithm="papre")
