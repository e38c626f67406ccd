"""The workspace in which a table is suppressed for people who chose for themselves (model.md 1.1, 1.4).

Guarantee: what leaves it has passed an exact audit against every adversary (u, q), q a part of u's original record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.audit.kernels.personal import SHORT, Store
from sordino.audit.kernels.personal_pass import single_items
from sordino.audit.personal import People, PersonalExamination, list_records
from sordino.audit.sampled import signatures
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch, raise_if_stopped, run_chunks
from sordino.errors import InputError
from sordino.policy.inference import ResolvedInference
from sordino.protect.ending import MustFall, silent
from sordino.protect.kernels.personal.look import cut, look_at, make_room
from sordino.protect.kernels.personal.naka import suppress_records
from sordino.protect.kernels.personal.put_back import look_for_more, put_back
from sordino.protect.kernels.personal.repair_widely import repair_widely
from sordino.protect.kernels.personal.rounds import Memory, make_memory, repair_drawn
from sordino.protect.kernels.personal.state import HOPELESS_FROM, State, drop_hopeless_first

__all__ = ["PART_SIZE", "PersonalWorkspace", "protect_personal"]

I64 = npt.NDArray[np.int64]
PART_SIZE = 500_000  # records beyond which a table is first worked on in parts
STEPS = 3  # sizes of antecedents that the published method looks at one after another
STEP = 2_000  # records between two reports of progress
LONG_TOGETHER, SHORT_TOGETHER = 32, 256  # records that are looked at before anything is deleted from them
ROOM = 100_000  # antecedents of one item that are found at once


class PersonalWorkspace:
    """One table being suppressed; the original records stay what an adversary knows."""

    def __init__(
        self, baskets: Baskets, policy: ResolvedInference, *, jobs: int, watch: Watch, only_drawn: bool = False
    ) -> None:
        """`only_drawn`: nothing but `repair` and rounds of drawn adversaries will be asked for."""
        self.baskets, self.policy, self.jobs, self.watch = baskets, policy, jobs, watch
        stop = watch.stop
        wishes = policy.personal_choices(len(baskets))
        self.people = people = People(policy.original or baskets, wishes, only_drawn=only_drawn, stop=stop)
        ptr, items, post_ptr, post = list_records(baskets, np.arange(len(baskets), dtype=np.int64), people.rank, stop)
        slot = np.empty(len(items), dtype=np.int64)
        slot[np.argsort(items, kind="stable")] = np.arange(len(items))
        lengths = np.diff(ptr)
        self.store = Store(
            ptr=ptr,
            items=items,
            length=lengths,
            weight=np.ones(len(baskets), dtype=np.int64),
            slot=slot,
            post_ptr=post_ptr,
            post=post,
            support=baskets.supports[people.code].copy(),
            num=policy.num[people.code],
            den=policy.den[people.code],
        )
        self.most = policy.knowledge or max(int(lengths.max(initial=1)), 1)
        width = len(baskets.names)
        self.state = State(
            store=self.store,
            owners=people.owners,
            dirty=lengths > 1,
            flag=np.zeros(width, dtype=np.bool_),
            original=np.maximum(people.original.supports[people.code], 1),
            stop=stop,
        )
        self.rooms = [] if only_drawn else [make_room(self.state) for _ in range(jobs)]  # one for each thread
        self.found = np.zeros(len(items), dtype=np.bool_)  # by place: what looks at records found
        self.cut = self.returned = 0  # occurrences deleted so far, and put back
        self.audits = 0  # that found something to repair
        self.memory: Memory | None = None  # what antecedents disclose, for rounds of drawn adversaries
        self.sig = signatures(self.store, stop)  # deletions only make them wider than need be, until tidy()

    @property
    def deleted(self) -> int:
        """How many occurrences are deleted now."""
        return self.cut - self.returned

    def protect(self, *, even: float) -> Baskets:
        """The table made safe, record by record; then each gets back what it can have."""
        self.drop_hopeless(even)
        return self.finish(lambda: self.clean_and_put_back(even))

    def made_safe(self) -> Baskets:
        """The table once it has passed an exact audit; what that finds is repaired, and nothing else is touched."""
        self.state.dirty[:] = False
        return self.finish(lambda: self.clean(0.0))

    def clean_and_put_back(self, even: float) -> None:
        """Looks at dirty records until there are none; then each gets back what it can have.

        After an audit that found something nothing is given back any more: from then on occurrences only become fewer.
        """
        self.clean(even)
        if not self.audits:
            self._put_back(even)

    def drop_hopeless(self, even: float) -> None:
        """Before anything is looked at: what is lost anyway in long records."""
        if self.most < HOPELESS_FROM or even > 0:
            return
        state = self.state._replace(flag=np.empty(0, dtype=np.bool_))
        long = np.flatnonzero(self.store.length > SHORT)
        self.cut += int(self.watch.call(drop_hopeless_first, state, self.sig, long))

    def _put_back(self, even: float) -> None:
        """After all are safe: what they can have back with nobody else being worse off."""
        order = np.argsort(self.store.length, kind="stable")
        for part in self._looked_at(look_for_more, order, even, "giving back"):
            self.returned += int(put_back(self.state, part, self.most, even, self.rooms[0], self.found))
            raise_if_stopped(self.watch.stop)

    def _looked_at(self, look: Callable[..., None], order: I64, even: float, phase: str) -> Iterator[I64]:
        """Batches of records, each after a look at all of them on all threads; longest or shortest ones first.

        How many are looked at together does not depend on the number of threads, nor does what is found.
        """
        start = 0
        while start < len(order):  # on to the next batch with each turn
            self.watch.report(f"{phase} ({self.deleted:,} deleted)", start, len(order))
            length = int(self.store.length[order[start]])
            size, piece = (LONG_TOGETHER, 1) if length > SHORT else (SHORT_TOGETHER, SHORT_TOGETHER // 16)
            part = order[start : start + size]

            def work(worker: int, some: I64) -> None:
                look(self.state, some, self.most, even, self.rooms[worker], self.found)

            run_chunks(work, [part[k : k + piece] for k in range(0, len(part), piece)], self.jobs, watch=self.watch)
            yield part
            start += size

    def finish(self, work: Callable[[], None]) -> Baskets:
        """The table once `work`, which looks at dirty records until there are none, has passed an exact audit."""
        falling = MustFall("repairing what the audit finds")
        while True:
            work()
            table = self.table()
            if PersonalExamination(table, self.policy, self.people, jobs=self.jobs, watch=self.watch).holds():
                return table
            falling.to(int(self.store.support.sum()))  # what an audit found is repaired before the next
            self.audits += 1
            self.state.dirty[:] = self.store.length > 1

    def suppress(self, seed: int) -> None:
        """SUPPRESSOR of the paper (see naka.py)."""
        rng = _generator([seed, 0])
        totals = self._totals()
        for level in range(1, min(STEPS, self.most - 1) + 1):
            self.state.dirty[:] = self.store.length > 1
            self._suppress_dirty(level, totals, rng)
        self.state.dirty[:] = self.store.length > 1
        falling = MustFall("suppressing")
        while (self.state.dirty & (self.store.length > 1)).any():
            self._suppress_dirty(self.most, totals, rng)
            if self._single_items():
                falling.to(int(self.store.support.sum()))  # single items that disclosed something do so no more

    def _suppress_dirty(self, level: int, totals: I64, rng: npt.NDArray[np.uint64]) -> None:
        """Looks at dirty records, for antecedents of at most `level` items, until there are none."""
        waiting = np.flatnonzero(self.state.dirty & (self.store.length > 1))
        while len(waiting):  # each is clean after its turn; others are dirty again only by what it lost
            for start in range(0, len(waiting), STEP):
                phase = f"suppressing, up to {level} known ({self.deleted:,} deleted)"
                self.watch.report(phase, start, len(waiting))
                part = waiting[start : start + STEP]
                gone = self._drawing(suppress_records, self.state, self.sig, part, level, self.rooms[0], totals, rng)
                self.cut += int(gone)
            waiting = np.flatnonzero(self.state.dirty & (self.store.length > 1))

    def repair_drawn(self, lots: list[tuple[I64, I64]], seeds: list[list[int]]) -> I64:
        """Makes the table safe against the adversaries of each lot in turn; how many of it could infer something.

        A lot are the people of whom something is known, and what of each (ranks ascending); seeds are for the repair.
        """
        if self.memory is None:
            self.memory = make_memory(len(self.baskets.names))
        start = np.zeros(len(lots) + 1, dtype=np.int64)
        np.cumsum([len(users) for users, _ in lots], out=start[1:])
        sizes = np.array([known.shape[1] for _, known in lots], dtype=np.int64)
        users = np.concatenate([users for users, _ in lots])
        known = np.concatenate([known.ravel() for _, known in lots])
        rngs = np.array([_generator(some) for some in seeds], dtype=np.uint64)
        found, gone = np.zeros((2, len(lots)), dtype=np.int64)
        state = self.state._replace(flag=np.empty(0, dtype=np.bool_))  # only the adversaries at hand matter
        self._drawing(
            repair_drawn, state, self.sig, users, known, start, sizes, self._totals(), rngs, self.memory, found, gone
        )
        self.cut += int(gone.sum())
        for some in np.flatnonzero(found):  # somebody inferred something, so something was deleted
            MustFall("repairing for sampled adversaries", 0).to(-int(gone[some]))
        return found

    def _drawing(self, kernel: Callable[..., int], *arguments: Any) -> int:
        """A kernel that draws at random."""

        def work() -> int:
            with np.errstate(over="ignore"):  # its numbers wrap around; NumPy warns when kernels run uncompiled
                return kernel(*arguments)

        return self.watch.call(work)

    def repair_widely(self, users: I64, known: I64) -> None:
        """The same, with deletions that help against many others as well (kernels/personal/repair_widely.py)."""
        state = self.state._replace(flag=np.empty(0, dtype=np.bool_))
        self.cut += int(self.watch.call(repair_widely, state, self.sig, users, known))

    def adopt(self, table: Baskets) -> None:
        """Deletes all that `table`, made of the same records by deleting, does not have."""
        width = max(len(self.baskets.names), 1)
        owner = np.repeat(np.arange(len(self.baskets), dtype=np.int64), np.diff(self.store.ptr))
        have = np.repeat(np.arange(len(table), dtype=np.int64), table.lengths) * width + self.people.rank[table.items]
        place = np.arange(len(owner)) - self.store.ptr[owner]
        kept = (place < self.store.length[owner]) & np.isin(owner * width + self.store.items, have)
        self._keep_only(kept)

    def tidy(self) -> None:
        """Forgets what was deleted, so that it need not be passed over any more."""
        place = np.arange(len(self.store.items)) - np.repeat(self.store.ptr[:-1], np.diff(self.store.ptr))
        self._keep_only(place < np.repeat(self.store.length, np.diff(self.store.ptr)))

    def _keep_only(self, kept: npt.NDArray[np.bool_]) -> None:
        """The store anew, with these of its occurrences."""
        old = self.store
        owner = np.repeat(np.arange(len(old.length), dtype=np.int32), np.diff(old.ptr))[kept]
        items = old.items[kept]
        lengths = np.bincount(owner, minlength=len(old.length)).astype(np.int64)
        ptr, post_ptr = np.zeros_like(old.ptr), np.zeros_like(old.post_ptr)
        np.cumsum(lengths, out=ptr[1:])
        support = np.bincount(items, minlength=len(old.num)).astype(np.int64)
        np.cumsum(support, out=post_ptr[1:])
        by_item = np.argsort(items, kind="stable")
        slot = np.empty(len(items), dtype=np.int64)
        slot[by_item] = np.arange(len(items))
        self.cut += int(old.support.sum()) - len(items)
        self.store = old._replace(
            ptr=ptr, items=items, length=lengths, post_ptr=post_ptr, post=owner[by_item], support=support, slot=slot
        )
        self.state = self.state._replace(store=self.store)
        self.found = np.zeros(len(items), dtype=np.bool_)
        self.memory = None
        self.sig = signatures(self.store, self.watch.stop)

    def _totals(self) -> I64:
        return np.array([self.store.support.sum(), self.state.original.sum()], dtype=np.int64)

    def clean(self, even: float) -> None:
        """Looks at dirty records until there are none, and no single item discloses anything.

        A look leaves a record clean; others are dirty again only by what it lost.
        """
        falling = MustFall("suppressing")
        while True:
            waiting = np.flatnonzero(self.state.dirty & (self.store.length > 1))
            if not len(waiting):
                if self._single_items():
                    falling.to(int(self.store.support.sum()))  # single items that disclosed something do so no more
                waiting = np.flatnonzero(self.state.dirty & (self.store.length > 1))
                if not len(waiting):
                    return
            order = waiting[np.argsort(-self.store.length[waiting], kind="stable")]
            for part in self._looked_at(look_at, order, even, "suppressing"):
                self.cut += int(cut(self.state, part, self.found))

    def _single_items(self) -> bool:
        """Records with an antecedent of one item that discloses something are to be looked at; whether there is one."""
        people, store = self.people, self.store
        found = np.zeros((ROOM, 3), dtype=np.int64)
        risk = np.zeros(len(self.baskets), dtype=np.uint8)
        count = self.watch.call(
            single_items, store, people.owners, np.flatnonzero(store.support > 0), risk, False, found,
            self.watch.stop,
        )  # fmt: skip
        for x in np.unique(found[: min(count, ROOM), 0]).tolist():
            holders = store.post[store.post_ptr[x] : store.post_ptr[x + 1]]
            self.state.dirty[holders[holders >= 0]] = True
        return bool(count > 0)

    def table(self) -> Baskets:
        """The table as it is now, in the order and with the names of the input."""
        store = self.store
        sizes = np.diff(store.ptr)
        kept = np.arange(len(store.items)) - np.repeat(store.ptr[:-1], sizes) < np.repeat(store.length, sizes)
        return Baskets.from_pairs(
            np.repeat(np.arange(len(self.baskets), dtype=np.int64), sizes)[kept],
            self.people.code[store.items[kept]],
            self.baskets.names,
            len(self.baskets),
            ids=self.baskets.ids,
            origin=self.baskets.origin,
        )


def _generator(seeds: list[int]) -> npt.NDArray[np.uint64]:
    """A generator for kernels: where its sequence begins."""
    return np.random.SeedSequence(seeds).generate_state(1, np.uint64).astype(np.uint64)


def protect_personal(
    baskets: Baskets, policy: ResolvedInference, *, even: float, part_size: object, jobs: int, watch: Watch
) -> Baskets:
    """Baskets in which a personal policy holds; a table of more than part_size records is split first.

    The paper says that splitting is impossible, because a part does not know what people in other parts chose, nor whom
    they resemble. It is not the last step here: records that resemble each other are made safe among themselves, on all
    threads; then the whole table is looked at against everybody's original record, and what the parts could not see is
    found and repaired. The audit that ends the work is about the whole table.
    """
    size = PART_SIZE if part_size is None else part_size
    if isinstance(size, str) and size.isascii() and size.isdigit():  # as the command line hands it over
        size = int(size)
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise InputError("part_size must be a whole number of records, 1 or more")
    if len(baskets) > size:
        original = policy.original or baskets
        baskets = _parts_made_safe(baskets, policy, even, size, jobs, watch)
        policy = replace(policy, original=original)
    return PersonalWorkspace(baskets, policy, jobs=jobs, watch=watch).protect(even=even)


def _parts_made_safe(
    baskets: Baskets, policy: ResolvedInference, even: float, size: int, jobs: int, watch: Watch
) -> Baskets:
    """The table with each part made safe by itself, as if its people were all there are."""
    assert policy.personal is not None
    rarest = np.full(len(baskets), -1, dtype=np.int64)
    rank = np.argsort(np.argsort(baskets.supports, kind="stable"), kind="stable")
    some = baskets.lengths > 0
    rarest[some] = np.minimum.reduceat(rank[baskets.items], baskets.indptr[:-1][some]) if some.any() else 0
    order = np.argsort(rarest, kind="stable")  # who shares the rarest item is in one part
    parts = np.array_split(order, -(-len(order) // size))
    kept: list[Baskets | None] = [None] * len(parts)
    original = policy.original or baskets

    def work(_: int, number: int) -> None:
        members = np.sort(parts[number])
        assert policy.personal is not None
        own = replace(policy, personal=policy.personal.only(members), original=_only(original, members))
        workspace = PersonalWorkspace(_only(baskets, members), own, jobs=1, watch=silent(watch))
        workspace.clean(even)
        kept[number] = workspace.table()

    run_chunks(work, range(len(parts)), jobs, after=lambda done: watch.report("parts", done, len(parts)), watch=watch)
    owner = [np.repeat(np.sort(part), table.lengths) for part, table in zip(parts, kept, strict=True) if table]
    return Baskets.from_pairs(
        np.concatenate(owner),
        np.concatenate([table.items for table in kept if table]),
        baskets.names,
        len(baskets),
        ids=baskets.ids,
        origin=baskets.origin,
    )


def _only(baskets: Baskets, members: I64) -> Baskets:
    """The given records."""
    lengths = baskets.lengths[members]
    indptr = np.zeros(len(members) + 1, dtype=np.int64)
    np.cumsum(lengths, out=indptr[1:])
    places = np.arange(int(indptr[-1]), dtype=np.int64) + np.repeat(baskets.indptr[members] - indptr[:-1], lengths)
    return Baskets(indptr, baskets.items[places], baskets.names)
