"""The grouping of LI's Fig. 2: the method against a literal reading, person by person, that shares no code with it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sordino.errors import InputError, Unsatisfiable
from sordino.knowledge.exclusion import Exclusion
from sordino.protect.injector import bucketize_as_printed, largest_l

SCALE = float(os.environ.get("SORDINO_EXAMPLES", "1"))
Person = tuple[int, frozenset[int]]  # what she has, and what she cannot have


def incompatible(one: Person, other: Person) -> bool:
    """Definition 2."""
    return one[0] == other[0] or other[0] in one[1] or one[0] in other[1]


def valid_values(person: Person, group: Sequence[Person]) -> set[int]:
    """Definition 1, by trying every assignment."""
    place = list(group).index(person)
    found = set()
    for order in permutations([value for value, _ in group]):
        if all(value not in cannot for value, (_, cannot) in zip(order, group, strict=True)):
            found.add(order[place])
    return found


def literally(people: list[Person], size: int) -> list[list[Person]]:
    """Fig. 2 as it is printed; where it leaves a choice, the first."""
    counted = list(people)  # the people behind N
    table, aside = list(people), []
    groups: list[list[Person]] = []
    while len(table) >= size:
        seed = max(table, key=lambda one: sum(incompatible(one, other) for other in counted))  # the first of the best
        group = [seed]
        table.remove(seed)
        counted.remove(seed)
        while 0 < len(group) < size:
            able = [one for one in table if not any(incompatible(one, member) for member in group)]
            if not able:
                counted += group
                table = sorted([*table, *group[1:]], key=order_of)
                aside.append(seed)
                group = []
                break
            others = [
                sum(any(incompatible(member, other) for member in [*group, one]) for other in counted) for one in able
            ]
            chosen = able[others.index(min(others))]
            group.append(chosen)
            table.remove(chosen)
            counted.remove(chosen)
        if group:
            groups.append(group)
    aside += table
    if not groups:
        return [aside]
    for person in aside:
        clashes = [sum(incompatible(person, member) for member in group) if group else 10**9 for group in groups]
        home = clashes.index(min(clashes))
        groups[home].append(person)
        while len(valid_values(person, groups[home])) < size and sum(map(bool, groups)) > 1:
            have = {value for value, _ in groups[home]}
            gain = [
                len({value for value, _ in group} - have) if group and k != home else -1
                for k, group in enumerate(groups)
            ]
            other = gain.index(max(gain))
            groups[home] += groups[other]
            groups[other] = []
    return [group for group in groups if group]


ORDER: dict[frozenset[int], int] = {}


def order_of(person: Person) -> tuple[int, int]:
    """The order of classes: by excluded set, then by value."""
    return ORDER[person[1]], person[0]


@st.composite
def tables(draw: st.DrawFn, most: int = 7) -> list[Person]:
    width = draw(st.integers(2, 5))
    cannot = [frozenset(draw(st.sets(st.integers(0, width - 1), max_size=width - 1))) for _ in range(3)]
    people = []
    for _ in range(draw(st.integers(2, most))):
        mine = draw(st.sampled_from(cannot))
        people.append((draw(st.sampled_from([v for v in range(width) if v not in mine])), mine))
    return people


def coded(people: list[Person]) -> tuple[np.ndarray, Exclusion]:
    known = sorted({cannot for _, cannot in people}, key=sorted)
    sets = np.array([[sum(1 << v for v in cannot)] for cannot in known], dtype=np.uint64)
    kinds = np.array([known.index(cannot) for _, cannot in people], dtype=np.int32)
    return np.array([value for value, _ in people], dtype=np.int64), Exclusion(sets, kinds)


@settings(max_examples=max(3, int(150 * SCALE)))
@given(tables(), st.integers(0, 3))
def test_it_makes_the_groups_of_the_printed_algorithm(people: list[Person], lot: int) -> None:
    value, exclusion = coded(people)
    best = largest_l(value, exclusion)
    ORDER.clear()
    for cannot in sorted({cannot for _, cannot in people}, key=sorted):
        ORDER[cannot] = len(ORDER)
    for size in range(2, best + 1):
        made = bucketize_as_printed(value, exclusion, size, np.random.default_rng(lot))
        groups = [[people[r] for r in np.flatnonzero(made == g)] for g in range(int(made.max()) + 1)]
        expected = literally(sorted(people, key=order_of), size)
        assert _told(groups) == _told(expected)
        for group in groups:
            assert all(len(valid_values(person, group)) >= size for person in group)
    with pytest.raises(Unsatisfiable):
        bucketize_as_printed(value, exclusion, max(best, 1) + 1, np.random.default_rng(lot))


def _told(groups: list[list[Person]]) -> list[list[tuple[int, list[int]]]]:
    return sorted(sorted((value, sorted(cannot)) for value, cannot in group) for group in groups)


def test_the_papers_woman_is_not_left_alone_with_her_value() -> None:
    """LI V.A: one woman, l men, an ovarian cancer and l common diseases; with another woman there is a way."""
    men = frozenset({0})
    nobody: frozenset[int] = frozenset()
    people = [(0, nobody), (1, men), (2, men)]
    value, exclusion = coded(people)
    assert largest_l(value, exclusion) == 1
    more = [*people, (1, nobody), (2, nobody), (0, nobody)]
    value, exclusion = coded(more)
    made = bucketize_as_printed(value, exclusion, 2, np.random.default_rng(0))
    for g in range(int(made.max()) + 1):
        group = [more[r] for r in np.flatnonzero(made == g)]
        assert all(len(valid_values(person, group)) >= 2 for person in group)


def test_its_options_are_its_own() -> None:
    import sordino
    from sordino.sample import path

    table = sordino.read_table(path("patients.csv"))
    policy = sordino.DiversityPolicy("diagnosis", ["sex", "region"], 2)
    release = sordino.protect(table, policy, method="injector", seed=1, algorithm="paper")
    assert release.audit_after.holds
    for options, words in (
        ({"algorithm": "theirs"}, "there is no algorithm 'theirs'"),
        ({"algorithm": "paper", "choice": "nit"}, "has no 'alike' and no 'choice'"),
    ):
        with pytest.raises(InputError, match=words):
            sordino.protect(table, policy, method="injector", seed=1, **options)
