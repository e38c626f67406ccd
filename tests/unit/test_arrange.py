"""Which items are roots of which group: what is sent is counted rightly, and falls; audits say the same."""

from __future__ import annotations

import numpy as np
import pytest

from sordino.audit.arrange import FULL, arrange, sampled_every
from sordino.audit.by_rarest import Shipped, divide, numbered, rank_items, ship_all
from sordino.audit.kernels import arranging
from sordino.audit.kernels.arranging import Places, Sample
from sordino.data.baskets import Baskets

GROUPS = 6


def drawn(seed: int) -> tuple[Baskets, np.ndarray]:  # type: ignore[type-arg]
    """People who buy in one of four shops each, and some things everywhere; and which items are sensitive."""
    rng = np.random.default_rng(seed)
    records = [
        {f"{shop}{k}" for k in rng.integers(0, 12, 4)} | {f"all{k}" for k in rng.integers(0, 5, 2)}
        for shop in rng.integers(0, 4, 400)
    ]
    baskets = Baskets.from_sets(records)
    return baskets, rng.random(len(baskets.names)) < 0.4


def sent(baskets: Baskets, sensitive: np.ndarray, rank: np.ndarray, bounds: np.ndarray) -> list[int]:  # type: ignore[type-arg]
    """How many items each group gets, by the definition."""
    told = [0] * (len(bounds) - 1)
    for a, b in zip(baskets.indptr[:-1].tolist(), baskets.indptr[1:].tolist(), strict=True):
        record = baskets.items[a:b]
        for g in range(len(told)):
            roots = [r for r in rank[record].tolist() if bounds[g] <= r < bounds[g + 1]]
            if roots:
                told[g] += sum(rank[c] >= min(roots) or sensitive[c] for c in record.tolist())
    return told


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_less_is_sent_and_every_item_has_a_group(seed: int) -> None:
    baskets, sensitive = drawn(seed)
    sample = baskets.indptr, baskets.items
    code, rank = rank_items(baskets.supports, sensitive)
    bounds = divide(baskets.supports[code], len(baskets), GROUPS)
    before = sent(baskets, sensitive, rank, bounds)
    made = arrange(baskets.supports, sensitive, len(baskets), GROUPS, sample)
    after = sent(baskets, sensitive, made.rank, made.bounds)
    assert sorted(made.code.tolist()) == list(range(len(baskets.names)))
    assert made.rank[made.code].tolist() == list(range(len(made.code)))
    assert made.groups == GROUPS
    assert sum(after) < 0.8 * sum(before)
    assert max(after) <= max(max(before), FULL * sum(before) / len(before)) * 1.2
    assert (np.diff(sensitive[made.code].astype(int)) < 0).sum() <= 1  # but for one group that has both, harmless first
    owner = np.repeat(np.arange(len(baskets)), baskets.lengths)
    items = made.rank[baskets.items][np.lexsort((made.rank[baskets.items], owner))]
    parts = ship_all(baskets.indptr, items, sensitive[made.code], made.bounds, np.arange(len(baskets)))
    assert [len(part.items) for part in parts] == after


def test_loads_are_kept_up_to_date() -> None:
    baskets, sensitive = drawn(5)
    group = np.random.default_rng(1).integers(0, GROUPS, len(baskets.names)).astype(np.int64)
    none, all_ = np.zeros(len(group), dtype=np.int64), np.full(len(group), GROUPS, dtype=np.int64)
    order = np.argsort(baskets.items, kind="stable")
    post = np.repeat(np.arange(len(baskets), dtype=np.int32), baskets.lengths)[order]
    post_ptr = np.concatenate([[0], np.cumsum(baskets.supports)]).astype(np.int64)
    sample = Sample(baskets.indptr, baskets.items.astype(np.int32), post_ptr, post)
    places = Places(group, none, all_, sensitive)
    load, again = np.zeros(GROUPS, dtype=np.int64), np.zeros(GROUPS, dtype=np.int64)
    go, stop = np.zeros(1, dtype=np.uint8), np.ones(1, dtype=np.uint8)
    arranging.group_loads(sample, places, load)
    before = int(load.sum())
    moved = arranging.move_items(np.arange(len(group)), sample, places, load, 0, 10**9, go)
    arranging.group_loads(sample, places, again)
    assert moved > 0
    assert load.tolist() == again.tolist()
    assert load.sum() < before
    assert arranging.move_items(np.arange(len(group)), sample, places, load, 0, 0, go) == 0
    assert arranging.move_items(np.arange(len(group)), sample, places, load, 10**9, 10**9, go) == 0
    assert arranging.move_items(np.arange(len(group)), sample, places, load, 0, 10**9, stop) == 0


def test_without_a_sample_or_with_one_group_items_stay_by_rarity() -> None:
    baskets, sensitive = drawn(4)
    for made in (
        arrange(baskets.supports, sensitive, len(baskets), GROUPS, None),
        arrange(baskets.supports, sensitive, len(baskets), 1, (baskets.indptr, baskets.items)),
    ):
        assert made.code.tolist() == rank_items(baskets.supports, sensitive)[0].tolist()
    empty = np.empty(0, dtype=np.int64)
    assert arrange(empty, empty.astype(bool), 0, 5, (np.zeros(1, dtype=np.int64), empty)).groups == 1


def test_a_sample_is_as_small_as_the_work_allows() -> None:
    assert sampled_every(900_000, 32) == 1
    assert sampled_every(32_000_000, 32) == 32
    assert sampled_every(1_000_000, 400) == 10


def test_items_of_a_group_are_numbered_by_what_they_are_and_how_rare() -> None:
    """Ranks 3 to 5 are roots: 5 is the rarest of them; 1 comes before them; of the rest, 9 is rarer than 7."""
    items = np.array([1, 3, 4, 7, 3, 4, 5, 7, 9, 4, 7], dtype=np.int32)
    part = Shipped(np.array([8, 6, 4]), np.array([0, 4, 9, 11]), items)
    baskets, here, roots = numbered(part, (3, 6))
    assert here.tolist() == [1, 5, 3, 4, 9, 7]
    assert roots == (1, 4)
    assert here[baskets.items].tolist() == items.tolist()
