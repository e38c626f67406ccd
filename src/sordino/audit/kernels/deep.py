"""Is there an antecedent at all, of whatever size? The search of levels.py without a word about which is best.

What was marked during the search counts as open no longer, which changes no mark. Two things more keep it small, and
are worth their compiling where there is much to search:

* with unlimited knowledge one antecedent is tried for every set of classes (closed.py);
* a branch with few items left is searched as words (masks.py).
"""

from __future__ import annotations

import numpy as np

from sordino.audit.kernels.closed import first_way, shared_by_all
from sordino.audit.kernels.growth import grown
from sordino.audit.kernels.leads import judge_root
from sordino.audit.kernels.masks import search_masks
from sordino.audit.kernels.nodes import (
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
    no_columns,
    open_columns,
    sort_rows,
)
from sordino.engine.kernels.compiled import kernel
from sordino.engine.kernels.flag import raised


# Long: one walk through a tree whose steps share all arrays; as functions they would be compiled with them again.
@kernel
def search_deep(  # type: ignore[no-untyped-def]
    roots, least, most, mark_as, closed, ptr, items, weight, post_ptr, post, sens_ptr, sens_items, open_ptr, open_occ,
    open_items, sup_without, num, den, level, best_row, best_people, best_key, stop,
):  # fmt: skip
    """Marks `level[occurrence]` where an antecedent of least..most items, the rarest of them in `roots`, exposes it.

    Arguments as of search_levels; `best_*` are only handed on, nothing is kept in them. With `closed`, only one
    antecedent is tried for every set of classes: for unlimited knowledge, when leaves of confidence 1 are known.
    Ends early once the flag `stop` is up: what was marked by then is so, but it is not all.
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
    none = np.zeros(1, dtype=np.int64)
    nothing = np.zeros(1, dtype=np.int32)
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
            columns = np.int64(0)
            rows = np.int64(0)
            work = np.int64(0)
            total = np.int64(0)
            live = a
            if not (closed and d > 0) or first_way(
                stack_class, stack_at, a, b, path[d], common, shared_at[d - 1], shared_at[d], ptr, items, buffer
            ):
                live, total = extendable_first(stack_class, stack_at, a, b, ptr, weight)
                # What is open here, and may be disclosed here or below.
                columns = open_columns(
                    stack_class, a, b if bounded or size >= least else live, path, size, True, open_ptr, open_occ,
                    open_items, sup_without, level, col_of, column, count, bound, stop,
                )  # fmt: skip
            if raised(stop):
                return looked
            if columns > 0 and (bounded or (d == 0 and least <= 1)):
                count_columns(stack_class, a, b, weight, sens_ptr, sens_items, col_of, count)
                if d == 0 and least <= 1:
                    columns = judge_root(
                        stack_class, b, mark_as, True, total, path, weight, open_ptr, open_occ,
                        open_items, num, den, level, best_row, best_people, best_key, columns, column, col_of, count,
                        bound,
                    )  # fmt: skip
            if size == most:
                columns = no_columns(columns, col_of, column)
            elif bounded:
                columns = hopeful_columns(columns, num, den, col_of, column, count, bound)
            if columns > 0:
                rows, work = list_rows(
                    stack_class, stack_at, a, live, True, ptr, items, sens_ptr, open_ptr, open_occ, open_items, level,
                    col_of, row_of, row, total_of, slot_of, alive, stop,
                )  # fmt: skip
                if raised(stop):
                    return looked
            if 0 < rows <= 64 and columns <= 64:
                # The rest of this branch is small enough for words.
                sort_rows(rows, row, row_of)
                if live - a > len(word_class):
                    word_class = np.empty(2 * (live - a), dtype=np.int32)
                    words = np.empty((3, 2 * (live - a)), dtype=np.uint64)
                n = as_words(
                    stack_class, stack_at, a, live, ptr, items, sens_ptr, sens_items, open_ptr, open_occ, open_items,
                    level, col_of, row_of, word_class, words,
                )  # fmt: skip
                looked += search_masks(
                    size, least, most, mark_as, closed, total, word_class[:n], words[0], words[1], words[2], row, rows,
                    column, columns, weight, open_ptr, open_occ, open_items, sup_without, num, den, level, stop,
                )  # fmt: skip
            elif rows > 0:
                cells = rows * columns
                if cells > len(table):
                    table = np.zeros(2 * cells, dtype=np.int32)
                fill_table(
                    stack_class, stack_at, a, live, columns, ptr, items, weight, sens_ptr, sens_items, col_of, row_of,
                    inside, total_of, slot_of, table, stop,
                )  # fmt: skip
                if raised(stop):
                    return looked
                deeper, _, _ = judge_table(
                    stack_class, stack_at, a, live, columns, total, size + 1 >= least, mark_as, True, 0, ptr, items,
                    weight, open_ptr, open_occ, open_items, sup_without, num, den, level, col_of, row_of, total_of,
                    table, alive, nothing, none, stop,
                )  # fmt: skip
                if raised(stop):
                    return looked
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
            if closed:
                n = ptr[stack_class[a] + 1] - ptr[stack_class[a]]
                if n > len(buffer):
                    buffer = np.empty(2 * n, dtype=np.int32)
    return looked
