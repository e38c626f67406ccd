"""Anatomy's groups: one person of each of the l most frequent values, again and again (Xiao and Tao 2006)."""

from __future__ import annotations

from sordino.engine.kernels.compiled import kernel
from sordino.engine.kernels.flag import raised


@kernel
def take_largest(left, size, made, stop):  # type: ignore[no-untyped-def]
    """Fills made[g] with the `size` values of which most people wait (of equals the first), while there are so many.

    left[v] people of value v wait. Returns how many groups were made.
    """
    groups = 0
    while not raised(stop):  # fewer people wait with each turn
        for k in range(size):
            best = -1
            for v in range(len(left)):
                if left[v] > 0 and (best < 0 or left[v] > left[best]):
                    taken = False
                    for other in range(k):
                        taken |= made[groups, other] == v
                    if not taken:
                        best = v
            if best < 0:
                return groups
            made[groups, k] = best
        for k in range(size):
            left[made[groups, k]] -= 1
        groups += 1
        if groups == len(made):
            break
    return groups
