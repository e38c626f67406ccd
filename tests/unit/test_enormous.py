"""One record of 100,000 items, a million different items, nothing but sensitive items: none hangs or fills memory."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import sordino
from sordino.audit import examination, index
from sordino.audit.in_groups import audit_in_groups
from sordino.audit.inference import audit_baskets
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch, deadline_after
from sordino.policy.answer import Answer
from tables import random_table

LIMIT = 1.0  # seconds
SOON = 2.0  # more seconds in which the limit is heard


def one_long(items: int = 100_000) -> Baskets:
    """One record of so many items, and many short ones of the first few."""
    rng = np.random.default_rng(0)
    owner = np.concatenate([np.zeros(items, dtype=np.int64), np.repeat(np.arange(1, 301), 5)])
    codes = np.concatenate([np.arange(items), rng.integers(0, 200, 1500)])
    return Baskets.from_pairs(owner, codes, tuple(f"{k:06}" for k in range(items)), 301)


def many_items(items: int = 1_000_000) -> Baskets:
    """Every item once, five a record."""
    owner, codes = np.repeat(np.arange(items // 5), 5), np.random.default_rng(0).permutation(items)
    return Baskets.from_pairs(owner, codes, tuple(f"{k:07}" for k in range(items)), items // 5)


def everything(records: int = 20_000) -> Baskets:
    """Short records of skewed items, all of them sensitive."""
    codes = np.random.default_rng(0).zipf(1.4, 6 * records) % 300
    return Baskets.from_pairs(np.repeat(np.arange(records), 6), codes, tuple(f"{k:03}" for k in range(300)), records)


CASES: dict[str, tuple[Any, int]] = {
    "one long record": (one_long, 5),
    "a million items": (many_items, 5),
    "all sensitive": (everything, 1),
}


@pytest.mark.parametrize("parts", [None, 4])
@pytest.mark.parametrize("name", CASES)
def test_a_time_limit_is_heard(name: str, parts: int | None) -> None:
    """By the processor's time of one thread: a busy machine changes nothing about it."""
    make, every = CASES[name]
    baskets = make()
    policy = sordino.InferencePolicy(baskets.names[::every], "0.7").resolve(baskets, missing="accept")
    audit_baskets(Baskets.from_sets(random_table(50, 9, 5, seed=1)), sordino.InferencePolicy(["1"], "0.7"))  # compiled
    start = time.process_time()
    if parts is None:
        result = audit_baskets(baskets, policy, time_limit=LIMIT, jobs=1)
    else:
        result = audit_in_groups(baskets, policy, parts, jobs=1, watch=Watch(deadline=deadline_after(LIMIT)))
    assert time.process_time() - start < LIMIT + SOON
    assert result.answer is not Answer.HOLDS


@pytest.mark.parametrize("number", [1, 2, index.MANY, index.MANY + 1, 60])
def test_who_holds_many_items_is_who_holds_each(number: int) -> None:
    lists = [np.flatnonzero(np.random.default_rng(k).random(500) < 0.99).astype(np.int32) for k in range(number)]
    ends = np.cumsum([0, *map(len, lists)])
    found = index.holders(ends, np.concatenate(lists), tuple(range(number)))
    assert found.dtype == np.int32
    assert found.tolist() == sorted(set.intersection(*(set(held.tolist()) for held in lists)))


def test_the_tables_of_very_long_records_have_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row for each of 100,000 items and a column for each of 20,000 would be 8 GB: so many are never asked for."""
    baskets = one_long()
    policy = sordino.InferencePolicy(baskets.names[::5], "0.7", knowledge=2).resolve(baskets)
    asked: list[int] = []

    def look(roots: Any, task: Any, closed: Any, records: Any, opened: Any, best: Any) -> None:
        del roots, task, closed, records, best
        asked.append(len(np.unique(opened.items)))

    monkeypatch.setattr(examination, "search", look)
    monkeypatch.setattr(examination, "PIECES", 1)
    audit_baskets(baskets, policy, jobs=1, top=0)
    assert max(asked) * 100_000 <= examination.CELLS
    assert sum(asked) >= 2 * 20_000  # for one and for two known items


@pytest.mark.parametrize("knowledge", [None, 2, 3])
def test_some_items_at_a_time_find_what_all_at_once_find(
    knowledge: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = random_table(400, 40, 8, seed=6)
    policy = sordino.InferencePolicy([str(k) for k in range(0, 40, 2)], "0.6", knowledge=knowledge)
    whole = audit_baskets(Baskets.from_sets(records), policy, jobs=1)
    monkeypatch.setattr(examination, "CELLS", 20)
    some = audit_baskets(Baskets.from_sets(records), policy, jobs=1)
    assert (some.people_at_risk, some.exposure_by_knowledge) == (whole.people_at_risk, whole.exposure_by_knowledge)
    assert some.findings[:3] == whole.findings[:3]
    assert whole.people_at_risk > 0
