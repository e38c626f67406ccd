"""Who is at risk if absence may be known, and how few absences suffice.

A person is at risk if somebody who knows items that she has (one at least) and items that she lacks can infer
something sensitive that she has. All who have too few twins are. Others may be, because what is known of them is true
of those people, too. To find the fewest absences is as hard as finding hitting sets, so the searches for one and two
have limits, and what they leave open is stated: a count is exact, or it is "at least".
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from sordino.audit.examination import Examination
from sordino.audit.inquiry import Inquiry
from sordino.audit.kernels.absences import FOUND, OPEN, Answers, most_beside, search_absences
from sordino.audit.twins import twin_excess
from sordino.engine.local import OutOfTime, run_chunks

__all__ = ["MORE", "NOT", "ROWS", "FewAbsences", "exposed_by_one"]

MORE, NOT = 3, 4  # more than two absences; not at risk, as far as is known
ROWS = {"0": 0, "1": 1, "2": 2, "more": MORE}
SMALL = 12  # items beside e, up to which every part of them is tried
EFFORT = 20_000  # items read to decide about one occurrence
WIDTH = 64  # items of a record of which is remembered which were needed
PIECE = 500  # occurrences that are searched together
TOO_COSTLY = 400_000_000  # entries of posting lists, beyond which the remark about one absence is left out
FEW_PLACES = 2_000  # occurrences up to which no kernel is worth compiling, if these times items are at most so many:
FEW_CELLS = 20_000_000
FEW_READ = 2_000_000  # entries of posting lists, up to which that is so
FEW_OPEN, FEW_CLASSES, FEW_HELPERS = 200, 2_000, 10  # beyond these, who is open after two absences stays open

I64 = npt.NDArray[np.int64]
U8 = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]
Known = tuple[tuple[int, ...], tuple[int, ...]]  # what is present, what is absent (ranks)


class FewAbsences:
    """The people at risk in a file that is not safe: `fewest` absences for every occurrence, and which counts are
    `exact`. `known[place]` is what one must know, where that was found by a search."""

    def __init__(self, exam: Examination, excess: I64) -> None:
        self.exam, self.excess = exam, excess
        self.fewest: U8 = np.full(len(exam.index.items), NOT, dtype=np.uint8)
        self.fewest[excess > 0] = MORE
        self.beside: I64 = exam.occurrences[exam.lengths[exam.owner[exam.occurrences]] > 1]
        self.exact = dict.fromkeys(("people_at_risk", *ROWS), True)
        self.known: dict[int, Known] = {}
        self.present = Inquiry(exam)  # the audit without absence

    def people(self) -> dict[str, int]:
        """How many, each at the fewest absences that suffice."""
        lowest = self._lowest()
        weight = self.exam.index.weight
        return {row: int(weight[lowest == fewest].sum()) for row, fewest in ROWS.items()}

    def _lowest(self) -> U8:
        lowest = np.full(self.exam.index.classes, NOT, dtype=np.uint8)
        np.minimum.at(lowest, self.exam.owner[self.beside], self.fewest[self.beside])
        return lowest

    def count(self) -> bool:
        """Without absence, by one, by two; then whether anybody else is at risk. Whether there was time for all of it:
        if not, who was found to be at risk is, and nothing is exact."""
        try:
            self._count()
            return True
        except OutOfTime:
            self.exact = dict.fromkeys(self.exact, False)
            return False

    def leave_out(self) -> bool:
        """Nothing is counted but who has too few twins."""
        self.exact = dict.fromkeys(self.exact, False)
        return False

    def _count(self) -> None:
        self.present.run(counting=True)
        self.fewest[self.present.risk > 0] = 0
        if self.present.cut:
            raise OutOfTime
        for most in (1, 2):
            # One item is enough to be at risk: who is so by fewer absences need not be looked at.
            places = self.beside[self._lowest()[self.exam.owner[self.beside]] > most]
            answers, parts, absent = _search(self.exam, self.excess, places, most, small=SMALL)
            found = answers == FOUND
            self.fewest[places[found]] = most
            self._remember(places[found], parts[found], absent[found])
            unsettled = np.zeros(self.exam.index.classes, dtype=np.bool_)
            unsettled[self.exam.owner[places[answers == OPEN]]] = True
            unsettled[self.exam.owner[places[found]]] = False
            if unsettled.any():
                self.exact.update({row: False for row, fewest in ROWS.items() if fewest >= most})
        self._beyond()

    def _remember(self, places: I64, parts: Bools, absent: I64) -> None:
        index = self.exam.index
        for place, part, gone in zip(places.tolist(), parts, absent.tolist(), strict=True):
            begin = int(index.ptr[self.exam.owner[place]])
            present = tuple(int(index.items[begin + k]) for k in np.flatnonzero(part).tolist())
            self.known[place] = present, tuple(x for x in gone if x >= 0)

    def _beyond(self) -> None:
        """Whether people who have enough twins themselves are at risk by three absences or more.

        What agrees with some knowledge is a union of pairs (equal but for e), and only pairs with a positive excess can
        make up for a person's own. The narrowest knowledge that lets some of these in is: all that they and the person
        have in common, and the absence of whatever none of them has. So all sets of such helpers are tried, if few.
        """
        exam, index = self.exam, self.exam.index
        safe = self._lowest() == NOT
        places = self.beside[safe[exam.owner[self.beside]]]
        helpers = np.flatnonzero(self.excess > 0)
        items = np.zeros(index.width, dtype=np.bool_)
        items[index.items[helpers]] = True
        places = places[items[index.items[places]]]
        if len(places) > FEW_OPEN or index.classes > FEW_CLASSES:
            self.exact["people_at_risk"] = self.exact["more"] = False
            return
        records = [frozenset(index.items[index.ptr[c] : index.ptr[c + 1]].tolist()) for c in range(index.classes)]
        for place in places.tolist():
            known = self._helped(place, helpers, records)
            if known is not None:
                self.fewest[place] = MORE
                self.known[place] = known

    def _helped(self, place: int, helpers: I64, records: list[frozenset[int]]) -> Known | None:
        exam, index = self.exam, self.exam.index
        e, own = int(index.items[place]), records[int(exam.owner[place])]
        rest = own - {e}
        near = [p for p in helpers.tolist() if index.items[p] == e and records[int(exam.owner[p])] & rest]
        if int(self.excess[place]) + sum(int(self.excess[p]) for p in near) <= 0:
            return None
        if len(near) > FEW_HELPERS:
            self.exact["people_at_risk"] = self.exact["more"] = False
            return None
        num, den = int(exam.num[e]), int(exam.den[e])
        for size in range(1, len(near) + 1):
            for chosen in combinations(near, size):
                sets = [records[int(exam.owner[p])] for p in chosen]
                common, all_ = rest.intersection(*sets), own.union(*sets)
                agree = [c for c, record in enumerate(records) if common and common <= record <= all_]
                if sum(int(index.weight[c]) * (den - num if e in records[c] else -num) for c in agree) > 0:
                    return tuple(sorted(common)), tuple(sorted(frozenset().union(*records) - all_))
        return None


def exposed_by_one(exam: Examination, at_risk: Bools) -> int | None:
    """At least so many people, besides those of the occurrences `at_risk`, are exposed to one who knows all else that
    they have, and one item that they do not have; None if it would take too long to count them."""
    index = exam.index
    excess = twin_excess(index, exam.policy)
    safe = np.ones(index.classes, dtype=np.bool_)
    safe[exam.owner[at_risk]] = False
    places = np.flatnonzero((excess > 0) & safe[exam.owner])
    if exam.policy.knowledge is not None:  # all else that they have is more than anybody knows
        places = places[exam.lengths[exam.owner[places]] <= exam.policy.knowledge + 1]
    begin = index.ptr[exam.owner[places]]
    rarest = index.items[np.where(begin == places, begin + 1, begin)]
    reads = int((index.post_ptr[rarest + 1] - index.post_ptr[rarest]).sum())
    if reads > TOO_COSTLY:
        return None
    if len(places) * index.width <= FEW_CELLS and len(places) <= FEW_PLACES and reads <= FEW_READ:
        found = np.fromiter((_one_suffices(exam, place) for place in places.tolist()), np.bool_, len(places))
    else:
        found = _search(exam, excess, places, 1, small=0)[0] == FOUND
    return int(index.weight[np.unique(exam.owner[places[found]])].sum())


def _one_suffices(exam: Examination, place: int) -> bool:
    """Whether one absence, beside all the rest of the record, gives an occurrence away.

    As the kernel finds it; for so few that compiling the kernel would take far longer.
    """
    exam.watch.check()
    index = exam.index
    own = index.items[index.ptr[exam.owner[place]] : index.ptr[exam.owner[place] + 1]]
    item = int(index.items[place])
    classes = exam.holding(tuple(own[own != item].tolist()))
    with_item = np.isin(classes, index.post[index.post_ptr[item] : index.post_ptr[item + 1]])
    lengths = exam.lengths[classes]
    start = np.cumsum(lengths) - lengths
    content = index.items[np.repeat(index.ptr[classes] - start, lengths) + np.arange(int(lengths.sum()))]
    weight = index.weight[classes]
    lacking = int(weight.sum()) - _weighed(content, np.repeat(weight, lengths), index.width)
    lacking_with = int(weight[with_item].sum()) - _weighed(
        content, np.repeat(np.where(with_item, weight, 0), lengths), index.width
    )
    gives_away = exam.den[item] * lacking_with > exam.num[item] * lacking
    gives_away[own] = False  # these are not absent
    gives_away &= lacking < int(weight.sum())  # to know that an item is absent which nobody of them has tells nothing
    return bool(gives_away.any())


def _weighed(items: npt.NDArray[np.int32], weight: I64, width: int) -> I64:
    """By item, the sum of weights; of whole numbers, which floats hold exactly below 2^53."""
    return np.bincount(items, weights=weight, minlength=width).astype(np.int64)


def _search(exam: Examination, excess: I64, places: I64, most: int, *, small: int) -> tuple[U8, Bools, I64]:
    """The answers of the kernel for these occurrences, on all threads: FOUND or not, what is present, what absent."""
    index, watch = exam.index, exam.watch
    answers = np.zeros(len(places), dtype=np.uint8)
    parts = np.zeros((len(places), WIDTH), dtype=np.bool_)
    absent = np.full((len(places), 2), -1, dtype=np.int64)
    if not len(places):
        return answers, parts, absent
    beside = watch.call(most_beside, index, watch.stop)
    chunks = list(range(0, len(places), PIECE))
    phase = "one absence" if most == 1 else "two absences"

    def look(_: int, first: int) -> None:
        some = slice(first, first + PIECE)
        with np.errstate(over="ignore"):
            search_absences(
                places[some], exam.owner, most, small, EFFORT, index, beside, excess, exam.num, exam.den,
                Answers(answers[some], parts[some], absent[some]), watch.stop,
            )  # fmt: skip

    run_chunks(look, chunks, exam.jobs, watch=watch, after=lambda done: watch.report(phase, done, len(chunks)))
    return answers, parts, absent
