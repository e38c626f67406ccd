"""The search of one data set under one policy with one sensitive set for all (model.md 1.1, 1.2).

1. Leaves: what does one infer who knows all the rest of a record? Most disclosures show here.
2. An item without such a disclosure is proved safe by alibis, or what they leave open is searched.
3. Only for the items that are not safe, people at risk are counted: by 1, 2, 3 known items, then more.

The verdict is decided by 1 and 2; against no more than three known items by 3 alone. When the time is over, whatever
was found by then is so, and what was not looked at is reported as that: `unchecked`.
"""

from __future__ import annotations

import time
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sordino.audit.certify import search_unserved, unserved_places
from sordino.audit.examination import EXPOSED, MORE, Alibis, Examination, Lead
from sordino.audit.findings import Searched, choose_findings
from sordino.audit.result import Finding, items_left_open, sizes_left_open
from sordino.engine.local import OutOfTime

__all__ = ["GRACE", "SIZES", "Inquiry", "Known"]

SHORT = 4  # items of records whose leaves are antecedents of at most 3
SIZES = ("1", "2", "3", "more")
GRACE = 0.5  # seconds to tell what was found after the time is over

I64 = npt.NDArray[np.int64]


class Known(NamedTuple):
    """What was found elsewhere about the same people, by who looks at one group of antecedents after the other.

    Asked is then only who is at risk, and by how few items: of a class of which that is known, longer antecedents tell
    nothing new, whatever item they expose.
    """

    at_risk: npt.NDArray[np.bool_]  # by class: whether all its people are known to be, each by some number of items
    unsafe: npt.NDArray[np.bool_]  # by rank: whether somebody can infer the item


