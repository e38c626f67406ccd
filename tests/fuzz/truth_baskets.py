"""What the oracles say about baskets: nothing of sordino is imported here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb

import oracle
from counting import exposure_of, personal_fewest
from fuzz.case import BasketCase

__all__ = [
    "Exposure",
    "chosen",
    "common_truth",
    "is_refused",
    "minded",
    "personal_truth",
    "thresholds",
    "unsafe_shares",
]

Records = Sequence[AbstractSet[str]]


@dataclass(frozen=True)
class Exposure:
    """How many are at risk, by the fewest items that lead to it."""

    levels: Mapping[str, int]

    @property
    def people(self) -> int:
        return sum(self.levels.values())

    @property
    def holds(self) -> bool:
        return self.people == 0


def minded(case: BasketCase) -> list[frozenset[str]]:
    """E_u: what each person finds sensitive."""
    nothing: tuple[tuple[str, ...], ...] = ((),) * len(case.records)
    own, less = case.own or nothing, case.less or nothing
    return [frozenset(case.sensitive).union(more) - set(gone) for more, gone in zip(own, less, strict=True)]


def chosen(case: BasketCase) -> bool:
    """Whether somebody chose something."""
    return any(case.own or ()) or any(case.less or ())


def is_refused(case: BasketCase) -> bool:
    """Whether those who choose in the policy are all strangers, so that it is about other data."""
    stated = [held for held in (case.own, case.less) if held is not None]
    return case.strangers and not all(map(any, stated))


def thresholds(case: BasketCase, records: Records) -> dict[str, Fraction]:
    """The threshold of every item that somebody may find sensitive, as it follows from these records."""
    named = {*case.sensitive, *case.rho_of} | {e for held in case.own or () for e in held}
    rho = Fraction(case.rho)
    if case.adaptive is False:
        found = dict.fromkeys(named, rho)
    elif isinstance(case.adaptive, Mapping):
        factors = {e: Fraction(eps) for e, eps in case.adaptive.items()}
        found = oracle.adaptive_rho(records, rho, factors, named)
    else:
        eps = None if case.adaptive is True else Fraction(case.adaptive)
        found = oracle.adaptive_rho(records, rho, eps, named)
    return found | {e: Fraction(own) for e, own in case.rho_of.items()}


def common_truth(
    records: Records, sensitive: AbstractSet[str], rho_of: Mapping[str, Fraction], knowledge: int | None
) -> Exposure:
    """One set of sensitive items for everybody."""
    return Exposure(exposure_of(records, {e: rho_of[e] for e in sensitive}, knowledge))


def personal_truth(case: BasketCase, original: Records, published: Records) -> Exposure:
    """Everybody minds what he minds; known are items of original records."""
    rho_of = thresholds(case, published)
    fewest = personal_fewest(original, published, minded(case), rho_of, case.knowledge)
    sizes = [str(size) if size <= 3 else "more" for size in fewest.values()]
    return Exposure({size: sizes.count(size) for size in ("1", "2", "3", "more")})


def unsafe_shares(case: BasketCase, original: Records, published: Records) -> dict[int, Fraction]:
    """For every length up to what the assurance covers: the share of adversaries who infer something."""
    assert case.assurance is not None
    most = case.assurance[2] if case.knowledge is None else min(case.knowledge, case.assurance[2])
    rho_of, wishes = thresholds(case, published), minded(case)
    shares = {}
    for size in range(1, most + 1):
        able = [u for u, record in enumerate(original) if len(record) >= size]
        total = Fraction(0)
        for u in able:
            unsafe = sum(
                not oracle.adversary_is_safe(frozenset(q), published, wishes[u], rho_of)
                for q in combinations(sorted(original[u]), size)
            )
            total += Fraction(unsafe, comb(len(original[u]), size))
        if able:
            shares[size] = total / len(able)
    return shares
