"""Records that lose items and get them back: the store under every suppressor that deletes single occurrences.

A store is any tuple of arrays with these fields (Ledger, or Store of audit/kernels/personal.py):

    ptr, items, length   record u now holds items[ptr[u] : ptr[u] + length[u]], ranks ascending; deleted ones lie behind
    slot                 where each occurrence stands in the posting lists
    post                 posting lists of records u, or -1 - u where the item was deleted
    support              current support of each rank

Who keeps more beside it (signatures, watches, who is to be looked at again) sees to that after each step.
"""

from __future__ import annotations

from sordino.engine.kernels.compiled import inner


@inner
def take_out(store, u, at):  # type: ignore[no-untyped-def]
    """Deletes the occurrence at place `at` from record u, and keeps it behind the record. Returns the item."""
    items, slot = store.items, store.slot
    x, freed = items[at], slot[at]
    store.post[freed] = -1 - u
    last = store.ptr[u] + store.length[u] - 1
    for k in range(at, last):
        items[k] = items[k + 1]
        slot[k] = slot[k + 1]
    items[last] = x
    slot[last] = freed
    store.length[u] -= 1
    store.support[x] -= 1
    return x


@inner
def put_in(store, u, at):  # type: ignore[no-untyped-def]
    """The deleted item at place `at`, behind record u, is in it again. Returns the item."""
    items, slot = store.items, store.slot
    x, place = items[at], slot[at]
    start = store.ptr[u]
    end = start + store.length[u]
    items[at], slot[at] = items[end], slot[end]  # what lay first behind the record goes where this was
    k = end
    while k > start and items[k - 1] > x:
        items[k], slot[k] = items[k - 1], slot[k - 1]
        k -= 1
    items[k], slot[k] = x, place
    store.length[u] += 1
    store.post[place] = u
    store.support[x] += 1
    return x


@inner
def keep_weight(support, original, even):  # type: ignore[no-untyped-def]
    """How much an item is worth keeping, of whose type `support` of `original` occurrences are left.

    even = 0: 1, plus a little if most of its type is left (the paper's leftover rule: whole rules stay whole).
    even > 0: the more, the less of its type is left.
    """
    left = support / original
    if even > 0:
        return (1.0 / (left if left > 1e-9 else 1e-9)) ** even
    return 1.0 + 0.01 * left
