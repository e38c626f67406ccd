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

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from sordino.data.dealt import each_person
from sordino.engine.local import Flag, Watch, raise_if_stopped
from sordino.errors import InputError, Unsatisfiable
from sordino.knowledge.exclusion import Exclusion
from sordino.policy.diversity import ResolvedDiversity
from sordino.protect.bucketization import as_printed
from sordino.protect.buckets import Classes, alike_order, classes_of, deal, possible_in_one_group, truth
from sordino.protect.exceptions import has_exceptions, is_exception, joined
from sordino.protect.kernels.groups.bucketize import (
    Order,
    Waiting,
    count_incompatible,
    form_groups,
    join_queue,
    leave_queue,
)
from sordino.protect.left_over import LeftOver, as_bits

__all__ = ["CHOICES", "bucketize", "bucketize_as_printed", "largest_l", "protect"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Groups = npt.NDArray[np.integer]

CHOICES = ("largest", "nit")
ALGORITHMS = ("ours", "paper")
BLOCK = 40  # groups in a block of alike people, about
AT_ONCE = 1 << 23  # people who are grouped at once where nobody asks who is alike


def largest_l(
    value: npt.NDArray[np.integer], exclusion: Exclusion, stop: Flag | None = None, weight: Int64 | None = None
) -> int:
    """The largest l for which some grouping of these people is matching l-diverse; 0 if rules contradict the data.

    Asked of few of each class, with the same answer: who may have her own value keeps it in a first assignment, and
    what can be exchanged from there does not hang on how many keep theirs. Each exception (E in all) moves one person
    of a class at most, so E + 1 of a class are as good as more. Stopped once the flag `stop` is up.
    """
    classes = classes_of(value, exclusion.kind_of, weight)
    wrong = is_exception(classes.value, classes.kind, exclusion.sets)
    enough = 1 + int(classes.count[wrong].sum())
    count = np.where(wrong, classes.count, np.minimum(classes.count, enough))
    held = np.repeat(classes.value, count), np.repeat(classes.kind, count)
    possible = possible_in_one_group(*held, exclusion.sets, stop)
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
) -> Groups:
    """The group of every row; of rows that are many people, the groups of these, one after the other."""
    if algorithm not in ALGORITHMS:
        raise InputError(f"there is no algorithm '{algorithm}'", hint=f"Possible: {', '.join(ALGORITHMS)}.")
    if algorithm == "paper":
        if alike is not None or choice is not None:
            raise InputError("the paper's algorithm has no 'alike' and no 'choice'", hint="Leave one of them out.")
        return bucketize_as_printed(policy.value, exclusion, policy.policy.l, rng, watch=watch, weight=policy.weight)
    order = None
    if truth("alike", True if alike is None else alike):
        # Values of one group of a hierarchy are neighbours in its preorder.
        columns = [part.leaf[codes] for part, codes in zip(policy.nodes, policy.codes, strict=True)]
        order = alike_order(columns, [len(part) for part in policy.nodes], policy.value, rng, watch.stop, policy.weight)
    return bucketize(
        policy.value, exclusion, policy.policy.l, rng, order=order, choice=choice or "largest", watch=watch,
        weight=policy.weight,
    )  # fmt: skip


def bucketize_as_printed(
    value: npt.NDArray[np.integer],
    exclusion: Exclusion,
    size: int,
    rng: np.random.Generator,
    *,
    watch: Watch | None = None,
    weight: Int64 | None = None,
) -> Groups:
    """The group of every person by the paper's Fig. 2, numbered from 0. Raises Unsatisfiable as `bucketize` does."""
    watch = watch or Watch()
    _check_size(value, exclusion, size, watch.stop, weight)
    classes = classes_of(value, exclusion.kind_of, weight)
    class_of = each_person(classes.class_of.astype(np.int32), weight)
    excluded = as_bits(exclusion.sets, int(value.max(initial=0)) + 1)[classes.kind]
    made = as_printed(classes, excluded, exclusion.sets, size, watch)
    group_of = np.full(len(class_of), -1, dtype=np.int32)
    wanted = np.concatenate([np.array(group, dtype=np.int32) for group in made])
    group = np.repeat(np.arange(len(made), dtype=np.int32), [len(g) for g in made])
    deal(class_of, rng.permutation(len(class_of)).astype(np.int32), wanted, group, group_of, watch.stop)
    return _finished(value, exclusion, group_of, size, watch, weight)


