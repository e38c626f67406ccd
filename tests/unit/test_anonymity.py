"""k, k^m, uniqueness and l against the definitions, written down plainly."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import sordino
from sordino.utility import anonymity as module
from sordino.utility.anonymity import anonymity
from sordino.utility.table_anonymity import table_anonymity


def brute(records: list[set[str]], sensitive: set[str]) -> tuple[object, ...]:
    seen = [frozenset(record - sensitive) for record in records]
    sizes = Counter(seen)
    rare = []
    for most in (1, 2):
        sets = {frozenset(c) for r in seen for size in range(1, most + 1) for c in combinations(sorted(r), size)}
        rare.append(min((sum(s <= r for r in seen) for s in sets), default=None))
    shares = [
        Fraction(sum(e in r for r, alike in zip(records, seen, strict=True) if alike == group), size)
        for group, size in sizes.items()
        for e in sensitive
    ]
    share = max(shares, default=Fraction(0))
    return min(sizes.values()), sum(n == 1 for n in sizes.values()), *rare, share


@pytest.mark.parametrize("seed", range(30))
def test_against_the_definitions(seed: int) -> None:
    draw = random.Random(seed)
    items = [f"i{k}" for k in range(draw.randint(2, 6))]
    records = [set(draw.sample(items, draw.randint(0, len(items)))) for _ in range(draw.randint(1, 40))]
    records *= draw.randint(1, 3)
    sensitive = set(draw.sample(items, draw.randint(0, 2)))
    baskets = sordino.read_baskets(records) if any(records) else sordino.Baskets.from_sets(records)
    marked = np.array([name in sensitive for name in baskets.names], dtype=np.bool_)
    found = anonymity(baskets, marked)
    assert (found.k, found.unique, found.k1, found.k2, found.share) == brute(records, sensitive)
    assert anonymity(baskets, None).k == brute(records, set())[0]


def test_l_is_what_the_highest_share_leaves() -> None:
    """By hand: of three people with {a} two have x (l = 1), of four with {b} one has (l = 4)."""
    records = [{"a", "x"}, {"a", "x"}, {"a"}, {"b", "x"}, {"b"}, {"b"}, {"b"}]
    marked = np.array([False, False, True])
    assert anonymity(sordino.read_baskets(records), marked).to_dict() == {
        "records": 7, "k": 3, "unique": 0, "k1": 3, "k2": 3, "l": 1, "highest_share": 2 / 3,
    }  # fmt: skip
    assert anonymity(sordino.read_baskets(records[3:]), np.array([False, True])).l == 4


def test_too_many_pairs_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAIRS", 5)
    found = anonymity(sordino.read_baskets([{"a", "b", "c"}] * 2), None)
    assert (found.k1, found.k2) == (2, None)


def test_a_cost_tells_both_sides_and_what_they_do_not_cover() -> None:
    records = [{"a", "x"}, {"a", "x"}, {"a"}, {"b", "x"}, {"b"}, {"b", "c"}]
    policy = sordino.InferencePolicy(["x"], "1/2")
    release = sordino.protect(records, policy, seed=1)
    cost = sordino.measure(records, list(release.data), policy, missing="accept")
    told = cost.to_dict()["anonymity"]
    assert told["before"] == {
        "records": 6, "k": 1, "unique": 1, "k1": 1, "k2": 1, "l": 1, "highest_share": 2 / 3,
    }  # fmt: skip
    after = anonymity(release.data, np.array([name == "x" for name in release.data.names])).to_dict()
    assert told["after"] == after == release.utility.to_dict()["anonymity"]["after"]
    for page in (str(cost), str(release)):
        assert "k-anonymity" in page
        assert "None of them limits what can be inferred" in page


@pytest.mark.parametrize("seed", range(20))
def test_tables_against_the_definitions(seed: int) -> None:
    draw = random.Random(seed)
    rows = [tuple(draw.choice(["a", "b", None]) for _ in range(4)) for _ in range(draw.randint(1, 30))]
    table = sordino.read_table([dict(zip("pqst", row, strict=True)) for row in rows])
    groups: dict[object, list[tuple[str | None, ...]]] = {}
    for row in rows:
        groups.setdefault(row[:2], []).append(row)
    found = table_anonymity(table, ["p", "q"], ["s", "t"])
    assert found.k == min(map(len, groups.values()))
    assert found.unique == sum(len(rows) == 1 for rows in groups.values())
    assert found.l == min(len({row[k] for row in rows}) for rows in groups.values() for k in (2, 3))
    assert found.share == max(
        Fraction(count, len(rows))
        for rows in groups.values()
        for k in (2, 3)
        for count in Counter(row[k] for row in rows).values()
    )


def test_a_table_tells_both_sides() -> None:
    bank = {"job": ["cook", "cook", "clerk", "clerk", "boss"], "debt": ["yes", "yes", "no", "yes", "no"]}
    policy = sordino.TemplatePolicy([sordino.Template(["job"], "debt", "yes", "0.6")])
    release = sordino.protect(bank, policy, seed=1)
    told = release.utility.to_dict()["anonymity"]
    assert told["before"] == {"records": 5, "k": 1, "unique": 1, "distinct_l": 1, "highest_share": 1.0}
    assert told["after"] == table_anonymity(release.data, ["job"], ["debt"]).to_dict()
    assert "k-anonymity" in str(release)
    assert "k^1" not in str(release)
