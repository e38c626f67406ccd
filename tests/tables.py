"""Random tables with policies, made to be hard in different ways; for property tests.

SORDINO_EXAMPLES scales the number of examples: test_jit_off runs a part of them without compiled kernels.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from hypothesis import assume, event
from hypothesis import strategies as st

import oracle
import sordino

SCALE = float(os.environ.get("SORDINO_EXAMPLES", "1"))
RHOS = ("0.3", "1/2", "0.7", "1/3", "2/3", "0.07", "25%", "0.999", "0.123456789012345678")
FACTORS = ("0.1", "1/2", "0.001", "1/3")

Records = list[frozenset[str]]


def random_table(records: int, items: int, longest: int, *, seed: int) -> list[set[str]]:
    """Records of 0 to `longest` items, some items far more frequent than others."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, items + 1)
    sizes = rng.integers(0, longest + 1, size=records)
    return [{str(i) for i in rng.choice(items, size=n, replace=False, p=share / share.sum())} for n in sizes]


def some_of(items: list[str]) -> st.SearchStrategy[list[str]]:
    """All or some of the items, one at least: a policy that names nothing is refused."""
    return st.one_of(st.just(items), st.lists(st.sampled_from(items), min_size=1, unique=True))


def examples(number: int) -> int:
    return max(5, round(number * SCALE))


class Case(NamedTuple):
    records: Records
    policy: sordino.InferencePolicy
    rho_of: dict[str, Fraction]  # by the oracle's own arithmetic


@st.composite
def policies(draw: st.DrawFn, records: Records, knowledge: Sequence[int | None] = (None, 1, 2, 3, 4, 5)) -> Case:
    """Any policy on these records: one to all of the items sensitive, every kind of threshold."""
    records = records if any(records) else [*records, frozenset({"00"})]
    items = sorted(set().union(*records))
    sensitive = draw(some_of(items))
    rho = draw(st.sampled_from(RHOS))
    own = {e: draw(st.sampled_from(RHOS)) for e in sensitive if draw(st.booleans())} if draw(st.booleans()) else {}
    kind = draw(st.sampled_from(("common", "common", "default", "factor", "factors")))
    adaptive: Any = False
    common = Fraction(rho) if "%" not in rho else Fraction(1, 4)
    rho_of = dict.fromkeys(sensitive, common)
    if kind == "default":
        adaptive = True
        rho_of = oracle.adaptive_rho(records, common, None, sensitive)
    elif kind != "common":
        adaptive = draw(st.sampled_from(FACTORS))
        if kind == "factors":
            adaptive = {e: draw(st.sampled_from(FACTORS)) for e in sensitive if draw(st.booleans())}
        eps = {e: Fraction(f) for e, f in adaptive.items()} if isinstance(adaptive, dict) else Fraction(adaptive)
        try:
            rho_of = oracle.adaptive_rho(records, common, eps, sensitive)
        except ValueError:  # not between 0 and 1: refused, which is tested elsewhere
            adaptive, kind = False, "common"
    event(kind)
    for e, value in own.items():
        rho_of[e] = Fraction(value) if "%" not in value else Fraction(1, 4)
    m = draw(st.sampled_from(knowledge))
    return Case(records, sordino.InferencePolicy(sensitive, rho, rho_of=own, adaptive=adaptive, knowledge=m), rho_of)


@st.composite
def small_tables(draw: st.DrawFn) -> Case:
    """Up to 12 records of up to 8 items: empty ones, single items and repeats among them."""
    items = "abcdefgh"[: draw(st.integers(1, 8))]
    records = draw(st.lists(st.frozensets(st.sampled_from(items)), min_size=1, max_size=12))
    return draw(policies(records))


@st.composite
def dense_tables(draw: st.DrawFn) -> Case:
    """Long records that differ by an item or two, each many times: alibis, bounds and deep searches are at work."""
    width = draw(st.integers(5, 12))
    items = [f"{k:02}" for k in range(width)]
    patterns = [frozenset(items)]
    for _ in range(draw(st.integers(0, 9))):
        origin = draw(st.sampled_from(patterns))
        changed = draw(st.frozensets(st.sampled_from(items), min_size=1, max_size=2))
        patterns.append(origin - changed if draw(st.booleans()) else origin ^ changed)
    weights = draw(st.lists(st.sampled_from((1, 1, 1, 2, 3, 7, 20)), min_size=len(patterns), max_size=len(patterns)))
    records = [record for record, weight in zip(patterns, weights, strict=True) for _ in range(weight)]
    return draw(policies(records, (None, None, None, 1, 3, 4, 5, 6, 8)))


@st.composite
def quiet_tables(draw: st.DrawFn) -> Case:
    """Tables that nearly hold: every record has copies without each of its sensitive items, give or take one."""
    items = [f"{k:02}" for k in range(draw(st.integers(4, 7)))]
    sensitive = draw(st.lists(st.sampled_from(items), min_size=1, max_size=3, unique=True))
    records: Records = []
    for record in draw(st.lists(st.frozensets(st.sampled_from(items), min_size=2), min_size=1, max_size=5)):
        records.append(record)
        for e in sensitive:
            if e in record:
                more = draw(st.frozensets(st.sampled_from(items))) if draw(st.booleans()) else frozenset()
                records += [record - {e} | (more - set(sensitive))] * draw(st.sampled_from((1, 1, 2, 3)))
    present = set().union(*records)
    rho = draw(st.sampled_from(("1/2", "1/3", "0.3", "2/3", "0.7")))
    sensitive = [e for e in sensitive if e in present] or sorted(present)[:1]
    policy = sordino.InferencePolicy(sensitive, rho, knowledge=draw(st.sampled_from((None, None, 2, 4))))
    return Case(records, policy, dict.fromkeys(sensitive, Fraction(rho)))


