"""How little can be lost, thoroughly: alibis are given prices, step by step, and every step gives a bound.

*Guarantee.* As in bound.py: no release that is made by deleting and satisfies the policy has fewer deletions.

*Argument* (docs/notes/bound.md). Each rule q -> e asks for x * (shown with e) <= y * (shown without e) among those who
show q. Whatever prices of 0 or more the rules have: in a safe table what is paid is at least what is received, so the
items shown are at most the sum, over all records, of the most that a record can show with what it receives and pays.
Each record chooses for itself there, among the parts that are possible at all (kernels/possible.py). Prices only make
the sum better or worse, never wrong; they are moved against what the records would do (subgradients), and the best sum
is kept. Prices are whole numbers and so are the sums (kernels/prices.py), so rounding cannot spoil it.

Rules are those inside parts of records of up to 12 items. Of a longer record only sizes are known: with z sensitive
items it shows at most so many items, and receives at most what is paid for the z sensitive items that bring most,
less what it pays for the same sets, where this is less.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from sordino.audit.index import RecordIndex
from sordino.engine.local import Watch, run_chunks
from sordino.policy.inference import ResolvedInference
from sordino.utility.kernels.around import make_room
from sordino.utility.kernels.lattice import (
    MOST,
    UNKNOWN,
    Nodes,
    Units,
    count_inside,
    most_with_secrets,
    nodes_inside,
    nodes_of_units,
    number_nodes,
    parts_of_units,
)
from sordino.utility.kernels.possible import Asked
from sordino.utility.kernels.prices import SCALE, Counts, Long, Market, Tariff, choose, move_prices, settle

__all__ = ["Prices", "Table", "most_shown", "pointers", "with_prices"]

LESS = 1  # items that a part may have less than what is harmless in its unit, to matter for the rules
ROOM = 20_000_000  # nodes, about
FEW = 64  # who may show something: if so many or fewer can, the rule is tightened to what it means for whole numbers
EFFORT = 200_000  # postings that may be read to find the parts of one unit
CHUNK = 512  # units that a thread takes at a time
PACE = 0.15  # items by which a price moves in a step, about
WARM = 10  # steps until it does
SLOW = 0.1  # share of the pace at the end
CALM = 0.8  # of what moved a price before, so much counts again

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Table:
    """Classes of records, what is sensitive in them (by rank), and how much of each can be kept."""

    index: RecordIndex
    sensitive: Bools
    demand: I64
    num: I64
    den: I64
    known: int
    kept: I64

    @property
    def lengths(self) -> I64:
        return np.diff(self.index.ptr)

    @property
    def secrets(self) -> I64:
        """By class, how many of its items are sensitive."""
        if not self.index.classes:
            return np.zeros(0, dtype=np.int64)
        return np.add.reduceat(self.sensitive[self.index.items], self.index.ptr[:-1], dtype=np.int64)


def most_shown(
    index: RecordIndex, policy: ResolvedInference, demand: I64, known: int, kept: I64, *, steps: int, jobs: int,
    watch: Watch,
) -> int:  # fmt: skip
    """How many items any safe table can show at most, after so many steps; kept[c] is a bound for a record of class c.

    Ctrl-C ends it with the best so far.
    """
    code = index.code
    table = Table(index, policy.sensitive[code], demand, policy.num[code], policy.den[code], known, kept)
    best = int((kept * index.weight).sum())
    kind: type[Prices] = Prices
    if policy.policy.absent is not None:
        from sordino.utility.absent_prices import PricesOfEquals

        kind = PricesOfEquals
    prices = kind(table, jobs, watch)
    total = int(index.weight @ table.lengths)
    with watch.until_enough() as enough:
        for k in range(steps):
            watch.report(f"the least possible loss (at least {total - best:,} deleted)", k, steps)
            best = min(best, prices.step(PACE * min(k / WARM, 1 - (1 - SLOW) * k / steps)))
            if enough[0]:
                break
    return best


def pointers(lengths: npt.NDArray[np.integer]) -> I64:
    ptr = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=ptr[1:])
    return ptr


class Prices:
    """Who chooses among what, and the prices of all rules."""

    inside = True  # whether who shows a set counts as showing every part of it
    choose = staticmethod(choose)

    def __init__(self, table: Table, jobs: int, watch: Watch) -> None:
        self.table, self.jobs, self.watch = table, jobs, watch
        index = table.index
        units = self._units()
        self._find_parts(units)
        unknown = np.zeros(index.classes, dtype=np.bool_)
        unknown[units.of[units.state[units.at[:-1]] == UNKNOWN]] = True
        self.units = units = _only(units, ~unknown[units.of])
        nodes = watch.call(number_nodes, units, table.sensitive, table.known, ROOM, watch.stop)
        size = int(nodes.size[0])
        able, self.free = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
        self.node = np.empty(len(units.state), dtype=np.int32)
        watch.call(nodes_of_units, units, index.weight, nodes, index.width, self.node, able, watch.stop)
        self._add_others(unknown, nodes, able)
        self.market = self._market(nodes, able)
        self._forget_what_has_no_price()
        self.gain, self.pay = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
        self.counts = Counts(self.free, np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64))

    def _add_others(self, unknown: Bools, nodes: Nodes, able: I64) -> None:
        """Those who are no units: long ones, and who has nothing to choose: nothing sensitive, or one item."""
        table, index, lengths, watch = self.table, self.table.index, self.table.lengths, self.watch
        is_long = unknown | ((lengths > MOST) & (table.secrets > 0))
        self.long = self._long(is_long, nodes)
        np.add.at(able, self.long.list, np.repeat(self.long.weight, np.diff(self.long.begin)))
        fixed = ~is_long
        fixed[self.units.of] = False
        self.always = int((lengths * index.weight)[fixed].sum())
        rows = index.items[np.repeat(fixed, lengths)]
        ptr = pointers(lengths[fixed])
        watch.call(count_inside, nodes, index.width, ptr, rows, index.weight[fixed], self.free, watch.stop)
        self.rarest = nodes.rarest[: len(able)]

    def _forget_what_has_no_price(self) -> None:
        """In long records, nodes from which no rule with a price leads are worth nothing."""
        wanted = with_prices(self.market, len(self.free))[self.long.list]
        self.long = self.long._replace(
            begin=pointers(wanted.astype(np.int64))[self.long.begin], list=self.long.list[wanted]
        )

    def _units(self) -> Units:
        """Short classes with something sensitive beside something else."""
        table, index, lengths = self.table, self.table.index, self.table.lengths
        secrets = table.secrets
        taken = (secrets > 0) & (lengths >= 2) & (lengths <= MOST)
        size = lengths[taken]
        at = pointers(1 << size)
        least = np.maximum(size - secrets[taken] - LESS, 1)
        items = index.items[np.repeat(taken, lengths)]
        state = np.zeros(int(at[-1]), dtype=np.uint8)
        return Units(pointers(size), items, np.flatnonzero(taken), least, at, state)

    def _find_parts(self, units: Units) -> None:
        """Finds out which parts of each unit are possible."""
        table, watch, index = self.table, self.watch, self.table.index
        longest = int(table.lengths.max(initial=0))
        by_length = np.searchsorted(table.lengths, np.arange(longest + 2)).astype(np.int64)
        asked = Asked(table.sensitive, table.demand, table.known, EFFORT)
        room = [make_room(index.classes, MOST) for _ in range(self.jobs)]

        def work(worker: int, lo: int) -> None:
            hi = min(lo + CHUNK, len(units.of))
            parts_of_units(lo, hi, units, index, by_length, asked, room[worker], watch.stop)

        chunks = range(0, len(units.of), CHUNK)
        report = partial(watch.report, "the least possible loss: what can be shown", of=len(chunks))
        run_chunks(work, chunks, self.jobs, after=report, watch=watch)

    def _long(self, is_long: Bools, nodes: Nodes) -> Long:
        """The classes of which only sizes are known."""
        table, watch, index = self.table, self.watch, self.table.index
        lengths, secrets = table.lengths[is_long], table.secrets[is_long]
        classes = np.flatnonzero(is_long)
        size_ptr = pointers(secrets + 1)
        most = np.repeat(table.kept[is_long], secrets + 1)
        if table.known >= table.lengths.max(initial=0) - 1:
            by_sizes = watch.call(
                most_with_secrets, classes, index, table.sensitive, table.demand, size_ptr, watch.stop
            )
            most = np.minimum(most, by_sizes)
        else:
            most[size_ptr[:-1]] = lengths - secrets
        rows = index.items[np.repeat(is_long, table.lengths)]
        begin, inner = watch.call(nodes_inside, nodes, index.width, pointers(lengths), rows, watch.stop)
        return Long(size_ptr, most, index.weight[is_long], begin, inner)

    def _market(self, nodes: Nodes, able: I64) -> Market:
        """The rules that can fail: what those who may show q + e ask for is more than who always shows q can give."""
        table, rules = self.table, int(nodes.size[1])
        source, target, about = nodes.source[:rules], nodes.target[:rules], nodes.about[:rules]
        x, y = _tightened(table.num[about], table.den[about], able[target])
        fails = x * able[target] > y * self.free[source]
        count = int(fails.sum())
        return Market(
            source[fails], target[fails], x[fails], y[fails],
            np.zeros(count, dtype=np.int64), np.zeros(count), np.zeros(count),
        )  # fmt: skip

    def step(self, pace: float) -> int:
        """Moves the prices, and returns how many items can be shown at most, by the new ones."""
        watch, units = self.watch, self.units
        self._move(pace)
        number = len(units.of)
        value, chosen = np.zeros(number, dtype=np.int64), np.zeros(number, dtype=np.int64)

        def work(_: int, lo: int) -> None:
            hi = min(lo + CHUNK, number)
            self.choose(lo, hi, units, self.node, self.gain, self.pay, value, chosen, watch.stop)

        run_chunks(work, range(0, number, CHUNK), self.jobs, watch=watch)
        return self.always + self._settle(value, chosen) // SCALE

    def _move(self, pace: float) -> None:
        """Moves the prices by what was shown last."""
        counts = self.counts
        self.watch.call(
            move_prices, self.market, counts.alibi, counts.has, pace, CALM, self.inside, self.gain, self.pay
        )

    def _settle(self, value: I64, chosen: I64) -> int:
        """What all show is worth; counts it."""
        index, tariff = self.table.index, Tariff(self.gain, self.pay)
        total = self.watch.call(
            settle, self.units, self.node, index.weight, index.width, self.long, self.rarest, tariff, self.counts,
            value, chosen, self.watch.stop,
        )  # fmt: skip
        return int(total)


def _only(units: Units, chosen: Bools) -> Units:
    """These units."""
    sizes = np.diff(units.ptr)
    rooms = np.diff(units.at)
    return Units(
        pointers(sizes[chosen]), units.items[np.repeat(chosen, sizes)], units.of[chosen], units.least[chosen],
        pointers(rooms[chosen]), units.state[np.repeat(chosen, rooms)],
    )  # fmt: skip


def with_prices(market: Market, size: int) -> Bools:
    """From which of so many nodes a rule with a price leads."""
    priced = np.zeros(size, dtype=np.bool_)
    priced[market.source] = True
    return priced


def _tightened(num: I64, den: I64, most: I64) -> tuple[I64, I64]:
    """The strictest x, y for which x * (with) <= y * (without) holds in every safe table, if at most `most` are with.

    Numbers are whole: without is at least (den - num) * with / num, rounded up; the least share of this counts.
    """
    x, y = den - num, num.copy()
    few = np.flatnonzero((most < num) & (most <= FEW) & (most > 0))
    kinds, which = np.unique(np.stack([num[few], den[few], most[few]]), axis=1, return_inverse=True)
    for k, (n, d, limit) in enumerate(kinds.T.tolist()):
        share = min(Fraction(-(-(d - n) * s // n), s) for s in range(1, limit + 1))
        x[few[which == k]], y[few[which == k]] = share.numerator, share.denominator
    return x, y
