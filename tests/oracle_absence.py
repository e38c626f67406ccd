"""An independent brute force for the adversary who also knows what a person does NOT have.

Definitions written down, nothing clever: plain sets and fractions, nothing of sordino. What is known are items that a
person has (P, not empty) and items that the person lacks (N). Everything here is exponential in the number of items of
the whole table: keep the tables tiny.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from itertools import chain, combinations
from typing import NamedTuple

Records = Sequence[AbstractSet[str]]
Thresholds = Mapping[str, Fraction]


class Disclosure(NamedTuple):
    """Whoever knows that somebody has `present` and lacks `absent` infers `e`: `with_e` of `matching` records."""

    present: frozenset[str]
    absent: frozenset[str]
    e: str
    matching: int
    with_e: int


def parts(items: Collection[str], most: int | None = None) -> Iterator[frozenset[str]]:
    """All subsets of at most `most` items, the empty one first."""
    longest = len(items) if most is None else min(most, len(items))
    for size in range(longest + 1):
        yield from map(frozenset, combinations(sorted(items), size))


def matching(records: Records, present: AbstractSet[str], absent: AbstractSet[str]) -> list[AbstractSet[str]]:
    """The records that hold all of `present` and nothing of `absent`."""
    return [record for record in records if present <= record and not absent & record]


def disclosures(
    records: Records, sensitive: Collection[str], rho_of: Thresholds, most_absent: int | None = None
) -> list[Disclosure]:
    """Every disclosure to somebody who knows at most so many absences (None: any number), fewest absences first."""
    items = set(chain.from_iterable(records))
    found = []
    for e in set(sensitive) & items:
        for absent in parts(items - {e}, most_absent):
            for present in parts(items - absent - {e}):
                match = matching(records, present, absent) if present else []
                with_e = sum(e in record for record in match)
                if match and Fraction(with_e, len(match)) > rho_of[e]:
                    found.append(Disclosure(present, absent, e, len(match), with_e))
    return sorted(found, key=lambda d: (len(d.absent), len(d.present), sorted(d.absent), sorted(d.present), d.e))


def holds(records: Records, sensitive: Collection[str], rho_of: Thresholds, most_absent: int | None = None) -> bool:
    """Whether there is no disclosure."""
    return not disclosures(records, sensitive, rho_of, most_absent)


def people_at_risk(
    records: Records, sensitive: Collection[str], rho_of: Thresholds, most_absent: int | None = None
) -> dict[int, int]:
    """Whose sensitive item can be inferred, and the fewest absences that one must know for it.

    A person (an index of `records`) counts if what is known is true of the person's own record, which holds e.
    """
    fewest: dict[int, int] = {}
    for present, absent, e, _, _ in disclosures(records, sensitive, rho_of, most_absent):
        for u, record in enumerate(records):
            if present | {e} <= record and not absent & record:
                fewest[u] = min(len(absent), fewest.get(u, len(absent)))
    return dict(sorted(fewest.items()))


def safe_from_every_predicate(records: Records, sensitive: Collection[str], rho_of: Thresholds) -> bool:
    """Whether nobody becomes too sure of e who knows anything true-or-false about what else a person has.

    Such knowledge is a set of possible contents (without e): the person's own is one of them. Contents without any item
    are not among them: whoever holds them possible knows of nothing that the person has. All sets of the contents that
    occur are tried; others match nobody.
    """
    for e in sensitive:
        contents = sorted({tuple(sorted(record - {e})) for record in records if record - {e}})
        for size in range(1, len(contents) + 1):
            for possible in combinations(contents, size):
                match = [record for record in records if tuple(sorted(record - {e})) in possible]
                if Fraction(sum(e in record for record in match), len(match)) > rho_of[e]:
                    return False
    return True


def twins_hold(records: Records, sensitive: Collection[str], rho_of: Thresholds) -> bool:
    """Whether every record that holds e, and more than that, has enough equal ones but for e."""
    for record in records:
        for e in record & set(sensitive):
            rest = record - {e}
            with_e, without = sum(r == record for r in records), sum(r == rest for r in records)
            if rest and Fraction(with_e, with_e + without) > rho_of[e]:
                return False
    return True


def least_loss(records: Records, sensitive: Collection[str], rho_of: Thresholds, *, absence: bool = True) -> int:
    """The fewest deletions after which nothing is disclosed, over all sub-tables, fewest deletions first."""
    places = [(u, item) for u, record in enumerate(records) for item in sorted(record)]
    for number in range(len(places) + 1):
        for gone in combinations(places, number):
            left = [record - {item for v, item in gone if v == u} for u, record in enumerate(records)]
            if holds(left, sensitive, rho_of, None if absence else 0):
                return number
    raise AssertionError("with all deleted, nothing is disclosed")
