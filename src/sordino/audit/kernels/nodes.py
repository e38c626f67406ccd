"""The steps at one node of the search for antecedents (levels.py), which calls them.

A node is an antecedent q with the list of classes that hold it, stack_class[a:b]; stack_at tells where the items begin
that may still be added. Steps are functions of their own because compiling grows faster than the length of a function.

Lists can be long, and records too: steps that are handed the flag `stop` leave off once it is up. Who called them must
look at it before using what they made.
"""

from __future__ import annotations

import numpy as np

from sordino.audit.kernels.growth import grown
from sordino.engine.kernels.compiled import inner
from sordino.engine.kernels.flag import raised

LONG = 256  # so many places of a record are worth a look at the flag


@inner
def extendable_first(stack_class, stack_at, a, b, ptr, weight):  # type: ignore[no-untyped-def]
    """Brings the classes of [a:b] to which something can be added to the front; where they end, and all records."""
    live = a
    total = np.int64(0)
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
    return live, total


@inner
def open_columns(  # type: ignore[no-untyped-def]
    stack_class, a, b, path, size, fresh, open_ptr, open_occ, open_items, sup_without, level, col_of, column, count,
    bound, stop,
):  # fmt: skip
    """The columns: what is open in the classes of [a:b] and not in path[:size]; how many there are.

    bound[column] becomes the smallest sup_B of its open leaves, 0 if leaves were not counted; count[column] is 0.
    """
    bounded = len(sup_without) > 0
    columns = np.int64(0)
    for p in range(a, b):
        if p & 0xFFFF == 0 and raised(stop):
            break
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
    return columns


@inner
def count_columns(stack_class, a, b, weight, sens_ptr, sens_items, col_of, count):  # type: ignore[no-untyped-def]
    """Adds to count[column] the records of the node that hold it."""
    for p in range(a, b):
        c = stack_class[p]
        w = weight[c]
        for o in range(sens_ptr[c], sens_ptr[c + 1]):
            k = col_of[sens_items[o]]
            if k >= 0:
                count[k] += w


@inner
def hopeful_columns(columns, num, den, col_of, column, count, bound):  # type: ignore[no-untyped-def]
    """Drops the columns that nothing below the node can disclose (model.md 1.2, point 2); how many are left."""
    kept = np.int64(0)
    for k in range(columns):
        e = column[k]
        if count[k] * (den[e] - num[e]) > num[e] * bound[k]:
            column[kept] = e
            col_of[e] = kept
            kept += 1
        else:
            col_of[e] = -1
    return kept


@inner
def no_columns(columns, col_of, column):  # type: ignore[no-untyped-def]
    """Drops all columns."""
    for k in range(columns):
        col_of[column[k]] = -1
    return np.int64(0)


@inner
def list_rows(  # type: ignore[no-untyped-def]
    stack_class, stack_at, a, live, fresh, ptr, items, sens_ptr, open_ptr, open_occ, open_items, level, col_of, row_of,
    row, total_of, slot_of, alive, stop,
):  # fmt: skip
    """The rows: what can be added in a class with something open. How many, and the work to fill their table."""
    rows = np.int64(0)
    work = np.int64(0)
    for p in range(a, live):
        if p & 0xFFFF == 0 and raised(stop):
            break
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
    return rows, work


@inner
def sort_rows(rows, row, row_of):  # type: ignore[no-untyped-def]
    """Rows in ascending order (there are at most 64)."""
    for k in range(1, rows):
        x = row[k]
        at = k
        while at > 0 and row[at - 1] > x:
            row[at] = row[at - 1]
            at -= 1
        row[at] = x
    for k in range(rows):
        row_of[row[k]] = k


@inner
def as_words(  # type: ignore[no-untyped-def]
    stack_class, stack_at, a, live, ptr, items, sens_ptr, sens_items, open_ptr, open_occ, open_items, level, col_of,
    row_of, word_class, words,
):  # fmt: skip
    """The classes of [a:live] with their rows, columns and open columns as words; how many have a row."""
    zero = np.uint64(0)
    one = np.uint64(1)
    n = np.int64(0)
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
    return n


