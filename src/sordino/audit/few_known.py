"""Who is at risk from someone who knows one or two items, where records are short: all sets counted, nothing searched.

The same answers as by searching an `Examination`, in a fraction of the time, for records of about five items. Where
records are longer, and there are more than EACH pairs and triples for every occurrence, bounds and lists of records
pay, and `count_exposure` says None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sordino.audit.examination import FEW, Lead
from sordino.audit.findings import Ranked, priority
from sordino.audit.index import MOST
from sordino.audit.kernels import small_sets as kernels
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch, run_chunks
from sordino.policy.inference import ResolvedInference

__all__ = ["Exposure", "count_exposure"]

EACH = 5  # pairs and triples in distinct records for every occurrence: with more, searching is quicker
MOST_SETS = 4_000_000  # pairs and triples in all: some 100 MB
MOST_ITEMS = 64  # of a record: more would make too many kinds of rows
ALONE = 60_000  # occurrences up to which one thread is as quick as two
SMALL = 100_000  # sets whose table stays in the cache, even if there is much room in it
BATCH = 24  # leads that are looked at more closely at a time
ROOM = 20_000  # leads: more make it necessary to judge again
WORD = 63  # bits of a table entry: a set and its count

Bytes = npt.NDArray[np.uint8]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]


class Rows(NamedTuple):
    """The distinct records of at least two items, those of one kind together, sensitive items first in each.

    A block, the rows of a kind, is (length, sensitive items, first row, last row + 1, where its items begin).
    """

    blocks: I64
    items: I32  # row r holds items[ptr[r]:ptr[r + 1]]
    ptr: I64
    weight: I32  # how many records are such a row
    start: I64  # where the first of them starts in the baskets

    @property
    def occurrences(self) -> int:
        """In how many rows sensitive items stand, all together."""
        return int((self.blocks[:, 1] * (self.blocks[:, 3] - self.blocks[:, 2])).sum())

    def row_of(self, places: I64) -> I64:
        """The rows of places in `items`."""
        return np.searchsorted(self.ptr, places, side="right") - 1


@dataclass(frozen=True, eq=False)
class Sets:
    """Sets of two or of three items with their counts, in the hash table of kernels/small_sets.py."""

    table: I64
    bits: int  # of an item
    count_bits: int

    def __getitem__(self, items: tuple[int, ...]) -> int:
        """How many records hold the given items, of which some do; in the order that they have in rows."""
        key = 0
        for item in items:
            key = key << self.bits | item
        slot = (key * kernels.MIX & 2**64 - 1) >> _shift(len(self.table))
        while int(self.table[slot]) >> self.count_bits != key:
            slot = (slot + 1) & len(self.table) - 1
        return int(self.table[slot]) & (1 << self.count_bits) - 1


@dataclass(frozen=True, eq=False)
class Exposure:
    """What one or two known items expose; findings.Cases tells what can be asked of it. Items are codes."""

    names: tuple[str, ...]
    support: I64
    num: I64
    den: I64
    by_one: int  # people
    by_two: int  # people whom nobody exposes who knows but one item
    items: int  # sensitive items that stand beside others
    rows: Rows
    risk: Bytes  # by place in rows.items: how few known items expose it, 0 if neither one nor two do
    pairs: Sets
    triples: Sets
    leads: I64  # (known, also known or -1, inferred, records with what is known, records with all); some perhaps twice

    @property
    def weight(self) -> npt.NDArray[np.integer]:
        return self.rows.weight

    def name(self, item: int) -> str:
        return self.names[item]

    def _rank(self, item: int) -> tuple[int, int]:
        """Rare items come before frequent ones."""
        return int(self.support[item]), item

    def ranked(self) -> Iterator[Ranked]:
        """All antecedents of at least FEW records that expose something that nothing smaller does, best first."""
        left, wanted = self.leads, BATCH
        while len(left):
            now, left = left, left[:0]
            if len(now) > 2 * wanted:
                score = now[:, 4] * np.where(now[:, 1] < 0, 4, 1)  # as `priority`, the other way round
                cut = np.partition(score, len(now) - wanted)[len(now) - wanted]
                best = score > cut
                if 2 * np.count_nonzero(best) < wanted:  # equals stay together
                    best = score >= cut
                now, left = now[best], now[~best]
            wanted *= 4
            yield from sorted({self._ranked(*lead) for lead in now.tolist()})

    def _ranked(self, known: int, also: int, inferred: int, support: int, with_item: int) -> Ranked:
        antecedent = (known,) if also < 0 else tuple(sorted((known, also), key=self._rank))
        tie = len(antecedent), self._rank(inferred), tuple(map(self._rank, antecedent))
        return priority(with_item, len(antecedent)), tie, Lead(antecedent, inferred, support, with_item, with_item)

    @cached_property
    def _with(self) -> dict[int, tuple[I64, I32]]:
        """For items that were asked for: the rows with it, and what is in them (a column a row, padded)."""
        return {}

    def holding(self, antecedent: tuple[int, ...], item: int) -> I64:
        """The rows that hold an item and an antecedent."""
        if item not in self._with:
            places = np.flatnonzero(self.rows.items == item)
            rows = self.rows.row_of(places)
            begin, end = self.rows.ptr[rows], self.rows.ptr[rows + 1]
            at = begin + np.arange(int((end - begin).max(initial=0)))[:, None]
            self._with[item] = rows, self.rows.items[np.where(at < end, at, places)]
        found, content = self._with[item]
        inside = [np.logical_or.reduce(content == known, axis=0) for known in antecedent]
        return found[np.logical_and.reduce(inside)]

    def single(self) -> Iterator[tuple[int, int, Callable[[], Lead]]]:
        """By few known items, many people, short records, then as they come in the data; rare items first."""
        places = np.flatnonzero(self.risk)
        rows, items = self.rows.row_of(places), self.rows.items[places]
        length = self.rows.ptr[rows + 1] - self.rows.ptr[rows]
        many = self.rows.weight[rows].astype(np.int64)
        key = (self.risk[places].astype(np.int64) << 60) - (many << 8) + length
        order = np.argsort(key, kind="stable")
        bounds = np.flatnonzero(np.diff(key[order])) + 1
        for a, b in pairwise((0, *bounds.tolist(), len(order))):
            some = order[a:b]
            for k in some[np.lexsort((items[some], self.support[items[some]], self.rows.start[rows[some]]))].tolist():
                item = int(items[k])
                yield int(rows[k]), item, partial(self._explain, int(rows[k]), item, int(self.risk[places[k]]))

    def _explain(self, row: int, item: int, size: int) -> Lead:
        """The antecedent of this size, of the rarest items, that exposes an item of a row."""
        content = self.rows.items[self.rows.ptr[row] : self.rows.ptr[row + 1]].tolist()
        at = content.index(item)
        num, den = int(self.num[item]), int(self.den[item])
        sets = self.pairs if size == 1 else self.triples
        found = []
        for places in combinations((k for k in range(len(content)) if k != at), size):
            known = tuple(content[k] for k in places)
            support = int(self.support[known[0]]) if size == 1 else self.pairs[known]
            with_item = sets[tuple(content[k] for k in sorted((*places, at)))]
            if with_item * den > num * support:
                found.append((sorted(map(self._rank, known)), support, with_item))
        ranked, support, with_item = min(found)
        return Lead(tuple(x for _, x in ranked), item, support, with_item, with_item)


def count_exposure(
    baskets: Baskets, policy: ResolvedInference, most: int, *, jobs: int, watch: Watch
) -> Exposure | None:
    """What `most` known items expose, one or two; None if the records hold too many sets to count them all."""
    if len(baskets) >= MOST:
        return None
    bits, count_bits = len(baskets.names).bit_length(), len(baskets).bit_length()
    jobs = 1 if len(baskets.items) <= ALONE else min(jobs, 2)
    merged = _merged(baskets, policy.sensitive, jobs, watch) if (most + 1) * bits + count_bits <= WORD else None
    if merged is None:
        return None
    rows, longest, n_pairs, n_triples = merged
    sizes = (2, 3)[:most]
    tables: dict[int, tuple[I64, I32]] = {3: (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32))}

    def count(_: int, size: int) -> None:
        number = n_pairs if size == 2 else n_triples
        # Most triples are different; of pairs a part. A table may be nearly empty if it is small.
        guess = number // 3 if size == 2 else 2 * number if number < SMALL else number
        table = np.zeros(1 << max(1, guess.bit_length()), dtype=np.int64)
        slots = np.empty(number, dtype=np.int32)
        with np.errstate(over="ignore"):  # a hash wraps around; NumPy warns when the kernel runs uncompiled
            table = kernels.count_sets(
                size == 3,
                rows,
                bits,
                count_bits,
                _shift(len(table)),
                table,
                slots,
            )
        tables[size] = table, slots

    run_chunks(count, sizes[::-1], jobs, watch=watch)
    sets = kernels.SmallSets(*tables[2], *tables[3], count_bits)
    risk = np.zeros(len(rows.items), dtype=np.uint8)
    beside = np.zeros(len(baskets.names), dtype=np.bool_)
    judged: list[tuple[int, int, I64]] = [(0, 0, np.empty((0, 5), dtype=np.int64))] * jobs

    def judge(_: int, part: int) -> None:
        room, number = 0, ROOM
        while number > room:
            room = number
            leads = np.empty((room, 5), dtype=np.int64)
            by_one, by_two, number = kernels.judge_rows(
                part, jobs, FEW, longest, rows, policy.num, policy.den, baskets.supports, sets, risk, beside, leads
            )
        judged[part] = by_one, by_two, leads[:number]

    run_chunks(judge, range(jobs), jobs, watch=watch)
    by_one, by_two, leads = zip(*judged, strict=True)
    return Exposure(
        baskets.names, baskets.supports, policy.num, policy.den, sum(by_one), sum(by_two),
        int(np.count_nonzero(beside)), rows, risk, Sets(sets.pairs, bits, count_bits),
        Sets(sets.triples, bits, count_bits), leads[0] if jobs == 1 else np.concatenate(leads),
    )  # fmt: skip


def _shift(slots: int) -> int:
    """By how much a hash of 64 bits is shifted to become a slot of a table."""
    return 65 - slots.bit_length()


def _merged(
    baskets: Baskets, sensitive: npt.NDArray[np.bool_], jobs: int, watch: Watch
) -> tuple[Rows, int, int, int] | None:
    """The distinct records, the longest of them, and how many pairs and triples they hold; None if too many."""
    records = len(baskets)
    found: list[tuple[npt.NDArray[np.integer], ...]] = [()] * jobs
    limit = min(EACH * len(baskets.items), MOST_SETS)
    sums = np.zeros((jobs, 4), dtype=np.int64)
    stop = watch.stop

    def merge(_: int, part: int) -> None:
        table = np.zeros(1 << records.bit_length(), dtype=np.int32)
        start = np.empty(records, dtype=np.int64)
        size, inside, weight = np.empty((3, records), dtype=np.int32)
        with np.errstate(over="ignore"):  # as above
            sums[part] = kernels.merge_equal(
                part, jobs, baskets.indptr, baskets.items, sensitive, limit, table, start, size, inside, weight, stop
            )
        n = sums[part, 0]
        found[part] = start[:n], size[:n], inside[:n], weight[:n]

    run_chunks(merge, range(jobs), jobs, watch=watch)
    _, pairs, triples, _ = sums.sum(axis=0).tolist()
    longest = int(sums[:, 3].max())
    if pairs + triples > limit or longest > MOST_ITEMS:
        return None
    start, size, inside, weight = found[0] if jobs == 1 else map(np.concatenate, zip(*found, strict=True))
    laid = watch.call(kernels.lay_out, start, size, inside, weight, longest, baskets.items, sensitive)
    return Rows(*laid), longest, pairs, triples
