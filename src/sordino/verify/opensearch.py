"""Exact search of one open record: does any part of it disclose the item? (docs/notes/model.md 1.2)

Fix an item e and an open record R with e; U is R without e. Every non-empty q inside U (of at most m items, if
knowledge is limited) must satisfy sup(q + e) * den <= sup(q) * num. Of other records only what they share with U
matters.

*By cells:* count the records of A (with e) and of B (without e) by the part of U they hold, one cell a part; adding
each cell to all its subsets gives sup_A and sup_B of every q at once. For a U of few items that A shares in many ways.

*By bit sets:* a bit set over records for each item of U, and a depth-first search over q.
 - Unlimited knowledge: only closed q (those equal to what their records of A share) need a look: the closure has the
   same sup_A and no larger sup_B. Each closed set is reached once, as in LCM (Uno et al. 2004): a set extended by
   item j is pursued only if its closure adds no item before j.
 - Limited knowledge: a closure may be too long to be known, so q is extended item by item in order.
 - Both cut at q if sup_A(q) * den <= (sup_A(q) + bmin(q)) * num, bmin(q) being the smallest sup_B(R' n U) among the
   records R' of A that contain q: a larger q' lies in one of these R', so sup_B(q') >= bmin(q), while
   sup_A(q') <= sup_A(q). Bits of A are in the order of sup_B(R' n U), so the lowest bit of a set tells its bmin.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, reduce
from operator import and_, or_
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.verify.bounded import Effort
from sordino.verify.classes import Bool, Classes, Int64

__all__ = ["OpenSearch", "RecordBits"]

LONGEST_COUNTED = 20  # items of U up to which every q can have a cell
WHOLE = 52  # items of U up to which a part of it is a whole number that a float holds exactly
FEW_PARTS = 64  # distinct parts of U held by records of A up to which bit sets are quicker
STEP, NO_END = 300, 1 << 62  # what a look at one set costs, besides its bits; effort without an end
COUNTED, CUT = 64, 512  # bits of a set that are counted, and bits of two that are cut, in the time of one step
BITS_KEPT = 1 << 29  # size of the bit sets kept from one search to the next (64 MiB)


class RecordBits:
    """For each item the set of records that hold it, a bit a record; kept for the next search while there is room."""

    def __init__(self, table: Classes) -> None:
        self.table = table
        self._kept: dict[int, int] = {}

    def __getitem__(self, item: int) -> int:
        if item not in self._kept:
            if len(self._kept) * self.table.records > BITS_KEPT:
                self._kept.clear()
            flags = np.zeros(len(self.table), dtype=np.bool_)
            flags[self.table.holders(item)] = True
            self._kept[item] = _bits(np.repeat(flags, self.table.weight))
        return self._kept[item]


class OpenSearch:
    """The search for one item e; `discloses` answers for one record after the other."""

    def __init__(
        self, bits: RecordBits, e: int, rho: Fraction, knowledge: int | None, effort: Effort | None = None
    ) -> None:
        self.bits, self.table, self.e, self.knowledge = bits, bits.table, e, knowledge
        self._effort = effort or Effort(NO_END, "the search")
        self._step, self._cut = STEP + self.table.records // COUNTED, 1 + self.table.records // CUT
        self.num, self.den = rho.numerator, rho.denominator
        self._holders = self.table.holders(e)
        row, item = self.table.spread(self._holders)
        self._occurrences = len(item)
        order = np.argsort(item, kind="stable")
        self._rows = row[order]  # the holders of e that hold item i are _rows[_start[i] : _start[i + 1]]
        self._start = np.searchsorted(item[order], np.arange(len(self.table.code_of) + 1))

    def discloses(self, c: int) -> bool:
        """Whether some known part of class c, which contains e, points to e more surely than rho."""
        universe = self.table.items_of(c)
        universe = universe[universe != self.e]
        self._effort.spend(self._occurrences + len(self._holders) * (len(universe) + 1))
        parts, weights = self._parts_of_a(universe)
        if len(universe) <= LONGEST_COUNTED and len(weights) > FEW_PARTS:
            self._effort.spend(len(universe) << (len(universe) + 1))
            return self._counted(universe, parts, weights)
        self._effort.spend(len(weights) * self._step + int(parts.sum()) * self._cut)
        with_e, without_e, shared = self._bit_sets(universe, parts, weights)
        if self.knowledge is None or self.knowledge >= len(universe):
            return self._closed(with_e, without_e, shared)
        return self._stepwise(with_e, without_e, shared, self.knowledge)

    def _exceeds(self, sup_a: int, sup_b: int) -> bool:
        return sup_a * self.den > (sup_a + sup_b) * self.num

    def _parts_of_a(self, universe: Int64) -> tuple[Bool, Int64]:
        """The distinct non-empty parts of U that records of A hold, a row a part; and how many records hold each."""
        bounds = zip(self._start[universe].tolist(), self._start[universe + 1].tolist(), strict=True)
        rows = [self._rows[start:stop] for start, stop in bounds]
        row = np.concatenate(rows) if rows else np.empty(0, dtype=np.int64)
        place = np.repeat(np.arange(len(rows)), [len(one) for one in rows])
        if len(universe) > WHOLE:
            held = np.zeros((len(self._holders), len(universe)), dtype=np.bool_)
            held[row, place] = True
            touched = held.any(axis=1)
            packed, which = np.unique(np.packbits(held[touched], axis=1), axis=0, return_inverse=True)
            parts = np.unpackbits(packed, axis=1, count=len(universe)).astype(np.bool_)
        else:
            code = _whole(np.bincount(row, weights=np.ldexp(1.0, place), minlength=len(self._holders)))
            touched = code > 0
            codes, which = np.unique(code[touched], return_inverse=True)
            parts = (codes[:, np.newaxis] >> np.arange(len(universe)) & 1).astype(np.bool_)
        weight = self.table.weight[self._holders[touched]]
        return parts, _whole(np.bincount(which.reshape(-1), weights=weight, minlength=len(parts)))

    # ------------------------------------------------------------------ by cells

    def _counted(self, universe: Int64, parts: Bool, weights: Int64) -> bool:
        cells = 1 << len(universe)
        power = 1 << np.arange(len(universe))
        held = [self.table.holders(item) for item in universe.tolist()]
        bits = np.repeat(power.astype(np.float64), [len(classes) for classes in held])
        part = _whole(np.bincount(np.concatenate(held), weights=bits, minlength=len(self.table)))
        counts = np.zeros((2, cells), dtype=np.int32 if self.table.records < 1 << 31 else np.int64)
        counts[0] = np.bincount(part, weights=self._weight_of_b, minlength=cells)
        counts[1, parts @ power] = weights
        for bit in range(len(universe)):
            halves = counts.reshape(2, -1, 2, 1 << bit)
            halves[:, :, 0] += halves[:, :, 1]
        sup_b, sup_a = counts[:, 1:]  # cell 0 is the empty q
        too_few = sup_b < self._b_needed[sup_a]
        if self.knowledge is not None:
            too_few &= np.bitwise_count(np.arange(1, cells)) <= self.knowledge
        return bool(too_few.any())

    @cached_property
    def _weight_of_b(self) -> Int64:
        """The weights of the classes, 0 of those that hold e."""
        weight = self.table.weight.copy()
        weight[self._holders] = 0
        return weight

    @cached_property
    def _b_needed(self) -> Int64:
        """For each possible sup_A the least sup_B that is safe; computed in whole numbers of any size."""
        beyond = self.table.records + 1  # more than there can be
        most = int(self.table.weight[self._holders].sum())
        needed = [-(-a * (self.den - self.num) // self.num) if self.num else beyond for a in range(1, most + 1)]
        return np.array([0, *(min(b, beyond) for b in needed)], dtype=np.int64)

    # ------------------------------------------------------------------ by bit sets

    def _bit_sets(self, universe: Int64, parts: Bool, weights: Int64) -> tuple[list[int], list[int], list[int]]:
        """For each item of U its records of A, and of B, as bit sets; and sup_B(R' n U) of A's records, ascending."""
        not_e = ~self.bits[self.e]
        without_e = [self.bits[item] & not_e for item in universe.tolist()]
        shared = np.array(
            [reduce(and_, [without_e[j] for j in np.flatnonzero(part)]).bit_count() for part in parts], dtype=np.int64
        )
        order = np.argsort(shared, kind="stable")
        weights = weights[order]
        with_e = [_bits(np.repeat(column, weights)) for column in parts[order].T]
        return with_e, without_e, np.repeat(shared[order], weights).tolist()

    def _closed(self, with_e: Sequence[int], without_e: Sequence[int], shared: Sequence[int]) -> bool:
        items = range(len(with_e))
        a = reduce(or_, with_e)
        common = [j for j in items if a & with_e[j] == a]
        b = reduce(and_, (without_e[j] for j in common), reduce(or_, without_e))
        if common and self._exceeds(a.bit_count(), b.bit_count()):
            return True
        stack = [(frozenset(common), -1, a, b)]
        while stack:
            q, last, a, b = stack.pop()
            for j in items[last + 1 :]:
                if j in q:
                    continue
                self._effort.spend(self._step)
                a_j = a & with_e[j]
                sup_a = a_j.bit_count()
                if not self._exceeds(sup_a, shared[_lowest(a_j)]):
                    continue
                self._effort.spend(len(with_e) * (STEP // 10 + self._cut))
                added = [i for i in items if i not in q and a_j & with_e[i] == a_j]
                if added[0] < j:
                    continue  # reached from another set
                b_j = reduce(and_, (without_e[i] for i in added), b)
                if self._exceeds(sup_a, b_j.bit_count()):
                    return True
                stack.append((q.union(added), j, a_j, b_j))
        return False

    def _stepwise(self, with_e: Sequence[int], without_e: Sequence[int], shared: Sequence[int], longest: int) -> bool:
        stack = [(1, j, a, b) for j, (a, b) in enumerate(zip(with_e, without_e, strict=True))]
        while stack:
            length, last, a, b = stack.pop()
            self._effort.spend(self._step)
            sup_a = a.bit_count()
            if not self._exceeds(sup_a, shared[_lowest(a)]):
                continue
            if self._exceeds(sup_a, b.bit_count()):
                return True
            if length < longest:
                stack += [(length + 1, j, a & with_e[j], b & without_e[j]) for j in range(last + 1, len(with_e))]
        return False


def _whole(sums: npt.NDArray[Any]) -> Int64:
    """Sums of whole numbers, which floats hold exactly below 2^53, as whole numbers."""
    return sums.astype(np.int64)


def _bits(flags: Bool) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1
