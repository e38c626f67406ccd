"""What one of many groups does when a table that was made safe in parts is put together: it gives back, and repairs.

A group has some items, its roots. It sees all records that show a root, and decides about its own ones only: about
others somebody else does. Where the rest of a record, beside something sensitive, holds a root, all who hold this rest
are seen; so the group knows exactly whether the rest discloses it, as things stood before the turn.

Guarantee: none. Others change their records at the same time. Whoever puts the groups together lets them repair until
nobody has anything to repair, audits the whole, and has the union of the parts if that does not come out clean.

**Why repairs end.** They only delete. Of the own records that somebody can infer something about, the first one that is
looked at loses something, or a record equal to it does; if records belong to the group of the rarest item that they
show, that is an own one, too. So each turn in which any group finds something deletes at least one occurrence.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sordino.audit.examination import Examination
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.policy.inference import ResolvedInference
from sordino.protect.improve import touch_up, touch_up_pays
from sordino.protect.kernels.common.begin import delete_places
from sordino.protect.parts import left_of, still_there
from sordino.protect.workspace import BACK_EFFORT, Workspace

__all__ = ["Seen", "give_back", "repair"]

Bools = npt.NDArray[np.bool_]
EFFORT = 6_000  # postings that may be scanned to look ahead for one record


class Seen(NamedTuple):
    """What a group sees: own records as they were, of others what they show."""

    records: Baskets
    shown: Bools  # by occurrence; of others all
    own: Bools  # by record
    root: Bools  # by code
    policy: ResolvedInference


def give_back(seen: Seen, *, watch: Watch, only_sensitive: bool = False) -> Bools:
    """By occurrence, what is shown once own records have what they can have; others stay as they are.

    A record that would show more, but no root, stays too: nobody here sees all who could disclose something about it.
    """
    records, shown = seen.records, seen.shown
    space = _Retry(records, seen.policy, jobs=1, watch=watch, only_sensitive=only_sensitive)
    after = space.retried(shown)
    if touch_up_pays(records, seen.policy, watch):
        now = left_of(records, after)
        table = touch_up(records, now, seen.policy, jobs=1, watch=watch, only_sensitive=only_sensitive)
        after = still_there(records, table)
    owner = np.repeat(np.arange(len(records)), records.lengths)
    more, sure = np.zeros((2, len(records)), dtype=np.bool_)
    more[owner[after & ~shown]] = True
    sure[owner[after & seen.root[records.items]]] = True
    return np.where((seen.own & (sure | ~more))[owner], after, shown)


def repair(seen: Seen, *, watch: Watch, only_sensitive: bool = False) -> Bools:
    """By occurrence, what is shown once own records of which somebody could infer something have lost enough.

    Own must be who shows a root, and nothing that the order of items has before it: whoever shows the same is then own.
    """
    now = left_of(seen.records, seen.shown)
    space = _Retry(now, seen.policy, jobs=1, watch=watch, only_sensitive=only_sensitive)
    out = seen.shown.copy()
    out[seen.shown] = space.repaired(seen.own, seen.root)
    owner = np.repeat(np.arange(len(seen.records)), seen.records.lengths)
    return np.where(seen.own[owner], out, seen.shown)


class _Retry(Workspace):
    """The records of a group."""

    def retried(self, shown: Bools) -> Bools:
        """Which occurrences are there if those who lost something try again; `shown` are there before."""
        g = self.ledger
        owner = np.repeat(self.record, np.diff(g.ptr)).astype(np.int64)
        keys = owner * max(len(self.baskets.names), 1) + self.code[g.items]
        out = ~shown[np.searchsorted(self._keys, keys)]
        row = np.repeat(np.arange(len(g.length)), np.diff(g.ptr))
        lossy = np.flatnonzero(np.bincount(row[out], minlength=len(g.length)))
        self.watch.call(delete_places, g, lossy, out)
        self.work(even=0.0, effort=EFFORT)  # so that it is known who relies on whom
        if self._second_chance(BACK_EFFORT):
            self.work(even=0.0, effort=EFFORT)
        self.table()
        return np.where(np.repeat(self.baskets.lengths > 1, self.baskets.lengths), self._kept, shown)

    def repaired(self, own: Bools, root: Bools) -> Bools:
        """Which occurrences are left once no leaf of an own record that is seen whole discloses anything."""
        exam = Examination(self.baskets, self.policy, jobs=self.jobs, watch=self.watch)
        index = exam.index
        mine = np.zeros(index.classes + 1, dtype=np.bool_)
        mine[index.class_of[own]] = True  # the last is for empty records
        is_root = root[index.code][index.items]
        roots = np.bincount(exam.owner[is_root], minlength=index.classes)
        places = exam.occurrences
        owner = exam.owner[places]
        places = places[mine[owner] & (exam.lengths[owner] > 1) & (roots[owner] > is_root[places])]
        disclosed = np.flatnonzero(exam.leaves(places=places)) if len(places) else places
        if len(disclosed):
            self._queue(exam, disclosed)
            self.work(even=0.0, effort=EFFORT)
            self.table()
        return self._kept