def _check_size(
    value: npt.NDArray[np.integer], exclusion: Exclusion, size: int, stop: Flag, weight: Int64 | None
) -> None:
    most = largest_l(value, exclusion, stop, weight)
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
    weight: Int64 | None = None,
) -> Groups:
    """The group of every person, numbered from 0. Raises Unsatisfiable, with the largest l, if `size` cannot be had.

    `order` lists the people so that alike ones are near each other; without it, chance decides who of a class goes
    where. A row is as many people as `weight` says, one after the other. Takes some twenty bytes a person.
    """
    if choice not in CHOICES:
        raise InputError(f"there is no choice '{choice}'", hint=f"Possible: {', '.join(CHOICES)}.")
    watch = watch or Watch()
    _check_size(value, exclusion, size, watch.stop, weight)
    classes = classes_of(value, exclusion.kind_of, weight)
    class_of = each_person(classes.class_of.astype(np.int32), weight)
    people = len(class_of)
    apart = order is None
    if order is None:
        order, block = rng.permutation(people), min(people, AT_ONCE)
    else:
        block = BLOCK * size
    in_order: Int32 = order.astype(np.int32, copy=False)
    del order
    group_of = np.full(people, -1, dtype=np.int32)
    form = partial(_form, classes, sets=exclusion.sets, size=size, paper=choice == "nit", refresh=apart)
    core, waiting = _cores(form, len(classes), class_of, in_order, block, group_of, watch)
    del in_order
    groups = LeftOver(classes, exclusion.sets, core, size)
    groups.place(waiting, watch)
    wanted, target = groups.late()
    deal(class_of, rng.permutation(np.flatnonzero(group_of < 0)).astype(np.int32), wanted, target, group_of, watch.stop)
    return _finished(value, exclusion, groups.final(group_of), size, watch, weight)


def _cores(
    form: Callable[..., Int64],
    classes: int,
    class_of: Int32,
    order: Int32,
    block: int,
    group_of: Int32,
    watch: Watch,
) -> tuple[Int32, Int64]:
    """Groups of mutually compatible people, a row of classes each, who are told in `group_of`; and who still waits."""
    cores: list[Int32] = []
    count = 0
    # Who waits, class by class: the last that came is taken first, because she is most like those who come now.
    waiting = np.zeros(classes, dtype=np.int64)
    last = np.full(classes, -1, dtype=np.int64)
    before = np.full(len(order), -1, dtype=np.int32)
    for begin in range(0, len(order), max(block, 1)):
        watch.report("forming groups", begin, len(order))
        join_queue(order[begin : begin + block], class_of, last, before, waiting)
        made = form(waiting, stop=watch.stop)
        leave_queue(made, count, last, before, group_of)
        cores.append(made.astype(np.int32))
        count += len(made)
    del before  # it takes as much room as what comes
    return np.concatenate(cores), waiting


def _finished(
    value: npt.NDArray[np.integer],
    exclusion: Exclusion,
    group_of: Int32,
    size: int,
    watch: Watch,
    weight: Int64 | None,
) -> Groups:
    """The groups, joined where rules are wrong about somebody; counted from 0, without gaps."""
    if has_exceptions(value, exclusion):
        group_of = joined(value, exclusion, group_of, size, watch, weight)
    return group_of.astype(np.int64) if weight is None else group_of


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


def _form(
    classes: Classes,
    waiting: Int64,
    *,
    sets: npt.NDArray[np.uint64],
    size: int,
    paper: bool,
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
