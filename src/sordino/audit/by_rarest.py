"""The audit of baskets by groups of the rarest known item: exactly the audit of the whole, a group at a time.

**Why it is exact.** Number the items, once for all records (their rank). All that decides whether an antecedent q gives
e away, sup(q) and sup(q + e), is in the records that hold the first item of q, its root. So every root belongs to one
group, and a group judges the antecedents of its roots alone. Groups are ranges of ranks. Any order will do: rare ones
first makes the work small, harmless ones first what is sent (arrange.py). "Rarest" is what comes first, here.

**What a group gets** (`ship`): each record that holds one of its roots; of it, the items from the first root on, which
are all that its antecedents can have, and all sensitive items, which are what can be inferred. For every set q that
holds a root, the items from it on and any sensitive ones, counts in the group are counts in the whole. So

- a leaf (all the rest of what was shipped of a record) counts if that rest holds a root. Between the first and the
  second root of a record lies nothing, because roots are a range: the rest is then such a set q;
- alibis within the group prove an item safe against all antecedents of the group;
- the search begins at roots of the group, in records without what is rarer than its range. The closure of what it
  looks at lies within these, so that closed sets are tried once, as in the whole.

Within a group, items are numbered anew: what comes before all roots, the roots, and the rest, each by rising support
in the group. An antecedent has nothing of the first, and something of the second; its counts are the same.

**Contract.** `arrange` (arrange.py) is called once, on the supports of the whole. Then for every group, in any
order and anywhere (threads, processes, other machines):

    part = ship(ptr, items, sensitive, bounds, group, record)   # from records whose items are ranks, ascending
    found = audit_group(part, (bounds[group], bounds[group + 1]), Asked(sensitive, num, den, knowledge), ...)

`part` may be put together from many pieces by `gather`, one after another; the order of its records does not matter.
`sensitive`, `num` and `den` are by rank, and resolved once on the whole: adaptive thresholds depend on it. `record` are
numbers that name a record in all groups. Results are combined by `Union`: the level of a record is the lowest that any
group found, an item is unsafe if it is so in one group, proved if it is so in all that asked. Whoever combines them
elsewhere takes the minimum of `level` over equal `record`, and counts people by level: 1, 2, 3 or MORE items suffice;
EXPOSED is a level that a time limit left open, and counts in the total only.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sordino.audit.examination import EXPOSED, MORE, Examination, Lead
from sordino.audit.findings import Searched, choose_findings, priority
from sordino.audit.index import RecordIndex, by_rarity
from sordino.audit.inquiry import GRACE, SIZES, Inquiry, Known
from sordino.data.baskets import Baskets
from sordino.engine.local import OutOfTime, Watch
from sordino.errors import InternalError

__all__ = [
    "EXPOSED",
    "MORE",
    "Asked",
    "GroupAudit",
    "Shipped",
    "Union",
    "audit_group",
    "divide",
    "gather",
    "numbered",
    "rank_items",
    "ship",
    "ship_all",
    "shipped_estimate",
]

Bools = npt.NDArray[np.bool_]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Asked:
    """What is asked of the records, by rank: which items are sensitive, and their thresholds num / den."""

    sensitive: Bools
    num: I64
    den: I64
    knowledge: int | None = None


class Shipped(NamedTuple):
    """What a group gets: of `record[k]`, the ranks items[ptr[k]:ptr[k + 1]], ascending."""

    record: I64
    ptr: I64
    items: I32


class GroupAudit(NamedTuple):
    """What one group found. All of it can be handed on as plain arrays; items are ranks."""

    record: I64  # the records at risk
    level: npt.NDArray[np.uint8]  # of each: 1, 2, 3 or MORE known items suffice; EXPOSED: not decided how few
    asked: I32  # the sensitive items that stand beside a root
    unsafe: I32  # those of them that somebody can infer
    proved: I32  # those that alibis prove safe in this group
    undecided: I32  # those that a time limit left open
    leads: tuple[Lead, ...]  # the most telling antecedents
    exact: tuple[bool, ...]  # whether the people of each level, as SIZES, were all found


def rank_items(supports: npt.NDArray[np.integer], sensitive: Bools | None = None) -> tuple[I32, I32]:
    """Items by rising support over all records, the sensitive ones last: the code of every rank, and the reverse."""
    code, rank = by_rarity(supports)
    if sensitive is not None:
        code = code[np.argsort(sensitive[code], kind="stable")]
        rank[code] = np.arange(len(code), dtype=np.int32)
    return code, rank


def shipped_estimate(supports: npt.NDArray[np.integer], records: int) -> npt.NDArray[np.float64]:
    """By rank, about how many occurrences its records ship: as if items occurred independently of each other."""
    ranked = supports.astype(np.float64)
    behind = np.cumsum(ranked[::-1])[::-1] / max(records, 1)
    return ranked * (1 + behind)


def divide(supports: npt.NDArray[np.integer], records: int, number: int) -> I64:
    """Where the ranks of each of at most `number` groups begin, and where the last one ends.

    `supports` is by rank. Groups have about equal work; there are fewer if there are not so many items.
    """
    work = np.cumsum(shipped_estimate(supports, records))
    if not len(work) or work[-1] == 0:
        return np.array([0, len(supports)], dtype=np.int64)
    edges = np.searchsorted(work, work[-1] * np.arange(1, number) / number, side="right")
    return np.unique(np.concatenate([[0], edges, [len(supports)]])).astype(np.int64)


def ship(ptr: I64, items: I32, sensitive: Bools, bounds: I64, group: int, record: I64) -> Shipped:
    """What `group` gets of records whose items are ranks, ascending in each."""
    inside = np.flatnonzero((items >= bounds[group]) & (items < bounds[group + 1]))
    owner = np.searchsorted(ptr, inside, side="right") - 1
    first = np.ones(len(inside), dtype=np.bool_)
    first[1:] = owner[1:] != owner[:-1]
    return _shipped(ptr, items, sensitive, inside[first], owner[first], record)


def ship_all(ptr: I64, items: I32, sensitive: Bools, bounds: I64, record: I64) -> list[Shipped]:
    """What each group gets, at once."""
    group = np.searchsorted(bounds, items, side="right") - 1
    owner = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    first = np.ones(len(items), dtype=np.bool_)
    first[1:] = (owner[1:] != owner[:-1]) | (group[1:] != group[:-1])
    start = np.flatnonzero(first)
    start = start[np.argsort(group[start], kind="stable")]
    edges = np.searchsorted(group[start], np.arange(len(bounds)))
    return [
        _shipped(ptr, items, sensitive, start[a:b], owner[start[a:b]], record)
        for a, b in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    ]


def _shipped(ptr: I64, items: I32, sensitive: Bools, start: I64, owner: I64, record: I64) -> Shipped:
    """Of every record `owner[k]`, what lies from `start[k]` on, and before that the sensitive items."""
    marked = sensitive[items]
    places = np.flatnonzero(marked)
    before = np.concatenate([[0], np.cumsum(marked)])
    # Two stretches a record, one after the other: of the sensitive places, and of the items themselves.
    begin, length = np.empty((2, 2 * len(start)), dtype=np.int64)
    begin[0::2], length[0::2] = len(items) + before[ptr[owner]], before[start] - before[ptr[owner]]
    begin[1::2], length[1::2] = start, ptr[owner + 1] - start
    at = np.cumsum(length)
    taken = np.repeat(begin - (at - length), length) + np.arange(int(at[-1]) if len(at) else 0)
    kept = np.concatenate([np.arange(len(items)), places])[taken]
    return Shipped(record[owner], np.concatenate([[0], at[1::2]]).astype(np.int64), items[kept])


def gather(parts: Sequence[Shipped]) -> Shipped:
    """Several pieces for the same group as one."""
    ptr = [np.zeros(1, dtype=np.int64)]
    for part in parts:
        ptr.append(part.ptr[1:] + ptr[-1][-1])
    empty = Shipped(np.empty(0, dtype=np.int64), ptr[0], np.empty(0, dtype=np.int32))
    all_ = (empty, *parts)
    return Shipped(
        np.concatenate([part.record for part in all_]),
        np.concatenate(ptr),
        np.concatenate([part.items for part in all_]),
    )


def audit_group(
    part: Shipped,
    roots: tuple[int, int],
    asked: Asked,
    *,
    jobs: int,
    watch: Watch,
    top: int = 10,
    counting: bool = True,
    before: Union | None = None,
) -> GroupAudit:
    """What somebody infers who knows a root of this group, and nothing rarer; `roots` is the range of their ranks.

    Keeps to the deadline of the watch: what was found by then stands. Without counting, only as far as the verdict
    needs. `before`: what other groups have found, so that it need not be found again. The union of the groups is the
    same without it; it takes longer.
    """
    baskets, here, (lo, hi) = numbered(part, roots)
    local = Asked(asked.sensitive[here], asked.num[here], asked.den[here], asked.knowledge)
    try:
        exam = Examination(baskets, local, jobs=jobs, watch=watch, roots=(lo, hi))
    except OutOfTime:
        return not_looked_at(here[local.sensitive])
    index = exam.index
    inquiry = Inquiry(exam, _known(index, here, part.record, before))
    inquiry.run(counting=counting)
    level = inquiry.levels()[index.class_of] if index.classes else np.zeros(len(part.record), dtype=np.uint8)
    level[index.class_of < 0] = 0
    exposed = np.flatnonzero(level)
    unsafe, safe = inquiry.unsafe, inquiry.safe
    proved = np.array([rank for rank, alibis in safe.items() if not len(alibis.unserved)], dtype=np.int64)
    known = np.concatenate([unsafe, np.array(list(safe), dtype=np.int64)])
    undecided = inquiry.ranks[:0] if inquiry.decided else np.setdiff1d(inquiry.ranks, known)
    return GroupAudit(
        part.record[exposed],
        level[exposed],
        here[inquiry.ranks].astype(np.int32),
        here[unsafe].astype(np.int32),
        here[np.sort(proved)].astype(np.int32),
        here[undecided].astype(np.int32),
        _leads(inquiry, top),
        tuple(inquiry.exact[size] for size in SIZES),
    )


def numbered(part: Shipped, roots: tuple[int, int]) -> tuple[Baskets, I64, tuple[int, int]]:
    """What was shipped with only those ranks numbered that occur; the rank of each number; the numbers of the roots.

    First what is before all roots, then the roots, then the rest, and each of these by rising support.
    """
    support = np.bincount(part.items, minlength=1)
    here = np.flatnonzero(support)
    lo, hi = np.searchsorted(here, roots).tolist()
    band = (here >= roots[0]).astype(np.int8) + (here >= roots[1])
    here = here[np.lexsort((support[here], band))]
    number = np.zeros(len(support), dtype=np.int32)
    number[here] = np.arange(len(here), dtype=np.int32)
    return Baskets(part.ptr, number[part.items], tuple(map(str, here.tolist()))), here, (lo, hi)


def _known(index: RecordIndex, here: I64, record: I64, before: Union | None) -> Known:
    """What other groups found about these records. Of a class, all records must be known to be at risk."""
    if before is None:
        return Known(np.zeros(index.classes, dtype=np.bool_), np.zeros(len(here), dtype=np.bool_))
    level = before.lowest[record]
    open_ = ((level == 0) | (level == EXPOSED)) & (index.class_of >= 0)
    at_risk = np.ones(index.classes, dtype=np.bool_)
    at_risk[index.class_of[open_]] = False
    return Known(at_risk, np.isin(here, list(before.unsafe)))


def not_looked_at(items: npt.NDArray[np.integer]) -> GroupAudit:
    """The result of a group that there was no time for; `items` are the sensitive ranks it would have asked about."""
    none, nothing = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
    asked = np.asarray(items, dtype=np.int32)
    return GroupAudit(none, np.empty(0, dtype=np.uint8), asked, nothing, nothing, asked, (), (False,) * len(SIZES))


def _leads(inquiry: Inquiry, top: int) -> tuple[Lead, ...]:
    """The most telling antecedents of the group, in ranks of the whole."""
    if not len(inquiry.unsafe) or top < 1:
        return ()
    watch = inquiry.exam.watch
    if watch.deadline is not None:
        watch.deadline = max(watch.deadline, time.monotonic() + GRACE)
    cases = _Reached(inquiry.exam, inquiry.risk, inquiry.leads, inquiry.leaf_disclosed)
    return tuple(
        Lead(tuple(map(int, f.antecedent)), int(f.consequent), f.support, f.with_consequent, f.people)
        for f in choose_findings(cases, top, watch)
    )


class _Reached(Searched):
    """What was found in a group. A leaf may hold what is rarer than all roots: then it is its own explanation."""

    def _explain(self, place: int) -> Lead:
        try:
            return super()._explain(place)
        except InternalError:
            if self.leaf_disclosed[place]:
                return self.exam.leaf(place)
            raise


class Union:
    """The results of groups put together, in any order; each group must be added once."""

    def __init__(self, records: int) -> None:
        self.lowest = np.zeros(records, dtype=np.uint8)  # 0: not at risk
        self.asked: set[int] = set()
        self.unsafe: set[int] = set()
        self.not_proved: set[int] = set()
        self.undecided: set[int] = set()
        self.exact = [True] * len(SIZES)
        self.leads: list[Lead] = []

    def add(self, found: GroupAudit) -> None:
        """Takes what one group found."""
        before, now = self.lowest[found.record] - np.uint8(1), found.level - np.uint8(1)  # 0 is none: the largest
        self.lowest[found.record] = np.minimum(before, now) + np.uint8(1)
        self.asked.update(found.asked.tolist())
        self.unsafe.update(found.unsafe.tolist())
        self.undecided.update(found.undecided.tolist())
        self.not_proved.update(np.setdiff1d(found.asked, found.proved).tolist())
        self.exact = [a and b for a, b in zip(self.exact, found.exact, strict=True)]
        self.leads += found.leads

    @property
    def people(self) -> tuple[int, dict[str, int]]:
        """People at risk, in total and, as far as it was decided, by the fewest items that someone must know."""
        by_level = np.bincount(self.lowest, minlength=EXPOSED + 1)
        return int(by_level[1:].sum()), dict(zip(SIZES, by_level[1:].tolist(), strict=False))

    @property
    def open_items(self) -> int:
        """The items of which nothing is known for sure."""
        return len(self.undecided - self.unsafe)

    @property
    def proved_items(self) -> int:
        """The items that alibis prove safe in every group."""
        return len(self.asked - self.not_proved)

    @property
    def searched_items(self) -> int:
        return len(self.asked) - self.proved_items - self.open_items

    def telling(self, top: int) -> list[Lead]:
        """At most `top` leads, the most telling first, none of them a variation of one before it by known items."""
        return telling(self.leads, top)


def telling(leads: Iterable[Lead], top: int) -> list[Lead]:
    """At most `top` of the leads, as `Union.telling`."""
    ranked = sorted(
        set(leads),
        key=lambda one: (
            priority(one.with_item, len(one.antecedent)),
            len(one.antecedent),
            one.item,
            sorted(one.antecedent),
        ),
    )
    chosen: list[Lead] = []
    for lead in ranked:
        if len(chosen) >= top:
            break
        known = set(lead.antecedent)
        near = (set(other.antecedent) for other in chosen if other.item == lead.item)
        if not any(known <= other or known >= other for other in near):
            chosen.append(lead)
    return chosen
