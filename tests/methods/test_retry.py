"""What one group does when parts are put together: it gives back, it repairs, and it leaves others alone."""

from __future__ import annotations

import importlib
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sordino
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from tables import Case, examples, quiet_tables

retry = importlib.import_module("sordino.protect.retry")

Sets = list[frozenset[str]]


class Groups:
    """Groups as a cluster has them, in plain Python: items in an order, harmless ones first, and cut into ranges."""

    def __init__(self, records: Sets, policy: Any, number: int) -> None:
        self.baskets = Baskets.from_sets(records)
        self.policy = policy.resolve(self.baskets, missing="accept")
        names = sorted(self.baskets.names, key=lambda name: (name in policy.sensitive, name))
        self.place = {name: place for place, name in enumerate(names)}
        self.number = number
        self.group = {name: place * number // len(names) for name, place in self.place.items()}

    def home(self, record: frozenset[str]) -> int:
        return self.group[min(record, key=self.place.__getitem__)] if record else 0

    def turn(self, group: int, had: Sets, shown: Sets, work: Any, *, giving: bool) -> Sets:
        """What all show after one group's work; nothing but its own may differ."""
        own = [self.home(h if giving else s) == group for h, s in zip(had, shown, strict=True)]
        rows = [k for k, s in enumerate(shown) if own[k] or any(self.group[x] == group for x in s)]
        sets = [had[k] if own[k] else shown[k] for k in rows]
        names = self.baskets.names
        code = self.baskets.code_of
        indptr = np.cumsum([0, *map(len, sets)]).astype(np.int64)
        items = np.array([c for s in sets for c in sorted(code[x] for x in s)], dtype=np.int32)
        flags = np.array(
            [names[c] in shown[k] for k, s in zip(rows, sets, strict=True) for c in sorted(map(code.get, s))]
        )
        piece = Baskets(indptr, items, names)
        root = np.array([self.group[name] == group for name in names])
        mine = np.array([own[k] for k in rows], dtype=np.bool_)
        seen = retry.Seen(piece, flags.astype(np.bool_), mine, root, self.policy)
        after = work(seen, watch=Watch())
        out = list(shown)
        for at, k in enumerate(rows):
            places = slice(indptr[at], indptr[at + 1])
            out[k] = frozenset(names[c] for c in items[places][after[places]])
            assert own[k] or out[k] == shown[k]
            assert out[k] <= had[k]
        return out

    def all_turn(self, had: Sets, shown: Sets, work: Any, *, giving: bool) -> Sets:
        """The same of all groups at once, each as if it were alone."""
        outs = [self.turn(g, had, shown, work, giving=giving) for g in range(self.number)]
        return [outs[self.home(had[k] if giving else shown[k])][k] for k in range(len(had))]


def left_open(records: Sets, rho_of: dict[str, Fraction], groups: Groups) -> list[tuple[frozenset[str], str]]:
    """Who can be told something about by all the rest of his record, if his group sees that; by plain counting."""
    found = []
    for record in set(records):
        for e in record & set(rho_of):
            rest = record - {e}
            if not any(groups.group[x] == groups.home(record) for x in rest):
                continue
            holders = [other for other in records if rest <= other]
            if sum(e in other for other in holders) > rho_of[e] * len(holders):
                found.append((record, e))
    return found


def size(records: Sets) -> int:
    return sum(map(len, records))


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(quiet_tables(), st.integers(1, 3))
def test_repairs_end_and_leave_nothing_open_that_a_group_sees(case: Case, number: int) -> None:
    had = [frozenset(record) for record in case.records]
    policy = sordino.InferencePolicy(case.policy.sensitive, case.policy.rho)
    groups, shown = Groups(had, policy, number), had
    while True:
        after = groups.all_turn(had, shown, retry.repair, giving=False)
        assert all(new <= old for old, new in zip(shown, after, strict=True))
        assert left_open(shown, case.rho_of, groups) == [] or size(after) < size(shown)
        if after == shown:
            break
        shown = after
    assert left_open(shown, case.rho_of, groups) == []


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(quiet_tables(), st.integers(1, 3), st.integers(0, 2**31))
def test_who_gets_something_back_shows_a_root(case: Case, number: int, seed: int) -> None:
    had = [frozenset(record) for record in case.records]
    policy = sordino.InferencePolicy(case.policy.sensitive, case.policy.rho)
    safe = [frozenset(record) for record in sordino.protect(had, policy, seed=1, missing="accept").data]
    drop = np.random.default_rng(seed).random(len(had)) < 0.3
    shown = [frozenset() if out else record for out, record in zip(drop, safe, strict=True)]
    groups = Groups(had, policy, number)
    after = groups.all_turn(had, shown, retry.give_back, giving=True)
    for old, before, new in zip(had, shown, after, strict=True):
        if not new <= before:
            assert any(groups.group[x] == groups.home(old) for x in new)


def test_one_gets_back_what_his_part_could_not_know() -> None:
    had = [frozenset("ax"), frozenset("a"), frozenset("b")]
    shown = [frozenset("a"), frozenset("a"), frozenset("b")]
    groups = Groups(had, sordino.InferencePolicy(["x"], "0.5"), 2)
    assert groups.all_turn(had, shown, retry.give_back, giving=True) == had


def test_what_two_groups_gave_at_once_is_repaired() -> None:
    """Each of the two may have x as long as the other has not; both got it."""
    had = [frozenset("abx"), frozenset("abx"), frozenset("c")]
    policy = sordino.InferencePolicy(["x"], "0.5")
    groups = Groups(had, policy, 2)
    after = groups.all_turn(had, had, retry.repair, giving=False)
    assert sorted(map(len, after)) == [1, 2, 3]
    assert sordino.audit([list(record) for record in after], policy).holds
