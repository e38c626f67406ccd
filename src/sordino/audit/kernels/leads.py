"""The antecedents worth remembering: those of one item, and the best for every sensitive item."""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner


@inner
def judge_root(lists, b, total, path, columns, task, r, o, g, best):  # type: ignore[no-untyped-def]
    """Tests path[:1] -> e for the items e of all columns; marks and remembers. Returns the columns that are left."""
    classes, weight, num, den = lists.classes, r.weight, r.num, r.den
    open_ptr, open_occ, open_items, level = o.ptr, o.occ, o.items, o.level
    column, col_of, count, bound, mark_as = g.column, g.col_of, g.count, g.bound, task.mark_as
    kept = np.int64(0)
    hits = 0
    for k in range(columns):
        hits += count[k] * den[column[k]] > num[column[k]] * total
    if hits == 0:
        return columns
    people = np.zeros(columns, dtype=np.int64)
    for p in range(b):
        c = classes[p]
        for j in range(open_ptr[c], open_ptr[c + 1]):
            e = open_items[j]
            k = col_of[e]
            if k >= 0 and count[k] * den[e] > num[e] * total:
                level[open_occ[j]] = mark_as
                people[k] += weight[c]
    for k in range(columns):
        e = column[k]
        if count[k] * den[e] > num[e] * total:
            if not task.fresh and total >= task.few:
                remember(best, e, people[k], count[k], total, np.int64(1), path)
            col_of[e] = -1
        else:
            column[kept] = e
            col_of[e] = kept
            count[kept] = count[k]
            bound[kept] = bound[k]
            kept += 1
    return kept


@inner
def remember(best, e, people, with_e, total, size, path):  # type: ignore[no-untyped-def]
    """Keeps the antecedent if it is among the best of its item: most people newly exposed, then smallest ranks."""
    row, best_people, best_key = best.row[e], best.people, best.key
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
