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

from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sordino.audit.index import index_records
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch, run_chunks
from sordino.policy.inference import ResolvedInference
from sordino.protect import heat
from sordino.protect.kernels.improve.tree import Tree, add_paths, add_rows, inner_nodes, plant
from sordino.protect.kernels.improve.visit import Draw, Movers, Rules, count_movers, visit_all
from sordino.protect.objective import Fewest, Objective
from sordino.protect.workspace import Workspace
from sordino.utility.bound import alibis_needed
from sordino.utility.kernels.possible import possible_parts

__all__ = ["improve", "touch_up", "touch_up_pays"]

MOST = 12  # items of a record that moves, at most
LITTLE = 50_000  # postings that may be read to find parts with less than what is shown; beyond, none may have less
ROOM = 12_000_000  # nodes, about: beyond, long records do not move
CHUNK = 512  # classes of records that a thread takes at a time
DEAR = 1_000_000  # what a harmless item is worth that must not be deleted: no part without it is ever drawn


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
LIGHTLY = 8  # sweeps of a touch-up
CHEAP = 200  # postings by occurrence that finding the parts for it may take: beyond, it costs more than it brings
MOMENT = 50_000_000  # postings that are read in no time, however few the occurrences

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


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
    found = _Sweeps(before, safe, policy, jobs, watch, only_sensitive, Reach()).run(number, seed, objective)
    space = Workspace(found, policy, jobs=jobs, watch=watch, only_sensitive=only_sensitive)
    found = space.protect(even=0.0, effort=effort)
    cost = objective.cost(before.supports, found.supports)
    return found if cost < objective.cost(before.supports, safe.supports) else safe


def touch_up_pays(before: Baskets, policy: ResolvedInference, watch: Watch) -> bool:
    """Whether a touch-up is likely to bring something for its time: against unlimited knowledge, where items are rare.

    The parts of a record are found among the records that share its rarest items, all but its harmless ones and two.
    """
    longest = int(before.lengths.max(initial=0))
    if not before.occurrences or (policy.knowledge is not None and policy.knowledge < longest - 1):
        return False
    index = watch.call(index_records, before, watch.stop)
    lengths = np.diff(index.ptr)
    secrets = np.add.reduceat(policy.sensitive[index.code][index.items], index.ptr[:-1], dtype=np.int64)
    able = (secrets > 0) & (lengths >= 2) & (lengths <= LIGHT.most)
    read = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.diff(index.post_ptr)[index.items])])
    last = index.ptr[:-1] + np.minimum(lengths, secrets + 2)
    return int((read[last] - read[index.ptr[:-1]])[able].sum()) <= max(CHEAP * before.occurrences, MOMENT)


def touch_up(
    before: Baskets, safe: Baskets, policy: ResolvedInference, *, jobs: int, watch: Watch, only_sensitive: bool = False
) -> Baskets:
    """A safe table with at most as many deletions as the given one, which is safe; against unlimited knowledge.

    A few sweeps over short records that lost something: each shows what is best, or something as good, so that others
    find room. The same for every seed.
    """
    if safe.occurrences == before.occurrences:
        return safe
    found = _Sweeps(before, safe, policy, jobs, watch, only_sensitive, LIGHT).run(LIGHTLY, 0, Fewest(), asked=False)
    if found.occurrences == safe.occurrences:
        return safe
    space = Workspace(found, policy, jobs=jobs, watch=watch, only_sensitive=only_sensitive)
    found = space.protect(even=0.0, effort=0)
    return found if found.occurrences > safe.occurrences else safe


@dataclass(frozen=True, eq=False)
class _Shown:
    """What records show, as ranks: row u is items[ptr[u]:ptr[u + 1]], ascending; `owner` by item."""

    owner: I64
    items: I32

    def rows(self, chosen: Bools) -> tuple[I64, I32]:
        """The rows of the chosen occurrences, without empty ones."""
        lengths = np.bincount(self.owner[chosen])
        return _pointers(lengths[lengths > 0]), self.items[chosen]


