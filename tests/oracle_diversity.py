"""An independent brute force for model.md 2.2: the definitions written down, nothing clever.

It imports nothing of sordino and no numpy. Every function is exponential or nearly so: keep the tables small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from itertools import permutations, product

Row = Mapping[str, str]
Groups = Mapping[str, Mapping[str, Fraction]]  # label -> value -> share to which the value lies in it
Condition = frozenset[tuple[str, str]]


def possible_by_permutations(excluded: Sequence[AbstractSet[str]], values: Sequence[str]) -> list[set[str]] | None:
    """For each person of a group the values that some agreeing assignment gives; None if no assignment agrees."""
    found: list[set[str]] = [set() for _ in excluded]
    some = False
    for order in set(permutations(values)):
        if all(value not in cannot for value, cannot in zip(order, excluded, strict=True)):
            some = True
            for own, value in zip(found, order, strict=True):
                own.add(value)
    return found if some else None


def _can_be_matched(excluded: Sequence[AbstractSet[str]], values: Sequence[str]) -> bool:
    """Whether every person can get a value of her own (augmenting paths, as in any textbook)."""
    holder: dict[int, int] = {}

    def place(person: int, tried: set[int]) -> bool:
        for k, value in enumerate(values):
            if value in excluded[person] or k in tried:
                continue
            tried.add(k)
            if k not in holder or place(holder[k], tried):
                holder[k] = person
                return True
        return False

    return all(place(person, set()) for person in range(len(excluded)))


def possible_by_pairs(excluded: Sequence[AbstractSet[str]], values: Sequence[str]) -> list[set[str]] | None:
    """The same as the paper computes it (Fig. 1): give a value to a person, and match the rest anew."""
    if not _can_be_matched(excluded, values):
        return None
    found = []
    for person, cannot in enumerate(excluded):
        own = set()
        for value in set(values) - cannot:
            rest = list(values)
            rest.remove(value)
            if _can_be_matched([other for k, other in enumerate(excluded) if k != person], rest):
                own.add(value)
        found.append(own)
    return found


def is_expected(people: Fraction, share: Fraction, min_expectation: Fraction) -> bool:
    """(1 - share)^people <= 1 - min_expectation, without a root: people = a / b turns it into whole powers."""
    a, b = people.numerator, people.denominator
    return (1 - share) ** a <= (1 - min_expectation) ** b


def support(rows: Sequence[Row], groups: Mapping[str, Groups], condition: Condition) -> list[Fraction]:
    """To what share each row fits a conjunction: the product of its memberships."""
    shares = []
    for row in rows:
        share = Fraction(1)
        for attribute, label in condition:
            share *= groups[attribute][label].get(row[attribute], Fraction(0))
        shares.append(share)
    return shares


def negative_rules(
    rows: Sequence[Row],
    groups: Mapping[str, Groups],
    sensitive: str,
    min_expectation: Fraction,
    min_confidence: Fraction = Fraction(1),
    longest: int | None = None,
) -> dict[tuple[Condition, str], tuple[Fraction, Fraction]]:
    """All rules X => not s, with the support of X and that of X with s."""
    found = {}
    values = {row[sensitive] for row in rows}
    choices = [[None, *((attribute, label) for label in labels)] for attribute, labels in groups.items()]
    for chosen in product(*choices):
        condition = frozenset(pair for pair in chosen if pair is not None)
        if not condition or (longest is not None and len(condition) > longest):
            continue
        shares = support(rows, groups, condition)
        people = sum(shares, Fraction(0))
        if people == 0:
            continue
        for s in values:
            with_s = sum((share for share, row in zip(shares, rows, strict=True) if row[sensitive] == s), Fraction(0))
            frequency = Fraction(sum(row[sensitive] == s for row in rows), len(rows))
            if is_expected(people, frequency, min_expectation) and with_s <= (1 - min_confidence) * people:
                found[condition, s] = people, with_s
    return found


def most_general(
    rules: Mapping[tuple[Condition, str], object], above: Mapping[tuple[str, str], AbstractSet[str]]
) -> set[tuple[Condition, str]]:
    """The rules that no other one implies; above[attribute, label] are the wider groups that hold the label."""

    def implies(general: Condition, special: Condition) -> bool:
        wider = {(a, up) for a, label in special for up in {label, *above.get((a, label), ())}}
        return general != special and general <= wider

    return {
        (condition, s)
        for condition, s in rules
        if not any(other_s == s and implies(other, condition) for other, other_s in rules)
    }


def excluded(row: Row, rules: Sequence[tuple[Mapping[str, AbstractSet[str]], str]]) -> set[str]:
    """What the rules (attribute -> values that fit, excluded value) say that the row cannot have."""
    return {s for conditions, s in rules if all(row[a] in fitting for a, fitting in conditions.items())}


def largest_l(excluded_sets: Sequence[AbstractSet[str]], values: Sequence[str]) -> int:
    """The largest l of all groupings of these people, by trying every one of them."""
    best = 0
    for parts in _partitions(list(range(len(values)))):
        least = len(values)
        for part in parts:
            possible = possible_by_permutations([excluded_sets[k] for k in part], [values[k] for k in part])
            least = min(least, 0 if possible is None else min(map(len, possible)))
        best = max(best, least)
    return best


def _partitions(things: list[int]) -> list[list[list[int]]]:
    if not things:
        return [[]]
    first, rest = things[0], things[1:]
    found = []
    for parts in _partitions(rest):
        found.append([[first], *parts])
        for k in range(len(parts)):
            found.append([*parts[:k], [first, *parts[k]], *parts[k + 1 :]])
    return found
