"""Exhaustive check of antecedents by size, by depth-first search over lists of the classes that contain them.

An antecedent is written with its rarest item first, so lists are short from the start. What keeps the search small:

* only *open* occurrences count: those for which no antecedent has been found yet. A second way to the same disclosure
  changes no answer, so a branch in whose records nothing is open is left;
* the bound of SPEC 1.2, point 2: below q, sup_A only falls, and sup_B stays at least that of the smallest open leaf. Where
  even these two make no disclosure, the branch is left;
* an item that all records of q share is never added to q: the records stay the same, and so do all confidences.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FEW = 4  # antecedents of fewer people than this are never kept as findings: there are millions of them


@njit(cache=True, nogil=True)
def search_antecedents(  # type: ignore[no-untyped-def]
    roots, least, most, mark_as, fresh, ptr, items, weight, post_ptr, post, sens_ptr, sens_items, open_ptr, open_occ,
    sup_without, num, den, level, best_row, best_people, best_key,
):  # fmt: skip
    """Marks `level[occurrence]` where an antecedent of least..most items, the rarest of them in `roots`, exposes it.

    Only occurrences in open_occ are marked, with `mark_as`. `sup_without[occurrence]` is sup_B of its leaf. `best_*` keep,
    for every sensitive item e (in row best_row[e]), the antecedents that expose most open occurrences, in a total order: most people, then
    smallest ranks; so the result does not depend on how the roots are divided among threads. With `fresh`, what was
    marked during this very search counts as open no longer: quicker, the marks are the same, but the best are not kept.
    The same goes for antecedents that fewer than FEW records hold.
    Returns how many antecedents were looked at.
    """
    width = len(num)
    count = np.zeros(width, dtype=np.int64)
    bound = np.zeros(width, dtype=np.int64)
    newly = np.zeros(width, dtype=np.int64)
    slot_of = np.zeros(width, dtype=np.int64)
    flag = np.zeros(width, dtype=np.uint8)
    touched = np.zeros(width, dtype=np.int32)
    path = np.zeros(most + 1, dtype=np.int32)
    # One stack holds the lists of all open nodes: (class, where its next items begin); another the extensions of a node.
    room = 1024
    stack_class = np.empty(room, dtype=np.int32)
    stack_at = np.empty(room, dtype=np.int64)
    extension = np.empty(1024, dtype=np.int32)
    begins = np.empty(1024, dtype=np.int64)
    cursor = np.zeros(most + 2, dtype=np.int64)
    last = np.zeros(most + 2, dtype=np.int64)  # where the extensions of a depth end
    top = np.zeros(most + 2, dtype=np.int64)  # where the lists of a depth end
    looked = np.int64(0)
    for r in range(len(roots)):
        root = roots[r]
        lo, hi = post_ptr[root], post_ptr[root + 1]
        if lo == hi:
            continue
        if hi - lo > len(stack_class):
            stack_class = grown(stack_class, hi - lo)
            stack_at = grown(stack_at, hi - lo)
        for p in range(lo, hi):
            c = post[p]
            stack_class[p - lo] = c
            if most > 1:
                at = ptr[c]
                while items[at] != root:
                    at += 1
                stack_at[p - lo] = at + 1
        path[0] = root
        d = 0
        a = np.int64(0)
        b = hi - lo
        top[0] = b
        last[0] = 0
        while True:
            looked += 1
            alive = evaluate(
                stack_class[a:b], d + 1, least, mark_as, fresh, path, weight, sens_ptr, sens_items, open_ptr, open_occ,
                items, sup_without, num, den, level, best_row, best_people, best_key, count, bound, flag, newly, touched,
            )  # fmt: skip
            if alive and d + 1 < most:
                base = last[d]
                marked = 0
                need = top[d]
                for p in range(a, b):
                    c = stack_class[p]
                    if open_ptr[c] == open_ptr[c + 1]:
                        continue
                    for at in range(stack_at[p], ptr[c + 1]):
                        x = items[at]
                        if slot_of[x] == 0:
                            slot_of[x] = 1
                            if base + marked + 1 >= len(extension):
                                extension = grown(extension, base + marked + 2)
                                begins = grown(begins, base + marked + 2)
                            extension[base + marked] = x
                            marked += 1
                for p in range(a, b):
                    for at in range(stack_at[p], ptr[stack_class[p] + 1]):
                        if slot_of[items[at]] > 0:
                            slot_of[items[at]] += 1
                found = 0
                for k in range(marked):
                    x = extension[base + k]
                    size = slot_of[x] - 1
                    if size == b - a:  # all records of the node share it
                        slot_of[x] = 0
                        continue
                    extension[base + found] = x
                    begins[base + found] = need
                    slot_of[x] = need + 1
                    need += size
                    found += 1
                if need > len(stack_class):
                    stack_class = grown(stack_class, need)
                    stack_at = grown(stack_at, need)
                for p in range(a, b):
                    c = stack_class[p]
                    for at in range(stack_at[p], ptr[c + 1]):
                        slot = slot_of[items[at]]
                        if slot > 0:
                            stack_class[slot - 1] = c
                            stack_at[slot - 1] = at + 1
                            slot_of[items[at]] = slot + 1
                for k in range(found):
                    slot_of[extension[base + k]] = 0
                d += 1
                cursor[d] = base
                last[d] = base + found
                top[d] = need
            # the next node: the next extension at this depth, or at one above
            while d > 0 and cursor[d] >= last[d]:
                d -= 1
            if d == 0:
                break
            k = cursor[d]
            cursor[d] = k + 1
            a = begins[k]
            b = begins[k + 1] if k + 1 < last[d] else top[d]
            path[d] = extension[k]
    return looked


@njit(cache=True, nogil=True)
def grown(array, least):  # type: ignore[no-untyped-def]
    """A copy with room for `least` entries and as many again."""
    bigger = np.empty(2 * least, dtype=array.dtype)
    bigger[: len(array)] = array
    return bigger


@njit(cache=True, nogil=True)
def evaluate(  # type: ignore[no-untyped-def]
    classes, size, least, mark_as, fresh, path, weight, sens_ptr, sens_items, open_ptr, open_occ,
    items, sup_without, num, den, level, best_row, best_people, best_key, count, bound, flag, newly, touched,
):  # fmt: skip
    """Tests path[:size] -> e for every e still open in `classes`, all those that contain the path, if size >= least.

    Returns whether a longer antecedent may still disclose something that is open.
    """
    n = 0
    total = np.int64(0)
    for c in classes:
        total += weight[c]
    fresh = fresh or total < FEW
    for c in classes:
        for o in range(open_ptr[c], open_ptr[c + 1]):
            occ = open_occ[o]
            if fresh and level[occ] != 0:
                continue
            e = items[occ]
            if flag[e] == 0:
                inside = False
                for t in range(size):
                    if path[t] == e:
                        inside = True
                if inside:
                    continue
                flag[e] = 1
                bound[e] = sup_without[occ]
                touched[n] = e
                n += 1
            elif sup_without[occ] < bound[e]:
                bound[e] = sup_without[occ]
    if n == 0:
        return False
    for c in classes:
        w = weight[c]
        for o in range(sens_ptr[c], sens_ptr[c + 1]):
            e = sens_items[o]
            if flag[e] == 1:
                count[e] += w
    hits = 0
    alive = False
    for k in range(n):
        e = touched[k]
        if size >= least and count[e] * den[e] > num[e] * total:
            flag[e] = 2
            hits += 1
        elif count[e] * (den[e] - num[e]) > num[e] * bound[e]:
            alive = True
    if hits > 0:
        for c in classes:
            for o in range(open_ptr[c], open_ptr[c + 1]):
                occ = open_occ[o]
                e = items[occ]
                if flag[e] == 2:
                    level[occ] = mark_as
                    newly[e] += weight[c]
    for k in range(n):
        e = touched[k]
        if flag[e] == 2 and not fresh:
            remember(best_row[e], newly[e], count[e], total, size, path, best_people, best_key)
        flag[e] = 0
        count[e] = 0
        newly[e] = 0
    return alive


@njit(cache=True, nogil=True)
def remember(row, people, with_e, total, size, path, best_people, best_key):  # type: ignore[no-untyped-def]
    """Keeps the antecedent if it is among the best of its item: most people newly exposed, then smallest ranks."""
    keep = best_people.shape[1]
    at = keep
    while at > 0:
        other = best_people[row, at - 1]
        if people > other:
            at -= 1
            continue
        if people == other:
            smaller = False
            for t in range(size):
                if path[t] != best_key[row, at - 1, t]:
                    smaller = path[t] < best_key[row, at - 1, t]
                    break
            if smaller:
                at -= 1
                continue
        break
    if at >= keep:
        return
    wide = best_key.shape[2]
    for k in range(keep - 1, at, -1):
        best_people[row, k] = best_people[row, k - 1]
        for t in range(wide):
            best_key[row, k, t] = best_key[row, k - 1, t]
    best_people[row, at] = people
    for t in range(size):
        best_key[row, at, t] = path[t]
    best_key[row, at, wide - 3] = size
    best_key[row, at, wide - 2] = with_e
    best_key[row, at, wide - 1] = total
