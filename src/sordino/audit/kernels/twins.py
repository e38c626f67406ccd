"""For every sensitive occurrence: which records are equal but for that item?"""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel

__all__ = ["find_twins"]


@inner
def _mixed(item):  # type: ignore[no-untyped-def]
    """A number of 64 bits that looks random; sums of them tell sets apart (equal sums are compared item by item)."""
    h = np.uint64(item + 1) * np.uint64(0x9E3779B97F4A7C15)
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> np.uint64(27))


@kernel
def find_twins(ptr, items, wanted, table):  # type: ignore[no-untyped-def]
    """The class that lacks just this item, by place in `items`, or -1; asked where `wanted`.

    Classes are different records, items ascending. `table` is an open hash table, all -1, of a power of two that
    exceeds the number of classes. An item by itself has no twin here: the empty record is no class.
    """
    classes = len(ptr) - 1
    mask = np.uint64(len(table) - 1)
    total = np.zeros(classes, dtype=np.uint64)
    for c in range(classes):
        for k in range(ptr[c], ptr[c + 1]):
            total[c] += _mixed(items[k])
        slot = np.int64((total[c] ^ (total[c] >> np.uint64(32))) & mask)
        while table[slot] >= 0:
            slot = (slot + 1) & (len(table) - 1)
        table[slot] = c
    twin = np.full(len(items), -1, dtype=np.int32)
    for c in range(classes):
        length = ptr[c + 1] - ptr[c]
        for k in range(ptr[c], ptr[c + 1]):
            if not wanted[k] or length < 2:
                continue
            rest = total[c] - _mixed(items[k])
            slot = np.int64((rest ^ (rest >> np.uint64(32))) & mask)
            while table[slot] >= 0:
                other = table[slot]
                slot = (slot + 1) & (len(table) - 1)
                if total[other] != rest or ptr[other + 1] - ptr[other] != length - 1:
                    continue
                same = True
                for m in range(length - 1):
                    if items[ptr[other] + m] != items[ptr[c] + m + (ptr[c] + m >= k)]:
                        same = False
                        break
                if same:
                    twin[k] = other
                    break
    return twin
