"""Less loss by patience where people chose for themselves: sweeps in which records draw again what they publish.

**Guarantee.** What `improve_personal` returns is safe, and has at most as many deletions as the given safe table: an
exact audit looks at it, what that finds is repaired, and the given table stands if too much is lost by it. The same
seed gives the same bytes on any number of threads.

**How.** As in improve.py, with the rules that somebody asks about: q -> e, if somebody who finds e sensitive has q in
his original record (kernels/improve/asked.py). There is nothing harmless here, so every part of a unit may be drawn. A
leaf that nobody asks about says nothing of smaller antecedents, which others know; so all rules inside what a record
can show are tracked. A record of more than WHOLE items moves in a window: what it shows, and the most frequent of what
it lost. (To change windows on the way brought 0.1 points on BMS-WebView-2, for half as much time again.) Records that
show more than a window holds do not move, and are left to the audit.

**Interrupted.** Ctrl-C ends the sweeps, and the best table so far is audited and published.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sordino.audit.index import RecordIndex, equal_records, index_records
from sordino.audit.kernels.personal import wishes_beside
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch, run_chunks
from sordino.policy.inference import ResolvedInference
from sordino.protect.kernels.improve.asked import Others, Room, asked_parts
from sordino.protect.kernels.improve.tree import Units
from sordino.protect.objective import Fewest, Objective
from sordino.protect.personal_workspace import PersonalWorkspace
from sordino.protect.sweeps import Ground, Sweeps, Thresholds, pointers
from sordino.utility.bound import alibis_needed
from sordino.utility.personal_bound import wishes_by_class

__all__ = ["improve_personal"]

WHOLE = 10  # items of a record that moves as a whole, at most
WINDOW = 10  # items of the window of a longer one
CHUNK = 256  # units that a thread takes at a time

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]


def improve_personal(
    before: Baskets,
    safe: Baskets,
    policy: ResolvedInference,
    *,
    number: int,
    seed: int,
    jobs: int,
    watch: Watch,
    objective: Objective | None = None,
) -> Baskets:
    """A safe table that costs at most as much as the given one, which is safe, after so many sweeps.

    Cost is what the objective says: deletions, unless one is given.
    """
    if number == 0 or safe.occurrences == before.occurrences:
        return safe
    assert policy.personal is not None
    objective = objective or Fewest()
    watch.report("preparing to improve", 0, 0)
    original = policy.original or before
    index = watch.call(index_records, original, watch.stop)
    longest = int(np.diff(index.ptr).max(initial=0))
    known = longest if policy.knowledge is None else min(policy.knowledge, longest)
    terms = Thresholds(np.ones(index.width, dtype=np.bool_), policy.num[index.code], policy.den[index.code], known)
    others = _others(index, policy, watch)
    demand = alibis_needed(replace(policy, sensitive=np.ones_like(policy.sensitive)), len(before))[index.code]
    units, unit_of, first = _units(before, safe, index, watch)
    begin, found, asks = _asked(units, index.class_of[first].astype(np.int64), others, demand, known, jobs, watch)
    ground = Ground(units, unit_of, begin, found, asks)
    better = Sweeps(before, safe, index.rank, index.code, terms, ground, jobs=jobs, watch=watch).run(
        number, seed, objective
    )
    better = PersonalWorkspace(better, replace(policy, original=original), jobs=jobs, watch=watch).made_safe()
    cost = objective.cost(before.supports, better.supports)
    return better if cost < objective.cost(before.supports, safe.supports) else safe


def _units(before: Baskets, safe: Baskets, index: RecordIndex, watch: Watch) -> tuple[Units, I64, I64]:
    """The units, the unit of each record (-1: none), and a record of each unit.

    In the window of a long record is what it shows, and the most frequent of the rest.
    """
    class_of, first = equal_records(before.indptr, before.items, watch.stop)
    lengths = before.lengths
    short = (class_of >= 0) & (lengths <= WHOLE)
    long = np.flatnonzero((lengths > WHOLE) & (safe.lengths <= WINDOW))
    whole = np.flatnonzero(short[first])
    place = np.full(len(first) + 1, -1, dtype=np.int64)
    place[whole] = np.arange(len(whole))
    unit_of = np.where(short, place[class_of], -1)
    unit_of[long] = len(whole) + np.arange(len(long))
    members = np.concatenate([first[whole], long]).astype(np.int64)
    unit = np.full(len(before), -1, dtype=np.int64)
    unit[members] = np.arange(len(members))
    owner = np.repeat(np.arange(len(before), dtype=np.int64), lengths)
    width = max(len(before.names), 1)
    shown = np.isin(owner * width + before.items, _keys(safe, width), assume_unique=True)
    ranks = index.rank[before.items]
    of_unit = unit[owner]
    order = np.lexsort((-ranks, ~shown, of_unit))
    order = order[of_unit[order] >= 0]
    sizes = lengths[members]
    within = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    room = np.where(sizes > WHOLE, np.minimum(sizes, WINDOW), sizes)
    order = order[within < np.repeat(room, sizes)]
    order = order[np.lexsort((ranks[order], of_unit[order]))]
    secret = ((1 << room) - 1).astype(np.int32)
    return Units(pointers(room), ranks[order], secret), unit_of, members


def _keys(baskets: Baskets, width: int) -> I64:
    """A number for each occurrence."""
    return np.repeat(np.arange(len(baskets), dtype=np.int64), baskets.lengths) * width + baskets.items


def _others(index: RecordIndex, policy: ResolvedInference, watch: Watch) -> Others:
    """The original records, and who finds what sensitive."""
    assert policy.personal is not None
    row = policy.personal.row[index.code]
    wish = wishes_by_class(policy.personal, index)
    beside = np.zeros((index.width, max((index.width + 63) // 64, 1)), dtype=np.uint64)
    watch.call(wishes_beside, index.ptr, index.items, index.post_ptr, index.post, row, wish, beside, watch.stop)
    lengths = np.diff(index.ptr)
    by_length = np.searchsorted(lengths, np.arange(max(int(lengths.max(initial=0)), 2) + 2)).astype(np.int64)
    return Others(index, by_length, row, wish, beside)


def _asked(
    units: Units, of: I64, others: Others, demand: I64, known: int, jobs: int, watch: Watch
) -> tuple[I64, I32, I32]:
    """The parts that units may show: begin, found, asks."""
    number = len(units.ptr) - 1
    chunks = range(0, number, CHUNK)
    begins: list[I64] = [np.zeros(1, dtype=np.int64)] * len(chunks)
    parts: list[I32] = [np.zeros(0, dtype=np.int32)] * len(chunks)
    asks: list[I32] = [np.zeros(0, dtype=np.int32)] * len(chunks)
    size = 1 << int(np.diff(units.ptr).max(initial=1))
    classes = others.index.classes
    rooms = [
        Room(np.full(classes, -1, np.int32), np.empty(size, np.int64), np.empty(size, np.int64)) for _ in range(jobs)
    ]

    def work(worker: int, lo: int) -> None:
        hi = min(lo + CHUNK, number)
        begin = np.zeros(hi - lo + 1, dtype=np.int64)
        k = lo // CHUNK
        parts[k], asks[k] = asked_parts(lo, hi, units, of, others, demand, known, rooms[worker], begin, watch.stop)
        begins[k] = begin

    def after(done: int) -> None:
        watch.report("what could be kept", done, len(chunks))

    run_chunks(work, chunks, jobs, after=after, watch=watch)
    sizes = np.concatenate([np.zeros(0, dtype=np.int64), *(np.diff(begin) for begin in begins)])
    none = np.zeros(0, dtype=np.int32)
    return pointers(sizes), np.concatenate([none, *parts]), np.concatenate([none, *asks])
