"""Mining, matching and grouping against the brute force of tests/oracle_diversity.py."""

from __future__ import annotations

import os
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle_diversity as oracle
from sordino.audit.diversity import audit_groups, possible_in_groups
from sordino.data.table import Column, Table
from sordino.errors import Unsatisfiable
from sordino.knowledge.assumed import assumed
from sordino.knowledge.exclusion import Exclusion
from sordino.knowledge.mine import demanded_support, mine_codes
from sordino.policy.diversity import DiversityPolicy, ResolvedDiversity
from sordino.protect.anatomy import anatomize
from sordino.protect.injector import CHOICES, bucketize, largest_l

SCALE = float(os.environ.get("SORDINO_EXAMPLES", "1"))
VALUES = "stuvwxyz"


def examples(count: int) -> int:
    return max(3, int(count * SCALE))


@st.composite
def groups(draw: st.DrawFn, most: int = 6) -> tuple[list[set[str]], list[str]]:
    """People with what they cannot have, and the values of their group, each of which its owner may have."""
    size = draw(st.integers(1, most))
    width = draw(st.integers(1, 5))
    values = [VALUES[draw(st.integers(0, width - 1))] for _ in range(size)]
    excluded = [set(draw(st.lists(st.sampled_from(VALUES[:width]), max_size=3))) - {value} for value in values]
    return excluded, draw(st.permutations(values))


def coded(excluded: list[set[str]]) -> Exclusion:
    masks = [sum(1 << VALUES.index(value) for value in cannot) for cannot in excluded]
    kinds = sorted(set(masks))
    sets = np.array([[mask] for mask in kinds], dtype=np.uint64)
    return Exclusion(sets, np.array([kinds.index(mask) for mask in masks], dtype=np.int32))


def codes(values: list[str]) -> np.ndarray:
    return np.array([VALUES.index(value) for value in values], dtype=np.int32)


def names(bits: int) -> set[str]:
    return {value for k, value in enumerate(VALUES) if bits >> k & 1}


@settings(max_examples=examples(300))
@given(st.lists(groups(), min_size=1, max_size=4))
def test_one_matching_finds_what_the_pairwise_matchings_find(many: list[tuple[list[set[str]], list[str]]]) -> None:
    exclusion = coded([cannot for excluded, _ in many for cannot in excluded])
    group = np.array([g for g, (excluded, _) in enumerate(many) for _ in excluded])
    value = codes([value for _, values in many for value in values])
    order = np.random.default_rng(0).permutation(len(group))
    # the rows in any order: a group's values stay with the group
    possible, bits = possible_in_groups(value[order], exclusion.kind_of[order], exclusion.sets, group[order], jobs=1)
    at = 0
    back = np.argsort(order)
    for excluded, values in many:
        expected = oracle.possible_by_permutations(excluded, values)
        assert expected == oracle.possible_by_pairs(excluded, values)
        for k in range(len(excluded)):
            row = back[at + k]
            if expected is None:
                assert possible[row] == -1
            else:
                assert names(int(bits[row, 0])) == expected[k]
                assert possible[row] == len(expected[k])
        at += len(excluded)


@settings(max_examples=examples(60))
@given(groups(most=40))
def test_large_groups(group: tuple[list[set[str]], list[str]]) -> None:
    excluded, values = group
    exclusion = coded(excluded)
    one = np.zeros(len(values), dtype=np.int64)
    possible, bits = possible_in_groups(codes(values), exclusion.kind_of, exclusion.sets, one, jobs=1)
    expected = oracle.possible_by_pairs(excluded, values)
    assert expected is not None  # every owner may have her own
    assert [names(int(word)) for word in bits[:, 0]] == expected
    assert possible.tolist() == [len(own) for own in expected]


@settings(max_examples=examples(60))
@given(groups(most=6), st.sampled_from(CHOICES), st.integers(0, 3))
def test_the_largest_l_is_had_and_no_larger_one(
    group: tuple[list[set[str]], list[str]], choice: str, seed: int
) -> None:
    excluded, shuffled = group
    values = _owned(excluded, shuffled)
    exclusion, value = coded(excluded), codes(values)
    best = oracle.largest_l(excluded, values)
    assert largest_l(value, exclusion) == best
    with pytest.raises(Unsatisfiable) as error:
        bucketize(value, exclusion, best + 1, np.random.default_rng(seed), choice=choice)
    assert best < 2 or f"is {best}." in str(error.value)
    made = bucketize(value, exclusion, best, np.random.default_rng(seed), choice=choice)
    possible, _ = possible_in_groups(value, exclusion.kind_of, exclusion.sets, made, jobs=1)
    assert possible.min() >= best


def _owned(excluded: list[set[str]], values: list[str]) -> list[str]:
    """The values in an order in which each person has one that she may have."""
    from itertools import permutations

    for order in permutations(values):
        if all(value not in cannot for value, cannot in zip(order, excluded, strict=True)):
            return list(order)
    raise AssertionError("the strategy makes groups that can be matched")


