"""Sweeps over a safe table: records draw again what they publish, among all that keeps every tracked rule safe.

What moves are units: the items of a class of equal records, or some of them. A visit (kernels/improve/visit.py) draws
what a record shows of its unit. Many are visited at once, and then what they drew is carried out, one after the other:
so threads can share the visits, and nothing depends on how many there are. Tracked are all rules inside parts that
units could show, and the leaves of what the records show that do not move. Who calls audits what comes out.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.engine.local import Flag, Watch, run_chunks
from sordino.protect import heat
from sordino.protect.kernels.improve.tree import Tree, Units, add_paths, add_rows, inner_nodes, plant
from sordino.protect.kernels.improve.visit import Draw, Movers, Rules, carry_out, count_movers, propose, visit_all
from sordino.protect.objective import Objective

__all__ = ["Ground", "Sweeps", "Thresholds", "pointers"]

ROOM = 12_000_000  # nodes, about: beyond, long records do not move
BATCHES = 8  # of a sweep: whose movers are visited at once, before anything is written
LARGEST = 16_384  # movers of such a batch, at most
FEW = 2_048  # movers, of whom each is to see what those before it did; and who are all visited several times a sweep
ROUNDS = 4  # that many times
DEAR = 1_000_000  # what a harmless item is worth that must not be deleted: no part without it is ever drawn

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Ground:
    """What can move: units, the unit of each record (-1: none), and the parts found[begin[c]:begin[c + 1]] of unit c.

    `asks` as in kernels/improve/tree.py: by part, if people chose for themselves; else empty.
    """

    units: Units
    unit_of: I64
    begin: I64
    found: I32
    asks: I32


@dataclass(frozen=True, eq=False)
class Thresholds:
    """What may be inferred, by rank: sensitive, num / den; `known` items at most are known of anybody."""

    sensitive: Bools
    num: I64
    den: I64
    known: int


@dataclass(frozen=True, eq=False)
class _Shown:
    """What records show, as ranks: row u is items[ptr[u]:ptr[u + 1]], ascending; `owner` by item."""

    owner: I64
    items: I32

    def rows(self, chosen: Bools) -> tuple[I64, I32]:
        """The rows of the chosen occurrences, without empty ones."""
        lengths = np.bincount(self.owner[chosen])
        return pointers(lengths[lengths > 0]), self.items[chosen]


class Sweeps:
    """The state of the sweeps over one table."""

    def __init__(
        self,
        before: Baskets,
        safe: Baskets,
        rank: I32,
        code: I32,
        terms: Thresholds,
        ground: Ground,
        *,
        jobs: int,
        watch: Watch,
    ) -> None:
        self.before, self.safe, self.rank, self.code, self.jobs, self.watch = before, safe, rank, code, jobs, watch
        self.terms, self.units = terms, ground.units
        units, begin, found, asks = ground.units, ground.begin, ground.found, ground.asks
        width = len(code)
        moving = np.diff(begin) > 0
        self.most = most = int(np.diff(units.ptr)[moving].max(initial=1))
        tree = watch.call(plant, units, width, begin, found, asks, terms.known, most, ROOM, moving, watch.stop)
        shown = _as_ranks(safe, rank)
        moves = np.append(moving, False)[ground.unit_of]  # who has no unit, -1, does not move
        fixed = ~moves[shown.owner]
        if not len(asks):
            tree = self._with_fixed(tree, shown, fixed)
        self.still: I64 = np.bincount(shown.items[fixed], minlength=width).astype(np.int64)
        self.record: I64 = np.flatnonzero(moves)
        self.unit_of = ground.unit_of
        self.movers = Movers(
            ground.unit_of[moves],
            self._masks(shown, ~fixed)[moves],
            *watch.call(inner_nodes, units, width, tree, begin, found, asks, most, moving, watch.stop),
        )
        nodes, edges = int(tree.size[0]), int(tree.size[1])
        order = np.argsort(tree.source[:edges], kind="stable")
        edge_ptr = np.searchsorted(tree.source[:edges][order], np.arange(nodes + 1)).astype(np.int64)
        support = np.zeros(nodes, dtype=np.int32)
        kids = (np.argsort(tree.parent[1:nodes], kind="stable") + 1).astype(np.int32)
        kid_ptr = np.searchsorted(tree.parent[kids], np.arange(nodes + 1)).astype(np.int64)
        row_ptr, rows = shown.rows(fixed)
        watch.call(add_rows, tree, width, kid_ptr, kids, row_ptr, rows, support, watch.stop)
        self.rules = Rules(
            support,
            np.zeros(nodes, dtype=np.int64),
            edge_ptr,
            tree.target[:edges][order],
            tree.about[:edges][order],
            terms.num,
            terms.den,
        )
        watch.call(count_movers, self.movers, self.rules)

    def _with_fixed(self, tree: Tree, shown: _Shown, fixed: Bools) -> Tree:
        """The tree with the leaves of what records that do not move show, if it has something sensitive."""
        sensitive = self.terms.sensitive
        secrets = np.bincount(shown.owner[sensitive[shown.items]], minlength=len(self.safe))
        lengths = self.safe.lengths
        wanted = fixed & ((secrets > 0) & (lengths > 1) & (lengths <= self.terms.known + 1))[shown.owner]
        grown: Tree = self.watch.call(add_paths, tree, sensitive, *shown.rows(wanted), self.watch.stop)
        return grown

    def _places(self, unit: I64, items: I32) -> I64:
        """Where each item stands in that unit; -1 if it does not."""
        units, width = self.units, len(self.code)
        keys = np.repeat(np.arange(len(units.ptr) - 1), np.diff(units.ptr)) * width + units.items
        if not len(keys):
            return np.full(len(unit), -1, dtype=np.int64)
        wanted = unit * width + items
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[at] == wanted, at - units.ptr[unit], -1)

    def _masks(self, shown: _Shown, moving: Bools) -> I32:
        """By record, which items of its unit the moving ones show."""
        owner = shown.owner[moving]
        place = self._places(self.unit_of[owner], shown.items[moving])
        masks = np.zeros(len(self.safe), dtype=np.int32)
        np.bitwise_or.at(masks, owner, (1 << place).astype(np.int32))
        return masks

    def run(
        self, number: int, seed: int, objective: Objective, *, only_sensitive: bool = False, asked: bool = True
    ) -> Baskets:
        """The best table that so many sweeps find; it has all tracked rules safe.

        Ctrl-C ends the sweeps only, if somebody asked for them; else it ends the run.
        """
        watch, movers = self.watch, self.movers
        rng = np.random.default_rng(seed)
        before = self.before.supports[self.code]
        everything = (1 << np.diff(self.units.ptr)[movers.of_unit]) - 1
        now = self._supports()
        least = objective.cost(before, now)
        told = self.before.occurrences - int(now.sum())
        best = movers.shown.copy()
        rounds = 1 if len(self.record) >= FEW else ROUNDS
        with watch.until_enough() if asked else nullcontext(np.zeros(1, dtype=np.uint8)) as enough:
            for k in range(number):
                watch.report(f"improving ({told:,} deleted)", k, number)
                weights = heat.weights(k, number, never_less=only_sensitive, unit=objective.unit)
                who = np.arange(len(self.record))
                if not len(weights):  # who shows everything has nothing better
                    who = np.flatnonzero(movers.shown != everything)
                order = np.concatenate([rng.permutation(who) for _ in range(rounds)])
                chances = rng.random(len(order))
                pieces = np.linspace(0, len(order), objective.pieces + 1).astype(np.int64)
                for lo, hi in pairwise(pieces.tolist()):
                    values = objective.values(before, now)
                    value = np.where(self.terms.sensitive | (not only_sensitive), values, DEAR)
                    self._visit(order[lo:hi], Draw(value, weights, chances[lo:hi]), now, enough)
                cost = objective.cost(before, now)
                if cost < least:
                    least, told = cost, self.before.occurrences - int(now.sum())
                    best = movers.shown.copy()
                if enough[0]:
                    watch.report(f"ended after {k:,} sweeps ({told:,} deleted)", k, number)
                    watch.ended_early.append(f"during sweep {k + 1:,} of {number:,}")
                    break
        return self._table(best)

    def _visit(self, order: I64, draw: Draw, now: I64, enough: Flag) -> None:
        """Visits these movers, some at once; `now`, how often each item is shown, is kept up to date.

        Those of a batch are visited in the order of their units, as what a unit needs lies together in memory.
        """
        watch, common = self.watch, (self.units, self.movers, self.rules)
        size = min(len(self.record) // BATCHES, LARGEST) if len(self.record) >= FEW else 1
        batch = np.arange(len(order)) // size
        order = order[np.lexsort((self.movers.of_unit[order], batch))]
        drawn = np.empty(len(order), dtype=np.int64)
        if self.jobs == 1 or size == 1:
            watch.call(visit_all, order, size, *common, draw, drawn, now, self.most, watch.stop, enough)
            return
        share = -(-size // (2 * self.jobs))
        for lo in range(0, len(order), size):
            hi = min(lo + size, len(order))

            def work(worker: int, first: int, last: int = hi) -> None:
                del worker
                last = min(first + share, last)
                propose(order, first, last, *common, draw, drawn, self.most, watch.stop, enough)

            run_chunks(work, range(lo, hi, share), self.jobs, watch=watch)
            watch.call(carry_out, order, lo, hi, *common, drawn, now, self.most)

    def _supports(self) -> I64:
        """How often each item is shown now, by rank."""
        units, movers = self.units, self.movers
        supports = self.still.copy()
        for k in range(self.most):
            shows = movers.of_unit[movers.shown >> k & 1 != 0]
            supports += np.bincount(units.items[units.ptr[shows] + k], minlength=len(supports))
        return supports

    def _table(self, best: I32) -> Baskets:
        """The table in which movers show these parts."""
        old = self.before
        masks = np.zeros(len(old), dtype=np.int64)
        masks[self.record] = best
        moves = np.zeros(len(old), dtype=np.bool_)
        moves[self.record] = True
        owner = np.repeat(np.arange(len(old)), old.lengths)
        width = len(self.code)
        shown = np.zeros(len(owner), dtype=np.bool_)
        left = np.repeat(np.arange(len(old)), self.safe.lengths) * width + self.safe.items
        shown[np.searchsorted(owner * width + old.items, left)] = True  # both ascend
        mine = np.flatnonzero(moves[owner])
        place = self._places(self.unit_of[owner[mine]], self.rank[old.items[mine]])
        shown[mine] = (place >= 0) & (masks[owner[mine]] >> np.maximum(place, 0) & 1 != 0)
        kept = np.zeros(len(old.items) + 1, dtype=np.int64)
        np.cumsum(shown, out=kept[1:])
        return Baskets(kept[old.indptr], old.items[shown], old.names, old.ids, 0, old.origin)


def _as_ranks(baskets: Baskets, rank: I32) -> _Shown:
    width = max(len(rank), 1)
    keys = np.repeat(np.arange(len(baskets), dtype=np.int64), baskets.lengths) * width + rank[baskets.items]
    keys.sort()
    return _Shown(keys // width, (keys % width).astype(np.int32))


def pointers(lengths: npt.NDArray[np.integer]) -> I64:
    """Where each of so many begins, and the last ends."""
    ptr = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=ptr[1:])
    return ptr
