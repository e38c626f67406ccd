"""All pairs and triples of items, counted: what someone who knows one or two items can infer, without a search.

Short records hold few of them, so bounds and lists of records have nothing to save. What costs time here is waiting for
memory and guessing branches wrongly, and the kernels are shaped by that:

* equal records are merged, and laid out as rows, those of one kind (length, number of sensitive items) together, the
  sensitive items first: so all loops over a kind run alike, and a triple with something sensitive begins with it;
* a table entry is one word, the set above and its count below, in open addressing: the whole set decides, hashing only
  tells where to look. Tables stay small, because they grow only when they fill;
* the slot of every pair and triple is kept beside its row, so that judging looks up nothing again.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised

MIX = 0x9E3779B97F4A7C15  # 2^64 / golden ratio: the upper bits of a product with it are well mixed

_MIX = np.uint64(MIX)

# The tables of count_sets, and the slot of every set; of an entry the lower count_bits are the count
SmallSets = namedtuple("SmallSets", "pairs pair_slots triples triple_slots count_bits")


@kernel
def merge_equal(  # type: ignore[no-untyped-def]
    part, parts, indptr, items, sensitive, limit, table, start, size, inside, weight, stop
):  # fmt: skip
    """The distinct records of at least two items whose hash falls to this part.

    For each: where the first of them starts, its size, the number of sensitive items in it, and how many there are.
    `table` is all 0, of a power of two that exceeds the number of records. Returns how many there are, the number of
    pairs in them, of triples with something sensitive, and the size of the longest. Gives up when there are more than
    `limit` pairs and triples, or the flag `stop` is up.
    """
    mask = len(table) - 1
    n = pairs = triples = longest = 0
    for u in range(len(indptr) - 1):
        if u & 0xFFF == 0 and raised(stop):
            break
        a, b = indptr[u], indptr[u + 1]
        if b - a < 2:
            continue
        h = np.uint64(b - a)
        for k in range(a, b):
            h = (h ^ np.uint64(items[k])) * _MIX
            h ^= h >> np.uint64(32)
        if parts > 1 and np.int64(h >> np.uint64(40)) % parts != part:
            continue
        slot = np.int64(h & np.uint64(mask))
        while True:
            c = table[slot] - 1
            if c < 0:
                found = 0
                for k in range(a, b):
                    found += sensitive[items[k]]
                table[slot] = n + 1
                start[n] = a
                size[n] = b - a
                inside[n] = found
                weight[n] = 1
                n += 1
                longest = max(longest, b - a)
                pairs += pairs_of(b - a)
                triples += triples_of(b - a, found)
                break
            if size[c] == b - a:
                away = start[c] - a
                k = a
                while k < b and items[k] == items[k + away]:
                    k += 1
                if k == b:
                    weight[c] += 1
                    break
            slot = (slot + 1) & mask
        if pairs + triples > limit:
            break
    return n, pairs, triples, longest


@inner
def pairs_of(n):  # type: ignore[no-untyped-def]
    return n * (n - 1) // 2


@inner
def triples_of(n, sensitive):  # type: ignore[no-untyped-def]
    """The triples of a row that hold something sensitive."""
    other = n - sensitive
    return (n * (n - 1) * (n - 2) - other * (other - 1) * (other - 2)) // 6


@kernel
def lay_out(start, size, inside, weight, longest, items, sensitive):  # type: ignore[no-untyped-def]
    """The records as rows: blocks of rows of one kind, all items, and for each row where they begin, weight and start.

    A block is (length, sensitive items, first row, last row + 1, where its items begin).
    """
    kinds = (longest + 1) * (longest + 1)
    row = np.zeros(kinds, dtype=np.int64)
    place = np.zeros(kinds, dtype=np.int64)
    for c in range(len(start)):
        row[size[c] * (longest + 1) + inside[c]] += 1
    blocks = np.empty((kinds, 5), dtype=np.int64)
    used = 0
    rows = 0
    places = 0
    for kind in range(kinds):
        n, many = kind // (longest + 1), row[kind]
        row[kind], place[kind] = rows, places
        if many > 0:
            blocks[used, 0], blocks[used, 1], blocks[used, 2] = n, kind % (longest + 1), rows
            rows += many
            blocks[used, 3], blocks[used, 4] = rows, places
            places += many * n
            used += 1
    row_items = np.empty(places, dtype=np.int32)
    row_ptr = np.empty(rows + 1, dtype=np.int64)
    row_ptr[rows] = places
    row_weight = np.empty(rows, dtype=np.int32)
    row_start = np.empty(rows, dtype=np.int64)
    for c in range(len(start)):
        kind = size[c] * (longest + 1) + inside[c]
        head = place[kind]
        row_ptr[row[kind]] = head
        row_weight[row[kind]] = weight[c]
        row_start[row[kind]] = start[c]
        row[kind] += 1
        tail = head + inside[c]
        place[kind] = head + size[c]
        for k in range(start[c], start[c] + size[c]):
            first = np.int64(sensitive[items[k]])
            row_items[tail + (head - tail) * first] = items[k]
            head += first
            tail += 1 - first
    return blocks[:used].copy(), row_items, row_ptr, row_weight, row_start


@inner
def slot_for(key, table, shift, count_bits):  # type: ignore[no-untyped-def]
    """The slot of a set, or the empty one that is to be its own."""
    slot = np.int64((np.uint64(key) * _MIX) >> shift)
    word = table[slot]
    while (word != 0) & (word >> count_bits != key):
        slot = (slot + 1) & (len(table) - 1)
        word = table[slot]
    return slot


@inner
def bigger(table, shift, count_bits, slots, upto):  # type: ignore[no-untyped-def]
    """A table of twice the size with the same entries; slots[:upto] follow them."""
    new = np.zeros(2 * len(table), dtype=np.int64)
    moved = np.empty(len(table), dtype=np.int32)
    for old in range(len(table)):
        if table[old] != 0:
            slot = slot_for(table[old] >> count_bits, new, shift, count_bits)
            new[slot] = table[old]
            moved[old] = slot
    for k in range(upto):
        slots[k] = moved[slots[k]]
    return new


@kernel
def count_sets(three, laid, bits, count_bits, shift, table, slots):  # type: ignore[no-untyped-def]
    """Counts all pairs, or with `three` all triples with something sensitive in them; returns the table.

    `laid` is what lay_out made. Items have `bits` bits, counts `count_bits`. `table` is all 0, of 2^(64 - shift) slots.
    `slots` gets the slot of every set, row by row.
    """
    blocks, rows, weight = laid.blocks, laid.items, laid.weight
    used = 0
    at = 0
    for b in range(len(blocks)):
        n = blocks[b, 0]
        roots = blocks[b, 1] if three else n
        each = triples_of(n, roots) if three else pairs_of(n)
        begin = blocks[b, 4]
        for c in range(blocks[b, 2], blocks[b, 3]):
            while 8 * (used + each) > 5 * len(table):  # or there would be long ways to an empty slot, or none
                shift -= 1
                table = bigger(table, np.uint64(shift), count_bits, slots, at)
            w = np.int64(weight[c])
            end = begin + n
            for i in range(begin, begin + roots):
                x = np.int64(rows[i]) << bits
                for j in range(i + 1, end):
                    y = x | rows[j]
                    if not three:
                        slot = slot_for(y, table, np.uint64(shift), count_bits)
                        used += table[slot] == 0
                        table[slot] = max(table[slot], y << count_bits) + w
                        slots[at] = slot
                        at += 1
                        continue
                    y <<= bits
                    for k in range(j + 1, end):
                        z = y | rows[k]
                        slot = slot_for(z, table, np.uint64(shift), count_bits)
                        used += table[slot] == 0
                        table[slot] = max(table[slot], z << count_bits) + w
                        slots[at] = slot
                        at += 1
            begin = end
    return table


@inner
def note(leads, used, known, also, inferred, support, with_item):  # type: ignore[no-untyped-def]
    """Writes a lead, if there is room."""
    if used < len(leads):
        leads[used, 0] = known
        leads[used, 1] = also
        leads[used, 2] = inferred
        leads[used, 3] = support
        leads[used, 4] = with_item


@kernel
def judge_rows(  # type: ignore[no-untyped-def]
    part, parts, few, longest, laid, num, den, support, sets, risk, beside, leads
):  # fmt: skip
    """How few known items expose each sensitive item of the rows that fall to this part: `risk`, 1 or 2, 0 for none.

    `beside` marks the items. Triples may be empty: then only one item is known. `leads` gets (known, also known or -1,
    inferred, records with what is known, records with all) where at least `few` records hold what is known, and it
    exposes something that nothing smaller does. Returns how many people one known item exposes, how many more two, and
    the number of leads, of which there may be more than there was room for.

    Long: one pass over the rows whose steps share all arrays; as functions they would be compiled with them again.
    """
    blocks, rows, weight = laid.blocks, laid.items, laid.weight
    pairs, pair_slots, triples, triple_slots = sets.pairs, sets.pair_slots, sets.triples, sets.triple_slots
    only = (np.int64(1) << sets.count_bits) - 1
    by_one = 0
    by_two = 0
    used = 0
    noted2 = np.zeros(len(pairs), dtype=np.uint8)  # by slot, bit k: that the others expose the k-th item is a lead
    noted3 = np.zeros(len(triples), dtype=np.uint8)
    both = np.zeros((longest, longest), dtype=np.int64)  # records that hold the i-th and the j-th item of a row
    known = np.zeros(longest, dtype=np.int64)
    its_num = np.zeros(longest, dtype=np.int64)
    its_den = np.zeros(longest, dtype=np.int64)
    one = np.zeros(longest, dtype=np.uint8)
    two = np.zeros(longest, dtype=np.uint8)
    base2 = 0
    base3 = 0
    for b in range(len(blocks)):
        n, s, lo, hi = blocks[b, 0], blocks[b, 1], blocks[b, 2], blocks[b, 3]
        first2, first3 = base2, base3
        each2 = pairs_of(n)
        each3 = triples_of(n, s)
        base2 += each2 * (hi - lo)
        base3 += each3 * (hi - lo)
        if s == 0:
            continue
        for c in range(part, hi - lo, parts):
            begin = blocks[b, 4] + c * n
            at2 = first2 + c * each2
            at3 = first3 + c * each3
            for i in range(n):
                known[i] = support[rows[begin + i]]
            for i in range(s):
                beside[rows[begin + i]] = True
                its_num[i] = num[rows[begin + i]]
                its_den[i] = den[rows[begin + i]]
                one[i] = 0
                two[i] = 0
            for i in range(s):
                for j in range(i + 1, n):
                    slot = pair_slots[at2]
                    at2 += 1
                    m = pairs[slot] & only
                    both[i, j] = m
                    hit = np.uint8(m * its_den[i] > its_num[i] * known[j])
                    one[i] |= hit
                    if hit & (known[j] >= few) and noted2[slot] & 1 == 0:
                        noted2[slot] |= 1
                        note(leads, used, rows[begin + j], -1, rows[begin + i], known[j], m)
                        used += 1
                    if j < s:
                        hit = np.uint8(m * its_den[j] > its_num[j] * known[i])
                        one[j] |= hit
                        if hit & (known[i] >= few) and noted2[slot] & 2 == 0:
                            noted2[slot] |= 2
                            note(leads, used, rows[begin + i], -1, rows[begin + j], known[i], m)
                            used += 1
            left = s
            for i in range(s):
                left -= one[i]
            if left > 0 and n > 2 and len(triples) > 0:
                for i in range(s, n):
                    for j in range(i + 1, n):
                        both[i, j] = pairs[pair_slots[at2]] & only
                        at2 += 1
                for i in range(s):
                    for j in range(i + 1, n):
                        for k in range(j + 1, n):
                            slot = triple_slots[at3]
                            at3 += 1
                            m = triples[slot] & only
                            q = both[j, k]
                            hit = np.uint8(m * its_den[i] > its_num[i] * q) & (1 - one[i])
                            two[i] |= hit
                            if hit & (q >= few) and noted3[slot] & 1 == 0:
                                noted3[slot] |= 1
                                note(leads, used, rows[begin + j], rows[begin + k], rows[begin + i], q, m)
                                used += 1
                            if j < s:
                                q = both[i, k]
                                hit = np.uint8(m * its_den[j] > its_num[j] * q) & (1 - one[j])
                                two[j] |= hit
                                if hit & (q >= few) and noted3[slot] & 2 == 0:
                                    noted3[slot] |= 2
                                    note(leads, used, rows[begin + i], rows[begin + k], rows[begin + j], q, m)
                                    used += 1
                            if k < s:
                                q = both[i, j]
                                hit = np.uint8(m * its_den[k] > its_num[k] * q) & (1 - one[k])
                                two[k] |= hit
                                if hit & (q >= few) and noted3[slot] & 4 == 0:
                                    noted3[slot] |= 4
                                    note(leads, used, rows[begin + i], rows[begin + j], rows[begin + k], q, m)
                                    used += 1
            any_two = np.uint8(0)
            for i in range(s):
                risk[begin + i] = one[i] + 2 * two[i]
                any_two |= two[i]
            if left < s:
                by_one += weight[lo + c]
            elif any_two:
                by_two += weight[lo + c]
    return by_one, by_two, used
