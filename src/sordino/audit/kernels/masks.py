"""The deep part of the search for antecedents, where few items are left: sets of items are bits of one word.

Once a node of the search has at most 64 items that may still be added (rows) and 64 that may still be disclosed
(columns), its records are words: the rows each holds, its columns, and which of these are open. Below the node only
those words are needed. A child keeps only what is left of them: rows that were dead at the parent are dead below it,
and a record without rows adds nothing that the parent's table did not count. Records with nothing open and the same
words are one, so lists soon become short.
"""

from __future__ import annotations

import numpy as np

from sordino.audit.kernels.growth import grown
from sordino.engine.kernels.compiled import inner
from sordino.engine.kernels.flag import raised

SLOTS = 1021
PLACE = np.zeros(67, dtype=np.int64)  # the powers of 2 all differ modulo 67
for _bit in range(64):
    PLACE[2**_bit % 67] = _bit


@inner
def search_masks(size, total, classes, words, rows, columns, closed, task, r, o, g):  # type: ignore[no-untyped-def]
    """Marks what is open and exposed by an antecedent that adds some of the rows to one of `size` items.

    The records of that antecedent are those of classes[k], of which the words (by rows of `words`) tell the rows,
    columns and open columns; `total` records, with those that have no row. Rows are in ascending order. Arguments else
    as in search.py. Returns how many antecedents had their records listed.

    Long: one walk through a tree whose steps share all arrays; as functions they would be compiled with them again.
    """
    held, columns_in, open_in = words[0], words[1], words[2]
    row, column, weight, num, den = g.row, g.column, r.weight, r.num, r.den
    open_ptr, open_occ, open_items, sup_without, level = o.ptr, o.occ, o.items, o.sup_without, o.level
    least, most, mark_as, stop = task.least, task.most, task.mark_as, task.stop
    zero = np.uint64(0)
    one = np.uint64(1)
    modulus = np.uint64(67)
    bounded = len(sup_without) > 0
    # One stack of records; nodes are taken from the end, so that the records of the last node are always on top.
    room = 2 * len(classes)
    s_class = np.empty(room, dtype=np.int32)
    s_weight = np.empty(room, dtype=np.int64)
    s_all = np.empty(room, dtype=np.uint64)  # all rows of the first node that the records held share
    s_rows = np.empty(room, dtype=np.uint64)
    s_cols = np.empty(room, dtype=np.uint64)
    s_open = np.empty(room, dtype=np.uint64)
    where = np.zeros(SLOTS, dtype=np.int64)  # where a record with such words may be; believed only if it is so
    slots = np.uint64(SLOTS)
    to = np.int64(0)
    for k in range(len(classes)):
        mine = held[k]
        cols = columns_in[k]
        if open_in[k] == zero:
            slot = (mine % slots + cols % modulus) % slots
            at = where[slot]
            if at < to and s_rows[at] == mine and s_cols[at] == cols and s_open[at] == zero:
                s_weight[at] += weight[classes[k]]
                continue
            where[slot] = to
        s_class[to] = classes[k]
        s_weight[to] = weight[classes[k]]
        s_all[to] = mine
        s_rows[to] = mine
        s_cols[to] = cols
        s_open[to] = open_in[k]
        to += 1
    room = 128
    n_cols = np.empty(room, dtype=np.uint64)  # of a node: columns that may be disclosed,
    n_common = np.empty(room, dtype=np.uint64)  # rows that all its records share,
    n_total = np.empty(room, dtype=np.int64)  # all its records,
    n_size = np.empty(room, dtype=np.int64)
    n_begin = np.empty(room, dtype=np.int64)  # and where those with rows are
    n_end = np.empty(room, dtype=np.int64)
    same = np.zeros(64, dtype=np.uint64)  # the column that is the same item as a row
    for k in range(rows):
        for j in range(columns):
            if column[j] == row[k]:
                same[k] = one << np.uint64(j)
    table = np.zeros((64, 64), dtype=np.int64)
    total_of = np.zeros(64, dtype=np.int64)
    common_of = np.zeros(64, dtype=np.uint64)
    alive = np.zeros(64, dtype=np.uint64)
    n_cols[0] = ~zero
    n_common[0] = zero
    n_total[0] = total
    n_size[0] = size
    n_begin[0] = 0
    n_end[0] = to
    nodes = 1
    looked = np.int64(0)
    while nodes > 0 and not raised(stop):
        nodes -= 1
        looked += 1
        wanted = n_cols[nodes]
        common = n_common[nodes]
        everyone = n_total[nodes]
        length = n_size[nodes]
        begin = n_begin[nodes]
        end = n_end[nodes]
        some = zero
        for p in range(begin, end):
            if p & 0xFFF == 0 and raised(stop):
                return looked
            w = s_weight[p]
            mine = s_all[p]
            cols = s_cols[p] & wanted
            left = s_rows[p]
            some |= left
            while left != zero:
                rest = left & (left - one)
                k = PLACE[(left ^ rest) % modulus]
                left = rest
                if total_of[k] == 0:
                    common_of[k] = mine
                else:
                    common_of[k] &= mine
                total_of[k] += w
                bits = cols
                while bits != zero:
                    rest = bits & (bits - one)
                    table[k, PLACE[(bits ^ rest) % modulus]] += w
                    bits = rest
        useful = zero  # rows not shared by all
        left = some
        while left != zero:
            rest = left & (left - one)
            k = PLACE[(left ^ rest) % modulus]
            alive[k] = zero
            if total_of[k] < everyone:
                useful |= left ^ rest
            else:
                common |= left ^ rest
            left = rest
        for p in range(begin, end):
            if p & 0xFFF == 0 and raised(stop):
                return looked
            bits = s_open[p] & wanted
            while bits != zero:
                rest = bits & (bits - one)
                bit = bits ^ rest
                bits = rest
                j = PLACE[bit % modulus]
                e = column[j]
                c = s_class[p]
                i = open_ptr[c]
                while open_items[i] != e:
                    i += 1
                occ = open_occ[i]
                if level[occ] != 0:
                    s_open[p] ^= bit
                    continue
                without = sup_without[occ] * num[e] if bounded else np.int64(0)
                left = s_rows[p] & useful
                while left != zero:
                    more = left & (left - one)
                    k = PLACE[(left ^ more) % modulus]
                    left = more
                    if same[k] == bit:
                        continue
                    both = table[k, j]
                    if length + 1 >= least and both * den[e] > num[e] * total_of[k]:
                        level[occ] = mark_as
                        s_open[p] ^= bit
                        break
                    if both * (den[e] - num[e]) > without:
                        alive[k] |= bit
        further = zero
        left = useful
        while left != zero:
            rest = left & (left - one)
            if alive[PLACE[(left ^ rest) % modulus]] != zero:
                further |= left ^ rest
            left = rest
        if length + 1 < most:
            top = end
            left = further
            while left != zero:
                rest = left & (left - one)
                bit = left ^ rest
                left = rest
                k = PLACE[bit % modulus]
                # Rows beside k that are rarer, and that this node's records do not all share: then the same records are
                # reached by adding one of those first (see first_way).
                if closed and (common_of[k] & (bit - one) & ~common) != zero:
                    continue
                above = further & ~(bit | (bit - one))
                if above == zero:
                    continue
                cols = alive[k] & ~same[k]
                if top + end - begin > len(s_class):
                    s_class = grown(s_class, top + end - begin)
                    s_weight = grown(s_weight, top + end - begin)
                    s_all = grown(s_all, top + end - begin)
                    s_rows = grown(s_rows, top + end - begin)
                    s_cols = grown(s_cols, top + end - begin)
                    s_open = grown(s_open, top + end - begin)
                to = top
                hope = zero
                if end - begin > 0xFFFF and raised(stop):
                    return looked
                for p in range(begin, end):
                    mine = s_rows[p] & above
                    if mine == zero or (s_rows[p] & bit) == zero:
                        continue
                    still = s_cols[p] & cols
                    opened = s_open[p] & cols
                    if opened == zero:
                        slot = (mine % slots + still % modulus) % slots
                        at = where[slot]
                        if top <= at < to and s_rows[at] == mine and s_cols[at] == still and s_open[at] == zero:
                            s_weight[at] += s_weight[p]
                            s_all[at] &= s_all[p]
                            continue
                        where[slot] = to
                    s_class[to] = s_class[p]
                    s_weight[to] = s_weight[p]
                    s_all[to] = s_all[p]
                    s_rows[to] = mine
                    s_cols[to] = still
                    s_open[to] = opened
                    hope |= opened
                    to += 1
                if hope == zero:
                    continue
                if nodes == len(n_cols):
                    n_cols = grown(n_cols, nodes)
                    n_common = grown(n_common, nodes)
                    n_total = grown(n_total, nodes)
                    n_size = grown(n_size, nodes)
                    n_begin = grown(n_begin, nodes)
                    n_end = grown(n_end, nodes)
                n_cols[nodes] = hope
                n_common[nodes] = common_of[k]
                n_total[nodes] = total_of[k]
                n_size[nodes] = length + 1
                n_begin[nodes] = top
                n_end[nodes] = to
                nodes += 1
                top = to
        while some != zero:
            rest = some & (some - one)
            k = PLACE[(some ^ rest) % modulus]
            some = rest
            total_of[k] = 0
            for j in range(columns):
                table[k, j] = 0
    return looked
