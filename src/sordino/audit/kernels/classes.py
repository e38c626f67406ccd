"""Equal records are one class with a weight: everything after this kernel works on classes."""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import kernel
from sordino.engine.kernels.flag import raised
from sordino.engine.kernels.sorting import sort_part

FEW = 64  # items up to which insertion sorts quickest


@kernel
def group_equal(indptr, items, table_bits, stop=None):  # type: ignore[no-untyped-def]
    """The class of every record, in order of first appearance, by content (hashing only finds candidates).

    Returns (class of each record, first record of each class). An empty record has class -1. Like the other kernels of
    this file it ends early, with a useless result, once the flag `stop` is up.
    """
    records = len(indptr) - 1
    size = np.int64(1) << table_bits
    mask = size - 1
    table = np.zeros(size, dtype=np.int32)  # classes, counted from 1
    class_of = np.empty(records, dtype=np.int32)
    first = np.empty(records, dtype=np.int32)
    classes = 0
    for u in range(records):
        if u & 0xFFF == 0 and raised(stop):
            break
        start, end = indptr[u], indptr[u + 1]
        if start == end:
            class_of[u] = -1
            continue
        h = np.uint64(1469598103934665603)
        for k in range(start, end):
            h = (h ^ np.uint64(items[k] + 1)) * np.uint64(0x9E3779B97F4A7C15)
            h ^= h >> np.uint64(29)
        slot = np.int64(h & np.uint64(mask))
        found = -1
        while table[slot] > 0:
            c = table[slot] - 1
            v = first[c]
            if indptr[v + 1] - indptr[v] == end - start:
                same = True
                shift = indptr[v] - start
                for k in range(start, end):
                    if items[k] != items[k + shift]:
                        same = False
                        break
                if same:
                    found = c
                    break
            slot = (slot + 1) & mask
        if found < 0:
            first[classes] = u
            found = classes
            classes += 1
            table[slot] = classes
        class_of[u] = found
    return class_of, first[:classes].copy()


@kernel
def gather_sorted(indptr, items, firsts, rank, ptr, out, stop=None):  # type: ignore[no-untyped-def]
    """Writes the items of the chosen records as ranks, ascending within each record."""
    for c in range(len(firsts)):
        if c & 0xFFF == 0 and raised(stop):
            break
        start = indptr[firsts[c]]
        base = ptr[c]
        n = ptr[c + 1] - base
        if n > FEW:
            for k in range(n):
                out[base + k] = rank[items[start + k]]
            sort_part(out, base, n)
            continue
        for k in range(n):
            value = rank[items[start + k]]
            at = k
            while at > 0 and out[base + at - 1] > value:
                out[base + at] = out[base + at - 1]
                at -= 1
            out[base + at] = value


@kernel
def build_postings(ptr, items, width, sig0, sig1, stop=None):  # type: ignore[no-untyped-def]
    """Posting lists (class ids ascending) with each class's 128-bit signature beside it; fills sig0, sig1 per class."""
    classes = len(ptr) - 1
    post_ptr = np.zeros(width + 1, dtype=np.int64)
    for k in range(len(items)):
        post_ptr[items[k] + 1] += 1
    for i in range(width):
        post_ptr[i + 1] += post_ptr[i]
    at = post_ptr[:-1].copy()
    post = np.empty(len(items), dtype=np.int32)
    post_sig = np.empty((len(items), 2), dtype=np.uint64)
    one = np.uint64(1)
    own = width - 64
    for c in range(classes):
        if c & 0xFFF == 0 and raised(stop):
            break
        a = np.uint64(0)
        b = np.uint64(0)
        for k in range(ptr[c], ptr[c + 1]):
            # the 64 most frequent items have a bit of their own in b, so a test of it is exact; the rest share a
            if items[k] >= own:
                b |= one << np.uint64(items[k] - own)
            else:
                a |= one << np.uint64(items[k] & 63)
        sig0[c] = a
        sig1[c] = b
        for k in range(ptr[c], ptr[c + 1]):
            slot = at[items[k]]
            at[items[k]] = slot + 1
            post[slot] = c
            post_sig[slot, 0] = a
            post_sig[slot, 1] = b
    return post_ptr, post, post_sig