@settings(max_examples=examples(80))
@given(st.data(), st.sampled_from(CHOICES))
def test_everybody_in_every_grouping_has_l_values(data: st.DataObject, choice: str) -> None:
    """Larger tables of few classes: left-overs, merged groups, and tables that are hardly enough."""
    people = data.draw(st.integers(2, 300))
    width = data.draw(st.integers(2, 8))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    kinds = data.draw(st.integers(1, 6))
    cannot = [set(rng.choice(list(VALUES[:width]), size=rng.integers(0, width)).tolist()) for _ in range(kinds)]
    weights = rng.random(width) ** 3 + 0.01
    excluded, values = [], []
    for _ in range(people):
        mine = cannot[rng.integers(kinds)]
        free = [k for k in range(width) if VALUES[k] not in mine]
        if free:
            share = weights[free] / weights[free].sum()
            values.append(VALUES[rng.choice(free, p=share)])
            excluded.append(mine)
    if not values:
        return
    exclusion, value = coded(excluded), codes(values)
    best = largest_l(value, exclusion)
    whole = oracle.possible_by_pairs(excluded, values) if len(values) <= 30 else None
    assert whole is None or best == min(map(len, whole))
    order = rng.permutation(len(value)) if data.draw(st.booleans()) else None  # in blocks, or all at once
    for size in range(2, best + 1):
        made, again = (
            bucketize(value, exclusion, size, np.random.default_rng(1), choice=choice, order=order) for _ in range(2)
        )
        possible, _ = possible_in_groups(value, exclusion.kind_of, exclusion.sets, made, jobs=1)
        assert possible.min() >= size
        assert np.array_equal(made, again)


@settings(max_examples=examples(80))
@given(st.lists(st.integers(0, 6), min_size=1, max_size=60), st.integers(2, 5))
def test_anatomy_keeps_l_different_values_in_every_group(values: list[int], size: int) -> None:
    value = np.array(values, dtype=np.int32)
    counts = np.bincount(value)
    if counts.max() * size > len(values):
        with pytest.raises(Unsatisfiable):
            anatomize(value, size, np.random.default_rng(0))
        return
    group = anatomize(value, size, np.random.default_rng(0))
    for g in range(group.max() + 1):
        held = value[group == g]
        assert len(set(held.tolist())) == len(held) >= size  # each value once, so no share is above 1/l


TREES = {
    "A": {"1": ["low", "*"], "2": ["low", "*"], "3": ["high", "*"]},
    "B": {"x": ["*"], "y": ["*"]},
    "C": {"p": ["pq", "pqr", "*"], "q": ["pq", "pqr", "*"], "r": ["pqr", "*"], "t": ["other", "*"]},
}


@st.composite
def tables(draw: st.DrawFn) -> list[dict[str, str]]:
    count = draw(st.integers(4, 40))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    rows = []
    for _ in range(count):
        row = {name: str(rng.choice(list(tree))) for name, tree in TREES.items()}
        row["S"] = str(rng.choice(["s", "t", "u"], p=[0.5, 0.3, 0.2]))
        if row["B"] == "x" and row["S"] == "t" and rng.random() < 0.9:
            row["S"] = "s"
        rows.append(row)
    return rows


def resolved(
    rows: list[dict[str, str]], min_expectation: str, longest: int | None, fuzzy: list[str]
) -> ResolvedDiversity:
    table = Table(tuple(Column.of_texts(name, [row[name] for row in rows]) for name in rows[0]))
    trees = {name: _tree({value: TREES[name][value] for value in TREES[name]}) for name in TREES}
    policy = DiversityPolicy(
        "S", list(TREES), 2, min_expectation=min_expectation, max_conditions=longest, hierarchies=trees, fuzzy=fuzzy
    )
    return policy.resolve(table)


def _tree(paths: dict[str, list[str]]) -> dict[str, object]:
    """Nested dicts as read_hierarchy takes them."""
    from sordino.data.hierarchy import hierarchy_of

    names, parent, place = [], [], {}
    for value, ups in paths.items():
        above = -1
        for depth, name in enumerate(reversed([value, *ups])):
            if (depth, name) not in place:
                place[depth, name] = len(names)
                names.append(name)
                parent.append(above)
            above = place[depth, name]
    return hierarchy_of(names, parent)  # type: ignore[return-value]


def crisp_groups(rows: list[dict[str, str]]) -> tuple[dict[str, oracle.Groups], dict[tuple[str, str], set[str]]]:
    """What the oracle takes: groups of the values that occur; those of equal values once, all values never."""
    found: dict[str, dict[str, dict[str, Fraction]]] = {}
    above: dict[tuple[str, str], set[str]] = {}
    for name, tree in TREES.items():
        occurs = {row[name] for row in rows}
        labels: dict[frozenset[str], str] = {}
        for value in occurs:
            labels[frozenset([value])] = value
        for depth in range(max(map(len, tree.values()))):
            for value in occurs:
                if depth < len(tree[value]):
                    label = tree[value][depth]
                    inside = frozenset(v for v in occurs if label in tree[v])
                    if inside != occurs:
                        labels.setdefault(inside, label)
        if len(occurs) == 1:
            labels = {frozenset(occurs): next(iter(occurs))}
        else:
            labels = {inside: label for inside, label in labels.items() if inside != occurs}
        found[name] = {label: dict.fromkeys(inside, Fraction(1)) for inside, label in labels.items()}
        for inside, label in labels.items():
            above[name, label] = {other for wider, other in labels.items() if inside < wider}
    return found, above


