"""Groups of people who could all swap their sensitive values, on classes with counts (LI, section V.C; model.md 2.2).

A class is all people of one value and one excluded set. Two people are *compatible* if their values differ and each may
have the other's. In a group of l people, each compatible with every other, anybody may have any of the l values.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised

# Of each class its value and kind (of excluded set: a row of `sets`, bits of values), and how many people wait; whether
# it cannot seed a group
Waiting = namedtuple("Waiting", "value kind count sets stuck")
# All classes by falling number of people incompatible with them; those of value v by rising number, in
# easiest[easy_ptr[v] : easy_ptr[v + 1]]
Order = namedtuple("Order", "hardest easiest easy_ptr")


@inner
def _has(sets, kind, v):  # type: ignore[no-untyped-def]
    return (sets[kind, v >> 6] >> np.uint64(v & 63)) & np.uint64(1) != np.uint64(0)


@inner
def _meets(sets, kind, held):  # type: ignore[no-untyped-def]
    """Whether an excluded set holds a value of `held` (bits)."""
    for w in range(len(held)):  # noqa: SIM110 - a kernel
        if sets[kind, w] & held[w] != np.uint64(0):
            return True
    return False


@kernel
def count_incompatible(value, kind, count, sets, present, clash, difficulty, stop):  # type: ignore[no-untyped-def]
    """How many people are incompatible with one of each class c: difficulty[c] (the paper's NIT).

    The classes have the values present[value[c]]. clash[v, w], all 0 before, becomes the number of people of value v
    who cannot have w. Ends early, with useless counts, once the flag `stop` is up.
    """
    total = np.zeros(len(present), dtype=np.int64)
    for c in range(len(value)):
        if c & 63 == 0 and raised(stop):
            return
        total[value[c]] += count[c]
        for w in range(len(present)):
            if _has(sets, kind[c], present[w]):
                clash[value[c], w] += count[c]
    for c in range(len(value)):
        if c & 63 == 0 and raised(stop):
            return
        some = np.int64(0)
        for w in range(len(present)):
            if w == value[c] or _has(sets, kind[c], present[w]):
                some += total[w]
            else:
                some += clash[w, value[c]]
        difficulty[c] = some


@kernel
def form_groups(classes, order, left, size, until, paper, clash, made, stop):  # type: ignore[no-untyped-def]
    """Forms groups of `size` mutually compatible people until at most `until` people are left; returns their number.

    left[v] people of value v wait. Seeds come from the hardest classes, the others from the easiest ones. Among the
    values that fit, the one of which most people wait is taken. With `paper` it is the one that leaves the fewest
    people incompatible with the group (NIT, counted with clash[v, w] = people of value v who cannot have w), unless a
    value would become too frequent for the groups still to come. A class that cannot seed a group is marked as stuck.
    The classes of group g become made[g]. Ends early, with useless groups, once the flag `stop` is up.

    Long: one loop whose steps share all arrays; as functions they would be compiled with them again.
    """
    value, kind, count, sets, stuck = classes.value, classes.kind, classes.count, classes.sets, classes.stuck
    hardest, easiest, easy_ptr = order.hardest, order.easiest, order.easy_ptr
    waiting = 0
    values = len(left)
    for v in range(values):
        waiting += left[v]
    held = np.zeros(sets.shape[1], dtype=np.uint64)
    banned = np.zeros(values, dtype=np.bool_)
    taken = np.empty(size, dtype=np.int64)
    groups = 0
    seed = 0
    # Each turn forms a group, or marks one more class as stuck.
    while waiting > until and waiting >= size and groups < len(made) and not raised(stop):
        while seed < len(hardest) and (count[hardest[seed]] == 0 or stuck[hardest[seed]]):
            seed += 1
        if seed == len(hardest):
            break
        for w in range(len(held)):
            held[w] = np.uint64(0)
        for v in range(values):
            banned[v] = False
        pick = hardest[seed]
        filled = 0
        while True:
            taken[filled] = pick
            filled += 1
            v = value[pick]
            count[pick] -= 1
            left[v] -= 1
            held[v >> 6] |= np.uint64(1) << np.uint64(v & 63)
            banned[v] = True
            for w in range(values):
                banned[w] |= _has(sets, kind[pick], w)
            if filled == size:
                break
            pick = -1
            best = 0
            for w in range(values):
                if w & 63 == 63 and raised(stop):
                    return groups
                if banned[w] or left[w] == 0:
                    continue
                if not paper and pick >= 0 and left[w] <= best:
                    continue
                c = -1
                for k in range(easy_ptr[w], easy_ptr[w + 1]):
                    if count[easiest[k]] > 0 and not _meets(sets, kind[easiest[k]], held):
                        c = easiest[k]
                        break
                if c < 0:
                    continue
                score = left[w]
                if paper:
                    groups_to_come = (waiting - filled) // size
                    if left[w] < groups_to_come:
                        score = -1
                        for x in range(values):
                            if banned[x] or x == w or _has(sets, kind[c], x):
                                score -= left[x]
                            else:
                                some = clash[x, w]
                                for k in range(filled):
                                    some += clash[x, value[taken[k]]]
                                score -= min(some, left[x])
                if pick < 0 or score > best:
                    pick = c
                    best = score
            if pick < 0:
                break
        if filled < size:
            for k in range(filled):
                count[taken[k]] += 1
                left[value[taken[k]]] += 1
            stuck[hardest[seed]] = True
            continue
        for k in range(size):
            made[groups, k] = taken[k]
            for w in range(values):
                if paper and _has(sets, kind[taken[k]], w):
                    clash[value[taken[k]], w] -= 1
        waiting -= size
        groups += 1
    return groups


@kernel
def join_queue(rows, class_of, last, before, waiting):  # type: ignore[no-untyped-def]
    """Lets rows wait with their classes: last[c] came last, before[r] came before r (-1: nobody)."""
    for r in rows:
        c = class_of[r]
        before[r] = last[c]
        last[c] = r
        waiting[c] += 1


@kernel
def leave_queue(made, first, last, before, group_of):  # type: ignore[no-untyped-def]
    """Gives the rows that came last to the groups first, first + 1, ..., whose classes are the rows of `made`."""
    for g in range(made.shape[0]):
        for k in range(made.shape[1]):
            r = last[made[g, k]]
            last[made[g, k]] = before[r]
            group_of[r] = first + g
