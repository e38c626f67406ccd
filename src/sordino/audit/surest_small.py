"""How surely items can be inferred, exactly, of items where there is little to look at: all of it is searched.

The search of an audit asks whether anything known gives an item away *more* surely than its threshold. Confidences are
fractions of at most N records, so one that is below p/q is so by at least 1/(qN): "at least p/q" is "more than p/q less
half of that". Asked again at each level, of the occurrences about which it is open, the search tells who can be
inferred so surely. Asked at the surest that was found of an item so far, it finds something surer, or there is none.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sordino.audit.examination import EXPOSED, Examination, Lead
from sordino.engine.local import OutOfTime

if TYPE_CHECKING:
    from sordino.audit.inquiry import Inquiry

__all__ = ["count_levels", "find_surest", "is_small"]

SETS = 1_000_000  # antecedents that there could be in all, up to which all of them are asked about
ROUNDS = 40  # of finding something surer

Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
I64 = npt.NDArray[np.int64]


def is_small(lengths: I64, knowledge: int | None) -> bool:
    """Whether records of such lengths have so few antecedents that all of them can be asked about."""
    return bool(_antecedents(lengths, knowledge).sum() <= SETS)


def _antecedents(lengths: I64, knowledge: int | None) -> npt.NDArray[np.float64]:
    """How many antecedents there are in a record of so many items, or more."""
    if knowledge is not None and knowledge <= 2:
        return lengths * (lengths + 1) / 2
    return np.exp2(np.minimum(lengths, 64))


def count_levels(inquiry: Inquiry, level: Bytes, shares: tuple[Fraction, ...]) -> Bools:
    """Raises `level`, how many of the shares each occurrence reaches; by share and item whether that is then exact.

    Of a settled inquiry: what it marked is above the threshold, and nothing else is.
    """
    exam, beside = inquiry.exam, inquiry.beside
    items = exam.index.items
    records, width = max(1, len(exam.baskets)), exam.index.width
    exact = np.zeros((len(shares), width), dtype=np.bool_)
    for k, share in enumerate(shares):
        above = exam.num * share.denominator >= share.numerator * exam.den  # at risk reaches the share
        below = exam.num * share.denominator < share.numerator * exam.den  # what reaches it is at risk
        level[(inquiry.risk > 0) & above[items]] = np.maximum(level[(inquiry.risk > 0) & above[items]], k + 1)
        open_ = beside[(level[beside] <= k) & ~((inquiry.risk[beside] == 0) & below[items[beside]])]
        open_, few = _affordable(exam, open_)
        num = np.full(width, 2 * share.numerator * records - 1, dtype=np.int64)
        den = np.full(width, 2 * share.denominator * records, dtype=np.int64)
        try:
            level[_exposed(exam, num, den, open_)] = k + 1
        except OutOfTime:
            break
        exact[k] = few
    return exact


def find_surest(inquiry: Inquiry, found: Mapping[int, Lead]) -> dict[int, Lead]:
    """The surest inference about each item, of those of which it can be had; `found` are sure ones to begin with."""
    exam, beside = inquiry.exam, inquiry.beside
    items = exam.index.items
    best, settled = dict(found), dict[int, Lead]()
    asked = np.array(sorted(best), dtype=np.int64)
    num, den = exam.num.copy(), exam.den.copy()
    for _ in range(ROUNDS):
        sure = [item for item in asked.tolist() if best[item].with_item == best[item].support]
        settled |= {item: best[item] for item in sure}
        asked = np.setdiff1d(asked, sure)
        open_, few = _affordable(exam, beside[np.isin(items[beside], asked)])
        asked = asked[few[asked]]
        if not len(asked):
            break
        num[asked] = [best[item].with_item for item in asked.tolist()]
        den[asked] = [best[item].support for item in asked.tolist()]
        try:
            places = _exposed(exam, num, den, open_)
            surer = exam.distinct(items[places])
            settled |= {item: best[item] for item in np.setdiff1d(asked, surer).tolist()}
            for item in surer.tolist():
                best[item] = _surest(_at(exam, num, den), places[items[places] == item])
        except OutOfTime:
            break
        asked = surer
    return settled


def _affordable(exam: Examination, places: I64) -> tuple[I64, Bools]:
    """Of the given occurrences those of items about which all can be asked, the cheapest first; and which these are.

    The others are those that would make it too much.
    """
    items = exam.index.items[places]
    sets = _antecedents(exam.lengths[exam.owner[places]] - 1, exam.policy.knowledge)
    cost = np.bincount(items, weights=sets, minlength=exam.index.width)
    order = np.argsort(cost, kind="stable")
    few = np.zeros(exam.index.width, dtype=np.bool_)
    few[order] = np.cumsum(cost[order]) <= SETS
    return places[few[items]], few


def _at(exam: Examination, num: I64, den: I64) -> Examination:
    """The same records, asked at other thresholds."""
    other = copy.copy(exam)
    other.num, other.den, other.records = num, den, exam.records._replace(num=num, den=den)
    other.sup_without = np.empty(0, dtype=np.int64)
    return other


def _exposed(exam: Examination, num: I64, den: I64, open_: I64) -> I64:
    """Which of the open occurrences something known gives away above these thresholds."""
    if not len(open_):
        return open_
    other = _at(exam, num, den)
    leaves = other.leaves(places=open_)
    risk = np.zeros(len(exam.index.items), dtype=np.uint8)
    most = exam.longest if exam.policy.knowledge is None else exam.policy.knowledge
    other.search(risk, open_[~leaves[open_]], 1, most, EXPOSED, phase="how surely")
    return open_[leaves[open_] | (risk[open_] > 0)]


def _surest(exam: Examination, places: I64) -> Lead:
    """The surest of what gives a few of the given occurrences away; between equals, the first."""
    some: Iterable[int] = np.unique(places[[0, len(places) // 2, -1]]).tolist()
    return max((exam.explain(place, 1) for place in some), key=lambda lead: Fraction(lead.with_item, lead.support))