@st.composite
def colliding_records(draw: st.DrawFn) -> list[frozenset[int]]:
    """Records whose rare items share signature bits, so that only a look at the items tells who contains whom.

    Single items make all supports equal, so items are ranked by number; the last 64 of 200 have bits of their own, and
    of the others those 64 apart share one.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    records: list[frozenset[int]] = []
    for _ in range(draw(st.integers(1, 3))):
        first, second = rng.integers(0, 64, size=2)
        pool = {int(k) for b in (first, second) for k in (b, b + 64, b + 128) if k < 136}
        pool |= {int(rng.integers(136)), *rng.integers(136, 200, size=2).tolist()}
        for _ in range(draw(st.integers(2, 7))):
            records.append(frozenset(k for k in pool if rng.random() < 0.7))
    supports = np.bincount([k for record in records for k in record], minlength=200)
    return records + [frozenset([k]) for k in range(200) for _ in range(int(supports.max() - supports[k]))]


@st.composite
def colliding_tables(draw: st.DrawFn) -> Case:
    """The same with names that keep the order of the numbers, and some of the items in longer records sensitive."""
    records = [frozenset(f"{k:03}" for k in record) for record in draw(colliding_records())]
    if max(map(len, records)) < 2:
        records.append(frozenset({"000", "001"}))
    items = sorted(set().union(*(record for record in records if len(record) > 1)))
    sensitive = draw(some_of(items))
    rho = draw(st.sampled_from(("0.3", "1/2", "2/3")))
    policy = sordino.InferencePolicy(sensitive, rho, knowledge=draw(st.sampled_from((None, None, 2, 4))))
    return Case(records, policy, dict.fromkeys(sensitive, Fraction(rho)))


@st.composite
def hub_tables(draw: st.DrawFn) -> Case:
    """One rare item beside more than 64 others: what can be added to it fits no machine word.

    Single items make the others more frequent than the hub, so that antecedents with it begin with it.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    others = [f"{k:02}" for k in range(90)]
    records: Records = []
    for start in range(0, 90, 6):
        record = frozenset(["hub", *others[start : start + 6]])
        copies = [record]
        for _ in range(draw(st.integers(0, 3))):
            dropped = rng.choice(sorted(record - {"hub"}), size=int(rng.integers(0, 3)), replace=False)
            copies.append(frozenset(record - set(dropped.tolist())))
        records += copies
    common = draw(st.lists(st.sampled_from(others), max_size=3, unique=True))  # an antecedent of many records
    records = [record | {x for x in common if rng.random() < 0.6} for record in records]
    hubs = len(records)
    records += [frozenset([x]) for x in others for _ in range(hubs)]
    sensitive = others if draw(st.booleans()) else sorted(rng.choice(others, size=30, replace=False).tolist())
    rho = draw(st.sampled_from(("0.3", "1/2", "0.7")))
    policy = sordino.InferencePolicy(sensitive, rho, knowledge=draw(st.sampled_from((None, None, 2, 4, 5))))
    return Case(records, policy, dict.fromkeys(sensitive, Fraction(rho)))


@st.composite
def wide_tables(draw: st.DrawFn) -> Case:
    """More items than the 64 (or 128) that have signature bits of their own; short records, hence few subsets."""
    width = draw(st.sampled_from((65, 70, 128, 129, 150, 200)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    skewed = draw(st.booleans())
    share = 1.0 / np.arange(1, width + 1) if skewed else np.ones(width)
    order = rng.permutation(width)
    records: Records = []
    for _ in range(draw(st.sampled_from((40, 60, 90)))):
        size = int(rng.integers(1, 7))
        chosen = rng.choice(width, size=size, replace=False, p=share / share.sum())
        record = frozenset(str(order[k]) for k in chosen)
        records.append(record)
        for _ in range(int(rng.integers(0, 4))):  # copies with an item less or more: supersets without e
            dropped = frozenset([str(order[rng.choice(chosen)])])
            added = frozenset([str(order[rng.integers(width)])])
            records.append((record - dropped) | (added if rng.random() < 0.3 else frozenset()))
    items = sorted(set().union(*records))
    assume(len(items) > 64)
    part = float(rng.choice((0.1, 0.4, 1.0)))
    sensitive = [e for e in items if rng.random() < part]
    rho = draw(st.sampled_from(("0.3", "1/2", "0.7", "2/3")))
    event(f"{'more than 128' if len(items) > 128 else 'more than 64'} items, {'skewed' if skewed else 'even'}")
    policy = sordino.InferencePolicy(sensitive, rho, knowledge=draw(st.sampled_from((None, None, 1, 2, 3, 4))))
    return Case(records, policy, dict.fromkeys(sensitive, Fraction(rho)))