class Inquiry:
    """What is known so far about an `Examination`."""

    def __init__(self, exam: Examination, known: Known | None = None) -> None:
        self.exam, self.known = exam, known
        knowledge = exam.policy.knowledge
        self.most = exam.longest if knowledge is None else knowledge
        self.lengths: I64 = exam.lengths[exam.owner]
        # An item that stands in no record beside another one needs nothing: an antecedent is not empty.
        self.beside: I64 = np.flatnonzero(exam.asked & (self.lengths > 1))
        self.ranks: I64 = exam.distinct(exam.index.items[self.beside])
        self.risk: npt.NDArray[np.uint8] = np.zeros(len(exam.index.items), dtype=np.uint8)
        self.leaf_disclosed: npt.NDArray[np.bool_] = np.zeros(len(exam.index.items), dtype=np.bool_)
        self.open_risk: npt.NDArray[np.uint8] = np.zeros(len(exam.index.items), dtype=np.uint8)
        self.alibis: dict[int, Alibis] = {}
        self.leads: list[Lead] = []
        self.decided = False  # whether the verdict is
        self.cut = False  # whether the time was over
        self.exact = dict.fromkeys(("people_at_risk", *SIZES), False)

    def run(self, *, counting: bool) -> None:
        """Settles the verdict and counts, as far as there is time; without counting, only what the verdict needs."""
        if not len(self.ranks):
            self.decided, self.exact = True, dict.fromkeys(self.exact, True)
            return
        try:
            if self.most > 3:
                self._settle()
                self.decided = True
                counting = counting and len(self._known_unsafe()) > 0
                self.exact = dict.fromkeys(self.exact, not len(self._known_unsafe()))  # all of them are 0
            if counting or self.most <= 3:
                self._count()
                self.decided = True
                self.exact = dict.fromkeys(self.exact, True)
        except OutOfTime:
            self.cut = True
        if not all(self.exact.values()):
            # These are at risk, but by how few known items has not been decided: they count in the total only.
            self.risk[(self.risk == 0) & (self.leaf_disclosed | (self.open_risk > 0))] = EXPOSED

    def _settle(self) -> None:
        exam = self.exam
        # What leaves of records of at most SHORT items disclose, the search by 1, 2 and 3 known items finds anyway:
        # they are counted here only for items that no longer record gives away; for all, if time may not suffice.
        short = SHORT if exam.watch.deadline is None else 1
        exam.leaves(short + 1, places=self._untold(), into=self.leaf_disclosed)
        suspects = self._known_unsafe()
        if short > 1 and len(suspects) < len(self.ranks):
            exam.leaves(2, short, np.setdiff1d(self.ranks, suspects), into=self.leaf_disclosed)
            suspects = self._known_unsafe()
        exam.alibis(np.setdiff1d(self.ranks, suspects), into=self.alibis)
        search_unserved(exam, unserved_places(exam, self.alibis), self.most, into=self.open_risk)

    def _known_unsafe(self) -> I64:
        """The items of which something was found so far."""
        found = self.leaf_disclosed | (self.open_risk > 0) | (self.risk > 0)
        if self.known is None:
            return self.exam.distinct(self.exam.index.items[found])
        before = self.ranks[self.known.unsafe[self.ranks]]
        return self.exam.distinct(np.concatenate([self.exam.index.items[found], before]))

    def _untold(self) -> I64 | None:
        """The occurrences whose leaves could tell something new; None: all. What people are at risk, or an item is."""
        exam = self.exam
        if self.known is None or not self.known.at_risk.any():
            return None
        told = self.known.at_risk[exam.owner] & self.known.unsafe[exam.index.items]
        return np.flatnonzero(exam.asked & ~told)

    def _count(self) -> None:
        exam, risk, lengths = self.exam, self.risk, self.lengths
        pending = self.beside
        if self.most > 3:
            pending = pending[np.isin(exam.index.items[pending], self._known_unsafe())]
        for size in range(1, min(3, self.most) + 1):
            longer = pending[lengths[pending] > size]
            exam.search(risk, longer, size, size, size, leads=self.leads, phase=f"{size} known")
            self.exact[str(size)] = True
            pending = pending[risk[pending] == 0]
        risk[self.leaf_disclosed & (risk == 0)] = MORE
        pending = pending[risk[pending] == 0]
        if self.known is not None:
            told = self.known.at_risk | (self.levels() > 0)
            pending = pending[~told[exam.owner[pending]]]
        exam.search(risk, pending[lengths[pending] > 4], 4, self.most, MORE, phase="more known")

    # What came out

    @cached_property
    def unsafe(self) -> I64:
        """The items that somebody can infer."""
        return self._known_unsafe()

    @property
    def holds(self) -> bool:
        return self.decided and len(self.unsafe) == 0

    @cached_property
    def safe(self) -> dict[int, Alibis]:
        """The items that alibis prove safe, or a search of what they leave open."""
        unsafe = set(self.unsafe.tolist())
        return {
            rank: alibis
            for rank, alibis in self.alibis.items()
            if rank not in unsafe and (self.decided or len(alibis.unserved) == 0)
        }

    @property
    def proved_items(self) -> int:
        return sum(len(alibis.unserved) == 0 for alibis in self.safe.values())

    @property
    def open_items(self) -> int:
        """The items of which nothing is known for sure."""
        return 0 if self.decided else len(self.ranks) - len(self.unsafe) - len(self.safe)

    @property
    def searched_items(self) -> int:
        return len(self.ranks) - self.proved_items - self.open_items

    def occurrences(self) -> tuple[int, int]:
        """How many occurrences are proved by alibis, and how many were searched."""
        items = self.exam.index.items[self.beside]
        unserved = sum(len(alibis.unserved) for alibis in self.safe.values())
        if self.most <= 3:
            return 0, len(self.beside)
        pending = int(np.isin(items, self.unsafe).sum())
        return int(np.isin(items, list(self.safe)).sum()) - unserved, unserved + pending

    def unchecked(self) -> tuple[str, ...]:
        """What the time limit left open, in sentences."""
        if not self.cut:
            return ()
        left_open = []
        if self.most > 3 and self.open_items:
            left_open.append(items_left_open(self.open_items, len(self.ranks)))
        if self.most > 3 and not self.decided:
            left_open += ["People at risk were not all counted."] if len(self.unsafe) else []
        else:
            first = next(size for size in SIZES if not self.exact[size])
            left_open.append(sizes_left_open(4 if first == "more" else int(first), self.exam.policy.knowledge))
        return tuple(left_open)

    def levels(self) -> npt.NDArray[np.uint8]:
        """Of every class, the fewest items that someone must know to infer something: as `risk`, 0 for nothing."""
        index = self.exam.index
        if not index.classes:
            return np.empty(0, dtype=np.uint8)
        # 0 is none, and becomes the largest
        lowest: npt.NDArray[np.uint8] = np.minimum.reduceat(self.risk - np.uint8(1), index.ptr[:-1]) + np.uint8(1)
        return lowest

    def people(self) -> tuple[int, dict[str, int]]:
        """People at risk, in total and, as far as it was decided, by the fewest items that someone must know."""
        lowest, weight = self.levels(), self.exam.index.weight
        people = [int(weight[lowest == level].sum()) for level in range(1, EXPOSED + 1)]
        return sum(people), dict(zip(SIZES, people, strict=False))

    def findings(self, top: int) -> tuple[Finding, ...]:
        """At most `top` findings, the most telling first; fewer, if there is no time to explain them."""
        if not len(self.unsafe):
            return ()
        watch = self.exam.watch
        if watch.deadline is not None:
            watch.deadline = max(watch.deadline, time.monotonic() + GRACE)
        return choose_findings(Searched(self.exam, self.risk, self.leads, self.leaf_disclosed), top, watch)
