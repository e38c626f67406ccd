"""Injector: groups in which everybody may have l values, whatever the rules exclude (LI, section V; model.md 2.2).

**Guarantee.** Every group is matching l-diverse under the rules. Groups are formed of l people, each compatible with
every other (different values, and each may have the other's), so all l values are possible for all of them. Adding
people to such a group, or joining groups, never takes a possible value from anybody: the old assignments stay, with
everybody new in their own place. Whoever is left over is put where she has l possible values too.

**Existence.** For the same reason the whole table as one group has the most possible values. So l can be had exactly
if every person has l possible values in that one group: one matching and its components tell, and the least number of
them is the largest l that can be had. Where rules are wrong about somebody (`min_confidence` below 1) groups are joined
until everybody has l values (exceptions.py).

**Where this departs from the paper**, whose own algorithm is `algorithm="paper"` (bucketization.py). It runs on classes
of (value, excluded set) with counts, not on people. Partners are taken from the compatible value of which most people
wait, as Anatomy does, which leaves nearly nobody over; choice="nit" prefers who leaves few people incompatible with the
group, after the paper but by approximate counts, and not where a value becomes too frequent for the groups to come. The
counts behind the order of seeds are brought up to date whenever a
sixteenth of the people is placed, not after each. People left over are spread over groups in which they have l values
at once; only where there is none are groups joined. And who of a class goes into which group is free, so alike people
go together (`alike`, on by default): the rows are sorted by the quasi-identifiers that tell most about the sensitive
value, groups are formed in blocks of 40 l neighbours, and who is left over goes on to the next block. What is computed
from groups of alike people is much nearer to the truth, and nobody has fewer possible values.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sordino.engine.local import Flag, Watch, raise_if_stopped
from sordino.errors import InputError, Unsatisfiable
from sordino.knowledge.exclusion import Exclusion
from sordino.policy.diversity import ResolvedDiversity
from sordino.protect.bucketization import as_printed
from sordino.protect.buckets import Classes, alike_order, classes_of, deal, possible_in_one_group, truth
from sordino.protect.exceptions import has_exceptions, joined
from sordino.protect.kernels.groups.bucketize import (
    Order,
    Waiting,
    count_incompatible,
    form_groups,
    join_queue,
    leave_queue,
)

__all__ = ["CHOICES", "bucketize", "bucketize_as_printed", "largest_l", "protect"]

Int64 = npt.NDArray[np.int64]
Bits = npt.NDArray[np.bool_]

CHOICES = ("largest", "nit")
ALGORITHMS = ("ours", "paper")
BLOCK = 40  # groups in a block of alike people, about


def largest_l(value: npt.NDArray[np.integer], exclusion: Exclusion, stop: Flag | None = None) -> int:
    """The largest l for which some grouping of these people is matching l-diverse; 0 if rules contradict the data.

    Stopped once the flag `stop` is up.
    """
    possible = possible_in_one_group(value.astype(np.int64), exclusion.kind_of.astype(np.int64), exclusion.sets, stop)
    return max(0, int(possible.min(initial=len(possible))))


def protect(
    policy: ResolvedDiversity,
    exclusion: Exclusion,
    *,
    rng: np.random.Generator,
    watch: Watch,
    algorithm: str = "ours",
    alike: object = None,
    choice: str | None = None,
) -> Int64:
    """The group of every row."""
    if algorithm not in ALGORITHMS:
        raise InputError(f"there is no algorithm '{algorithm}'", hint=f"Possible: {', '.join(ALGORITHMS)}.")
    if algorithm == "paper":
        if alike is not None or choice is not None:
            raise InputError("the paper's algorithm has no 'alike' and no 'choice'", hint="Leave one of them out.")
        return bucketize_as_printed(policy.value, exclusion, policy.policy.l, rng, watch=watch)
    order = None
    if truth("alike", True if alike is None else alike):
        # Values of one group of a hierarchy are neighbours in its preorder.
        columns = [part.leaf[codes] for part, codes in zip(policy.nodes, policy.codes, strict=True)]
        order = alike_order(columns, [len(part) for part in policy.nodes], policy.value, rng, watch.stop)
    return bucketize(
        policy.value, exclusion, policy.policy.l, rng, order=order, choice=choice or "largest", watch=watch
    )


def bucketize_as_printed(
    value: npt.NDArray[np.integer],
    exclusion: Exclusion,
    size: int,
    rng: np.random.Generator,
    *,
    watch: Watch | None = None,
) -> Int64:
    """The group of every row by the paper's Fig. 2, numbered from 0. Raises Unsatisfiable as `bucketize` does."""
    watch = watch or Watch()
    _check_size(value, exclusion, size, watch.stop)
    classes = classes_of(value, exclusion.kind_of)
    excluded = _as_bits(exclusion.sets, int(value.max(initial=0)) + 1)[classes.kind]
    made = as_printed(classes, excluded, exclusion.sets, size, watch)
    group_of = np.full(len(value), -1, dtype=np.int64)
    wanted = np.concatenate([np.array(group, dtype=np.int64) for group in made])
    target = np.repeat(np.arange(len(made)), [len(g) for g in made])
    deal(classes, rng.permutation(len(value)), wanted, target, group_of, watch.stop)
    return joined(value, exclusion, group_of, size, watch) if has_exceptions(value, exclusion) else group_of


