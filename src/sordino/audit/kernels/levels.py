"""Exhaustive check of antecedents by size, by depth-first search over lists of the classes that contain them.

An antecedent is written with its rarest item first, so lists are short from the start. All antecedents q + y that
extend one q are counted together, in a table of y by sensitive item, filled in one pass over the list of q. What keeps
the search small:

* only *open* occurrences count: those for which no antecedent has been found yet. A second way to the same disclosure
  changes no answer, so a branch in whose records nothing is open is left;
* the bound of model.md 1.2, point 2: below q, sup_A only falls, and sup_B stays at least that of the smallest open
  leaf. A sensitive item for which even these two make no disclosure is dropped from the branch;
* an item that all records of q share is never added to q: the records stay the same, and so do all confidences.
"""

from __future__ import annotations

import numpy as np

from sordino.audit.kernels.growth import grown
from sordino.audit.kernels.leads import judge_root, remember
from sordino.audit.kernels.nodes import (
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
    no_columns,
    open_columns,
)
from sordino.engine.kernels.compiled import kernel
from sordino.engine.kernels.flag import raised


# Long: one walk through a tree whose steps share all arrays; as functions they would be compiled with them again.
@kernel
def search_levels(  # type: ignore[no-untyped-def]
    roots, least, most, mark_as, fresh, few, ptr, items, weight, post_ptr, post, sens_ptr, sens_items,
    open_ptr, open_occ, open_items, sup_without, num, den, level, best_row, best_people, best_key, stop,
):  # fmt: skip
    """Marks `level[occurrence]` where an antecedent of least..most items, the rarest of them in `roots`, exposes it.

    Only occurrences in open_occ (their items: open_items) are marked, with `mark_as`. `sup_without[occurrence]` is
    sup_B of its leaf; it is empty if leaves were not counted, and then there is no bound. `best_*` keep, for every
    sensitive item e (in row best_row[e]), the antecedents that expose most open occurrences, in a total order: most
    people, then smallest ranks; so the result does not depend on how the roots are divided among threads.
    With `fresh`, what was marked during this very search counts as open no longer: quicker, the marks are the same, but
    the best are not kept. The same goes for antecedents that fewer than `few` records hold.
    Ends early once the flag `stop` is up: what was marked and kept by then is so, but it is not all.
    Returns how many antecedents had their list of classes made.
    """
    width = len(num)
    col_of = np.empty(width, dtype=np.int32)  # the column of a sensitive item in the table of the node at hand
    row_of = np.empty(width, dtype=np.int32)  # the row of an item that may be added
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
    for x in range(width):
        col_of[x] = row_of[x] = -1
    bounded = len(sup_without) > 0
    looked = np.int64(0)
    for r in range(len(roots)):
        root = roots[r]
        lo, hi = post_ptr[root], post_ptr[root + 1]
        if lo == hi or raised(stop):
            continue
        if hi - lo > len(stack_class):
            stack_class = grown(stack_class, hi - lo)
            stack_at = grown(stack_at, hi - lo)
        list_root(root, lo, hi, most > 1, post, ptr, items, stack_class, stack_at)
        path[0] = root
        d = np.int64(0)
        a = np.int64(0)
        b = hi - lo
        top[0] = b
        last[0] = 0
        while not raised(stop):
            looked += 1
            size = d + 1
            rows = np.int64(0)
            work = np.int64(0)
            live, total = extendable_first(stack_class, stack_at, a, b, ptr, weight)
            # What is open here, and may be disclosed here or below.
            columns = open_columns(
                stack_class, a, b if bounded or size >= least else live, path, size, fresh, open_ptr, open_occ,
                open_items, sup_without, level, col_of, column, count, bound, stop,
            )  # fmt: skip
            if raised(stop):
                return looked
            if columns > 0 and (bounded or (d == 0 and least <= 1)):
                count_columns(stack_class, a, b, weight, sens_ptr, sens_items, col_of, count)
                if d == 0 and least <= 1:
                    columns = judge_root(
                        stack_class, b, mark_as, fresh or total < few, total, path, weight, open_ptr, open_occ,
                        open_items, num, den, level, best_row, best_people, best_key, columns, column, col_of, count,
                        bound,
                    )  # fmt: skip
            if size == most:
                columns = no_columns(columns, col_of, column)
            elif bounded:
                columns = hopeful_columns(columns, num, den, col_of, column, count, bound)
            if columns > 0:
                rows, work = list_rows(
                    stack_class, stack_at, a, live, fresh, ptr, items, sens_ptr, open_ptr, open_occ, open_items, level,
                    col_of, row_of, row, total_of, slot_of, alive, stop,
                )  # fmt: skip
            if rows > 0:
                cells = rows * columns
                if cells > len(table):
                    table = np.zeros(2 * cells, dtype=np.int32)
                    if not fresh:
                        newly = np.zeros(2 * cells, dtype=np.int32)
                fill_table(
                    stack_class, stack_at, a, live, columns, ptr, items, weight, sens_ptr, sens_items, col_of, row_of,
                    inside, total_of, slot_of, table, stop,
                )  # fmt: skip
                if raised(stop):
                    return looked
                deeper, leads, told = judge_table(
                    stack_class, stack_at, a, live, columns, total, size + 1 >= least, mark_as, fresh, few, ptr, items,
                    weight, open_ptr, open_occ, open_items, sup_without, num, den, level, col_of, row_of, total_of,
                    table, alive, newly, told, stop,
                )  # fmt: skip
                if raised(stop):
                    return looked
                for t in range(leads):
                    cell = told[t]
                    k = cell // columns
                    e = column[cell - k * columns]
                    path[size] = row[k]
                    people, with_e = np.int64(newly[cell]), np.int64(table[cell])
                    remember(best_row[e], people, with_e, total_of[k], size + 1, path, best_people, best_key)
                    newly[cell] = 0
                if cells <= 4 * work:
                    for cell in range(cells):
                        table[cell] = 0
                else:
                    clear_table(
                        stack_class, stack_at, a, live, columns, ptr, items, sens_ptr, sens_items, col_of, row_of, table
                    )
                if deeper and size + 1 < most:
                    base = last[d]
                    if base + rows > len(extension):
                        extension = grown(extension, base + rows)
                        begins = grown(begins, base + rows)
                    found, need = list_extensions(rows, base, top[d], row, row_of, alive, slot_of, extension, begins)
                    if need > len(stack_class):
                        stack_class = grown(stack_class, need)
                        stack_at = grown(stack_at, need)
                    list_classes(stack_class, stack_at, a, live, ptr, items, row_of, slot_of)
                    d += 1
                    cursor[d] = base
                    last[d] = base + found
                    top[d] = need
            no_columns(rows, row_of, row)
            no_columns(columns, col_of, column)
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
