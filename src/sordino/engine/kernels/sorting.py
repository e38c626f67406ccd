"""Sorting in kernels, by heaps: NumPy's sorts take Numba seconds to compile, each for every type."""

from __future__ import annotations

from sordino.engine.kernels.compiled import inner


@inner
def sort_part(values, base, n):  # type: ignore[no-untyped-def]
    """values[base : base + n] in ascending order."""
    for step in range(n // 2 - 1, -n, -1):  # first makes a heap, from the end; then takes its largest, again and again
        root = step if step > 0 else 0
        end = n + step if step < 0 else n
        if step < 0:
            values[base], values[base + end] = values[base + end], values[base]
        value = values[base + root]
        child = 2 * root + 1
        while child < end:
            if child + 1 < end and values[base + child + 1] > values[base + child]:
                child += 1
            if values[base + child] <= value:
                break
            values[base + root] = values[base + child]
            root = child
            child = 2 * root + 1
        values[base + root] = value


@inner
def places_by(key, n, places):  # type: ignore[no-untyped-def]
    """places[:n] becomes 0 .. n - 1 in the order of key[:n]; of equal ones the first comes first."""
    for k in range(n):
        places[k] = k
    for step in range(n // 2 - 1, -n, -1):
        root = step if step > 0 else 0
        end = n + step if step < 0 else n
        if step < 0:
            places[0], places[end] = places[end], places[0]
        place = places[root]
        child = 2 * root + 1
        while child < end:
            if child + 1 < end:
                a, b = places[child], places[child + 1]
                if key[b] > key[a] or (key[b] == key[a] and b > a):
                    child += 1
            other = places[child]
            if key[other] < key[place] or (key[other] == key[place] and other <= place):
                break
            places[root] = other
            root = child
            child = 2 * root + 1
        places[root] = place
