"""Exhaustive check of antecedents by size, by depth-first search over lists of the classes that contain them.

An antecedent is written with its rarest item first, so lists are short from the start. All antecedents q + y that
extend one q are counted together, in a table of y by sensitive item, filled in one pass over the list of q (nodes.py).
What keeps the search small:

* only *open* occurrences count: those for which no antecedent has been found yet. A second way to the same disclosure
  changes no answer, so a branch in whose records nothing is open is left;
* the bound of model.md 1.2, point 2: below q, sup_A only falls, and sup_B stays at least that of the smallest open
  leaf. A sensitive item for which even these two make no disclosure is dropped from the branch;
* an item that all records of q share is never added to q: the records stay the same, and so do all confidences.

Two things more are worth their compiling where there is much to search, and where only marks are asked for:

* with unlimited knowledge one antecedent is tried for every set of classes (closed.py);
* a branch with few items left is searched as words (masks.py).
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.audit.kernels.closed import first_way, shared_by_all
from sordino.audit.kernels.growth import grown
from sordino.audit.kernels.leads import judge_root, remember
from sordino.audit.kernels.masks import search_masks
from sordino.audit.kernels.nodes import (
    Cells,
    Lists,
    as_words,
    clear_table,
    count_columns,
    extendable_first,
    fill_table,
    hopeful_columns,
    judge_table,
    list_classes,
    list_extensions,
    list_root,
    list_rows,
    longer_lists,
    make_grid,
    no_columns,
    open_columns,
    sort_rows,
)
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised

# The way from the root to the node at hand: its items; by depth, the next extension, where the extensions end, and
# where the lists of these end.
Walk = namedtuple("Walk", "path cursor last top")
Node = namedtuple("Node", "a live size total")
# All extensions on the way, and where the list of each begins
Extensions = namedtuple("Extensions", "item begins")


@inner
def start(root, walk, lists, most, r):  # type: ignore[no-untyped-def]
    """The list of the root, at the bottom of all lists."""
    number = r.post_ptr[root + 1] - r.post_ptr[root]
    if number > len(lists.classes):
        lists = longer_lists(lists, number)
    list_root(root, most > 1, r, lists)
    walk.path[0] = root
    walk.top[0] = number
    walk.last[0] = 0
    return lists


@inner
def count_node(node, lists, columns, rows, work, path, task, r, o, g, best, cells):  # type: ignore[no-untyped-def]
    """Counts the table of the node, marks what it exposes, and keeps the best.

    Returns whether a longer antecedent may expose more, and the cells, or larger ones.
    """
    a, live, size, total = node
    stop = task.stop
    number = rows * columns
    if number > len(cells.table):
        newly = cells.newly if task.fresh else np.zeros(2 * number, dtype=np.int32)
        cells = Cells(np.zeros(2 * number, dtype=np.int32), newly, cells.lead_cells)
    fill_table(lists, a, live, columns, r, g, cells.table, stop)
    if raised(stop):
        return False, cells
    deeper, leads, lead_cells = judge_table(
        lists, a, live, columns, total, size + 1 >= task.least, task, r, o, g, cells
    )
    if raised(stop):
        return False, cells
    for t in range(leads):
        cell = lead_cells[t]
        k = cell // columns
        path[size] = g.row[k]
        people, with_e = np.int64(cells.newly[cell]), np.int64(cells.table[cell])
        remember(best, g.column[cell - k * columns], people, with_e, g.total_of[k], size + 1, path)
        cells.newly[cell] = 0
    clear_table(lists, a, live, columns, number, work, r, g, cells.table)
    return deeper, Cells(cells.table, cells.newly, lead_cells)


@inner
def extend(d, a, live, rows, walk, lists, extensions, r, g):  # type: ignore[no-untyped-def]
    """Lists the classes of all extensions that are alive, one level below; the lists and extensions, or larger ones."""
    base = walk.last[d]
    if base + rows > len(extensions.item):
        extensions = Extensions(grown(extensions.item, base + rows), grown(extensions.begins, base + rows))
    found, need = list_extensions(rows, base, walk.top[d], g, extensions.item, extensions.begins)
    if need > len(lists.classes):
        lists = longer_lists(lists, need)
    list_classes(lists, a, live, r, g)
    walk.cursor[d + 1] = base
    walk.last[d + 1] = base + found
    walk.top[d + 1] = need
    return lists, extensions


@inner
def next_node(d, walk, extensions):  # type: ignore[no-untyped-def]
    """The next extension at this depth, or at one above: its depth, 0 if there is none left, and its list."""
    cursor, last, begins = walk.cursor, walk.last, extensions.begins
    while d > 0 and cursor[d] >= last[d]:
        d -= 1
    if d == 0:
        return d, d, d
    k = cursor[d]
    cursor[d] = k + 1
    walk.path[d] = extensions.item[k]
    return d, begins[k], begins[k + 1] if k + 1 < last[d] else walk.top[d]


@kernel
def search(roots, task, closed, r, o, best):  # type: ignore[no-untyped-def]
    """Marks open occurrences that an antecedent of task.least..most items, the rarest of them in `roots`, exposes.

    The best antecedents of every sensitive item are kept in a total order: most people, then smallest ranks; so the
    result does not depend on how the roots are divided among threads. With task.fresh nothing is kept: that is quicker,
    and the marks are the same. Nor are antecedents that fewer than task.few records hold.
    `closed` is None for a search that does without words. Else task.fresh must be set, and if it is True, only one
    antecedent is tried for every set of classes: for unlimited knowledge, when leaves of confidence 1 are known.
    Ends early once the flag is up: what was marked and kept by then is so, but it is not all.
    Returns how many antecedents had their list of classes made.

    Long: one walk through a tree. (Numba leaves out what is only for a `closed` that is not None, if it is.)
    """
    least, most, stop = task.least, task.most, task.stop
    g = make_grid(len(r.num))
    cells = Cells(
        np.zeros(4096, dtype=np.int32),
        np.zeros(1 if task.fresh else 4096, dtype=np.int32),
        np.empty(256, dtype=np.int64),
    )
    walk = Walk(
        np.zeros(most + 1, dtype=np.int32),
        np.zeros(most + 2, dtype=np.int64),
        np.zeros(most + 2, dtype=np.int64),
        np.zeros(most + 2, dtype=np.int64),
    )
    path = walk.path
    lists = Lists(np.empty(1024, dtype=np.int32), np.empty(1024, dtype=np.int64))
    extensions = Extensions(np.empty(1024, dtype=np.int32), np.empty(1024, dtype=np.int64))
    if closed is not None:
        common = np.empty(1024, dtype=np.int32)  # what all classes of a node share, for each depth from shared_at on
        shared_at = np.zeros(most + 2, dtype=np.int64)
        buffer = np.empty(64, dtype=np.int32)
        word_class = np.empty(1024, dtype=np.int32)
        words = np.empty((3, 1024), dtype=np.uint64)
    bounded = len(o.sup_without) > 0
    looked = np.int64(0)
    for root in roots:
        if r.post_ptr[root] == r.post_ptr[root + 1] or raised(stop):
            continue
        lists = start(root, walk, lists, most, r)
        d = a = np.int64(0)
        b = walk.top[0]
        while not raised(stop):
            looked += 1
            size = d + 1
            columns = rows = work = total = np.int64(0)
            live = a
            wanted = True
            if closed is not None and closed and d > 0:
                n = r.ptr[lists.classes[a] + 1] - r.ptr[lists.classes[a]]
                if n > len(buffer):
                    buffer = np.empty(2 * n, dtype=np.int32)
                wanted = first_way(lists, a, b, path[d], common, shared_at[d - 1], shared_at[d], r, buffer)
            if wanted:
                live, total = extendable_first(lists, a, b, r)
                # What is open here, and may be disclosed here or below.
                columns = open_columns(lists, a, b if bounded or size >= least else live, path, size, task, o, g)
            if raised(stop):
                return looked
            if columns > 0 and (bounded or (d == 0 and least <= 1)):
                count_columns(lists, a, b, r, g)
                if d == 0 and least <= 1:
                    columns = judge_root(lists, b, total, path, columns, task, r, o, g, best)
            if size == most:
                columns = no_columns(columns, g.col_of, g.column)
            elif bounded:
                columns = hopeful_columns(columns, r, g)
            if columns > 0:
                rows, work = list_rows(lists, a, live, task, r, o, g)
                if raised(stop):
                    return looked
            in_words = False
            if closed is not None:
                in_words = bool(0 < rows <= 64 and columns <= 64)
                if in_words:  # the rest of this branch is small enough
                    sort_rows(rows, g.row, g.row_of)
                    if live - a > len(word_class):
                        word_class = np.empty(2 * (live - a), dtype=np.int32)
                        words = np.empty((3, 2 * (live - a)), dtype=np.uint64)
                    n = as_words(lists, a, live, r, o, g, word_class, words)
                    looked += search_masks(size, total, word_class[:n], words, rows, columns, closed, task, r, o, g)
            if rows > 0 and not in_words:
                node = Node(a, live, size, total)
                deeper, cells = count_node(node, lists, columns, rows, work, path, task, r, o, g, best, cells)
                if raised(stop):
                    return looked
                if deeper and size + 1 < most:
                    lists, extensions = extend(d, a, live, rows, walk, lists, extensions, r, g)
                    if closed is not None and closed:
                        n = r.ptr[lists.classes[a] + 1] - r.ptr[lists.classes[a]]
                        if shared_at[d] + n > len(common):
                            common = grown(common, shared_at[d] + n)
                        shared_at[d + 1] = shared_by_all(lists, a, b, size, r, common, shared_at[d])
                    d += 1
            no_columns(rows, g.row_of, g.row)
            no_columns(columns, g.col_of, g.column)
            d, a, b = next_node(d, walk, extensions)
            if d == 0:
                break
    return looked