class _Sweeps:
    """The state of the sweeps over one table."""

    def __init__(
        self,
        before: Baskets,
        safe: Baskets,
        policy: ResolvedInference,
        jobs: int,
        watch: Watch,
        only_sensitive: bool,
        reach: Reach,
    ) -> None:
        self.before, self.safe, self.watch, self.jobs, self.reach = before, safe, watch, jobs, reach
        self.only_sensitive = only_sensitive
        watch.report("preparing to improve", 0, 0)
        self.index = index = watch.call(index_records, before, watch.stop)
        self.sensitive = policy.sensitive[index.code]
        num, den = policy.num[index.code], policy.den[index.code]
        lengths = np.diff(index.ptr)
        longest = int(lengths.max(initial=0))
        self.known = longest if policy.knowledge is None else min(policy.knowledge, longest)
        parts = self._possible(alibis_needed(policy, len(before))[index.code], lengths, only_sensitive)
        begin, found = parts
        moving = np.diff(begin) > 0
        most = int(lengths[moving].max(initial=1))
        tree = watch.call(plant, index, self.sensitive, begin, found, self.known, most, ROOM, moving, watch.stop)
        shown = _as_ranks(safe, index.rank)
        of_class = index.class_of.astype(np.int64)
        moves = (of_class >= 0) & moving[of_class]
        fixed = ~moves[shown.owner]
        tree = self._with_fixed(tree, shown, fixed)
        self.still: I64 = np.bincount(shown.items[fixed], minlength=len(index.code)).astype(np.int64)
        self.record: I64 = np.flatnonzero(moves)
        self.most = most
        self.movers = Movers(
            of_class[moves],
            self._masks(shown, ~fixed)[moves],
            *watch.call(inner_nodes, index, tree, begin, found, most, moving, watch.stop),
        )
        nodes, edges = int(tree.size[0]), int(tree.size[1])
        order = np.argsort(tree.source[:edges], kind="stable")
        edge_ptr = np.searchsorted(tree.source[:edges][order], np.arange(nodes + 1)).astype(np.int64)
        support = np.zeros(nodes, dtype=np.int32)
        kids = (np.argsort(tree.parent[1:nodes], kind="stable") + 1).astype(np.int32)
        kid_ptr = np.searchsorted(tree.parent[kids], np.arange(nodes + 1)).astype(np.int64)
        row_ptr, rows = shown.rows(fixed)
        watch.call(add_rows, tree, len(index.code), kid_ptr, kids, row_ptr, rows, support, watch.stop)
        self.rules = Rules(
            support,
            np.zeros(nodes, dtype=np.int64),
            edge_ptr,
            tree.target[:edges][order],
            tree.about[:edges][order],
            num,
            den,
        )
        watch.call(count_movers, self.movers, self.rules)

    def _possible(self, demand: I64, lengths: I64, only_sensitive: bool) -> tuple[I64, I32]:
        """The parts that short classes with something sensitive may show."""
        index, watch = self.index, self.watch
        reach = self.reach
        secret = np.add.reduceat(self.sensitive[index.items], index.ptr[:-1], dtype=np.int64) if index.classes else None
        least = np.full(index.classes, np.iinfo(np.int64).max)
        np.minimum.at(least, index.class_of[index.class_of >= 0], self.safe.lengths[index.class_of >= 0])
        able = (lengths >= 2) & (lengths <= reach.most) & (secret != 0)
        if reach.less:
            read = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.diff(index.post_ptr)[index.items])])
            last = np.minimum(
                index.ptr[1:], index.ptr[:-1] + lengths - np.clip(least - reach.less - 1, 1, max(self.known, 1)) + 1
            )
            least -= np.where(read[last] - read[index.ptr[:-1]] <= LITTLE, reach.less, 0)
        else:  # who shows everything stays, but what is shown counts
            able &= (least < lengths) | (lengths <= reach.whole)
        least = np.where(able, np.maximum(least, 1), -1)
        by_length = np.searchsorted(lengths, np.arange(int(lengths.max(initial=0)) + 2)).astype(np.int64)
        chunks = range(0, index.classes, CHUNK)
        begins: list[I64] = [np.zeros(1, dtype=np.int64)] * len(chunks)
        parts: list[I32] = [np.zeros(0, dtype=np.int32)] * len(chunks)
        room = [(np.full(index.classes, -1, np.int32), np.empty(1 << reach.most, np.int64)) for _ in range(self.jobs)]

        def work(worker: int, lo: int) -> None:
            hi = min(lo + CHUNK, index.classes)
            begin = np.zeros(hi - lo + 1, dtype=np.int64)
            parts[lo // CHUNK] = possible_parts(
                lo, hi, index, by_length, self.sensitive, demand, self.known, least, only_sensitive, reach.effort,
                *room[worker], begin, watch.stop,
            )  # fmt: skip
            begins[lo // CHUNK] = begin

        def after(done: int) -> None:
            watch.report("what could be kept", done, len(chunks))

        run_chunks(work, chunks, self.jobs, after=after, watch=watch)
        sizes = np.concatenate([np.zeros(0, dtype=np.int64), *(np.diff(begin) for begin in begins)])
        return _pointers(sizes), np.concatenate([np.zeros(0, dtype=np.int32), *parts])

    def _with_fixed(self, tree: Tree, shown: _Shown, fixed: Bools) -> Tree:
        """The tree with the leaves of what records that do not move show, if it has something sensitive."""
        secrets = np.bincount(shown.owner[self.sensitive[shown.items]], minlength=len(self.safe))
        wanted = fixed & ((secrets > 0) & (self.safe.lengths > 1) & (self.safe.lengths <= self.known + 1))[shown.owner]
        grown: Tree = self.watch.call(add_paths, tree, self.sensitive, *shown.rows(wanted), self.watch.stop)
        return grown

    def _masks(self, shown: _Shown, moving: Bools) -> I32:
        """By record, which items of its class the moving ones show."""
        index, width = self.index, len(self.index.code)
        owner = shown.owner[moving]
        of_class = index.class_of[owner].astype(np.int64)
        keys = np.repeat(np.arange(index.classes), np.diff(index.ptr)) * width + index.items
        place = np.searchsorted(keys, of_class * width + shown.items[moving]) - index.ptr[of_class]
        masks = np.zeros(len(self.safe), dtype=np.int32)
        np.bitwise_or.at(masks, owner, (1 << place).astype(np.int32))
        return masks

    def run(self, number: int, seed: int, objective: Objective, *, asked: bool = True) -> Baskets:
        """The best table that so many sweeps find; it has all tracked rules safe.

        Ctrl-C ends the sweeps only, if somebody asked for them; else it ends the run.
        """
        watch, movers = self.watch, self.movers
        rng = np.random.default_rng(seed)
        lots = np.array([1 + rng.integers(2**63 - 2)], dtype=np.uint64)
        before = self.before.supports[self.index.code]
        everything = (1 << np.diff(self.index.ptr)[movers.of_class]) - 1
        now = self._supports()
        least = objective.cost(before, now)
        told = self.before.occurrences - int(now.sum())
        best = movers.shown.copy()
        with watch.until_enough() if asked else nullcontext(np.zeros(1, dtype=np.uint8)) as enough:
            for k in range(number):
                watch.report(f"improving ({told:,} deleted)", k, number)
                weights = heat.weights(k, number, never_less=self.only_sensitive, unit=objective.unit)
                who = len(self.record) if len(weights) else np.flatnonzero(movers.shown != everything)
                order = rng.permutation(who)  # who shows everything has nothing better
                for some in np.array_split(order, objective.pieces):
                    values = objective.values(before, now)
                    value = np.where(self.sensitive | (not self.only_sensitive), values, DEAR)
                    self._visit(some, Draw(value, weights, lots), enough)
                    now = self._supports()
                cost = objective.cost(before, now)
                if cost < least:
                    least, told = cost, self.before.occurrences - int(now.sum())
                    best = movers.shown.copy()
                if enough[0]:
                    watch.report(f"ended after {k:,} sweeps ({told:,} deleted)", k, number)
                    watch.ended_early.append(f"during sweep {k + 1:,} of {number:,}")
                    break
        return self._table(best)

    def _visit(self, order: I64, draw: Draw, enough: npt.NDArray[np.uint8]) -> None:
        stop = self.watch.stop
        self.watch.call(
            visit_all, order, self.index, self.sensitive, self.movers, self.rules, draw, self.most, stop, enough
        )

    def _supports(self) -> I64:
        """How often each item is shown now, by rank."""
        index, movers = self.index, self.movers
        supports = self.still.copy()
        for k in range(self.most):
            shows = movers.of_class[movers.shown >> k & 1 != 0]
            supports += np.bincount(index.items[index.ptr[shows] + k], minlength=len(supports))
        return supports

    def _table(self, best: I32) -> Baskets:
        """The table in which movers show these parts."""
        old, index = self.before, self.index
        masks = np.zeros(len(old), dtype=np.int64)
        masks[self.record] = best
        moves = np.zeros(len(old), dtype=np.bool_)
        moves[self.record] = True
        owner = np.repeat(np.arange(len(old)), old.lengths)
        width = len(index.code)
        shown = np.zeros(len(owner), dtype=np.bool_)
        left = np.repeat(np.arange(len(old)), self.safe.lengths) * width + self.safe.items
        shown[np.searchsorted(owner * width + old.items, left)] = True  # both ascend
        mine = np.flatnonzero(moves[owner])
        of_class = index.class_of[owner[mine]].astype(np.int64)
        keys = np.repeat(np.arange(index.classes), np.diff(index.ptr)) * width + index.items
        place = np.searchsorted(keys, of_class * width + index.rank[old.items[mine]]) - index.ptr[of_class]
        shown[mine] = masks[owner[mine]] >> place & 1 != 0
        kept = np.zeros(len(old.items) + 1, dtype=np.int64)
        np.cumsum(shown, out=kept[1:])
        return Baskets(kept[old.indptr], old.items[shown], old.names, old.ids, 0, old.origin)


def _as_ranks(baskets: Baskets, rank: I32) -> _Shown:
    width = max(len(rank), 1)
    keys = np.repeat(np.arange(len(baskets), dtype=np.int64), baskets.lengths) * width + rank[baskets.items]
    keys.sort()
    return _Shown(keys // width, (keys % width).astype(np.int32))


def _pointers(lengths: npt.NDArray[np.integer]) -> I64:
    ptr = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=ptr[1:])
    return ptr