def _check_size(value: npt.NDArray[np.integer], exclusion: Exclusion, size: int, stop: Flag) -> None:
    most = largest_l(value, exclusion, stop)
    if most < size:
        doubtful = f"\n  {DOUBTFUL}" if has_exceptions(value, exclusion) else ""
        raise Unsatisfiable(_too_large(size, most) + doubtful)


def bucketize(
    value: npt.NDArray[np.integer],
    exclusion: Exclusion,
    size: int,
    rng: np.random.Generator,
    *,
    order: npt.NDArray[np.integer] | None = None,
    choice: str = "largest",
    watch: Watch | None = None,
) -> Int64:
    """The group of every row, numbered from 0. Raises Unsatisfiable, with the largest l, if `size` cannot be had.

    `order` lists the rows so that alike ones are near each other; without it, chance decides who of a class goes where.
    """
    if choice not in CHOICES:
        raise InputError(f"there is no choice '{choice}'", hint=f"Possible: {', '.join(CHOICES)}.")
    watch = watch or Watch()
    _check_size(value, exclusion, size, watch.stop)
    classes = classes_of(value, exclusion.kind_of)
    if order is None:
        order, block = rng.permutation(len(value)), len(value)
    else:
        block = BLOCK * size
    group_of = np.full(len(value), -1, dtype=np.int64)
    cores: list[Int64] = [np.empty((0, size), dtype=np.int64)]
    count = 0
    # Who waits, class by class: the last that came is taken first, because she is most like those who come now.
    waiting = np.zeros(len(classes), dtype=np.int64)
    last = np.full(len(classes), -1, dtype=np.int64)
    before = np.full(len(value), -1, dtype=np.int64)
    order = order.astype(np.int64)
    for begin in range(0, len(order), block):
        watch.report("forming groups", begin, len(order))
        join_queue(order[begin : begin + block], classes.class_of, last, before, waiting)
        whole = block == len(value)
        made = _form(classes, waiting, exclusion.sets, size, choice == "nit", refresh=whole, stop=watch.stop)
        leave_queue(made, count, last, before, group_of)
        cores.append(made)
        count += len(made)
    groups = _Groups(classes, exclusion.sets, np.concatenate(cores), size)
    groups.place(waiting, watch)
    wanted, target = groups.late()
    deal(classes, rng.permutation(np.flatnonzero(group_of < 0)), wanted, target, group_of, watch.stop)
    final = np.unique(groups.final(group_of), return_inverse=True)[1].astype(np.int64)
    return joined(value, exclusion, final, size, watch) if has_exceptions(value, exclusion) else final


