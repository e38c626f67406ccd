"""The independent check where people chose for themselves: no proof, but every adversary is examined (SPEC 1.1).

It shares no code with the audit. Records are bits of whole numbers, so that "who has all of q" is an `and` and counting
is counting bits. Starting from each published record R, antecedents q inside R are extended item by item; a branch
ends when nobody who has q in his original record minds an item of R that is left.

Sampled assurance is checked by drawing adversaries, as many as the policy asks for, from lots of its own. A few of them
may well be unsafe: the promise is about a share. It is refuted by so many that the promised share would hardly give
them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from fractions import Fraction
from math import exp, lgamma, log, log1p

import numpy as np

from sordino.data.baskets import Baskets
from sordino.policy.assurance import Assurance, delta_of_round, sample_size
from sordino.policy.choices import EVERYBODY, NOBODY, Wishes

__all__ = ["PeopleCheck", "chance_of_as_many"]


class PeopleCheck:
    """Published and original records, in the same codes and order, and who minds what."""

    def __init__(
        self, published: Baskets, original: Baskets, wishes: Wishes, comparison: Mapping[str, Fraction]
    ) -> None:
        self.published, self.original, self.wishes = published, original, wishes
        self.shown = _bits(published)  # by item: who shows it
        self.had = _bits(original)  # by item: whose original record has it
        everybody = (1 << len(original)) - 1
        self.minded: dict[int, int] = {}  # by item that somebody minds: who does
        self.rho: dict[int, Fraction] = {}
        for name, rho in comparison.items():
            code = original.code_of.get(name)
            if code is None or wishes.row[code] == NOBODY:
                continue
            row = int(wishes.row[code])
            self.minded[code] = everybody if row == EVERYBODY else int.from_bytes(_little(wishes, row), "little")
            self.rho[code] = rho

    def first_disclosure(self, knowledge: int | None) -> int | None:
        """The number of a published record (from 0) a part of which discloses something to somebody's harm, or None."""
        seen: set[tuple[int, ...]] = set()
        bounds = self.published.indptr.tolist()
        items = self.published.items.tolist()
        everybody = (1 << len(self.original)) - 1
        for u in range(len(self.published)):
            record = tuple(items[bounds[u] : bounds[u + 1]])
            if len(record) < 2 or record in seen:
                continue
            seen.add(record)
            most = len(record) - 1 if knowledge is None else min(knowledge, len(record) - 1)
            rare = sorted(record, key=lambda x: (self.had[x].bit_count(), x))
            open_ = [e for e in record if e in self.minded]
            if open_ and self._search(rare, 0, 0, everybody, everybody, open_, most):
                return u
        return None

    def _search(
        self, record: list[int], start: int, size: int, shown: int, people: int, open_: list[int], most: int
    ) -> bool:
        """Whether q, extended by items of record[start:], discloses something; `shown` and `people` have q."""
        total = shown.bit_count()
        for at in range(start, len(record)):
            x = record[at]
            with_x, known_of = shown & self.shown[x], people & self.had[x]
            support = with_x.bit_count()
            if size and support == total and known_of == people:
                continue  # it changes nothing for q, nor for anything larger
            left = []
            affected = 0
            for e in open_:
                if e == x:
                    continue
                harmed = known_of & self.minded[e]
                if not harmed:
                    continue
                if (with_x & self.shown[e]).bit_count() * self.rho[e].denominator > self.rho[e].numerator * support:
                    return True
                left.append(e)
                affected |= harmed
            if left and size + 1 < most and self._search(record, at + 1, size + 1, with_x, affected, left, most):
                return True
        return False

    def sampled_disclosures(self, assurance: Assurance, most: int) -> list[tuple[int, int]]:
        """By length: how many adversaries were drawn, and how many of them could infer something."""
        number = sample_size(assurance.epsilon, delta_of_round(assurance.delta, 1))
        lots = hashlib.sha256(f"verify {self.published.fingerprint}".encode()).digest()
        rng = np.random.default_rng(int.from_bytes(lots, "big"))
        found = []
        for size in range(1, most + 1):
            able = np.flatnonzero(self.original.lengths >= size)
            if not len(able):
                break
            unsafe = 0
            for u in rng.choice(able, size=number).tolist():
                own = self.original.items[self.original.indptr[u] : self.original.indptr[u + 1]]
                unsafe += self._harmed(u, [int(x) for x in rng.choice(own, size=size, replace=False)])
            found.append((number, unsafe))
        return found

    def _harmed(self, u: int, known: list[int]) -> bool:
        shown = self.shown[known[0]]
        for x in known[1:]:
            shown &= self.shown[x]
        total = shown.bit_count()
        if total == 0:
            return False
        octets = np.frombuffer(shown.to_bytes((len(self.original) + 7) // 8, "little"), dtype=np.uint8)
        holders = np.flatnonzero(np.unpackbits(octets, bitorder="little"))
        starts, lengths = self.published.indptr[holders], self.published.lengths[holders]
        ends = np.cumsum(lengths)
        places = np.arange(int(ends[-1])) + np.repeat(starts - (ends - lengths), lengths)
        beside = np.bincount(self.published.items[places])
        return any(
            e not in known
            and self.minded[e] >> u & 1
            and int(beside[e]) * self.rho[e].denominator > self.rho[e].numerator * total
            for e in np.flatnonzero(beside).tolist()
            if e in self.rho
        )


def chance_of_as_many(drawn: int, unsafe: int, share: float) -> float:
    """The probability of at least so many unsafe ones among those drawn, if this share of all is unsafe."""
    fewer = sum(
        exp(lgamma(drawn + 1) - lgamma(k + 1) - lgamma(drawn - k + 1) + k * log(share) + (drawn - k) * log1p(-share))
        for k in range(unsafe)
    )
    return max(0.0, 1.0 - fewer)


def _bits(baskets: Baskets) -> list[int]:
    """By item code: the records that hold it, as the bits of a whole number."""
    order = np.argsort(baskets.items, kind="stable")
    owner = np.repeat(np.arange(len(baskets), dtype=np.int64), baskets.lengths)[order]
    ends = np.cumsum(baskets.supports)
    out = []
    for start, stop in zip([0, *ends[:-1]], ends, strict=True):
        row = np.zeros((len(baskets) + 7) // 8 * 8, dtype=np.bool_)
        row[owner[start:stop]] = True
        out.append(int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little"))
    return out


def _little(wishes: Wishes, row: int) -> bytes:
    return bytes(wishes.bits[row].astype("<u8").tobytes())
