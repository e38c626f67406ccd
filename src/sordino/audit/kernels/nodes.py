"""The steps at one node of the search for antecedents (search.py), which calls them.

A node is an antecedent q with the list of classes that hold it, lists.classes[a:b]; lists.at tells where the items
begin that may still be added. [a:live] are those to which something can be added. Steps are functions of their own
because compiling grows faster than the length of a function. What they share comes in tuples:

    Task     what is asked: antecedents of least..most items; what they expose is marked with mark_as. With `fresh`,
             what was marked during this very search counts as open no longer. `few`: see search.py. stop: the flag
    Records  classes of equal records (audit/index.py), their sensitive items, and the thresholds
    Opened   the open occurrences of each class (occ), and their items; sup_without, by occurrence, is sup_B of its
             leaf, or empty; level, by occurrence, gets the marks
    Best     for every sensitive item e, in row row[e], the antecedents that expose most (leads.py)
    Grid     of the node at hand, a table of what may be added (rows) by what may be disclosed (columns): the item of
             each, and back; of a column the records that hold it (count), and the smallest sup_B of its open leaves
             (bound); of a row its records (total_of), its classes, then where its list ends (slot_of), and whether
             something longer may disclose (alive); inside: the columns of one class
    Cells    the table itself; newly: people whom a cell exposes; lead_cells: the cells that may be leads

Lists can be long, and records too: steps leave off once the flag is up. Who called them must look at it before using
what they made.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.audit.kernels.growth import grown
from sordino.engine.kernels.compiled import inner
from sordino.engine.kernels.flag import raised

LONG = 256  # so many places of a record are worth a look at the flag

Task = namedtuple("Task", "least most mark_as fresh few stop")
Records = namedtuple("Records", "ptr items weight post_ptr post sens_ptr sens_items num den")
Opened = namedtuple("Opened", "ptr occ items sup_without level")
Best = namedtuple("Best", "row people key")
Lists = namedtuple("Lists", "classes at")
Grid = namedtuple("Grid", "col_of row_of column row count bound total_of slot_of alive inside")
Cells = namedtuple("Cells", "table newly lead_cells")


@inner
def make_grid(width):  # type: ignore[no-untyped-def]
    """An empty grid for that many items."""
    col_of = np.empty(width, dtype=np.int32)
    row_of = np.empty(width, dtype=np.int32)
    for x in range(width):
        col_of[x] = row_of[x] = -1
    return Grid(
        col_of,
        row_of,
        np.empty(width, dtype=np.int32),
        np.empty(width, dtype=np.int32),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.bool_),
        np.empty(width, dtype=np.int32),
    )


@inner
def longer_lists(lists, least):  # type: ignore[no-untyped-def]
    """The same lists, with room for more."""
    return Lists(grown(lists.classes, least), grown(lists.at, least))


@inner
def extendable_first(lists, a, b, r):  # type: ignore[no-untyped-def]
    """Brings the classes of [a:b] to which something can be added to the front; where they end, and all records."""
    stack_class, stack_at, ptr, weight = lists.classes, lists.at, r.ptr, r.weight
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
def open_columns(lists, a, b, path, size, task, o, g):  # type: ignore[no-untyped-def]
    """The columns: what is open in the classes of [a:b] and not in path[:size]; how many there are.

    bound[column] becomes the smallest sup_B of its open leaves, 0 if leaves were not counted; count[column] is 0.
    """
    stack_class, open_ptr, open_occ, open_items = lists.classes, o.ptr, o.occ, o.items
    sup_without, level, fresh, stop = o.sup_without, o.level, task.fresh, task.stop
    col_of, column, count, bound = g.col_of, g.column, g.count, g.bound
    bounded = len(sup_without) > 0
    columns = np.int64(0)
    for p in range(a, b):
        if p & 0xFFFF == 0 and raised(stop):
            break
        c = stack_class[p]
        for j in range(open_ptr[c], open_ptr[c + 1]):
            occ = open_occ[j]
            if fresh and level[occ] != 0:
                continue
            e = open_items[j]
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
def count_columns(lists, a, b, r, g):  # type: ignore[no-untyped-def]
    """Adds to count[column] the records of the node that hold it."""
    stack_class, weight, sens_ptr, sens_items = lists.classes, r.weight, r.sens_ptr, r.sens_items
    col_of, count = g.col_of, g.count
    for p in range(a, b):
        c = stack_class[p]
        w = weight[c]
        for j in range(sens_ptr[c], sens_ptr[c + 1]):
            k = col_of[sens_items[j]]
            if k >= 0:
                count[k] += w


@inner
def hopeful_columns(columns, r, g):  # type: ignore[no-untyped-def]
    """Drops the columns that nothing below the node can disclose (model.md 1.2, point 2); how many are left."""
    num, den, col_of, column, count, bound = r.num, r.den, g.col_of, g.column, g.count, g.bound
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
def list_rows(lists, a, live, task, r, o, g):  # type: ignore[no-untyped-def]
    """The rows: what can be added in a class with something open. How many, and the work to fill their table."""
    stack_class, stack_at, ptr, items, sens_ptr = lists.classes, lists.at, r.ptr, r.items, r.sens_ptr
    open_ptr, open_occ, open_items, level, fresh, stop = o.ptr, o.occ, o.items, o.level, task.fresh, task.stop
    col_of, row_of, row, total_of, slot_of, alive = g.col_of, g.row_of, g.row, g.total_of, g.slot_of, g.alive
    rows = np.int64(0)
    work = np.int64(0)
    for p in range(a, live):
        if p & 0xFFFF == 0 and raised(stop):
            break
        c = stack_class[p]
        for j in range(open_ptr[c], open_ptr[c + 1]):
            if col_of[open_items[j]] >= 0 and not (fresh and level[open_occ[j]] != 0):
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
def as_words(lists, a, live, r, o, g, word_class, words):  # type: ignore[no-untyped-def]
    """The classes of [a:live] with their rows, columns and open columns as words; how many have a row."""
    stack_class, stack_at, ptr, items = lists.classes, lists.at, r.ptr, r.items
    sens_ptr, sens_items, col_of, row_of = r.sens_ptr, r.sens_items, g.col_of, g.row_of
    open_ptr, open_occ, open_items, level = o.ptr, o.occ, o.items, o.level
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
        for j in range(sens_ptr[c], sens_ptr[c + 1]):
            k = col_of[sens_items[j]]
            if k >= 0:
                cols |= one << np.uint64(k)
        opened = zero
        for j in range(open_ptr[c], open_ptr[c + 1]):
            k = col_of[open_items[j]]
            if k >= 0 and level[open_occ[j]] == 0:
                opened |= one << np.uint64(k)
        word_class[n] = c
        words[0, n] = mine
        words[1, n] = cols
        words[2, n] = opened
        n += 1
    return n


@inner
def fill_table(lists, a, live, columns, r, g, table, stop):  # type: ignore[no-untyped-def]
    """Counts for every row its records and classes, and for every row and column the records that hold both."""
    stack_class, stack_at, ptr, items, weight = lists.classes, lists.at, r.ptr, r.items, r.weight
    sens_ptr, sens_items, col_of, row_of = r.sens_ptr, r.sens_items, g.col_of, g.row_of
    inside, total_of, slot_of = g.inside, g.total_of, g.slot_of
    for p in range(a, live):
        if p & 0xFFF == 0 and raised(stop):
            return
        c = stack_class[p]
        w = weight[c]
        n = np.int64(0)
        for j in range(sens_ptr[c], sens_ptr[c + 1]):
            k = col_of[sens_items[j]]
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
def judge_table(lists, a, live, columns, total, tested, task, r, o, g, cells):  # type: ignore[no-untyped-def]
    """Every open occurrence beside everything that can be added: marks it if that exposes it, and is `tested`.

    Returns whether any row is alive, how many cells of the table are leads, and the array that lists them:
    cells.lead_cells, or a larger one.
    """
    stack_class, stack_at, ptr, items, weight = lists.classes, lists.at, r.ptr, r.items, r.weight
    num, den, mark_as, fresh, few, stop = r.num, r.den, task.mark_as, task.fresh, task.few, task.stop
    open_ptr, open_occ, open_items, sup_without, level = o.ptr, o.occ, o.items, o.sup_without, o.level
    col_of, row_of, total_of, alive = g.col_of, g.row_of, g.total_of, g.alive
    table, newly, lead_cells = cells.table, cells.newly, cells.lead_cells
    bounded = len(sup_without) > 0
    deeper = False
    leads = np.int64(0)
    for p in range(a, live):
        if p & 0xFFF == 0 and raised(stop):
            break
        c = stack_class[p]
        long = ptr[c + 1] - stack_at[p] > LONG
        for i in range(open_ptr[c], open_ptr[c + 1]):
            if long and raised(stop):
                break
            occ = open_occ[i]
            e = open_items[i]
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
                            if leads == len(lead_cells):
                                lead_cells = grown(lead_cells, leads)
                            lead_cells[leads] = cell
                            leads += 1
                        newly[cell] += weight[c]
                elif both * (e_den - e_num) > without:
                    alive[k] = True
                    deeper = True
    return deeper, leads, lead_cells


@inner
def clear_table(lists, a, live, columns, cells, work, r, g, table):  # type: ignore[no-untyped-def]
    """Sets back to 0 what fill_table counted; in a table much larger than the `work` to fill it, only that."""
    if cells <= 4 * work:
        for cell in range(cells):
            table[cell] = 0
        return
    stack_class, stack_at, ptr, items = lists.classes, lists.at, r.ptr, r.items
    sens_ptr, sens_items, col_of, row_of = r.sens_ptr, r.sens_items, g.col_of, g.row_of
    for p in range(a, live):
        c = stack_class[p]
        for at in range(stack_at[p], ptr[c + 1]):
            k = row_of[items[at]]
            if k >= 0:
                for j in range(sens_ptr[c], sens_ptr[c + 1]):
                    if col_of[sens_items[j]] >= 0:
                        table[np.int64(k) * columns + col_of[sens_items[j]]] = 0


@inner
def list_extensions(rows, base, need, g, extension, begins):  # type: ignore[no-untyped-def]
    """The rows that are alive, as extensions from `base` on, with room for their lists from `need` on.

    slot_of[row] becomes the begin of the row's list; other rows are dropped. How many, and where the lists end.
    """
    row, row_of, alive, slot_of = g.row, g.row_of, g.alive, g.slot_of
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
def list_classes(lists, a, live, r, g):  # type: ignore[no-untyped-def]
    """Writes the lists of all extensions, where list_extensions made room."""
    stack_class, stack_at, ptr, items = lists.classes, lists.at, r.ptr, r.items
    row_of, slot_of = g.row_of, g.slot_of
    for p in range(a, live):
        c = stack_class[p]
        for at in range(stack_at[p], ptr[c + 1]):
            k = row_of[items[at]]
            if k >= 0:
                stack_class[slot_of[k]] = c
                stack_at[slot_of[k]] = at + 1
                slot_of[k] += 1


@inner
def list_root(root, places, r, lists):  # type: ignore[no-untyped-def]
    """The list of the antecedent {root}, from the bottom of the stack on; `places` if something is to be added."""
    post, ptr, items, stack_class, stack_at = r.post, r.ptr, r.items, lists.classes, lists.at
    lo = r.post_ptr[root]
    for p in range(lo, r.post_ptr[root + 1]):
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
