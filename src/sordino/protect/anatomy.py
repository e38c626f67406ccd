"""Anatomy: groups of l people with l different values, formed without regard to any rule (Xiao and Tao, VLDB 2006).

**Guarantee.** Every group has at least l different values, and no value has more than 1/l of a group (a little more
where somebody left over joined it). Nothing is promised against an adversary who knows rules: the audit shows how many
people such a one sees through. It is the baseline to compare `injector` with.

Eligible is a table in which no value has more than 1/l of the people: then fewer than l people are left over, each of
a value of its own, and each joins a group that lacks it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sordino.data.dealt import each_person, stable_order
from sordino.engine.local import Watch, raise_if_stopped
from sordino.errors import Unsatisfiable
from sordino.knowledge.exclusion import Exclusion
from sordino.policy.diversity import ResolvedDiversity
from sordino.protect.buckets import Classes, classes_of
from sordino.protect.kernels.groups.anatomize import take_largest

__all__ = ["anatomize", "protect"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Groups = npt.NDArray[np.integer]


def protect(policy: ResolvedDiversity, exclusion: Exclusion, *, rng: np.random.Generator, watch: Watch) -> Groups:
    """The group of every row, or person of a row; what the rules exclude plays no part."""
    del exclusion
    watch.report("forming groups", 0, 0)
    return anatomize(policy.value, policy.policy.l, rng, watch, policy.weight)


def anatomize(
    value: npt.NDArray[np.integer],
    size: int,
    rng: np.random.Generator,
    watch: Watch | None = None,
    weight: Int64 | None = None,
) -> Groups:
    """The group of every person, numbered from 0. Raises Unsatisfiable, with the largest l, if `size` cannot be had.

    A row is as many people as `weight` says, one after the other.
    """
    classes = classes_of(value, np.zeros(len(value), dtype=np.int64), weight)  # a class here is a value
    people = int(classes.count.sum())
    most = people // int(classes.count.max(initial=1))
    if size > min(most, len(classes)):
        raise Unsatisfiable(
            f"l = {size} cannot be had: one value has more than 1/{size} of the people\n"
            f"  The largest l that can be had by anatomy is {min(most, len(classes))}."
        )
    watch = watch or Watch()
    wanted, group = _dealt_out(classes.count.copy(), size, rng, watch)
    by_class = _by_class(classes, weight, rng)
    raise_if_stopped(watch.stop)
    group = group[stable_order(wanted)]
    group_of = np.empty(people, dtype=np.int32)
    group_of[by_class] = group  # as many of each class as are wanted
    return group_of.astype(np.int64) if weight is None else group_of


def _by_class(classes: Classes, weight: Int64 | None, rng: np.random.Generator) -> Int32:
    """The people class by class, those of a class in random order."""
    order = np.arange(int(classes.count.sum()), dtype=np.int32)
    rng.shuffle(order)
    return order[stable_order(each_person(classes.class_of.astype(np.int32), weight)[order])]


def _dealt_out(left: Int64, size: int, rng: np.random.Generator, watch: Watch) -> tuple[Int32, Int32]:
    """(value, group) of every person, of whom so many are left with each value."""
    made = np.empty((int(left.sum()) // size, size), dtype=np.int32)
    count = watch.call(take_largest, left, size, made, watch.stop)
    made = made[:count]
    wanted, group = [made.ravel()], [np.repeat(np.arange(count, dtype=np.int32), size)]
    for v in np.flatnonzero(left).tolist():
        lacking = np.flatnonzero(~(made == v).any(axis=1))
        for _ in range(int(left[v])):
            free = lacking if len(lacking) else np.arange(count)
            wanted.append(np.array([v], dtype=np.int32))
            group.append(np.array([int(rng.choice(free))], dtype=np.int32))
    return np.concatenate(wanted), np.concatenate(group)
