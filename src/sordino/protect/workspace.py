"""The workspace in which a table is suppressed: the ledger, the queue, and the audit that has the last word.

Guarantee: `finish` ends only when an exact audit of the current table finds nothing (audit/inference.py), so what
leaves it satisfies the policy, whatever the choices made on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb

import numpy as np
import numpy.typing as npt

from sordino.audit.examination import Examination, Lead
from sordino.audit.index import by_rarity
from sordino.audit.inference import search_unserved, unserved_places
from sordino.audit.kernels.classes import build_postings, gather_sorted
from sordino.data.baskets import Baskets
from sordino.data.distinct import distinct
from sordino.engine.local import Watch, raise_if_stopped, run_chunks
from sordino.policy.inference import ResolvedInference
from sordino.protect.certificates import Certificates
from sordino.protect.ending import MustFall
from sordino.protect.kernels.common import ledger
from sordino.protect.kernels.common.begin import delete_places
from sordino.protect.kernels.common.decide import Choice, make_plan, make_room
from sordino.protect.kernels.common.ledger import enqueue_all
from sordino.protect.kernels.common.part import make_part_room
from sordino.protect.kernels.common.repair import repair_rule
from sordino.protect.kernels.common.second_chance import second_chance
from sordino.protect.kernels.common.suppress import DECIDE, GO_ON, TOGETHER, suppress
from sordino.protect.kernels.common.sweep import sweep

__all__ = ["Limit", "TooCostly", "Workspace"]

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]

AGAIN_EFFORT = 20_000  # postings that may be read to give one record a second chance
BACK_EFFORT = 200_000  # the same where parts are put together: others are there whom it could not see before
FEW_LEAVES = 100  # with no more disclosing leaves than this, the audit goes on to what lies deeper
MANY = 20_000_000  # antecedents of one size, those of several records counted several times
STEP = 20_000  # records between two reports of progress
PLACES = 1_000_000  # that the records which are decided about together have room for: very long ones are fewer
FEW = 64  # records that one thread decides about sooner than two would have begun


@dataclass(frozen=True)
class Limit:
    """What suppressing may cost: `price` of one occurrence, by code; at a cost of `most` or more it is given up."""

    price: I64
    most: int


class TooCostly(Exception):  # noqa: N818 - not an error: the caller asked for a limit
    """Suppressing has cost as much as the limit; the table is not safe."""


class Workspace:
    """One table being suppressed.

    Only records of two or more items take part, numbered by length: `record[u]` is the number of u in the baskets,
    `place` the way back (-1 for those that do not take part).
    """

    def __init__(
        self,
        baskets: Baskets,
        policy: ResolvedInference,
        *,
        jobs: int,
        watch: Watch,
        limit: Limit | None = None,
        only_sensitive: bool = False,
    ) -> None:
        self.baskets, self.policy, self.jobs, self.watch, self.limit = baskets, policy, jobs, watch, limit
        width = len(baskets.names)
        self.code, self.rank = by_rarity(baskets.supports)
        by_length = np.argsort(baskets.lengths, kind="stable").astype(np.int32)
        self.record: I32 = by_length[np.searchsorted(baskets.lengths[by_length], 2) :]
        self.place: I32 = np.full(len(baskets), -1, dtype=np.int32)
        self.place[self.record] = np.arange(len(self.record), dtype=np.int32)
        self.longest = int(baskets.lengths.max(initial=0))
        self.original: I64 = np.maximum(baskets.supports[self.code], 1)
        if only_sensitive:  # to the kernels, a negative number says that an item must stay
            self.original = np.where(policy.sensitive[self.code], self.original, -self.original)
        self.spread: npt.NDArray[np.bool_] = np.ones(len(self.record), dtype=np.bool_)  # whom `even` is for
        self.ledger = self._open_ledger()
        # For `table`: every occurrence as one ascending number, whether it is still there, and rows of the log seen to.
        self._keys: I64 = np.repeat(np.arange(len(baskets)), baskets.lengths) * max(width, 1) + baskets.items
        self._kept = np.ones(len(baskets.items), dtype=np.bool_)
        self._applied = 0
        self._alike: I64 = np.ones(len(self.record), dtype=np.int64)  # for `tell`: records that a queued one stands for

    def _open_ledger(self) -> ledger.Ledger:
        baskets, policy = self.baskets, self.policy
        lengths = baskets.lengths[self.record]
        ptr = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=ptr[1:])
        items = np.empty(int(ptr[-1]), dtype=np.int32)
        single = baskets.items[baskets.indptr[:-1][baskets.lengths == 1]]
        gather_sorted(baskets.indptr, baskets.items, self.record, self.rank, ptr, items, self.watch.stop)
        raise_if_stopped(self.watch.stop)
        sig = np.empty((len(lengths), 2), dtype=np.uint64)
        sig0, sig1 = np.empty(len(lengths), dtype=np.uint64), np.empty(len(lengths), dtype=np.uint64)
        post_ptr, post, post_sig = build_postings(ptr, items, len(baskets.names), sig0, sig1, self.watch.stop)
        raise_if_stopped(self.watch.stop)
        sig[:, 0], sig[:, 1] = sig0, sig1
        slot = np.empty(len(items), dtype=np.int64)
        slot[np.argsort(items, kind="stable")] = np.arange(len(items))
        sensitive = policy.sensitive[self.code]
        room = 4 * int(np.count_nonzero(sensitive[items])) + 1024
        watch = np.zeros((room, 7), dtype=np.int32)  # untouched, it takes no memory
        tally = np.zeros(8, dtype=np.int64)
        tally[ledger.LEFT], tally[ledger.FREE] = room, -1
        return ledger.Ledger(
            ptr=ptr,
            items=items,
            length=lengths.copy(),
            sig=sig,
            slot=slot,
            post_ptr=post_ptr,
            post=post,
            post_sig=post_sig,
            from_length=np.searchsorted(lengths, np.arange(self.longest + 2)).astype(np.int64),
            alone=np.bincount(self.rank[single], minlength=len(baskets.names)),
            sensitive=sensitive,
            num=policy.num[self.code],
            den=policy.den[self.code],
            watch=watch,
            head=np.full((len(lengths), 2), -1, dtype=np.int32),
            queue_head=np.full(self.longest + 2, -1, dtype=np.int32),
            queue=np.zeros(len(lengths), dtype=np.int32),
            queued=np.zeros(len(lengths), dtype=np.uint8),
            gone=np.zeros((3 * len(items) + 1, 2), dtype=np.int32),
            support=baskets.supports[self.code].copy(),
            tally=tally,
            stop=self.watch.stop,
        )

    @property
    def deleted(self) -> int:
        """How many occurrences are deleted now."""
        return int(self.ledger.tally[ledger.GONE] - 2 * self.ledger.tally[ledger.BACK])

    @property
    def _log(self) -> npt.NDArray[np.int32]:
        """What was deleted (record, item) and put back (record, -1 - item), in order."""
        rows: npt.NDArray[np.int32] = self.ledger.gone[: self.ledger.tally[ledger.GONE]]
        return rows

    def work(self, *, even: float, effort: int) -> None:
        """Settles all queued records."""
        g = self.ledger
        choice = Choice(self.original, float(even), effort, self.spread)
        rooms = [make_room(len(g.length), self.longest) for _ in range(self.jobs)]
        rows = max(1, min(TOGETHER, PLACES // (self.longest + 1)))
        if even > 0:  # what is plentiful pays, so each must know what those before it paid
            rows = 1
        plan = make_plan(rows, self.longest)
        batch, sizes = np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64)
        few = FEW if self.jobs > 1 else rows
        budget = count = 0
        falling = MustFall("suppressing")
        while True:
            if count == 0:  # else what was decided is yet to be carried out
                falling.to((len(g.items) - self.deleted, int(g.tally[ledger.OPEN])))  # occurrences left; else the queue
            if count == 0 and budget <= 0:
                # In the queue are records that disclose something (one for all alike), or may since deletions.
                people = int(self._alike[g.queued != 0].sum())
                phase = f"suppressing (about {people:,} people still at risk, {self.deleted:,} deleted)"
                self.watch.report(phase, 0, max(int(g.tally[ledger.OPEN]), 1))
                self._keep_to_limit()
                budget = STEP
            count = self.watch.call(suppress, g, GO_ON, 0, count, budget, few, choice, rooms[0], plan, batch, sizes)
            if count < 0:
                self._keep_to_limit()
                return
            budget = budget - count if count else 0
            if count:
                piece = -(-count // (4 * self.jobs))

                def work(worker: int, first: int, last: int = count, piece: int = piece) -> None:
                    last = min(last, first + piece)
                    suppress(g, DECIDE, first, last, 0, 0, choice, rooms[worker], plan, batch, sizes)

                run_chunks(work, range(0, count, piece), self.jobs, watch=self.watch)

    def _keep_to_limit(self) -> None:
        if self.limit is not None:
            deleted = self.baskets.supports[self.code] - self.ledger.support
            if int((deleted * self.limit.price[self.code]).sum()) >= self.limit.most:
                raise TooCostly

    def finish(self, *, even: float, effort: int, again: int = 0) -> Baskets:
        """Makes the table safe, and gives records that lost something a second chance, up to `again` times.

        The first comes as soon as leaves are safe: what it changes need not be audited twice. Others come after the
        audit, as repairs leave something to put back, too; the safe table stays if they do not pay.
        """
        if self._leaf_round():
            self.work(even=even, effort=effort)
            if again > 0 and self._second_chance():
                self.work(even=even, effort=effort)
        table = self._until_safe(even=even, effort=effort)
        for _ in range(again - 1):
            before = self.deleted
            if not self._second_chance():
                break
            self.work(even=even, effort=effort)
            other = self._until_safe(even=even, effort=effort)
            if self.deleted >= before:  # what was put back cost others more
                break
            table = other
        return table

    def put_back(
        self,
        table: Baskets,
        kept: npt.NDArray[np.bool_],
        *,
        even: float,
        effort: int,
        again: int = 0,
        keep: Fraction | None = None,
    ) -> Baskets:
        """A safe table of the same records, in which occurrences are `kept`, or one that has more of them.

        Records that lost something get a second chance, now that all others are there; an exact audit follows. A third
        one brings next to nothing (0.004 points on BMS-POS part). Against limited knowledge nothing is put back: no
        queue knows what that would break.
        """
        limited = self.policy.knowledge is not None and self.policy.knowledge < self.longest - 1
        if limited or again == 0 or kept.all():
            return table
        if keep is not None:
            self.spread = self._shortest(keep)
        g = self.ledger
        owner = np.repeat(self.record, np.diff(g.ptr)).astype(np.int64)
        keys = owner * max(len(self.baskets.names), 1) + self.code[g.items]
        out = ~kept[np.searchsorted(self._keys, keys)]
        lossy = np.flatnonzero(np.bincount(np.repeat(np.arange(len(g.length)), g.length)[out], minlength=len(g.length)))
        self.watch.report(f"putting together ({int(np.count_nonzero(~kept)):,} deleted)", 0, 0)
        self.watch.call(delete_places, g, lossy, out)
        self.work(even=even, effort=effort)
        if self._second_chance(BACK_EFFORT):
            self.work(even=even, effort=effort)
        found = self._until_safe(even=even, effort=effort)
        return found if found.occurrences > table.occurrences else table

    def _second_chance(self, effort: int = AGAIN_EFFORT) -> bool:
        """Gives short records their best part as things stand now, the longest first; whether any changed."""
        self.watch.report(f"putting back ({self.deleted:,} deleted)", 0, 0)
        longest_first = np.arange(len(self.record), dtype=np.int64)[::-1].copy()
        choice = Choice(self.original, 0.0, effort, self.spread)
        return bool(
            self.watch.call(second_chance, self.ledger, longest_first, choice, make_part_room(len(self.record)))
        )

    def nearly_finish(self, most: int, *, even: float, effort: int) -> tuple[Baskets, bool]:
        """The table once all leaves are safe, and all antecedents of up to `most` items, if there are not too MANY.

        No audit looks for the rest. The second value tells whether there is none: all antecedents were tried.
        """
        self._leaf_round(looking=False)
        self.work(even=even, effort=effort)
        left = Workspace(self.table(), self.policy, jobs=self.jobs, watch=self.watch)  # without what was deleted
        lengths = np.bincount(left.ledger.length)
        able = most
        while able and sum(n * comb(size, able) for size, n in enumerate(lengths.tolist())) > MANY:
            able -= 1
        return left._sweep_until_safe(able, even=even), able == most

    def _until_safe(self, *, even: float, effort: int) -> Baskets:
        """Audits and repairs until the table is safe, and returns it.

        Once leaves are safe nearly all items have their alibis, which are found faster than leaves are counted, and
        stay good until one of them loses an item (certificates.py); of other items only what the alibis leave open is
        looked at.
        """
        certificates = Certificates(self.record, len(self._log))
        disclosed = False
        falling = MustFall("repairing what the audit finds")
        while True:
            if disclosed:
                self.work(even=even, effort=effort)
            falling.to(len(self.ledger.items) - self.deleted)  # what the audit found is not there any more
            table = self.table()
            certificates.withdraw(self._log[:, 0])
            exam = Examination(table, self.policy, jobs=self.jobs, watch=self.watch)
            beside = exam.occurrences[exam.lengths[exam.owner[exam.occurrences]] > 1]
            ranks = exam.distinct(exam.index.items[beside])
            unsure = certificates.lacking(exam, ranks)
            places = unserved_places(exam, unsure)
            if not len(places):
                return table
            leaves = np.flatnonzero(exam.leaves(places=places))
            disclosed = len(leaves) > 0
            if disclosed:
                self._queue(exam, leaves)
            if len(leaves) <= FEW_LEAVES:  # else there is no point yet in looking deeper
                deeper = places[~np.isin(exam.index.items[places], exam.index.items[leaves])]
                exposed = search_unserved(exam, deeper, exam.longest)
                if not len(exposed) and not disclosed:
                    return table
                self._repair_all(exam, exposed)
                disclosed = True

    def _leaf_round(self, *, looking: bool = True) -> bool:
        """Queues all records of which a leaf discloses something; whether there are any.

        Without looking, all that have something sensitive: if most are to change, each is looked at soon enough.
        """
        exam = Examination(self.baskets, self.policy, jobs=self.jobs, watch=self.watch)
        disclosed = np.flatnonzero(exam.leaves()) if looking else exam.occurrences
        if len(disclosed):
            self._queue(exam, disclosed)
        return len(disclosed) > 0

    def finish_limited(self, *, even: float) -> Baskets:
        """The table made safe against who knows at most `knowledge` items."""
        assert self.policy.knowledge is not None
        return self._sweep_until_safe(min(self.policy.knowledge, max(self.longest - 1, 1)), even=even)

    def _sweep_until_safe(self, most: int, *, even: float) -> Baskets:
        """Sweeps over all antecedents of at most `most` items until a sweep deletes nothing.

        What a sweep deleted changes the counts of antecedents that a changed record had, and of no others: the next one
        begins only with items of such records.
        """
        g = self.ledger
        roots = np.flatnonzero(g.post_ptr[1:] > g.post_ptr[:-1]).astype(np.int64)
        while len(roots) and most > 0:  # there are roots only after deletions
            seen = len(self._log)
            # Rare items first: their antecedents are the ones that disclose most, and repairing them is cheap.
            pieces = np.array_split(roots, min(64, len(roots)))
            for done, piece in enumerate(pieces):
                self.watch.report(f"sweeping ({self.deleted:,} deleted)", done, len(pieces))
                self.watch.call(sweep, g, piece, most, self.original, even)
                self._keep_to_limit()
            changed = distinct(self._log[seen:, 0])
            kept = [g.items[g.ptr[u] : g.ptr[u + 1]] for u in changed.tolist()]  # deleted ones lie behind
            roots = distinct(np.concatenate(kept)).astype(np.int64) if kept else roots[:0]
        return self.table()

    def protect(self, *, even: float, effort: int, again: int = 0, keep: Fraction | None = None) -> Baskets:
        """The table made safe against what the policy says an adversary knows.

        With `keep`, only the shortest records, that hold this share of all entries, spread what they lose over the
        types (`even`): they pay least for it. Against limited knowledge, `even` is so much less for all.
        """
        if self.policy.knowledge is None or self.policy.knowledge >= self.longest - 1:
            if keep is not None:
                self.spread = self._shortest(keep)
            return self.finish(even=even, effort=effort, again=again)
        return self.finish_limited(even=even if keep is None else even * float(keep))

    def _shortest(self, share: Fraction) -> npt.NDArray[np.bool_]:
        """The shortest records (they are numbered by length) that hold at most this share of the entries."""
        entries = np.cumsum(self.baskets.lengths[self.record], dtype=np.int64)
        most = share.numerator * int(entries[-1]) // share.denominator if len(entries) else 0
        return entries <= most

    def _repair_all(self, exam: Examination, exposed: I64) -> None:
        """Repairs one smallest disclosure for each exposed occurrence that no earlier repair concerned."""
        concerned: set[tuple[int, int]] = set()
        for place in exposed:
            item = int(exam.index.items[place])
            if (int(exam.owner[place]), item) in concerned:
                continue
            raise_if_stopped(self.watch.stop)
            lead = exam.explain(int(place), 1)
            concerned.update((int(c), item) for c in exam.holding((*lead.antecedent, item)))
            self._repair(exam, lead)

    def _members(self, exam: Examination, classes: I32) -> I64:
        """The ledger's numbers of all records in the given classes, longest original first."""
        chosen = np.zeros(exam.index.classes + 1, dtype=np.bool_)
        chosen[classes] = True
        places = self.place[np.flatnonzero(chosen[exam.index.class_of])].astype(np.int64)
        return np.sort(places[places >= 0])[::-1]

    def _queue(self, exam: Examination, places: I64) -> None:
        first = exam.index.first[distinct(exam.owner[places])]
        self._alike[self.place[first]] = exam.index.weight[distinct(exam.owner[places])]
        enqueue_all(self.ledger, self.place[first][::-1].copy())

    def _repair(self, exam: Examination, lead: Lead) -> None:
        """Deletes the consequent from as many records as the rule antecedent -> item needs (N_s), if it still does."""
        known = np.sort(self.rank[exam.index.code[np.array(lead.antecedent)]])
        e = int(self.rank[exam.index.code[lead.item]])
        repair_rule(self.ledger, self._members(exam, exam.holding(lead.antecedent)), known, e)

    def table(self) -> Baskets:
        """The table as it is now, in the order and with the names of the input."""
        old, width = self.baskets, len(self.baskets.names)
        new = self._log[self._applied :]
        self._applied += len(new)
        back = new[:, 1] < 0
        items = np.where(back, -1 - new[:, 1], new[:, 1])
        places = np.searchsorted(self._keys, self.record[new[:, 0]].astype(np.int64) * width + self.code[items])
        self._kept[places] = back  # of several about one occurrence, the last counts
        before = np.zeros(len(old.items) + 1, dtype=np.int64)
        np.cumsum(self._kept, out=before[1:])
        return Baskets(before[old.indptr], old.items[self._kept], old.names, old.ids, 0, old.origin)
