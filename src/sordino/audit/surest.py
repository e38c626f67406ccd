"""How surely each sensitive item can be inferred anywhere, and of how many people: 50, 70, 90, 100 % sure.

From what an audit has counted anyway, and one pass over the records of each sensitive item:

- One known item: all of it is counted, so figures about it are exact.
- All the rest of a record: who infers with confidence 1 from some items of a record does so from all the rest of it,
  because among the records with an antecedent of confidence 1 there is none without the item. So the leaves tell who is
  given away for certain, exactly, if any number of items may be known.
- What the search marked can be inferred above the item's threshold, so also at every level up to it; and nobody whom it
  did not mark can be inferred at a level above it.

Between these a figure is a lower bound, and says so; unless there is so little to look at that all of it is looked at
(surest_small.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sordino.audit.examination import Lead
from sordino.audit.surest_small import count_levels, find_surest
from sordino.engine.local import OutOfTime, Watch

if TYPE_CHECKING:
    from sordino.audit.few_known import Exposure
    from sordino.audit.inquiry import Inquiry

__all__ = ["LEVELS", "Inferred", "surest_counted", "surest_searched"]

LEVELS = (Fraction(1, 2), Fraction(7, 10), Fraction(9, 10), Fraction(1))
CERTAIN = len(LEVELS)
BUDGET = 100_000_000  # pairs of a sensitive occurrence and another item of its record that are looked at

Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Inferred:
    """How surely one sensitive item (of all: item "") can be inferred, and of how many of those who have it.

    `having`: so many have the item; of all, one of them and something beside it.
    `people` are by level, as LEVELS; `exact` tells for which of these it is no lower bound. `highest` is the highest
    confidence that was found, from `antecedent` (None: from all the rest of a record); `highest_exact` says that there
    is none higher, `at_most` what it cannot exceed.
    """

    item: str
    having: int
    highest: Fraction | None
    highest_exact: bool
    at_most: Fraction
    antecedent: tuple[str, ...] | None
    people: tuple[int, ...]
    exact: tuple[bool, ...]

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "item": self.item or None,
            "having": self.having,
            "highest": None if self.highest is None else float(self.highest),
            "highest_exact": self.highest_exact,
            "at_most": float(self.at_most),
            "antecedent": None if self.antecedent is None else list(self.antecedent),
            "people": {_percent(level): n for level, n in zip(LEVELS, self.people, strict=True)},
            "exact": {_percent(level): known for level, known in zip(LEVELS, self.exact, strict=True)},
        }


def _percent(level: Fraction) -> str:
    return str(int(level * 100))


@dataclass(frozen=True)
class _Records:
    """Classes of equal records: class c holds items[ptr[c]:ptr[c + 1]]; `support` is by item."""

    ptr: I64
    items: I32
    weight: npt.NDArray[np.integer]
    support: I64

    def whole(self, classes: I64) -> tuple[I64, I64]:
        """The places of all items of the given classes, and where those of each begin among them."""
        length = self.ptr[classes + 1] - self.ptr[classes]
        start = np.cumsum(length) - length
        return np.repeat(self.ptr[classes] - start, length) + np.arange(int(length.sum())), start


def surest_searched(inquiry: Inquiry) -> tuple[Inferred, ...]:
    """Of a searched examination; () if the time was over before anything was known."""
    exam = inquiry.exam
    index, watch = exam.index, exam.watch
    settled = inquiry.decided and not inquiry.cut
    try:
        level = np.zeros(len(index.items), dtype=np.uint8)
        records = _Records(index.ptr, index.items, index.weight, index.support)

        def classes(item: int) -> I64:
            return index.post[index.post_ptr[item] : index.post_ptr[item + 1]].astype(np.int64)

        singles = {e: one_known(records, e, classes(e), level) for e in _within(records, exam.occurrences, watch)}
        if inquiry.leaf_disclosed.any():
            level[inquiry.leaf_disclosed & (exam.sup_without == 0)] = CERTAIN
        certain = settled and exam.policy.knowledge is None
        if certain:
            _short_leaves(inquiry, level)
    except OutOfTime:
        return ()
    leads: dict[int, list[Lead]] = {}
    for lead in inquiry.leads:
        leads.setdefault(lead.item, []).append(lead)
    searched: Bools = np.zeros((CERTAIN, index.width), dtype=np.bool_)
    surest: dict[int, Lead] = {}
    if settled:
        searched = count_levels(inquiry, level, LEVELS)
        surest = find_surest(
            inquiry, {e: max((lead, *leads.get(e, ())), key=_sure) for e, lead in singles.items() if lead}
        )
        for e, lead in surest.items():
            leads.setdefault(e, []).append(lead)
    return _told(
        records, exam.policy.sensitive[index.code], exam.occurrences, inquiry.risk, level, exam.num, exam.den,
        singles, leads, searched, surest,
        settled=settled, certain=certain, all_counted=exam.policy.knowledge == 1,
        name=lambda rank: exam.baskets.names[int(index.code[rank])],
    )  # fmt: skip


def surest_counted(
    exposure: Exposure, knowledge: int, sensitive: npt.NDArray[np.bool_], watch: Watch
) -> tuple[Inferred, ...]:
    """Of records whose small sets were counted: one or two items are known."""
    rows = exposure.rows
    records = _Records(rows.ptr, rows.items, rows.weight, exposure.support)
    occurrences = np.flatnonzero(sensitive[rows.items])
    level = np.zeros(len(rows.items), dtype=np.uint8)
    order = np.argsort(rows.items[occurrences], kind="stable")
    bounds = np.searchsorted(rows.items[occurrences][order], np.arange(len(exposure.names) + 1))
    row = rows.row_of(occurrences)[order]
    try:
        singles = {
            e: one_known(records, e, row[bounds[e] : bounds[e + 1]], level)
            for e in _within(records, occurrences, watch)
        }
    except OutOfTime:
        return ()
    leads: dict[int, list[Lead]] = {}
    for known, also, item, support, with_item in exposure.leads.tolist():
        antecedent = (known,) if also < 0 else (known, also)
        leads.setdefault(item, []).append(Lead(antecedent, item, support, with_item, with_item))
    return _told(
        records, sensitive, occurrences, exposure.risk, level, exposure.num, exposure.den, singles, leads,
        np.zeros((CERTAIN, len(sensitive)), dtype=np.bool_), {},
        settled=True, certain=False, all_counted=knowledge == 1, name=exposure.name,
    )  # fmt: skip


def _within(records: _Records, occurrences: I64, watch: Watch) -> Iterable[int]:
    """The sensitive items, as many as the budget allows, those of fewer records first."""
    width = len(records.support)
    items = records.items[occurrences]
    length = (records.ptr[1:] - records.ptr[:-1])[np.searchsorted(records.ptr, occurrences, side="right") - 1]
    work = np.bincount(items, weights=length, minlength=width)
    there = np.flatnonzero(np.bincount(items, minlength=width))
    there = there[np.argsort(work[there], kind="stable")]
    for item in there[np.cumsum(work[there]) <= BUDGET].tolist():
        watch.check()
        yield item


def one_known(records: _Records, item: int, classes: I64, level: Bytes) -> Lead | None:
    """Raises `level` of the item's occurrences to what one known item gives; the surest such inference.

    Between equals, the one about more people, then the item of the lower number.
    """
    if not len(classes):
        return None
    places, start = records.whole(classes)
    content = records.items[places]
    own = content == item
    length = np.diff(start, append=len(places))
    weight = np.repeat(records.weight[classes], length)
    known: npt.NDArray[np.integer]
    inverse: npt.NDArray[np.integer]
    if len(content) < len(records.support):
        known, inverse = np.unique(content, return_inverse=True)
        both = np.bincount(inverse, weights=weight).astype(np.int64)
    else:
        known, inverse = np.arange(len(records.support)), content
        both = np.bincount(content, weights=weight, minlength=len(known)).astype(np.int64)
    support = records.support[known]
    reached = np.zeros(len(known), dtype=np.uint8)
    for share in LEVELS:
        reached += (both > 0) & (both * share.denominator >= share.numerator * support)
    reached[known == item] = 0
    at = places[own]
    level[at] = np.maximum(level[at], np.maximum.reduceat(reached[inverse], start))
    ratio = np.where((known == item) | (both == 0), -1.0, both / np.maximum(support, 1))
    most = float(ratio.max(initial=-1.0))
    if most < 0:
        return None
    best = np.flatnonzero(ratio == most)
    k = int(best[np.argmax(both[best])])
    return Lead((int(known[k]),), item, int(support[k]), int(both[k]), int(both[k]))


def _short_leaves(inquiry: Inquiry, level: Bytes) -> None:
    """Records of three and four items, whose leaves the audit has not counted for items that longer ones give away."""
    exam = inquiry.exam
    length = inquiry.lengths[inquiry.beside]
    places = inquiry.beside[(length > 2) & (length <= 4)]
    places = places[(inquiry.risk[places] > 0) & (level[places] < CERTAIN)]
    if not len(places):
        return
    disclosed = exam.leaves(3, 4, places=places)
    level[places[disclosed[places] & (exam.sup_without[places] == 0)]] = CERTAIN


def _told(
    records: _Records,
    sensitive: npt.NDArray[np.bool_],
    occurrences: I64,
    risk: Bytes,
    level: Bytes,
    num: I64,
    den: I64,
    singles: Mapping[int, Lead | None],
    leads: Mapping[int, list[Lead]],
    searched: Bools,
    surest: Collection[int],
    *,
    settled: bool,
    certain: bool,
    all_counted: bool,
    name: Any,
) -> tuple[Inferred, ...]:
    """The figures of all people together, then of each item, the surest first.

    `searched`: for which levels, of which items, everything was asked; `surest`: the items of which the surest
    inference is known.
    """
    width = len(records.support)
    items = records.items[occurrences]
    owner = np.searchsorted(records.ptr, occurrences, side="right") - 1
    weight = records.weight[owner].astype(np.int64)
    at_risk = risk[occurrences] > 0
    by_level = np.zeros((CERTAIN, width), dtype=np.int64)
    known = np.zeros((CERTAIN, width), dtype=np.bool_)
    unsafe = np.bincount(items[at_risk], weights=weight[at_risk], minlength=width).astype(np.int64)
    having = np.bincount(items, weights=weight, minlength=width).astype(np.int64)
    alone = np.bincount(items[np.diff(records.ptr)[owner] > 1], minlength=width) == 0  # nothing stands beside it
    people, exact = [], []
    for k, share in enumerate(LEVELS):
        above = num * share.denominator >= share.numerator * den  # at risk is to be inferred at this level
        below = num * share.denominator < share.numerator * den  # to be inferred at this level is at risk
        sure = (level[occurrences] > k) | (at_risk & above[items])
        by_level[k] = np.bincount(items[sure], weights=weight[sure], minlength=width)
        known[k] = (by_level[k] == having) | searched[k]  # there are no more
        if all_counted:
            known[k] |= np.isin(np.arange(width), list(singles))
        if certain and share == 1:
            known[k] |= num < den
        if settled:
            known[k] |= below & (by_level[k] == unsafe)
        classes = np.zeros(len(records.weight), dtype=np.bool_)
        classes[owner[sure]] = True
        people.append(int(records.weight[classes].sum()))
        exact.append(bool(known[k][items].all()))
    told = []
    for item in np.flatnonzero(sensitive & (records.support > 0)).tolist():
        found = [lead for lead in (singles.get(item), *leads.get(item, ())) if lead is not None]
        best = max(found, key=_sure, default=None)
        highest = None if best is None else Fraction(best.with_item, best.support)
        antecedent = () if best is None else tuple(sorted(map(name, best.antecedent)))
        told.append(
            _of_item(
                name(item), int(records.support[item]), highest, antecedent, by_level[:, item], known[:, item],
                Fraction(int(num[item]), int(den[item])),
                safe=settled and unsafe[item] == 0,
                counted=bool(alone[item]) or item in surest or (all_counted and item in singles),
            )
        )  # fmt: skip
    told.sort(key=lambda one: (-(one.highest or 0), *(-n for n in reversed(one.people)), one.item))
    if not told:
        return ()
    first = told[0]
    together = Inferred(
        "", int(records.weight[np.unique(owner[np.diff(records.ptr)[owner] > 1])].sum()), first.highest,
        all(one.highest_exact or one.at_most <= (first.highest or 0) for one in told) and first.highest_exact,
        max(one.at_most for one in told), first.antecedent, tuple(people), tuple(exact),
    )  # fmt: skip
    return together, *told


def _sure(lead: Lead) -> tuple[Fraction, int, int]:
    """The larger, the better to tell: the surest, of these the one of fewest items, of these that about most people."""
    return Fraction(lead.with_item, lead.support), -len(lead.antecedent), lead.with_item


def _of_item(
    item: str,
    having: int,
    highest: Fraction | None,
    antecedent: tuple[str, ...] | None,
    people: I64,
    exact: npt.NDArray[np.bool_],
    threshold: Fraction,
    *,
    safe: bool,
    counted: bool,
) -> Inferred:
    if people[-1] and (highest is None or highest < 1):  # by all the rest of a record, and by nothing smaller at hand
        highest, antecedent = Fraction(1), None
    if highest is None:
        antecedent = None
    final = bool(highest == 1 or counted)  # what is counted may be a NumPy truth, which JSON does not know
    least = Fraction(0) if highest is None else highest
    bound = least if final else max(least, threshold) if safe else Fraction(1)
    return Inferred(
        item, having, highest, final or bound == least, bound, antecedent, tuple(people.tolist()), tuple(exact.tolist())
    )