@settings(max_examples=examples(60))
@given(tables(), st.sampled_from(["0.5", "0.7", "0.9"]), st.sampled_from(["1", "0.9"]), st.sampled_from([None, 1, 2]))
def test_mining_finds_the_rules_of_the_brute_force(
    rows: list[dict[str, str]], expectation: str, confidence: str, longest: int | None
) -> None:
    known, above = crisp_groups(rows)
    expected = oracle.negative_rules(rows, known, "S", Fraction(expectation), Fraction(confidence), longest)
    ready = resolved(rows, expectation, longest, [])
    arguments = (ready.codes, ready.nodes, ready.value, ready.names)
    options = {"min_expectation": Fraction(expectation), "min_confidence": Fraction(confidence), "longest": longest}
    every = mine_codes(*arguments, **options, everything=True, jobs=1).source
    assert {(frozenset(r.conditions), r.excludes): (r.support, r.exceptions) for r in every} == expected
    short = mine_codes(*arguments, **options, jobs=1).source
    assert {(frozenset(r.conditions), r.excludes) for r in short} == oracle.most_general(expected, above)
    assert len(short) == len({(r.conditions, r.excludes) for r in short})


@settings(max_examples=examples(40))
@given(tables(), st.sampled_from(["0.5", "0.8"]))
def test_fuzzy_mining(rows: list[dict[str, str]], expectation: str) -> None:
    """A is numeric: low is 1..2, high is 3. By hand: a value reaches half as far as the group above it is wide."""
    ready = resolved(rows, expectation, None, ["A"])
    known, _ = crisp_groups(rows)
    half = Fraction(1, 2)
    share = {
        "1": {"1": Fraction(1)},  # reach: half of low's width 2, so a distance of 1 counts for nothing
        "2": {"2": Fraction(1)},
        "low": {"1": Fraction(1), "2": Fraction(1), "3": half},  # at the top: its own width, 2
        "3": {"3": Fraction(1)},  # its group holds it alone: width 1
        "high": {"3": Fraction(1)},
    }
    # a group of one value that occurs stands for that value, but reaches as far as its place in the tree says
    known["A"] = {label: share[label] for label in known["A"]}
    expected = oracle.negative_rules(rows, known, "S", Fraction(expectation))
    mined = mine_codes(
        ready.codes, ready.nodes, ready.value, ready.names, min_expectation=Fraction(expectation), everything=True
    )
    assert {(frozenset(r.conditions), r.excludes): (r.support, r.exceptions) for r in mined.source} == expected


@settings(max_examples=examples(100))
@given(
    st.integers(1, 60),
    st.integers(1, 60),
    st.sampled_from(["0.5", "0.75", "0.9", "0.95", "7/16"]),
    st.sampled_from([1, 5, 12]),
)
def test_the_demanded_support_is_exact(part: int, more: int, expectation: str, units: int) -> None:
    share = Fraction(part, part + more)
    least = demanded_support(share, Fraction(expectation), units)
    assert oracle.is_expected(Fraction(least, units), share, Fraction(expectation))
    if least > 1:
        assert not oracle.is_expected(Fraction(least - 1, units), share, Fraction(expectation))


@settings(max_examples=examples(30))
@given(tables(), st.sampled_from(["0.6", "0.9"]), st.sampled_from([None, 1]))
def test_every_grouping_holds_under_the_mined_rules(
    rows: list[dict[str, str]], expectation: str, longest: int | None
) -> None:
    """From rows to groups, judged by the brute force alone: rules, what they exclude, and what stays possible."""
    known, _ = crisp_groups(rows)
    rules = oracle.negative_rules(rows, known, "S", Fraction(expectation), longest=longest)
    plain = [({a: known[a][label].keys() for a, label in condition}, s) for condition, s in rules]
    cannot = [oracle.excluded(row, plain) for row in rows]
    ready = resolved(rows, expectation, longest, [])
    knowledge = assumed(ready, jobs=1)
    for v, name in enumerate(ready.names):
        assert knowledge.exclusion.excludes(v).tolist() == [name in own for own in cannot]
    best = largest_l(ready.value, knowledge.exclusion)
    if best < 2:
        return
    group = bucketize(ready.value, knowledge.exclusion, best, np.random.default_rng(0))
    for g in range(group.max() + 1):
        members = np.flatnonzero(group == g).tolist()
        possible = oracle.possible_by_pairs([cannot[k] for k in members], [rows[k]["S"] for k in members])
        assert possible is not None
        assert min(map(len, possible)) >= best
    policy = DiversityPolicy("S", list(TREES), best, hierarchies=ready.policy.hierarchies, fuzzy=[])
    asked = ResolvedDiversity(policy, ready.codes, ready.nodes, ready.value, ready.names, ready.given)
    assert audit_groups(asked, knowledge, group, jobs=1).holds
