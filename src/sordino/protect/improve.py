"""Less loss by patience: records of a safe table draw again what they publish, in sweeps over all of them.

**Guarantee.** What leaves this file is safe at the tracked rules only; whoever calls it audits, and repairs what the
audit finds (`improve`). Nothing depends on the number of threads, and the number of sweeps is stated, not the seconds:
the same seed gives the same bytes.

**How.** A visit (kernels/improve/visit.py) draws a record's part among all that keep every tracked rule safe, larger
ones much more often, and equal ones equally often: so the table moves sideways until there is room for more. At first
smaller parts are drawn now and then, which gives others room; the temperature falls, and the last sweeps take only
what is best (heat.py). Tracked are all rules inside parts that short records could publish (docs/notes/bound.md
says which those are), and the leaves of what the others publish; these stay as they are.

What is better, an objective says (objective.py): fewer deletions, or these without moving the shares of the items.

**Interrupted.** Ctrl-C ends the sweeps that somebody asked for, and the best table so far is audited and published.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sordino.audit.index import RecordIndex, index_records
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch, run_chunks
from sordino.policy.inference import ResolvedInference
from sordino.protect.kernels.improve.tree import Units
from sordino.protect.objective import Fewest, Objective
from sordino.protect.sweeps import Ground, Sweeps, Thresholds, pointers
from sordino.protect.workspace import Workspace
from sordino.utility.bound import alibis_needed
from sordino.utility.kernels.around import make_room
from sordino.utility.kernels.possible import Asked, possible_parts

__all__ = ["improve", "touch_up", "touch_up_pays"]

MOST = 12  # items of a record that moves, at most
LITTLE = 50_000  # postings that may be read to find parts with less than what is shown; beyond, none may have less
CHUNK = 512  # classes of records that a thread takes at a time


@dataclass(frozen=True)
class Reach:
    """How much is looked at: items of a record that moves, at most; of one that shows everything and is counted.

    `less`: items that a part may have less than what is shown at first. `effort`: postings that may be read to find
    the parts of one record; beyond, it does not move.
    """

    most: int = MOST
    whole: int = MOST
    less: int = 1
    effort: int = 200_000


LIGHT = Reach(most=10, whole=0, less=0, effort=5_000)
LIGHTLY = 16  # sweeps of a touch-up
CHEAP = 200  # postings by occurrence that finding the parts for it may take: beyond, it costs more than it brings
MOMENT = 50_000_000  # postings that are read in no time, however few the occurrences

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]


def improve(
    before: Baskets,
    safe: Baskets,
    policy: ResolvedInference,
    *,
    number: int,
    seed: int,
    jobs: int,
    watch: Watch,
    only_sensitive: bool = False,
    effort: int,
    objective: Objective | None = None,
) -> Baskets:
    """A safe table that costs at most as much as the given one, which is safe, after so many sweeps.

    Cost is what the objective says: deletions, unless one is given.
    """
    objective = objective or Fewest()
    if number == 0 or safe.occurrences == before.occurrences:
        return safe
    sweeps = _sweeps(before, safe, policy, jobs, watch, only_sensitive, Reach())
    found = sweeps.run(number, seed, objective, only_sensitive=only_sensitive)
    space = Workspace(found, policy, jobs=jobs, watch=watch, only_sensitive=only_sensitive)
    found = space.protect(even=0.0, effort=effort)
    cost = objective.cost(before.supports, found.supports)
    return found if cost < objective.cost(before.supports, safe.supports) else safe


def touch_up_pays(before: Baskets, policy: ResolvedInference, watch: Watch) -> bool:
    """Whether a touch-up is likely to bring something for its time: where items are rare.

    The parts of a record are found among the records that share its rarest items, all but its harmless ones and two;
    against limited knowledge, all but as many as are known.
    """
    if not before.occurrences:
        return False
    index = watch.call(index_records, before, watch.stop)
    lengths = np.diff(index.ptr)
    secrets = np.add.reduceat(policy.sensitive[index.code][index.items], index.ptr[:-1], dtype=np.int64)
    able = (secrets > 0) & (lengths >= 2) & (lengths <= LIGHT.most)
    read = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.diff(index.post_ptr)[index.items])])
    wanted = secrets + 2 if policy.knowledge is None else np.maximum(secrets + 2, lengths - policy.knowledge + 1)
    last = index.ptr[:-1] + np.minimum(lengths, wanted)
    return int((read[last] - read[index.ptr[:-1]])[able].sum()) <= max(CHEAP * before.occurrences, MOMENT)


def touch_up(
    before: Baskets, safe: Baskets, policy: ResolvedInference, *, jobs: int, watch: Watch, only_sensitive: bool = False
) -> Baskets:
    """A safe table with at most as many deletions as the given one, which is safe.

    A few sweeps over short records that lost something: each shows what is best, or something as good, or at first now
    and then something smaller, so that others find room. The same for every seed.
    """
    if safe.occurrences == before.occurrences:
        return safe
    sweeps = _sweeps(before, safe, policy, jobs, watch, only_sensitive, LIGHT)
    found = sweeps.run(LIGHTLY, 0, Fewest(), only_sensitive=only_sensitive, asked=False)
    if found.occurrences == safe.occurrences:
        return safe
    space = Workspace(found, policy, jobs=jobs, watch=watch, only_sensitive=only_sensitive)
    found = space.protect(even=0.0, effort=0)
    return found if found.occurrences > safe.occurrences else safe


def _sweeps(
    before: Baskets,
    safe: Baskets,
    policy: ResolvedInference,
    jobs: int,
    watch: Watch,
    only_sensitive: bool,
    reach: Reach,
) -> Sweeps:
    """Sweeps in which classes of equal records are the units."""
    watch.report("preparing to improve", 0, 0)
    index = watch.call(index_records, before, watch.stop)
    sensitive = policy.sensitive[index.code]
    longest = int(np.diff(index.ptr).max(initial=0))
    known = longest if policy.knowledge is None else min(policy.knowledge, longest)
    terms = Thresholds(sensitive, policy.num[index.code], policy.den[index.code], known)
    demand = alibis_needed(policy, len(before))[index.code]
    least = np.full(index.classes, np.iinfo(np.int64).max)
    np.minimum.at(least, index.class_of[index.class_of >= 0], safe.lengths[index.class_of >= 0])
    begin, found = _possible(index, terms, demand, least, reach, only_sensitive, jobs, watch)
    place = np.arange(len(index.items)) - np.repeat(index.ptr[:-1], np.diff(index.ptr))
    bits = np.where(sensitive[index.items] & (place < MOST), 1 << np.minimum(place, MOST), 0)
    secret = np.add.reduceat(bits, index.ptr[:-1], dtype=np.int64) if index.classes else np.zeros(0, dtype=np.int64)
    units = Units(index.ptr, index.items, secret.astype(np.int32))
    ground = Ground(units, index.class_of.astype(np.int64), begin, found, np.zeros(0, dtype=np.int32))
    return Sweeps(before, safe, index.rank, index.code, terms, ground, jobs=jobs, watch=watch)


def _possible(
    index: RecordIndex,
    terms: Thresholds,
    demand: I64,
    least: I64,
    reach: Reach,
    only_sensitive: bool,
    jobs: int,
    watch: Watch,
) -> tuple[I64, I32]:
    """The parts that short classes with something sensitive may show; `least`: what they show now, at least."""
    lengths = np.diff(index.ptr)
    secret = (
        np.add.reduceat(terms.sensitive[index.items], index.ptr[:-1], dtype=np.int64)
        if index.classes
        else np.zeros(0, dtype=np.int64)
    )
    able = (lengths >= 2) & (lengths <= reach.most) & (secret != 0)
    if reach.less:
        read = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.diff(index.post_ptr)[index.items])])
        last = np.minimum(
            index.ptr[1:], index.ptr[:-1] + lengths - np.clip(least - reach.less - 1, 1, max(terms.known, 1)) + 1
        )
        least = least - np.where(read[last] - read[index.ptr[:-1]] <= LITTLE, reach.less, 0)
    else:  # who shows everything stays, but what is shown counts
        able &= (least < lengths) | (lengths <= reach.whole)
    least = np.where(able, np.maximum(least, 1), -1)
    by_length = np.searchsorted(lengths, np.arange(int(lengths.max(initial=0)) + 2)).astype(np.int64)
    chunks = range(0, index.classes, CHUNK)
    begins: list[I64] = [np.zeros(1, dtype=np.int64)] * len(chunks)
    parts: list[I32] = [np.zeros(0, dtype=np.int32)] * len(chunks)
    asked = Asked(terms.sensitive, demand, terms.known, reach.effort)
    room = [make_room(index.classes, reach.most) for _ in range(jobs)]

    def work(worker: int, lo: int) -> None:
        hi = min(lo + CHUNK, index.classes)
        begin = np.zeros(hi - lo + 1, dtype=np.int64)
        parts[lo // CHUNK] = possible_parts(
            lo, hi, index, by_length, asked, least, only_sensitive, room[worker], begin, watch.stop
        )
        begins[lo // CHUNK] = begin

    def after(done: int) -> None:
        watch.report("what could be kept", done, len(chunks))

    run_chunks(work, chunks, jobs, after=after, watch=watch)
    sizes = np.concatenate([np.zeros(0, dtype=np.int64), *(np.diff(begin) for begin in begins)])
    return pointers(sizes), np.concatenate([np.zeros(0, dtype=np.int32), *parts])