WHAT_HELPS = (
    "What helps: a smaller l; fewer rules that are assumed to be known ([knowledge] max_conditions smaller, "
    "min_expectation nearer to 1, rules that are chance deleted from the file); a column less in quasi."
)
DOUBTFUL = "Rules that are wrong about somebody count as certain: a min_confidence nearer to 1 assumes fewer of them."


def _too_large(size: int, most: int) -> str:
    if most < 1:
        return "the rules contradict the data: no assignment of the values agrees with all of them"
    if most < 2:
        return (
            f"l = {size} cannot be had: the rules leave somebody only one possible value, however people are grouped\n"
            f"  {WHAT_HELPS}"
        )
    return (
        f"l = {size} cannot be had, however people are grouped\n  The largest l that can be had is {most}.\n"
        f"  {WHAT_HELPS}"
    )


def _as_bits(sets: npt.NDArray[np.uint64], values: int) -> Bits:
    """The sets as rows of truth values."""
    spread = (sets[:, np.arange(values) >> 6] >> (np.arange(values) & 63).astype(np.uint64)) & np.uint64(1)
    return spread.astype(np.bool_)


def _form(
    classes: Classes,
    waiting: Int64,
    sets: npt.NDArray[np.uint64],
    size: int,
    paper: bool,
    *,
    refresh: bool,
    stop: npt.NDArray[np.uint8],
) -> Int64:
    """Groups of mutually compatible people, a row of classes each; `waiting` keeps who is left over.

    Stopped once the flag `stop` is up.
    """
    active = np.flatnonzero(waiting)
    value, kind, count = classes.value[active], classes.kind[active], waiting[active]
    values = int(classes.value.max(initial=0)) + 1
    present, place = np.unique(value, return_inverse=True)
    stuck = np.zeros(len(active), dtype=np.bool_)
    found: list[Int64] = [np.empty((0, size), dtype=np.int64)]
    left_over = int(count.sum())
    while left_over >= size:  # fewer are left with each turn but the last
        clash = np.zeros((len(present), len(present)), dtype=np.int64)
        difficulty = np.zeros(len(active), dtype=np.int64)
        count_incompatible(place, kind, count, sets, present, clash, difficulty, stop)
        raise_if_stopped(stop)
        hardest = np.argsort(-difficulty, kind="stable")
        easiest = np.lexsort((difficulty, value))
        bounds = np.searchsorted(value[easiest], np.arange(values + 1)).astype(np.int64)
        whole = np.zeros((values, values) if paper else (0, 0), dtype=np.int64)
        if paper:
            whole[np.ix_(present, present)] = clash
        left = np.bincount(value, weights=count, minlength=values).astype(np.int64)
        made = np.empty((left_over // size + 1, size), dtype=np.int64)
        until = left_over - max(left_over // 16, size) if refresh else 0
        classes_now, order = Waiting(value, kind, count, sets, stuck), Order(hardest, easiest, bounds)
        groups = form_groups(classes_now, order, left, size, until, paper, whole, made, stop)
        raise_if_stopped(stop)
        found.append(active[made[:groups]])
        left_over = int(count.sum())
        if not groups or not refresh:
            break
    waiting[active] = count
    return np.concatenate(found)


class _Groups:
    """Groups under construction: a core of mutually compatible people each, and who joined later."""

    def __init__(self, classes: Classes, sets: npt.NDArray[np.uint64], core: Int64, size: int) -> None:
        self.classes, self.sets, self.core, self.size = classes, sets, core, size
        self.values = int(classes.value.max(initial=0)) + 1
        self.excluded = _as_bits(sets, self.values)[classes.kind]  # by class and value
        self.into = np.arange(len(core), dtype=np.int64)  # the group that a group was joined to
        self.extra = np.zeros(len(core), dtype=np.int64)  # how many joined it
        self.joined: list[tuple[int, int, int]] = []  # class, group, how many

    def place(self, waiting: Int64, watch: Watch) -> None:
        """Puts everybody who waits into a group with enough possible values."""
        for c in np.flatnonzero(waiting).tolist():
            raise_if_stopped(watch.stop)
            people = int(waiting[c])
            if not len(self.core):
                self.joined.append((c, 0, people))
                continue
            fit, conflicts = self._fit(c)
            if len(fit):
                order = fit[np.lexsort((fit, conflicts[fit], self.extra[fit]))]
                share, more = divmod(people, len(order))
                for k, g in enumerate(order.tolist()):
                    count = share + (k < more)
                    if count:
                        self._join(c, g, count)
            else:
                self._merge_for(c, people, conflicts, watch)

    def _fit(self, c: int) -> tuple[Int64, Int64]:
        """The groups in which class c has enough possible values at once, and with how many of a core it conflicts.

        In a core everybody may have every value. So one who may have c's value is enough for c to get any value of the
        core that c may have: the others move up in a circle.
        """
        value, own = self.classes.value[self.core], int(self.classes.value[c])
        mine = self.excluded[c][value]
        theirs = self.excluded[self.core, own]
        same = value == own
        conflicts = (mine | theirs | same).sum(axis=1)
        possible = (~mine & ~same).sum(axis=1) + 1
        fit = (possible >= self.size) & ~theirs.all(axis=1) & (self.into == np.arange(len(self.core)))
        return np.flatnonzero(fit), conflicts

    def _join(self, c: int, g: int, count: int) -> None:
        self.joined.append((c, g, count))
        self.extra[g] += count

    def _merge_for(self, c: int, people: int, conflicts: Int64, watch: Watch) -> None:
        """Joins groups until class c has enough possible values there, and puts all its people into that group."""
        roots = np.flatnonzero(self.into == np.arange(len(self.core)))
        home = int(roots[np.argmin(conflicts[roots])])
        self._join(c, home, people)
        has = np.zeros((len(self.core), self.values), dtype=np.bool_)
        has[np.arange(len(self.core))[:, None], self.classes.value[self.core]] = True
        useful = has & ~self.excluded[c]
        while True:  # one group less with each turn
            raise_if_stopped(watch.stop)
            inside = np.flatnonzero(self.into == home)
            if self._possible_in(inside, c, watch) >= self.size:
                return
            rest = roots[(self.into[roots] == roots) & (roots != home)]
            if not len(rest):
                return  # the whole table is one group, which is as good as it gets
            gain = (useful[rest] & ~useful[inside].any(axis=0)).sum(axis=1)
            gain = gain * 2 + ~self.excluded[self.core[rest], self.classes.value[c]].all(axis=1)
            self._absorb(home, int(rest[np.argmax(gain)]))

    def _absorb(self, home: int, other: int) -> None:
        self.into[self.into == other] = home
        self.extra[home] += self.extra[other]

    def _possible_in(self, inside: Int64, c: int, watch: Watch) -> int:
        """How many values class c may have in the group made of these."""
        members = [self.core[inside].ravel()]
        member = set(inside.tolist())
        members += [
            np.full(1, k, dtype=np.int64) for k, g, _ in self.joined if int(self.into[g]) in member or g in member
        ]
        everybody = np.concatenate(members)
        held = self.classes.value[everybody], self.classes.kind[everybody]
        found = possible_in_one_group(*held, self.sets, watch.stop)
        return int(found[np.flatnonzero(everybody == c)[0]])

    def late(self) -> tuple[Int64, Int64]:
        """(class, group) of everybody who joined late."""
        wanted = [np.full(count, c, dtype=np.int64) for c, _, count in self.joined]
        target = [np.full(count, g, dtype=np.int64) for _, g, count in self.joined]
        nobody = np.empty(0, dtype=np.int64)
        return np.concatenate([nobody, *wanted]), np.concatenate([nobody, *target])

    def final(self, group_of: Int64) -> Int64:
        """The groups after all joining."""
        return self.into[group_of] if len(self.core) else group_of
