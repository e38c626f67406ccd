"""Equal rows found once: the group of every row, groups numbered in the order in which they appear."""

from __future__ import annotations

from sordino.engine.kernels.compiled import kernel
from sordino.engine.kernels.flag import raised


@kernel
def group_keys(keys, group, first, rows, table, stop=None):  # type: ignore[no-untyped-def]
    """Fills the group of every key, and the first row and the number of rows of each group; returns how many there are.

    Keys are below 2^62. `table` is an open hash table, all -1, of a power of two that exceeds the number of groups.
    Ends early, with a useless result, once the flag `stop` is up.
    """
    mask = len(table) - 1
    n = 0
    for i in range(len(keys)):
        if i & 0xFFFF == 0 and raised(stop):
            break
        key = keys[i]
        h = (key & 0x7FFFFFFF) * 2654435761 ^ (key >> 31) * 2246822519  # below 2^63: no overflow with the JIT off
        h = (h ^ (h >> 32) ^ (h >> 15)) & mask
        while True:
            g = table[h]
            if g < 0:
                table[h] = n
                first[n] = i
                rows[n] = 1
                group[i] = n
                n += 1
                break
            if keys[first[g]] == key:
                rows[g] += 1
                group[i] = g
                break
            h = (h + 1) & mask
    return n
