"""An independent brute force for several releases of the same people, laid side by side by somebody who links the rows.

Plain sets and fractions, nothing of sordino. A release maps people to records. A fact about a person is (item, t): her
record in release t shows the item, or (item, None): some release shows it. Whoever knows in which releases a person is,
and some facts about her (one at least, none of them about e), must not become too sure that any release shows e.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

Release = Mapping[str, AbstractSet[str]]
Fact = tuple[str, int | None]


class Disclosure(NamedTuple):
    """Whoever knows the facts of somebody who is in just these releases infers e: `with_e` of `matching` people."""

    pattern: frozenset[int]
    facts: frozenset[Fact]
    e: str
    matching: int
    with_e: int


def pattern(releases: Sequence[Release], person: str) -> frozenset[int]:
    """The releases that hold a person."""
    return frozenset(t for t, release in enumerate(releases) if person in release)


def facts(releases: Sequence[Release], person: str) -> frozenset[Fact]:
    """All that is true of a person."""
    shown = {(item, t) for t, release in enumerate(releases) if person in release for item in release[person]}
    return frozenset({*shown, *((item, None) for item, _ in shown)})


def parts(known: AbstractSet[Fact]) -> Iterator[frozenset[Fact]]:
    for size in range(1, len(known) + 1):
        yield from map(frozenset, combinations(sorted(known, key=str), size))


def disclosures(
    releases: Sequence[Release], sensitive: Collection[str], rho_of: Mapping[str, Fraction]
) -> list[Disclosure]:
    """Every disclosure there is."""
    people = sorted({person for release in releases for person in release})
    true_of = {person: facts(releases, person) for person in people}
    found = set()
    for person in people:
        here = pattern(releases, person)
        alike = [other for other in people if pattern(releases, other) == here]
        for e in set(sensitive):
            if (e, None) not in true_of[person]:
                continue
            for known in parts({fact for fact in true_of[person] if fact[0] != e}):
                match = [other for other in alike if known <= true_of[other]]
                with_e = sum((e, None) in true_of[other] for other in match)
                if Fraction(with_e, len(match)) > rho_of[e]:
                    found.add(Disclosure(here, known, e, len(match), with_e))
    return sorted(found, key=str)


def people_at_risk(
    releases: Sequence[Release], sensitive: Collection[str], rho_of: Mapping[str, Fraction]
) -> frozenset[str]:
    """Of whom something can be inferred that some release shows of them."""
    people = {person for release in releases for person in release}
    found = disclosures(releases, sensitive, rho_of)
    return frozenset(
        person
        for person in people
        for d in found
        if pattern(releases, person) == d.pattern and d.facts | {(d.e, None)} <= facts(releases, person)
    )


def holds(releases: Sequence[Release], sensitive: Collection[str], rho_of: Mapping[str, Fraction]) -> bool:
    """Whether nothing is disclosed to whoever has all releases."""
    return not disclosures(releases, sensitive, rho_of)
