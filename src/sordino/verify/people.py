"""The independent check where people chose for themselves (docs/notes/model.md 1.4): no proof, but every adversary is
examined.

It shares no code with the audit and the methods. Records are bits of whole numbers, so that "who has all of q" is an
`and` and counting is counting bits. Antecedents are searched by their rarest item x, among those only who show x, or
had it. Inside each published record that has x, q is extended item by item; a branch ends when nobody who has q in his
original record finds an item of the record that is left sensitive.

Sampled assurance is checked by drawing adversaries, as many as the policy asks for, from samples of its own. A few of
them may well be unsafe: the promise is about a share. It is shown to hold if a larger share would hardly give so few
(`chance_of_as_few`), and refuted if the share that was told would hardly give so many (`chance_of_as_many`).

Both end: what takes more than so many steps, or draws, raises LeftOpenError.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from math import exp, lgamma, log, log1p

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.policy.assurance import Assurance, delta_of_round, sample_size
from sordino.policy.choices import EVERYBODY, NOBODY, PersonalChoices
from sordino.verify.bounded import Effort, LeftOpenError

__all__ = ["DRAWS", "PeopleCheck", "chance_of_as_few", "chance_of_as_many", "draws_of"]

I64 = npt.NDArray[np.int64]
STEPS = 50_000_000_000  # of the search in all records together
STEP = 300  # what a look at one set costs, besides its bits
DRAWS = 2_000_000  # adversaries, of all lengths together


class PeopleCheck:
    """Published and original records, in the same codes and order, and who minds what."""

    def __init__(
        self, published: Baskets, original: Baskets, wishes: PersonalChoices, comparison: Mapping[str, Fraction]
    ) -> None:
        self.published, self.original, self.personal_choices = published, original, wishes
        self.effort = Effort(STEPS, "the search for what can be inferred about people who chose for themselves")
        self.rho: dict[int, Fraction] = {}  # by item that somebody minds
        for name, rho in comparison.items():
            code = original.code_of.get(name)
            if code is not None and wishes.row[code] != NOBODY:
                self.rho[code] = rho

    @cached_property
    def shown(self) -> list[int]:
        """By item: who shows it, as the bits of a whole number."""
        baskets = self.published
        return [_bits(holders, len(baskets)) for holders in _holders(baskets)]

    def _minds(self, u: int, e: int) -> bool:
        row = int(self.personal_choices.row[e])
        return row == EVERYBODY or bool(int(self.personal_choices.bits[row, u >> 6]) >> (u & 63) & 1)

    def first_disclosure(self, knowledge: int | None) -> int | None:
        """The number of a published record (from 0) a part of which discloses something to somebody's harm, or None."""
        bounds = self.published.indptr.tolist()
        items = self.published.items.tolist()
        rank = np.argsort(np.argsort(self.original.supports, kind="stable"), kind="stable").tolist()
        distinct: dict[tuple[int, ...], int] = {}
        for u in range(len(self.published)):
            record = tuple(sorted(items[bounds[u] : bounds[u + 1]], key=rank.__getitem__))
            if len(record) > 1 and not self.rho.keys().isdisjoint(record):
                distinct.setdefault(record, u)
        having: dict[int, list[tuple[tuple[int, ...], int]]] = {}
        for record, u in distinct.items():
            for x in record:
                having.setdefault(x, []).append((record, u))
        shown, had = _holders(self.published), _holders(self.original)
        for x, records in having.items():
            about = _Near(self, shown, had, x)
            for record, u in records:
                if about.discloses(record, len(record) - 1 if knowledge is None else min(knowledge, len(record) - 1)):
                    return u
        return None

    def sampled_disclosures(self, assurance: Assurance, most: int) -> list[tuple[int, int]]:
        """By length: how many adversaries were drawn, and how many of them could infer something."""
        number, longest = draws_of(assurance, most, self.original)
        if number * longest > DRAWS:
            raise LeftOpenError(
                f"the policy asks for {number:,} adversaries of each length, more than are drawn ({DRAWS:,} in all)"
            )
        lots = hashlib.sha256(f"verify {self.published.fingerprint}".encode()).digest()
        rng = np.random.default_rng(int.from_bytes(lots, "big"))
        found = []
        for size in range(1, longest + 1):
            able = np.flatnonzero(self.original.lengths >= size)
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
            and self._minds(u, e)
            and int(beside[e]) * self.rho[e].denominator > self.rho[e].numerator * total
            for e in np.flatnonzero(beside).tolist()
            if e in self.rho
        )


