"""Exhaustive check of antecedents by size, by depth-first search over lists of the classes that contain them.

An antecedent is written with its rarest item first, so lists are short from the start. All antecedents q + y that
extend one q are counted together, in a table of y by sensitive item, filled in one pass over the list of q; a branch
with few items left is searched as words (masks.py). What keeps the search small:

* only *open* occurrences count: those for which no antecedent has been found yet. A second way to the same disclosure
  changes no answer, so a branch in whose records nothing is open is left;
* the bound of SPEC 1.2, point 2: below q, sup_A only falls, and sup_B stays at least that of the smallest open leaf. A
  sensitive item for which even these two make no disclosure is dropped from the branch;
* an item that all records of q share is never added to q: the records stay the same, and so do all confidences.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sordino.audit.kernels.closed import first_way, shared_by_all
from sordino.audit.kernels.growth import grown
from sordino.audit.kernels.masks import search_masks


@njit(cache=True, nogil=True)
def search_antecedents(  # type: ignore[no-untyped-def]
    roots, least, most, mark_as, fresh, few, closed, ptr, items, weight, post_ptr, post, sens_ptr, sens_items,
    open_ptr, open_occ, open_items, sup_without, num, den, level, best_row, best_people, best_key,
):  # fmt: skip
    """Marks `level[occurrence]` where an antecedent of least..most items, the rarest of them in `roots`, exposes it.

    Only occurrences in open_occ (their items: open_items) are marked, with `mark_as`. `sup_without[occurrence]` is
    sup_B of its leaf; it is empty if leaves were not counted, and then there is no bound. `best_*` keep, for every
    sensitive item e (in row best_row[e]), the antecedents that expose most open occurrences, in a total order: most
    people, then smallest ranks; so the result does not depend on how the roots are divided among threads.
    With `fresh`, what was marked during this very search counts as open no longer: quicker, the marks are the same, but
    the best are not kept. The same goes for antecedents that fewer than `few` records hold.
    With `closed`, only one antecedent is tried for every set of classes (see below): for unlimited knowledge.
    Returns how many antecedents had their list of classes made.
    """
    width = len(num)
    col_of = np.full(width, -1, dtype=np.int32)  # the column of a sensitive item in the table of the node at hand
    row_of = np.full(width, -1, dtype=np.int32)  # the row of an item that may be added
    column = np.empty(width, dtype=np.int32)  # and back
    row = np.empty(width, dtype=np.int32)
    count = np.zeros(width, dtype=np.int64)  # by column: records of the node with the item
    bound = np.zeros(width, dtype=np.int64)  # by column: the smallest sup_B of its open leaves
    total_of = np.zeros(width, dtype=np.int64)  # by row: records of the node with the item
    slot_of = np.zeros(width, dtype=np.int64)  # by row: classes of the node with the item, then where its list ends
    alive = np.zeros(width, dtype=np.bool_)  # by row: whether something longer may disclose
    inside = np.empty(width, dtype=np.int32)  # the columns of one class
    table = np.zeros(4096, dtype=np.int32)
    told = np.empty(256, dtype=np.int64)  # cells of the table that may be leads
    newly = np.zeros(4096 if not fresh else 1, dtype=np.int32)
    path = np.zeros(most + 1, dtype=np.int32)
    # One stack holds the lists of all open nodes: (class, where its next items begin); another a node's extensions.
    stack_class = np.empty(1024, dtype=np.int32)
    stack_at = np.empty(1024, dtype=np.int64)
    extension = np.empty(1024, dtype=np.int32)
    begins = np.empty(1024, dtype=np.int64)
    cursor = np.zeros(most + 2, dtype=np.int64)
    last = np.zeros(most + 2, dtype=np.int64)  # where the extensions of a depth end
    top = np.zeros(most + 2, dtype=np.int64)  # where the lists of a depth end
    common = np.empty(1024, dtype=np.int32)  # what all classes of a node share, for each depth from shared_at on
    shared_at = np.zeros(most + 2, dtype=np.int64)
    buffer = np.empty(64, dtype=np.int32)
    word_class = np.empty(1024, dtype=np.int32)
    words = np.empty((3, 1024), dtype=np.uint64)
    zero = np.uint64(0)
    one = np.uint64(1)
    bounded = len(sup_without) > 0
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
            at = ptr[c]
            if most > 1:
                stop = ptr[c + 1]
                if items[stop - 1] == root:
                    at = stop - 1
                while items[at] != root:
                    at += 1
            stack_at[p - lo] = at + 1
        path[0] = root
        d = np.int64(0)
        a = np.int64(0)
        b = hi - lo
        top[0] = b
        last[0] = 0
        while True:
            looked += 1
            size = d + 1
            columns = np.int64(0)  # of this type from the start, or what is called with them is compiled once more
            rows = np.int64(0)
            total = np.int64(0)
            live = a
            if not (closed and d > 0) or first_way(
                stack_class, stack_at, a, b, path[d], common, shared_at[d - 1], shared_at[d], ptr, items, buffer
            ):
                # Classes to which something can be added come first: from here on to `live`.
                live = a
                for p in range(a, b):
                    c = stack_class[p]
                    total += weight[c]
                    at = stack_at[p]
                    if at < ptr[c + 1]:
                        stack_class[p] = stack_class[live]
                        stack_at[p] = stack_at[live]
                        stack_class[live] = c
                        stack_at[live] = at
                        live += 1
                # The columns: what is open here, and may be disclosed here or below.
                for p in range(a, b if bounded or size >= least else live):
                    c = stack_class[p]
                    for o in range(open_ptr[c], open_ptr[c + 1]):
                        occ = open_occ[o]
                        if fresh and level[occ] != 0:
                            continue
                        e = open_items[o]
                        k = col_of[e]
                        if k >= 0:
                            if bounded and sup_without[occ] < bound[k]:
                                bound[k] = sup_without[occ]
                            continue
                        known = False
                        for t in range(size):
                            known |= path[t] == e
                        if known:
                            continue
                        col_of[e] = columns
                        column[columns] = e
                        bound[columns] = sup_without[occ] if bounded else 0
                        count[columns] = 0
                        columns += 1
            if columns > 0 and (bounded or (d == 0 and least <= 1)):
                for p in range(a, b):
                    c = stack_class[p]
                    w = weight[c]
                    for o in range(sens_ptr[c], sens_ptr[c + 1]):
                        k = col_of[sens_items[o]]
                        if k >= 0:
                            count[k] += w
                if d == 0 and least <= 1:
                    columns = judge_root(
                        stack_class, b, mark_as, fresh or total < few, total, path, weight, open_ptr, open_occ,
                        open_items, num, den, level, best_row, best_people, best_key, columns, column, col_of, count,
                        bound,
                    )  # fmt: skip
            if columns > 0 and (bounded or size == most):
                kept = np.int64(0)
                for k in range(columns):
                    e = column[k]
                    if size < most and count[k] * (den[e] - num[e]) > num[e] * bound[k]:
                        column[kept] = e
                        col_of[e] = kept
                        kept += 1
                    else:
                        col_of[e] = -1
                columns = kept
            if columns > 0:
                # The rows: what can be added in a class with something open.
                work = np.int64(0)
                for p in range(a, live):
                    c = stack_class[p]
                    for o in range(open_ptr[c], open_ptr[c + 1]):
                        if col_of[open_items[o]] >= 0 and not (fresh and level[open_occ[o]] != 0):
                            for at in range(stack_at[p], ptr[c + 1]):
                                x = items[at]
                                if row_of[x] < 0:
                                    row_of[x] = rows
                                    row[rows] = x
                                    total_of[rows] = 0
                                    slot_of[rows] = 0
                                    alive[rows] = False
                                    rows += 1
                            break
                    work += (ptr[c + 1] - stack_at[p]) * (sens_ptr[c + 1] - sens_ptr[c])
            if fresh and 0 < rows <= 64 and columns <= 64:
                # The rest of this branch is small enough for words.
                for k in range(1, rows):
                    x = row[k]
                    at = k
                    while at > 0 and row[at - 1] > x:
                        row[at] = row[at - 1]
                        at -= 1
                    row[at] = x
                for k in range(rows):
                    row_of[row[k]] = k
                n = np.int64(0)
                if live - a > len(word_class):
                    word_class = np.empty(2 * (live - a), dtype=np.int32)
                    words = np.empty((3, 2 * (live - a)), dtype=np.uint64)
                for p in range(a, live):
                    c = stack_class[p]
                    mine = zero
                    for at in range(stack_at[p], ptr[c + 1]):
                        k = row_of[items[at]]
                        if k >= 0:
                            mine |= one << np.uint64(k)
                    if mine == zero:
                        continue
                    cols = zero
                    for o in range(sens_ptr[c], sens_ptr[c + 1]):
                        k = col_of[sens_items[o]]
                        if k >= 0:
                            cols |= one << np.uint64(k)
                    opened = zero
                    for o in range(open_ptr[c], open_ptr[c + 1]):
                        k = col_of[open_items[o]]
                        if k >= 0 and level[open_occ[o]] == 0:
                            opened |= one << np.uint64(k)
                    word_class[n] = c
                    words[0, n] = mine
                    words[1, n] = cols
                    words[2, n] = opened
                    n += 1
                looked += search_masks(
                    size, least, most, mark_as, closed, total, word_class[:n], words[0], words[1], words[2], row, rows,
                    column, columns, weight, open_ptr, open_occ, open_items, sup_without, num, den, level,
                )  # fmt: skip
            elif rows > 0:
                cells = np.int64(rows) * columns
                if cells > len(table):
                    table = np.zeros(2 * cells, dtype=np.int32)
                    if not fresh:
                        newly = np.zeros(2 * cells, dtype=np.int32)
                for p in range(a, live):
                    c = stack_class[p]
                    w = weight[c]
                    if stack_at[p] == ptr[c + 1]:
                        continue
                    n = np.int64(0)
                    for o in range(sens_ptr[c], sens_ptr[c + 1]):
                        k = col_of[sens_items[o]]
                        if k >= 0:
                            inside[n] = k
                            n += 1
                    for at in range(stack_at[p], ptr[c + 1]):
                        k = row_of[items[at]]
                        if k >= 0:
                            total_of[k] += w
                            slot_of[k] += 1
                            base = np.int64(k) * columns
                            for j in range(n):
                                table[base + inside[j]] += w
                # Every open occurrence beside everything that can be added.
                deeper = False
                leads = np.int64(0)
                for p in range(a, live):
                    c = stack_class[p]
                    for o in range(open_ptr[c], open_ptr[c + 1]):
                        occ = open_occ[o]
                        e = open_items[o]
                        j = col_of[e]
                        if j < 0 or (fresh and level[occ] != 0):
                            continue
                        e_num = num[e]
                        e_den = den[e]
                        without = sup_without[occ] * e_num if bounded else np.int64(0)
                        for at in range(stack_at[p], ptr[c + 1]):
                            x = items[at]
                            k = row_of[x]  # is there: the class has something open
                            if total_of[k] == total or x == e:
                                continue
                            cell = np.int64(k) * columns + j
                            both = np.int64(table[cell])
                            if size + 1 >= least and both * e_den > e_num * total_of[k]:
                                level[occ] = mark_as
                                if fresh:
                                    break
                                if total_of[k] >= few:
                                    if newly[cell] == 0:
                                        if leads == len(told):
                                            told = grown(told, leads)
                                        told[leads] = cell
                                        leads += 1
                                    newly[cell] += weight[c]
                            elif both * (e_den - e_num) > without:
                                alive[k] = True
                                deeper = True
                for t in range(leads):
                    cell = told[t]
                    k = cell // columns
                    e = column[cell - k * columns]
                    path[size] = row[k]
                    fresh_people, with_e = np.int64(newly[cell]), np.int64(table[cell])
                    remember(best_row[e], fresh_people, with_e, total_of[k], size + 1, path, best_people, best_key)
                    newly[cell] = 0
                if cells <= 4 * work:
                    table[:cells] = 0
                else:
                    for p in range(a, live):
                        c = stack_class[p]
                        for at in range(stack_at[p], ptr[c + 1]):
                            k = row_of[items[at]]
                            if k >= 0:
                                for o in range(sens_ptr[c], sens_ptr[c + 1]):
                                    if col_of[sens_items[o]] >= 0:
                                        table[np.int64(k) * columns + col_of[sens_items[o]]] = 0
                if deeper and size + 1 < most:
                    base = last[d]
                    need = top[d]
                    found = 0
                    if base + rows > len(extension):
                        extension = grown(extension, base + rows)
                        begins = grown(begins, base + rows)
                    for k in range(rows):
                        if alive[k]:
                            extension[base + found] = row[k]
                            begins[base + found] = need
                            found += 1
                            need += slot_of[k]
                            slot_of[k] = need - slot_of[k]
                        else:
                            row_of[row[k]] = -1
                    if need > len(stack_class):
                        stack_class = grown(stack_class, need)
                        stack_at = grown(stack_at, need)
                    for p in range(a, live):
                        c = stack_class[p]
                        for at in range(stack_at[p], ptr[c + 1]):
                            k = row_of[items[at]]
                            if k >= 0:
                                stack_class[slot_of[k]] = c
                                stack_at[slot_of[k]] = at + 1
                                slot_of[k] += 1
                    if closed:
                        at = shared_at[d]
                        n = ptr[stack_class[a] + 1] - ptr[stack_class[a]]
                        if at + n > len(common):
                            common = grown(common, at + n)
                        shared_at[d + 1] = shared_by_all(stack_class, a, b, size, ptr, items, common, at)
                    d += 1
                    cursor[d] = base
                    last[d] = base + found
                    top[d] = need
            for k in range(rows):
                row_of[row[k]] = -1
            for k in range(columns):
                col_of[column[k]] = -1
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
            if closed:
                n = ptr[stack_class[a] + 1] - ptr[stack_class[a]]
                if n > len(buffer):
                    buffer = np.empty(2 * n, dtype=np.int32)
    return looked


@njit(cache=True, nogil=True)
def judge_root(  # type: ignore[no-untyped-def]
    classes, stop, mark_as, fresh, total, path, weight, open_ptr, open_occ, open_items, num, den, level, best_row,
    best_people, best_key, columns, column, col_of, count, bound,
):  # fmt: skip
    """Tests path[:1] -> e for the items e of all columns; marks and remembers. Returns the columns that are left."""
    kept = np.int64(0)
    hits = 0
    for k in range(columns):
        hits += count[k] * den[column[k]] > num[column[k]] * total
    if hits == 0:
        return columns
    people = np.zeros(columns, dtype=np.int64)
    for p in range(stop):
        c = classes[p]
        for o in range(open_ptr[c], open_ptr[c + 1]):
            e = open_items[o]
            k = col_of[e]
            if k >= 0 and count[k] * den[e] > num[e] * total:
                level[open_occ[o]] = mark_as
                people[k] += weight[c]
    for k in range(columns):
        e = column[k]
        if count[k] * den[e] > num[e] * total:
            if not fresh:
                remember(best_row[e], people[k], count[k], total, np.int64(1), path, best_people, best_key)
            col_of[e] = -1
        else:
            column[kept] = e
            col_of[e] = kept
            count[kept] = count[k]
            bound[kept] = bound[k]
            kept += 1
    return kept


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
