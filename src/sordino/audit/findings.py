"""From thousands of disclosing antecedents to the few that a steward should see.

Few known items and many people come first; and each further finding is judged by the people that the ones above it do
not already cover, so that variations of one finding never fill the list.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sordino.audit.examination import EXPOSED, Examination, Lead
from sordino.audit.result import Finding
from sordino.engine.local import OutOfTime, Watch

__all__ = ["Cases", "Ranked", "Searched", "choose_findings", "priority"]

Ranked = tuple[float, Any, Lead]  # lower comes first; the second part decides between equals, and is never the same
Mask = npt.NDArray[np.bool_]
ENOUGH = 100_000  # places that can be put in order at once


class Cases(Protocol):
    """What is at risk, as findings are chosen from it. Equal records are one class; items have numbers."""

    @property
    def weight(self) -> npt.NDArray[np.integer]:
        """How many records are in each class."""

    def ranked(self) -> Iterator[Ranked]:
        """The antecedents that are known to expose more than a few, ascending; `telling` makes the first part."""

    def holding(self, antecedent: tuple[int, ...], item: int) -> npt.NDArray[np.integer]:
        """The classes that hold an item and an antecedent."""

    def single(self) -> Iterator[tuple[int, int, Callable[[], Lead]]]:
        """Every (class, item) at risk, in the order of the report, and how to get at an antecedent."""

    def name(self, item: int) -> str:
        """The name behind the number of an item."""


def priority(people: int, size: int) -> float:
    """Which finding comes first, of an antecedent of this size that exposes so many people: the lower one."""
    return -people / size**2


def choose_findings(cases: Cases, top: int, watch: Watch) -> tuple[Finding, ...]:
    """At most `top` findings, the most important first; those that were found in time."""
    if top < 1:
        return ()
    chosen: list[Lead] = []
    covered = _Covered(cases)
    leads = cases.ranked()
    upcoming = next(leads, None)
    waiting: list[Ranked] = []  # leads that some of those chosen cover in part
    while len(chosen) < top and (waiting or upcoming is not None) and not _over(chosen, watch):
        if upcoming is None or (waiting and waiting[0][:2] < upcoming[:2]):
            _, tie, lead = heapq.heappop(waiting)
        else:
            (_, tie, lead), upcoming = upcoming, next(leads, None)
        people = covered.rest_of(lead)
        if people == 0:
            continue
        now = priority(people, len(lead.antecedent))
        if any(now > other[0] for other in (*waiting[:1], upcoming) if other is not None):
            heapq.heappush(waiting, (now, tie, lead))  # fewer people than thought: back into the queue
            continue
        chosen.append(lead)
        covered.add(lead)
    if len(chosen) < top:
        # What the leads do not cover: small groups, and antecedents of more than three items.
        for class_, item, explain in cases.single():
            if _over(chosen, watch):
                break
            if not covered.holds(class_, item):
                try:
                    lead = explain()
                except OutOfTime:  # another one may be at hand
                    continue
                chosen.append(lead)
                covered.add(lead)
                if len(chosen) == top:
                    break
    return tuple(_finding(cases, lead) for lead in chosen)


def _over(chosen: list[Lead], watch: Watch) -> bool:
    """Whether it is time to leave off, and there is something to report."""
    return bool(chosen) and watch.over


class _Covered:
    """Which classes are covered by a finding, for every item; looked up only for items that come a second time."""

    def __init__(self, cases: Cases) -> None:
        self.cases = cases
        self.leads: dict[int, list[Lead]] = {}  # not yet in a mask
        self.masks: dict[int, Mask] = {}

    def add(self, lead: Lead) -> None:
        self.leads.setdefault(lead.item, []).append(lead)

    def holds(self, class_: int, item: int) -> bool:
        mask = self._mask(item)
        return mask is not None and bool(mask[class_])

    def rest_of(self, lead: Lead) -> int:
        """The people of a lead whom no finding covers yet."""
        mask = self._mask(lead.item)
        if mask is None:
            return lead.with_item
        classes = self.cases.holding(lead.antecedent, lead.item)
        return int(self.cases.weight[classes[~mask[classes]]].sum())

    def _mask(self, item: int) -> Mask | None:
        leads = self.leads.get(item)
        if leads is None:
            return None
        mask = self.masks.setdefault(item, np.zeros(len(self.cases.weight), dtype=np.bool_))
        while leads:
            mask[self.cases.holding(leads.pop().antecedent, item)] = True
        return mask


def _finding(cases: Cases, lead: Lead) -> Finding:
    return Finding(
        antecedent=tuple(sorted(cases.name(item) for item in lead.antecedent)),
        consequent=cases.name(lead.item),
        support=lead.support,
        with_consequent=lead.with_item,
        people=lead.with_item,
    )


@dataclass(frozen=True, eq=False)
class Searched:
    """What the searches of an examination found; its items are ranks."""

    exam: Examination
    risk: npt.NDArray[np.uint8]
    leads: list[Lead]
    leaf_disclosed: Mask

    @property
    def weight(self) -> npt.NDArray[np.integer]:
        return self.exam.index.weight

    def ranked(self) -> Iterator[Ranked]:
        heap = []
        for lead in set(self.leads):
            size = len(lead.antecedent)
            heap.append((priority(lead.with_item, size), (size, lead.item, lead.antecedent), lead))
        heapq.heapify(heap)
        while heap:
            yield heapq.heappop(heap)

    def holding(self, antecedent: tuple[int, ...], item: int) -> npt.NDArray[np.integer]:
        return self.exam.holding((*antecedent, item))

    def single(self) -> Iterator[tuple[int, int, Callable[[], Lead]]]:
        exam = self.exam
        places = np.flatnonzero(self.risk)
        try:
            places = places[exam.watch.call(self._order, places)]
        except OutOfTime:  # places ascend from short records to long ones
            places = places[:ENOUGH]
            places = places[self._order(places)]
        for place in places.tolist():
            yield int(exam.owner[place]), int(exam.index.items[place]), partial(self._explain, place)

    def _order(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        exam, risk = self.exam, self.risk[places]
        weight = exam.index.weight[exam.owner[places]]
        unsettled = risk == EXPOSED  # by a time limit: of these, short records are explained soonest
        length = np.where(unsettled, exam.lengths[exam.owner[places]], 0)
        return np.lexsort((places, -weight, length, risk))

    def _explain(self, place: int) -> Lead:
        """The smallest antecedent; if there is no time to look for it, all the rest of the record, if that is one."""
        exam, risk = self.exam, int(self.risk[place])
        try:
            return exam.explain(place, 1 if risk == EXPOSED else risk)
        except OutOfTime:
            if self.leaf_disclosed[place]:
                return exam.leaf(place)
            raise

    def name(self, item: int) -> str:
        return self.exam.baskets.names[int(self.exam.index.code[item])]
