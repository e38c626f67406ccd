"""Algorithms 1 and 2 of JIA: `algorithm=paper` against a literal reading on sets and fractions, and the oracle."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import oracle
from counting import judge
from sordino.audit.inference import audit_baskets
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.errors import InputError
from sordino.policy.inference import InferencePolicy
from sordino.protect import jia
from sordino.protect.literally import Literally as Suppressor
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


def run(records: Any, policy: InferencePolicy, seed: int = 0, jobs: int = 1, **options: Any) -> list[frozenset[str]]:
    baskets = Baskets.from_sets(records)
    resolved = policy.resolve(baskets, missing="accept")
    after = jia.protect(baskets, resolved, seed=seed, jobs=jobs, watch=Watch(), algorithm="paper", **options)
    assert all(new <= old for old, new in zip(baskets, after, strict=True))
    return list(after)


class Literally:
    """One part T. The lines of the paper are named; where it leaves a choice, the docstring of jia.py is followed."""

    def __init__(self, case: Case, dist: bool, seed: int, key: tuple[int, ...] = (0,)) -> None:
        self.rho_of = case.rho_of
        self.most = case.policy.knowledge or 99
        self.dist = dist
        self.first = [set(record) for record in case.records]  # T0
        self.table = [set(record) for record in case.records]  # T
        self.rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
        self.buffers = 0

    def sup(self, items: frozenset[str]) -> int:
        return sum(items <= record for record in self.table)

    def suppress(self, b_max: int) -> list[frozenset[str]]:
        """Algorithm 1."""
        i, safe = 0, True
        while True:
            buffer: list[frozenset[str]] = []  # line 3
            while len(buffer) < b_max and i < len(self.table):  # lines 4 to 8
                record = sorted(self.table[i])
                qids = (q for k in range(1, len(record) + 1) for q in combinations(record, k) if k <= self.most)
                buffer += [frozenset(q) for q in sorted(qids) if frozenset(q) not in buffer]
                i += 1
            self.buffers += 1
            if self.sanitize(buffer):  # lines 9 to 12
                safe = False
            if i >= len(self.table):  # lines 13 to 18
                if safe:
                    return [frozenset(record) for record in self.table]
                i, safe = 0, True

    def sanitize(self, buffer: list[frozenset[str]]) -> bool:
        """Algorithm 2; whether anything was unsafe."""
        found = False
        while True:
            triples = []
            for place, q in enumerate(buffer):
                for e in sorted(set(self.rho_of) - q):
                    over = self.sup(q | {e}) - self.rho_of[e] * self.sup(q)
                    if over > 0:
                        triples.append((e, q, e, math.ceil(over), place))
                        n = math.ceil(over / (1 - self.rho_of[e]))
                        triples += [(d, q, e, n, place) for d in sorted(q)]
            if not triples:  # line 18
                return found
            found = True
            d, q, e, n, _ = min(triples, key=self.order)  # lines 5 to 9
            records = [u for u, record in enumerate(self.table) if q | {e} <= record]  # C(X)
            for i in range(n):  # lines 12 to 17
                j = int(self.rng.integers(i, len(records)))
                records[i], records[j] = records[j], records[i]
                self.table[records[i]].remove(d)

    def order(self, triple: tuple[str, frozenset[str], str, int, int]) -> tuple[Any, ...]:
        d, _, e, n, place = triple
        now, before = self.sup(frozenset({d})), sum(d in record for record in self.first)
        if self.dist:
            share, at_first = now / sum(map(len, self.table)), before / sum(map(len, self.first))
            score: Any = -(share * math.log(share / at_first)) / n
        else:
            score = Fraction(now, before) * n
        return score, n, place, e, d != e, d


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
