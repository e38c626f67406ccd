"""One data set under examination: the kernels of this room, called on all threads, over one shared index.

Occurrences are places in `index.items`: (class of equal records, item). `risk[occurrence]` tells the fewest items an
adversary needs to know to infer it: 1, 2, 3, MORE, or 0 for none found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sordino.audit.index import RecordIndex, holders, index_records
from sordino.audit.kernels.alibis import assign_alibis
from sordino.audit.kernels.leaves import judge_leaves, leaf_counts
from sordino.audit.kernels.nodes import Best, Opened, Records, Task
from sordino.audit.kernels.search import search
from sordino.audit.kernels.smallest import smallest_antecedent
from sordino.data.baskets import Baskets
from sordino.engine.local import Flag, OutOfTime, Watch, run_chunks
from sordino.errors import InternalError

__all__ = ["MORE", "Alibis", "Examination", "Lead", "Thresholds"]

MORE = 4
EXPOSED = 5  # a mark for searches that only ask whether there is an antecedent at all, of whatever size
FEW = 4  # antecedents of fewer records are not kept as leads: a raw file has millions of them
FEW_SETS = 1_000_000  # sets of items, below which the kernel for deep searches is not worth its compiling
KEPT_LEADS = 200_000  # antecedents kept as candidates for findings, over all items
SOME_LEADS = 2_000  # of these, when there is no time for more
CELLS = 64_000_000  # of a table for every thread, twice as many at most
PIECE = 8_000  # open occurrences that make a piece of work worth its while
PIECES = 96  # enough to keep all threads busy to the end
MANY_CLASSES = 20_000  # from which counting all antecedents of one record is worth the compiling of a kernel for it
COUNTED = 14  # known items whose antecedents are counted at once

Bools = npt.NDArray[np.bool_]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Alibis:
    """Who vouches for whom about one item: class `served[k]` gets `units[k]` from `alibi[k]`; `unserved` need more."""

    served: I32
    alibi: I32
    units: I64
    unserved: I32


@dataclass(frozen=True)
class Lead:
    """An antecedent (ranks) that exposes `item` (rank): `with_item` of `support` records; `newly` by no smaller one."""

    antecedent: tuple[int, ...]
    item: int
    support: int
    with_item: int
    newly: int


class Thresholds(Protocol):
    """What is asked of the records; a resolved policy is such."""

    @property
    def sensitive(self) -> Bools: ...
    @property
    def num(self) -> I64: ...
    @property
    def den(self) -> I64: ...
    @property
    def knowledge(self) -> int | None: ...


class Examination:
    """Counts, certificates and searches over one data set under one resolved policy.

    All of them keep to the deadline of the watch. OutOfTime then, but what had been found stands: marks in `risk`, in
    what `leaves` was given, leads, and the alibis of items that were seen to.

    With `roots`, a range of ranks, the baskets are what by_rarest.py ships to one group, their codes are ranks, and
    only antecedents whose rarest item lies in the range are asked about.
    """

    def __init__(
        self,
        baskets: Baskets,
        policy: Thresholds,
        *,
        jobs: int,
        watch: Watch,
        roots: tuple[int, int] | None = None,
    ) -> None:
        self.baskets, self.policy, self.jobs, self.watch, self.roots = baskets, policy, jobs, watch, roots
        self.index: RecordIndex = watch.call(index_records, baskets, watch.stop, roots is not None)
        index = self.index
        self.num: I64 = policy.num[index.code]
        self.den: I64 = policy.den[index.code]
        self.lengths: I64 = np.diff(index.ptr)
        self.longest = int(self.lengths.max(initial=0))
        self.by_length: I64 = np.searchsorted(self.lengths, np.arange(self.longest + 2)).astype(np.int64)
        self.owner: I32 = np.repeat(np.arange(index.classes, dtype=np.int32), self.lengths)
        self.sensitive: Bools = policy.sensitive[index.code][index.items]
        self.occurrences: I64 = np.flatnonzero(self.sensitive)
        self.sensitive_ptr = self._ptr(self.occurrences)
        self.sensitive_items: I32 = index.items[self.occurrences]
        self.sup_without: I64 = np.empty(0, dtype=np.int64)  # by occurrence, once leaves() has counted
        self.asked = self.sensitive
        ptr, items = index.ptr, index.items
        if roots is not None:
            # An antecedent has a root, so the rest of the record must hold one; and it has nothing rarer than that.
            self.asked = self.sensitive & (self._with_root(index.items, self.owner) > self._is_root(index.items))
            kept = items >= roots[0]
            before = np.zeros(len(items) + 1, dtype=np.int64)
            np.cumsum(kept, out=before[1:])
            ptr, items = before[ptr], items[kept]
        self.records = Records(
            ptr,
            items,
            index.weight,
            index.post_ptr,
            index.post,
            self.sensitive_ptr,
            self.sensitive_items,
            self.num,
            self.den,
        )

    def _is_root(self, ranks: npt.NDArray[np.integer]) -> Bools:
        """Which of the given items may be the rarest of an antecedent."""
        if self.roots is None:
            return np.ones(len(ranks), dtype=np.bool_)
        return (ranks >= self.roots[0]) & (ranks < self.roots[1])

    def _with_root(self, items: I32, owner: I32) -> I64:
        """For every occurrence, how many roots its class holds."""
        return np.bincount(owner[self._is_root(items)], minlength=self.index.classes)[owner]

    def _ptr(self, occurrences: I64) -> I64:
        """Where the given occurrences (ascending) of each class begin."""
        ptr = np.zeros(self.index.classes + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.owner[occurrences], minlength=self.index.classes), out=ptr[1:])
        return ptr

    def opened(self, occurrences: I64, risk: npt.NDArray[np.uint8]) -> Opened:
        """The given occurrences (ascending) as what is open, to be marked in `risk`."""
        return Opened(self._ptr(occurrences), occurrences, self.index.items[occurrences], self.sup_without, risk)

    def distinct(self, ranks: npt.NDArray[np.integer]) -> I64:
        """The distinct ones of the given ranks, ascending."""
        return np.flatnonzero(np.bincount(ranks, minlength=self.index.width))

    def _reporter(self, phase: str, of: int) -> Callable[[int], None]:
        """A callback that reports progress."""
        self.watch.report(phase, 0, of)
        return lambda done: self.watch.report(phase, done, of)

    def leaves(
        self,
        shortest: int = 2,
        longest: int | None = None,
        ranks: I64 | None = None,
        places: I64 | None = None,
        into: Bools | None = None,
    ) -> Bools:
        """Which occurrences are disclosed to one who knows all the rest of the record; fills `sup_without`.

        Only those of the given items, or the given ones themselves (default: all that are sensitive), in records of
        shortest..longest items. They are marked in `into`, which is returned.
        """
        index = self.index
        lo = int(np.searchsorted(self.lengths, shortest))
        hi = index.classes if longest is None else int(np.searchsorted(self.lengths, longest, side="right"))
        wanted = self.asked
        if ranks is not None:
            chosen = np.zeros(index.width, dtype=np.bool_)
            chosen[ranks] = True
            wanted = wanted & chosen[index.items]
        if places is not None:
            wanted = np.zeros(len(index.items), dtype=np.bool_)
            wanted[places] = True
        if len(self.sup_without) == 0:
            self.sup_without = np.zeros(len(index.items), dtype=np.int64)
        inside = slice(int(index.ptr[lo]), int(index.ptr[hi]))
        self.sup_without[inside][wanted[inside]] = 0
        sup_all = np.zeros(index.classes, dtype=np.int64)
        bounds = _split(lo, hi, 64)
        disclosed = np.zeros(len(index.items), dtype=np.bool_) if into is None else into
        most = self.longest if self.policy.knowledge is None else self.policy.knowledge
        stop = self.watch.stop

        def count(_: int, chunk: tuple[int, int]) -> None:
            with np.errstate(over="ignore"):  # b & (b - 1) of b = 0; NumPy warns when the kernel runs uncompiled
                leaf_counts(*chunk, index, self.by_length, wanted, sup_all, self.sup_without, stop)
            judge_leaves(*chunk, index, wanted, sup_all, self.sup_without, self.num, self.den, most, disclosed)

        run_chunks(count, bounds, self.jobs, after=self._reporter("whole records", len(bounds)), watch=self.watch)
        return disclosed

    def alibis(self, ranks: I64, into: dict[int, Alibis] | None = None) -> dict[int, Alibis]:
        """The alibi assignment of each of the given items, put into `into`, which is returned."""
        index = self.index
        found: dict[int, Alibis] = {} if into is None else into
        stop = self.watch.stop
        scratch = [
            (np.zeros(index.classes, dtype=np.int64), np.full(index.classes, -1, dtype=np.int64))
            for _ in range(self.jobs)
        ]
        heavy_first = ranks[np.argsort(-index.support[ranks], kind="stable")]

        def assign(worker: int, rank: int) -> None:
            left, stamp = scratch[worker]
            num, den = self.num[rank], self.den[rank]
            assigned = assign_alibis(
                rank, num, den, index, self.by_length, index.weight, (0, index.width), left, stamp, rank, stop
            )
            if not stop[0]:
                alibis = Alibis(*assigned)
                if self.roots is not None:
                    asked = self.asked[self.places(rank, alibis.unserved)]
                    alibis = replace(alibis, unserved=alibis.unserved[asked])
                found[rank] = alibis

        chunks = (int(r) for r in heavy_first)
        run_chunks(assign, chunks, self.jobs, after=self._reporter("alibis", len(ranks)), watch=self.watch)
        return found

    @cached_property
    def _keys(self) -> I64:
        """Every occurrence as one number; these ascend."""
        return self.owner.astype(np.int64) * self.index.width + self.index.items

    def places(self, item: int, classes: I32) -> I64:
        """The occurrences of an item in the given classes, all of which hold it."""
        return np.searchsorted(self._keys, classes.astype(np.int64) * self.index.width + item).astype(np.int64)

    def search(
        self,
        risk: npt.NDArray[np.uint8],
        open_occurrences: I64,
        least: int,
        most: int,
        mark: int,
        *,
        leads: list[Lead] | None = None,
        phase: str,
    ) -> None:
        """Marks in `risk` the open occurrences that antecedents of least..most items expose; adds to `leads`."""
        index = self.index
        most = min(most, self.longest - 1)
        if least > most or len(open_occurrences) == 0:
            return
        opened = self.opened(open_occurrences, risk)
        items = self.distinct(opened.items)
        most_cells = len(items) * int(self.lengths[self.owner[open_occurrences]].max())
        if most_cells > CELLS and len(items) > 1:
            # A node's table has a row for every item of a record and a column for every open item: for very long
            # records some of the items are asked about at a time.
            for some in np.array_split(items, min(len(items), -(-most_cells // CELLS))):
                chosen = open_occurrences[np.isin(opened.items, some)]
                self.search(risk, chosen, least, most, mark, leads=leads, phase=phase)
            return
        best_row = np.zeros(index.width, dtype=np.int32)
        best_row[items] = np.arange(len(items), dtype=np.int32)
        wanted = leads is not None
        keep = int(np.clip(KEPT_LEADS // len(items), 1, 24)) if wanted else 0
        rows = len(items) if wanted else 1
        # Only items that stand in a class with something open can be the rarest item of an antecedent that matters.
        open_class = opened.ptr[1:] > opened.ptr[:-1]
        roots = self.distinct(index.items[open_class[self.owner]]).astype(np.int32)
        roots = roots[self._is_root(roots)]
        if not len(roots):
            return
        # Each piece costs a little in itself, so small work is not divided; but a deep search is never small for sure.
        pieces = min(len(roots), PIECES if most > 3 else 1 + len(open_occurrences) // PIECE, PIECES)
        jobs = min(self.jobs, pieces)
        # Interleaved, so that no chunk holds all the expensive roots.
        chunks = [np.ascontiguousarray(roots[k::pieces]) for k in range(pieces)]
        tables = [
            (
                np.zeros((rows, keep), dtype=np.int64),
                np.full((rows, keep, (most if wanted else 0) + 3), np.iinfo(np.int64).max, dtype=np.int64),
            )
            for _ in range(jobs)
        ]
        # With unlimited knowledge, and leaves of confidence 1 out of the way, one antecedent for each set of records
        # will do.
        closed = self.policy.knowledge is None if not wanted else None
        sets = np.exp2(np.minimum(self.lengths[open_class], 64)).sum()  # all antecedents that there could be, or many
        if sets <= FEW_SETS:
            closed = None
        task = Task(least, most, mark, not wanted, FEW, self.watch.stop)

        def look(worker: int, chunk: I32) -> None:
            search(chunk, task, closed, self.records, opened, Best(best_row, *tables[worker]))

        try:
            run_chunks(look, chunks, jobs, after=self._reporter(phase, pieces), watch=self.watch)
        except OutOfTime:
            if leads is not None:
                leads += _leads(tables, items, SOME_LEADS)
            raise
        if leads is not None:
            leads += _leads(tables, items)

    def explain(self, occurrence: int, least: int) -> Lead:
        """The smallest antecedent of at least `least` items that exposes one occurrence known to be exposed."""
        lead = self.watch.call(self._explain, occurrence, least, self.watch.stop)
        if lead is None:
            raise InternalError("an item was found to be inferred, but not from what")
        return lead

    def leaf(self, occurrence: int) -> Lead:
        """All the rest of its record as the antecedent of an occurrence that this exposes."""
        index = self.index
        c = int(self.owner[occurrence])
        whole = index.items[index.ptr[c] : index.ptr[c + 1]].tolist()
        item = int(index.items[occurrence])
        antecedent = tuple(x for x in whole if x != item)
        weight = index.weight
        both = int(weight[self.holding(tuple(whole))].sum())
        return Lead(antecedent, item, int(weight[self.holding(antecedent)].sum()), both, both)

    def _explain(self, occurrence: int, least: int, stop: Flag) -> Lead | None:
        index = self.index
        c = int(self.owner[occurrence])
        item = int(index.items[occurrence])
        if self.roots is None and index.classes >= MANY_CLASSES and self.lengths[c] <= COUNTED + 1:
            return self._counted(c, item, least)
        only = np.array([occurrence], dtype=np.int64)
        row = np.zeros(index.width, dtype=np.int32)
        roots = index.items[index.ptr[c] : index.ptr[c + 1]]
        roots = roots[self._is_root(roots)]
        for size in range(least, int(self.lengths[c])):
            risk = np.zeros(len(index.items), dtype=np.uint8)
            people = np.zeros((1, 1), dtype=np.int64)
            keys = np.full((1, 1, size + 3), np.iinfo(np.int64).max, dtype=np.int64)
            task = Task(size, size, EXPOSED, False, 0, stop)
            search(roots, task, None, self.records, self.opened(only, risk), Best(row, people, keys))
            if people[0, 0]:
                key = keys[0, 0]
                return Lead(tuple(int(k) for k in key[:size]), item, int(key[-1]), int(key[-2]), int(people[0, 0]))
        return None

    def _counted(self, c: int, item: int, least: int) -> Lead | None:
        """What `_explain` finds, by counting all parts of the record."""
        index = self.index
        whole = index.items[index.ptr[c] : index.ptr[c + 1]]
        known = whole[whole != item]
        num, den = self.num[item], self.den[item]
        part, support, having = smallest_antecedent(
            known, item, num, den, least, index.post_ptr, index.post, index.weight, self._mask
        )
        if part == 0:
            return None
        antecedent = tuple(int(x) for k, x in enumerate(known) if part >> k & 1)
        return Lead(antecedent, item, int(support), int(having), int(index.weight[c]))

    @cached_property
    def _mask(self) -> I32:
        """Zeros for `smallest_antecedent`, which leaves them so."""
        return np.zeros(self.index.classes, dtype=np.int32)

    def holding(self, ranks: tuple[int, ...]) -> I32:
        """The classes that hold all the given items."""
        return holders(self.index.post_ptr, self.index.post, ranks)


def _leads(tables: list[tuple[I64, I64]], items: I64, most: int | None = None) -> list[Lead]:
    """The best leads of each item over all workers, as many as one worker keeps; the `most` best of each worker.

    Every worker kept its own best in one total order, so the best of these are the best of all, however many workers
    there were.
    """
    keep = tables[0][0].shape[1]
    found: dict[int, list[tuple[int, tuple[int, ...], int, int]]] = {}
    for people, keys in tables:
        rows, places = np.nonzero(people)
        if most is not None and len(rows) > most:
            best = np.argpartition(-people[rows, places], most)[:most]
            rows, places = rows[best], places[best]
        for row, place in zip(rows.tolist(), places.tolist(), strict=True):
            key = keys[row, place].tolist()
            found.setdefault(row, []).append((-int(people[row, place]), tuple(key[: key[-3]]), key[-1], key[-2]))
    return [
        Lead(antecedent, int(items[row]), support, with_item, -negative)
        for row, leads in sorted(found.items())
        for negative, antecedent, support, with_item in sorted(leads)[:keep]
    ]


def _split(first: int, last: int, pieces: int) -> list[tuple[int, int]]:
    """first..last in at most `pieces` ranges, the end (the longest records) first."""
    edges = np.unique(np.linspace(first, last, pieces + 1).astype(np.int64))
    return [(int(a), int(b)) for a, b in zip(edges[-2::-1], edges[:0:-1], strict=True)]
