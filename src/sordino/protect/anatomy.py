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

from sordino.errors import Unsatisfiable
from sordino.protect.buckets import classes_of, deal
from sordino.protect.kernels.anatomize import take_largest

__all__ = ["anatomize"]

Int64 = npt.NDArray[np.int64]


def anatomize(value: npt.NDArray[np.integer], size: int, rng: np.random.Generator) -> Int64:
    """The group of every row, numbered from 0. Raises Unsatisfiable, with the largest l, if `size` cannot be had."""
    people = len(value)
    classes = classes_of(value, np.zeros(people, dtype=np.int64))  # a class here is a value
    most = people // int(classes.count.max(initial=1))
    if size > min(most, len(classes)):
        raise Unsatisfiable(
            f"l = {size} cannot be had: one value has more than 1/{size} of the people\n"
            f"  The largest l that can be had by anatomy is {min(most, len(classes))}."
        )
    left = classes.count.copy()
    made = np.empty((people // size, size), dtype=np.int64)
    count = take_largest(left, size, made)
    made = made[:count]
    wanted, group = [made.ravel()], [np.repeat(np.arange(count), size)]
    for v in np.flatnonzero(left).tolist():
        lacking = np.flatnonzero(~(made == v).any(axis=1))
        for _ in range(int(left[v])):
            free = lacking if len(lacking) else np.arange(count)
            wanted.append(np.array([v]))
            group.append(np.array([int(rng.choice(free))]))
    return deal(classes, np.concatenate(wanted).astype(np.int64), np.concatenate(group).astype(np.int64), rng)
