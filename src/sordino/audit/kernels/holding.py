"""Does a record hold certain items? Records are any tuple of arrays with ptr, items and length, ranks ascending."""

from __future__ import annotations

from sordino.engine.kernels.compiled import inner


@inner
def find_item(records, u, x):  # type: ignore[no-untyped-def]
    """The place of item x in `items` within record u, or -1."""
    items = records.items
    start = records.ptr[u]
    for at in range(start, start + records.length[u]):
        if items[at] >= x:
            return at if items[at] == x else -1
    return -1


@inner
def holds_all(ptr, items, length, u, known, size):  # type: ignore[no-untyped-def]
    """Whether record u (still) holds known[:size], ranks ascending."""
    at = ptr[u]
    stop = at + length[u]
    for k in range(size):
        while at < stop and items[at] < known[k]:
            at += 1
        if at >= stop or items[at] != known[k]:
            return False
    return True
