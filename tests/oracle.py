"""An independent brute force for set-valued data: the definitions of model.md 1.1 written down, nothing clever.

It imports nothing of sordino and no numpy: plain sets and fractions only, so that an error in sordino cannot hide in
its own judge. Every function is exponential in the length of a record: keep the tables small.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

Records = Sequence[AbstractSet[str]]
Known = frozenset[str]


class Disclosure(NamedTuple):
    """Whoever knows `q` of somebody infers `e` with confidence sup_qe / sup_q, and that is too much."""

    q: Known
    e: str
    sup_q: int
    sup_qe: int


def support(records: Records, q: AbstractSet[str]) -> int:
    """In how many records every item of q occurs."""
    return sum(1 for record in records if q <= record)


def antecedents(record: AbstractSet[str], m: int | None = None) -> Iterator[Known]:
    """All that an adversary may know of one record: its non-empty subsets of at most m items, shortest first."""
    longest = len(record) if m is None else min(m, len(record))
    for length in range(1, longest + 1):
        for q in combinations(sorted(record), length):
            yield frozenset(q)


def disclosures(
    records: Records, sensitive: Collection[str], rho_of: Mapping[str, Fraction], m: int | None = None
) -> list[Disclosure]:
    """Every disclosure there is, shortest knowledge first, then by name (model.md 1.1, one sensitive set for all)."""
    found = []
    for q in {q for record in records for q in antecedents(record, m)}:
        sup_q = support(records, q)
        for e in set(sensitive) - q:
            sup_qe = support(records, q | {e})
            if sup_qe > 0 and Fraction(sup_qe, sup_q) > rho_of[e]:
                found.append(Disclosure(q, e, sup_q, sup_qe))
    return sorted(found, key=lambda d: (len(d.q), sorted(d.q), d.e))


def holds(records: Records, sensitive: Collection[str], rho_of: Mapping[str, Fraction], m: int | None = None) -> bool:
    """Whether there is no disclosure."""
    return not disclosures(records, sensitive, rho_of, m)


def people_at_risk(
    records: Records, sensitive: Collection[str], rho_of: Mapping[str, Fraction], m: int | None = None
) -> dict[int, int]:
    """Whose sensitive item can be inferred, and the fewest items of theirs one must know for it.

    A person (an index of `records`) counts if a disclosure q -> e has q and e in the person's own record.
    """
    fewest: dict[int, int] = {}
    for q, e, _, _ in disclosures(records, sensitive, rho_of, m):
        for u, record in enumerate(records):
            if q | {e} <= record:
                fewest[u] = min(len(q), fewest.get(u, len(q)))
    return dict(sorted(fewest.items()))


def exposure(
    records: Records, sensitive: Collection[str], rho_of: Mapping[str, Fraction], m: int | None = None
) -> dict[str, int]:
    """People at risk by the fewest items one must know: exactly 1, 2, 3, or more; and all of them together."""
    count = {"1": 0, "2": 0, "3": 0, "more": 0, "total": 0}
    for fewest in people_at_risk(records, sensitive, rho_of, m).values():
        count[str(fewest) if fewest <= 3 else "more"] += 1
        count["total"] += 1
    return count


def personal_people_at_risk(
    original: Records,
    published: Records,
    sensitive_of: Sequence[AbstractSet[str]],
    rho_of: Mapping[str, Fraction],
    m: int | None = None,
) -> dict[int, int]:
    """Users u with an unsafe adversary (u, q), and the fewest items of q (model.md 1.1 with a sensitive set E_u each).

    q is of u's original record; supports are of the published table; e is in E_u but not in q, whether u has it or not.
    """
    fewest: dict[int, int] = {}
    for u, record in enumerate(original):
        for q in antecedents(record, m):
            sup_q = support(published, q)
            if sup_q and any(Fraction(support(published, q | {e}), sup_q) > rho_of[e] for e in sensitive_of[u] - q):
                fewest[u] = len(q)
                break  # antecedents come shortest first
    return fewest


def personal_holds(
    original: Records,
    published: Records,
    sensitive_of: Sequence[AbstractSet[str]],
    rho_of: Mapping[str, Fraction],
    m: int | None = None,
) -> bool:
    """Whether the published table is safe against every adversary (u, q)."""
    return not personal_people_at_risk(original, published, sensitive_of, rho_of, m)


def adversary_is_safe(
    known: AbstractSet[str], published: Records, sensitive: AbstractSet[str], rho_of: Mapping[str, Fraction]
) -> bool:
    """Whether somebody who knows just these items of a person infers none that the person finds sensitive."""
    holders = [record for record in published if known <= set(record)]
    return not holders or all(
        Fraction(sum(e in record for record in holders), len(holders)) <= rho_of[e] for e in sensitive - known
    )


def adaptive_rho(
    records: Records,
    rho: Fraction,
    eps: Fraction | Mapping[str, Fraction] | None = None,
    items: Collection[str] | None = None,
) -> dict[str, Fraction]:
    """The threshold of each item (default: each item that occurs), after its share F of the records.

    With eps: rho + eps_e F(e), an item without its own eps having 0; ValueError unless it lies between 0 and 1.
    Without: rho + max(0, F(e) - 2/5), at most 19/20.
    """
    thresholds = {}
    for e in sorted({e for record in records for e in record} if items is None else items):
        share = Fraction(support(records, {e}), len(records))
        if eps is None:
            thresholds[e] = min(rho + max(Fraction(0), share - Fraction(2, 5)), Fraction(19, 20))
            continue
        own = eps.get(e, Fraction(0)) if isinstance(eps, Mapping) else eps
        thresholds[e] = rho + own * share
        if not 0 < thresholds[e] < 1:
            raise ValueError(f"the threshold of {e} is not between 0 and 1")
    return thresholds


def max_confidence(records: Records, e: str, m: int | None = None) -> Fraction:
    """The highest confidence of any q -> e; 0 if nothing points to e."""
    known = {q for record in records if e in record for q in antecedents(record - {e}, m)}
    return max((Fraction(support(records, q | {e}), support(records, q)) for q in known), default=Fraction(0))


# Generalized and permuted data (model.md 1.5, 1.3)

Shown = Mapping[str, str]  # how a group shows each item of the hierarchy; an item that it lacks is shown in no record


def people_inferred(records: Records, e: str, level: Fraction, m: int | None = None) -> int:
    """How many have e and something else that is known of them, from which e is inferred at least this surely."""
    return sum(
        any(Fraction(support(records, q | {e}), support(records, q)) >= level for q in antecedents(record - {e}, m))
        for record in records
        if e in record
    )


def leaf_support(records: Records, group: Sequence[int], shown: Sequence[Shown], q: AbstractSet[str]) -> int:
    """How many records somebody matches who knows the items q: each as its group shows it, or as itself."""
    return sum(
        1
        for record, g in zip(records, group, strict=True)
        if all((shown[g].get(item) if any(item in cut for cut in shown) else item) in record for item in q)
    )


def leaf_holds(
    records: Records,
    group: Sequence[int],
    shown: Sequence[Shown],
    sensitive: Collection[str],
    rho_of: Mapping[str, Fraction],
    m: int | None = None,
) -> bool:
    """Whether nobody who knows items of the hierarchy, and sensitive items, infers a sensitive one too surely."""
    items = {item for cut in shown for item in cut} | set(sensitive)
    for q in antecedents(items, m):
        sup_q = leaf_support(records, group, shown, q)
        for e in set(sensitive) - q:
            if sup_q and Fraction(leaf_support(records, group, shown, q | {e}), sup_q) > rho_of[e]:
                return False
    return True


def permuted_holds(
    records: Records,
    group: Sequence[int],
    held: Sequence[Mapping[str, int]],
    rho_of: Mapping[str, Fraction],
) -> bool:
    """Whether nobody who knows non-sensitive items expects a sensitive one too surely, nor who knows only the group.

    Each record of a group has e with the share of the group's records that have it.
    """
    size = [sum(1 for g in group if g == k) for k in range(len(held))]
    known = {q for record in records for q in antecedents(record)}
    cases = [[g for record, g in zip(records, group, strict=True) if q <= record] for q in known]
    cases += [[k] for k in range(len(held))]
    for places in cases:
        for e, rho in rho_of.items():
            if sum(Fraction(held[g].get(e, 0), size[g]) for g in places) > rho * len(places):
                return False
    return True


def ncp(
    original: Records,
    published: Records,
    group: Sequence[int],
    shown: Sequence[Shown],
    under: Mapping[str, Collection[str]],
    sensitive: Collection[str],
) -> Fraction:
    """The normalized certainty penalty, not divided by the occurrences; `under[node]` are the items of a node."""
    items = {item for record in original for item in record} - set(sensitive)
    total = Fraction(0)
    for record, after, g in zip(original, published, group, strict=True):
        for item in record:
            symbol = item if item in sensitive else shown[g].get(item)
            if symbol not in after:
                total += 1
            elif symbol != item:
                total += Fraction(len(items & set(under[symbol])), len(items))
    return total


def every_group_holds(
    records: Records,
    group: Sequence[int],
    sensitive: Collection[str],
    rho_of: Mapping[str, Fraction],
    m: int | None = None,
) -> bool:
    """Whether each group by itself has no disclosure at what it shows: enough for `leaf_holds`, and much quicker."""
    return all(
        holds([record for record, k in zip(records, group, strict=True) if k == g], sensitive, rho_of, m)
        for g in set(group)
    )