class _Near:
    """Who shows an item x and whose original record has it: bits of whole numbers are about these only."""

    def __init__(self, check: PeopleCheck, shown: list[I64], had: list[I64], x: int) -> None:
        self.check, self.x = check, x
        check.effort.spend(STEP + len(check.published) + len(check.original))
        self.all_shown, self.all_had = shown, had
        self.people = had[x]
        self.total = len(shown[x])
        self.place_shown = np.full(len(check.published), -1, dtype=np.int64)
        self.place_shown[shown[x]] = np.arange(self.total)
        self.place_had = np.full(len(check.original), -1, dtype=np.int64)
        self.place_had[self.people] = np.arange(len(self.people))
        self.shown: dict[int, int] = {}
        self.had: dict[int, int] = {}
        self.minded: dict[int, int] = {}
        self.disclosed: dict[int, bool] = {}

    def _know(self, y: int) -> None:
        """Finds out about item y."""
        if y in self.shown:
            return
        check = self.check
        check.effort.spend(STEP + len(self.all_shown[y]) + len(self.all_had[y]) + self.total + len(self.people))
        here = self.place_shown[self.all_shown[y]]
        self.shown[y] = _bits(here[here >= 0], self.total)
        here = self.place_had[self.all_had[y]]
        self.had[y] = _bits(here[here >= 0], len(self.people))
        self.minded[y] = 0
        if y in check.rho:
            row = int(check.personal_choices.row[y])
            said = np.ones(len(self.people), dtype=np.bool_)
            if row != EVERYBODY:
                words = check.personal_choices.bits[row, self.people >> 6]
                said = (words >> (self.people & 63).astype(np.uint64)) & np.uint64(1) != 0
            self.minded[y] = _bits(np.flatnonzero(said), len(self.people))
        self.disclosed[y] = self.minded[y] != 0 and self._above(y, self.shown[y].bit_count(), self.total)

    def _above(self, e: int, both: int, support: int) -> bool:
        rho = self.check.rho[e]
        return both * rho.denominator > rho.numerator * support

    def discloses(self, record: tuple[int, ...], most: int) -> bool:
        """Whether an antecedent inside the record, of which x is the rarest item, discloses an item of it."""
        open_ = []
        for e in record:
            self._know(e)
            if e != self.x and self.minded[e]:
                if self.disclosed[e]:
                    return True
                open_.append(e)
        after = record[record.index(self.x) + 1 :]
        everybody = (1 << len(self.people)) - 1
        return bool(open_) and most > 1 and self._search(after, 1, (1 << self.total) - 1, everybody, open_, most)

    def _search(self, rest: tuple[int, ...], size: int, shown: int, people: int, open_: list[int], most: int) -> bool:
        """Whether q, of `size` items, extended by items of `rest`, discloses something; `shown` and `people` have q."""
        total = shown.bit_count()
        step = STEP * (1 + len(open_)) + (self.total + len(self.people)) // 8 * (2 + len(open_))
        for at, x in enumerate(rest):
            self.check.effort.spend(step)
            with_x, known_of = shown & self.shown[x], people & self.had[x]
            support = with_x.bit_count()
            if support == total and known_of == people:
                continue  # it changes nothing for q, nor for anything larger
            left = []
            affected = 0
            for e in open_:
                if e == x:
                    continue
                harmed = known_of & self.minded[e]
                if not harmed:
                    continue
                if self._above(e, (with_x & self.shown[e]).bit_count(), support):
                    return True
                left.append(e)
                affected |= harmed
            if left and size + 1 < most and self._search(rest[at + 1 :], size + 1, with_x, affected, left, most):
                return True
        return False


def draws_of(assurance: Assurance, most: int, original: Baskets) -> tuple[int, int]:
    """How many adversaries are drawn for each number of known items, and the most that anybody can know of a person."""
    number = sample_size(assurance.epsilon, delta_of_round(assurance.delta, 1))
    return number, min(most, int(original.lengths.max(initial=0)))


def chance_of_as_many(drawn: int, unsafe: int, share: float) -> float:
    """The probability of at least so many unsafe ones among those drawn, if this share of all is unsafe."""
    return max(0.0, 1.0 - _chance_of_fewer(drawn, unsafe, share))


def chance_of_as_few(drawn: int, unsafe: int, share: float) -> float:
    """The probability of at most so many unsafe ones among those drawn, if this share of all is unsafe."""
    return min(1.0, _chance_of_fewer(drawn, unsafe + 1, share))


def _chance_of_fewer(drawn: int, unsafe: int, share: float) -> float:
    return sum(
        exp(lgamma(drawn + 1) - lgamma(k + 1) - lgamma(drawn - k + 1) + k * log(share) + (drawn - k) * log1p(-share))
        for k in range(unsafe)
    )


def _holders(baskets: Baskets) -> list[I64]:
    """By item code: the records that hold it."""
    owner = np.repeat(np.arange(len(baskets), dtype=np.int64), baskets.lengths)
    return np.split(owner[np.argsort(baskets.items, kind="stable")], np.cumsum(baskets.supports)[:-1])


def _bits(places: I64, size: int) -> int:
    """The whole number of `size` bits in which those at the given places are set."""
    row = np.zeros(size, dtype=np.bool_)
    row[places] = True
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")
