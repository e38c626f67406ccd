"""The audit where people chose for themselves: exact, at any record length (model.md 1.1, 1.2, 1.4).

**Guarantee.** `holds` is True exactly if no adversary (u, q) can infer an item that u finds sensitive above its
threshold: q is any part of u's *original* record of at most m items, supports are those of the published records.
**Argument.** kernels/personal.py. **Counting.** A person is at risk if there is such an adversary for her, whether she
has the item or would only be suspected of it (NAKA 4.1). That is so also where all chose alike, and is not how people
are counted where the same is sensitive for all without their being asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.audit.index import by_rarity, equal_records, holders
from sordino.audit.kernels import classes as grouping
from sordino.audit.kernels.personal import SHORT, Owners, Store, make_scratch, unite_wishes, wishes_beside
from sordino.audit.kernels.personal_long import COLLECT, MARK, VERDICT, explore, people_sharing, records_sharing
from sordino.audit.kernels.personal_pass import long_records, short_records, single_items
from sordino.data.baskets import Baskets
from sordino.data.distinct import distinct
from sordino.engine.local import Flag, Watch, raise_if_stopped, run_chunks
from sordino.errors import InternalError
from sordino.policy.choices import EVERYBODY, PersonalChoices
from sordino.policy.inference import ResolvedInference

__all__ = ["People", "PersonalExamination", "PersonalLead", "list_records", "published_records"]

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
PIECES = 64
BEST = 100  # antecedents kept as candidates for findings
ROOM = 20_000  # single-item antecedents kept as candidates, for each piece of work

PersonalLead = tuple[int, tuple[int, ...], int, int]  # item (rank), antecedent, records with both, with the antecedent


def list_records(baskets: Baskets, chosen: I32 | I64, rank: I32, stop: Flag | None = None) -> tuple[I64, I32, I64, I32]:
    """The chosen records as ranks, and who holds what: ptr, items, post_ptr, post."""
    ptr = np.zeros(len(chosen) + 1, dtype=np.int64)
    np.cumsum(baskets.lengths[chosen], out=ptr[1:])
    items = np.empty(int(ptr[-1]), dtype=np.int32)
    grouping.gather_sorted(baskets.indptr, baskets.items, chosen.astype(np.int64), rank, ptr, items, stop)
    raise_if_stopped(stop)
    post_ptr = np.zeros(len(rank) + 1, dtype=np.int64)
    np.cumsum(np.bincount(items, minlength=len(rank)), out=post_ptr[1:])
    owner = np.repeat(np.arange(len(chosen), dtype=np.int32), np.diff(ptr))
    return ptr, items, post_ptr, owner[np.argsort(items, kind="stable")]


class People:
    """The original records, equal ones once, and who finds what sensitive."""

    def __init__(
        self, original: Baskets, wishes: PersonalChoices, *, only_drawn: bool = False, stop: Flag | None = None
    ) -> None:
        """`only_drawn`: adversaries are drawn and judged one by one; of `owners` then only row and chose are there."""
        width = len(original.names)
        self.original = original
        self.code, self.rank = by_rarity(original.supports)
        row = wishes.row[self.code]
        chose = wishes.bits if len(wishes.bits) else np.zeros((1, 1), dtype=np.uint64)
        if only_drawn:
            none, bits = np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.uint64)
            few = np.empty(0, dtype=np.int32)
            self.class_of: I64 = none
            self.owners = Owners(none, few, none, few, bits, row, bits, none, none, chose)
            return
        class_of, first = equal_records(original.indptr, original.items, stop)
        self.class_of = class_of.astype(np.int64)
        choosing = np.ones(len(original), dtype=np.bool_)
        if not (wishes.row == EVERYBODY).any():  # who chose nothing cannot be harmed
            choosing = wishes.anybody()
            kept = distinct(self.class_of[choosing & (self.class_of >= 0)])
            place = np.full(len(first) + 1, -1, dtype=np.int64)
            place[kept] = np.arange(len(kept))
            self.class_of, first = np.where(choosing, place[self.class_of], -1), first[kept]
        ptr, items, post_ptr, post = list_records(original, first, self.rank, stop)
        wish = np.zeros((max(len(wishes.bits), 1), max((len(first) + 63) // 64, 1)), dtype=np.uint64)
        unite_wishes(self.class_of, wishes.bits, wish, stop)
        table = np.zeros((width, max((width + 63) // 64, 1)), dtype=np.uint64)
        wishes_beside(ptr, items, post_ptr, post, row, wish, table, stop)
        raise_if_stopped(stop)
        there = np.flatnonzero(self.class_of >= 0)
        member = there[np.argsort(self.class_of[there], kind="stable")]
        member_ptr = np.zeros(len(first) + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.class_of[there], minlength=len(first)), out=member_ptr[1:])
        self.owners = Owners(ptr, items, post_ptr, post, wish, row, table, member_ptr, member, chose)

    def knowing(self, ranks: tuple[int, ...], item: int) -> I64:
        """The persons who have all the given items in their original record, and find `item` sensitive."""
        owners = self.owners
        classes = holders(owners.post_ptr, owners.post, ranks)
        begin = owners.member_ptr[classes]
        size = owners.member_ptr[classes + 1] - begin
        users: I64 = owners.member[np.arange(int(size.sum())) + np.repeat(begin - (np.cumsum(size) - size), size)]
        r = int(owners.row[item])
        if r == EVERYBODY:
            return users
        said: npt.NDArray[np.uint64] = (owners.chose[r, users >> 6] >> (users & 63).astype(np.uint64)) & np.uint64(1)
        chosen: I64 = users[said != 0]
        return chosen


def published_records(baskets: Baskets, policy: ResolvedInference, people: People, stop: Flag | None = None) -> Store:
    """The published records, equal ones once, in the ranks of the people; short ones first."""
    class_of, first = equal_records(baskets.indptr, baskets.items, stop)
    first = first[np.argsort(baskets.lengths[first], kind="stable")]
    ptr, items, post_ptr, post = list_records(baskets, first, people.rank, stop)
    place = np.empty(len(first) + 1, dtype=np.int64)
    place[class_of[first]] = np.arange(len(first))
    counted = class_of[class_of >= 0]
    return Store(
        ptr=ptr,
        items=items,
        length=np.diff(ptr),
        weight=np.bincount(place[counted], minlength=len(first)).astype(np.int64),
        slot=np.empty(0, dtype=np.int64),  # only who deletes needs it
        post_ptr=post_ptr,
        post=post,
        support=baskets.supports[people.code],
        num=policy.num[people.code],
        den=policy.den[people.code],
    )


class PersonalExamination:
    """One published data set, in the codes of the original, under one resolved personal policy.

    It keeps to the deadline of the watch. OutOfTime then, but what had been found stands: `found`, `risk` and `leads`.
    """

    def __init__(self, baskets: Baskets, policy: ResolvedInference, people: People, *, jobs: int, watch: Watch) -> None:
        self.people, self.jobs, self.watch = people, jobs, watch
        self.store: Store = watch.call(published_records, baskets, policy, people, watch.stop)
        self.most = policy.knowledge or max(int(self.store.length.max(initial=1)), 1)
        lengths = self.store.length
        self.short: I64 = np.flatnonzero((lengths > 1) & (lengths <= SHORT))
        self.long: I64 = np.flatnonzero(lengths > SHORT)[::-1].copy()
        self.risk: npt.NDArray[np.uint8] = np.zeros(len(baskets), dtype=np.uint8)
        self.leads: set[PersonalLead] = set()
        self.found = False  # anything that is disclosed to somebody's harm
        self.in_short = False  # in a short record

    def _run(self, work: Callable[[int, I64, Any], None], records: I64, phase: str) -> None:
        """Calls work(worker, records, risk) for pieces of the records on all threads; risks are united afterwards."""
        pieces = max(1, min(PIECES, len(records)))
        chunks = [np.ascontiguousarray(records[k::pieces]) for k in range(pieces)] if len(records) else []
        risks = [self.risk.copy() for _ in range(self.jobs)]
        self.watch.report(phase, 0, len(chunks))
        try:
            run_chunks(
                lambda worker, chunk: work(worker, chunk, risks[worker]),
                chunks,
                self.jobs,
                after=lambda done: self.watch.report(phase, done, len(chunks)),
                watch=self.watch,
            )
        finally:
            for risk in risks:
                better = (risk > 0) & ((self.risk == 0) | (risk < self.risk))
                self.risk[better] = risk[better]

    def singles(self, *, marking: bool) -> bool:
        """Antecedents of one item: whether any discloses something."""
        people, store, stop = self.people, self.store, self.watch.stop
        hits = [0] * self.jobs

        def work(worker: int, roots: I64, risk: Any) -> None:
            found = np.zeros((ROOM if marking else 1, 3), dtype=np.int64)
            count = single_items(store, people.owners, roots, risk, marking, found, stop)
            hits[worker] += count
            self.found |= count > 0
            if marking:
                rows = found[: min(count, ROOM)].tolist()
                self.leads.update((e, (x,), both, int(store.support[x])) for x, e, both in rows)

        self._run(work, np.flatnonzero(store.support > 0), "1 known")
        return sum(hits) > 0

    def shorts(self, *, marking: bool) -> bool:
        """Short records: whether any discloses something."""
        people, store, stop = self.people, self.store, self.watch.stop
        hits = [0] * self.jobs
        scratch = [make_scratch(len(store.length), len(people.owners.ptr) - 1) for _ in range(self.jobs)]
        best = [np.zeros((BEST, 8), dtype=np.int64) for _ in range(self.jobs)]

        def work(worker: int, records: I64, risk: Any) -> None:
            count = short_records(
                store, people.owners, records, self.most, scratch[worker], marking, risk, best[worker], stop
            )
            hits[worker] += count
            self.in_short |= count > 0
            self.found |= count > 0

        try:
            self._run(work, self.short, "short records")
        finally:
            rows = sorted(
                {tuple(row) for table in best for row in table.tolist() if row[0]}, key=lambda r: (-r[0], r[1:])
            )
            self.leads.update((row[2], tuple(row[3 : 3 + row[1]]), row[6], row[7]) for row in rows[:BEST])
        return sum(hits) > 0

    def longs(self, most: int, mode: int) -> bool:
        """Long records: whether any discloses something."""
        people, store, stop = self.people, self.store, self.watch.stop
        hits = [0] * self.jobs
        scratch = [make_scratch(len(store.length), len(people.owners.ptr) - 1) for _ in range(self.jobs)]
        place = [np.full(len(store.num), -1, dtype=np.int64) for _ in range(self.jobs)]
        open_ = np.zeros(len(people.owners.ptr) - 1 if mode == MARK else 0, dtype=np.bool_)
        if mode == MARK:
            open_[people.class_of[np.flatnonzero((self.risk == 0) & (people.class_of >= 0))]] = True

        def work(worker: int, records: I64, risk: Any) -> None:
            count = long_records(
                store, people.owners, records, most, mode, scratch[worker], place[worker], open_, risk, stop
            )
            hits[worker] += count
            self.found |= count > 0

        self._run(work, self.long, f"long records, up to {most} known")
        return sum(hits) > 0

    def holds(self) -> bool:
        """Whether nothing is disclosed to anybody's harm; nothing is counted."""
        if self.singles(marking=False):
            return False
        return self.most == 1 or not (self.shorts(marking=False) or self.longs(self.most, VERDICT))

    def first_disclosure(self) -> PersonalLead:
        """A disclosure in the first record that has one, as a lead; only if there is one.

        For when no lead was kept: long records keep none, and short ones none of more than three known items.
        """
        records = self.short if self.in_short else self.long
        lead = self.watch.call(self._first_disclosure, records, self.watch.stop)
        if lead is None:
            raise InternalError("something was found to be inferred, but not from what")
        return lead

    def _first_disclosure(self, records: I64, stop: Flag) -> PersonalLead | None:
        owners, store = self.people.owners, self.store
        scratch = make_scratch(len(store.length), len(owners.ptr) - 1)
        place = np.full(len(store.num), -1, dtype=np.int64)
        everyone = np.empty(0, dtype=np.bool_)
        risk = np.zeros(1, dtype=np.uint8)
        for u in records.tolist():
            if stop[0]:
                break
            base, n = int(store.ptr[u]), int(store.length[u])
            people = people_sharing(store, owners, u, everyone, scratch, place, stop)
            others = records_sharing(store, u, scratch, place, stop)
            words = (n + 63) // 64
            sets = np.zeros((1, 2 * words), dtype=np.uint64)
            gone = np.zeros(n, dtype=np.bool_)
            if explore(store, owners, u, self.most, COLLECT, others, people, gone, sets, risk, stop):
                bits = np.unpackbits(sets.view(np.uint8), bitorder="little").reshape(2, -1)
                known = tuple(store.items[base + np.flatnonzero(bits[0])].tolist())
                e = int(store.items[base + int(np.flatnonzero(bits[1])[0])])
                return e, known, self.support((*known, e)), self.support(known)
        return None

    def support(self, ranks: tuple[int, ...]) -> int:
        """How many published records hold all the given items."""
        return int(self.store.weight[holders(self.store.post_ptr, self.store.post, ranks)].sum())