@inner
def fill_table(  # type: ignore[no-untyped-def]
    stack_class, stack_at, a, live, columns, ptr, items, weight, sens_ptr, sens_items, col_of, row_of, inside,
    total_of, slot_of, table, stop,
):  # fmt: skip
    """Counts for every row its records and classes, and for every row and column the records that hold both."""
    for p in range(a, live):
        if p & 0xFFF == 0 and raised(stop):
            return
        c = stack_class[p]
        w = weight[c]
        n = np.int64(0)
        for o in range(sens_ptr[c], sens_ptr[c + 1]):
            k = col_of[sens_items[o]]
            if k >= 0:
                inside[n] = k
                n += 1
        for at in range(stack_at[p], ptr[c + 1]):
            if n > LONG and raised(stop):
                return
            k = row_of[items[at]]
            if k >= 0:
                total_of[k] += w
                slot_of[k] += 1
                base = np.int64(k) * columns
                for j in range(n):
                    table[base + inside[j]] += w


@inner
def judge_table(  # type: ignore[no-untyped-def]
    stack_class, stack_at, a, live, columns, total, tested, mark_as, fresh, few, ptr, items, weight, open_ptr, open_occ,
    open_items, sup_without, num, den, level, col_of, row_of, total_of, table, alive, newly, told,
    stop,
):  # fmt: skip
    """Every open occurrence beside everything that can be added: marks it if that exposes it, and is `tested`.

    alive[row] tells whether something longer may disclose. Returns whether any row is alive, how many cells of the
    table are leads, and the array that lists them: `told`, or a larger one.
    """
    bounded = len(sup_without) > 0
    deeper = False
    leads = np.int64(0)
    for p in range(a, live):
        if p & 0xFFF == 0 and raised(stop):
            break
        c = stack_class[p]
        long = ptr[c + 1] - stack_at[p] > LONG
        for o in range(open_ptr[c], open_ptr[c + 1]):
            if long and raised(stop):
                break
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
                if tested and both * e_den > e_num * total_of[k]:
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
    return deeper, leads, told


@inner
def clear_table(  # type: ignore[no-untyped-def]
    stack_class, stack_at, a, live, columns, ptr, items, sens_ptr, sens_items, col_of, row_of, table
):  # fmt: skip
    """Sets back to 0 what fill_table counted, cell by cell: for tables much larger than what is in them."""
    for p in range(a, live):
        c = stack_class[p]
        for at in range(stack_at[p], ptr[c + 1]):
            k = row_of[items[at]]
            if k >= 0:
                for o in range(sens_ptr[c], sens_ptr[c + 1]):
                    if col_of[sens_items[o]] >= 0:
                        table[np.int64(k) * columns + col_of[sens_items[o]]] = 0


@inner
def list_extensions(  # type: ignore[no-untyped-def]
    rows, base, need, row, row_of, alive, slot_of, extension, begins
):  # fmt: skip
    """The rows that are alive, as extensions from `base` on, with room for their lists from `need` on.

    slot_of[row] becomes the begin of the row's list; other rows are dropped. How many, and where the lists end.
    """
    found = np.int64(0)
    for k in range(rows):
        if alive[k]:
            extension[base + found] = row[k]
            begins[base + found] = need
            found += 1
            need += slot_of[k]
            slot_of[k] = need - slot_of[k]
        else:
            row_of[row[k]] = -1
    return found, need


@inner
def list_classes(stack_class, stack_at, a, live, ptr, items, row_of, slot_of):  # type: ignore[no-untyped-def]
    """Writes the lists of all extensions, where list_extensions made room."""
    for p in range(a, live):
        c = stack_class[p]
        for at in range(stack_at[p], ptr[c + 1]):
            k = row_of[items[at]]
            if k >= 0:
                stack_class[slot_of[k]] = c
                stack_at[slot_of[k]] = at + 1
                slot_of[k] += 1


@inner
def list_root(root, lo, hi, places, post, ptr, items, stack_class, stack_at):  # type: ignore[no-untyped-def]
    """The list of the antecedent {root}, from the bottom of the stack on; `places` if something is to be added."""
    for p in range(lo, hi):
        c = post[p]
        stack_class[p - lo] = c
        at = ptr[c]
        if places:
            stop = ptr[c + 1]
            if items[stop - 1] == root:
                at = stop - 1
            while items[at] != root:
                at += 1
        stack_at[p - lo] = at + 1
