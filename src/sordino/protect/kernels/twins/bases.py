"""Which harmless parts lie inside others: a record may give up harmless items to be shown with more sensitive ones."""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import kernel

__all__ = ["inner_parts"]


@kernel
def inner_parts(lo, hi, ptr, items, mask, most, first_ptr, first, kept, effort, stop):  # type: ignore[no-untyped-def]
    """For the parts lo..hi: those strictly inside, that lack fewer items than the part has sensitive ones beside it.

    `most` is the largest number of sensitive items that anybody has beside a part; `first` lists the parts by their
    first item. At most `kept` for each, the largest ones, found among at most `effort` candidates. Returns how many
    there are for each part, and all of them, one part after the other, largest first.
    """
    counts = np.zeros(hi - lo, dtype=np.int64)
    out = np.empty(1024, dtype=np.int32)
    used = 0
    near = np.empty(effort + 1, dtype=np.int32)
    for b in range(lo, hi):
        if stop[0]:
            break
        begin, end = ptr[b], ptr[b + 1]
        least = end - begin - most[b] + 1
        looked = here = 0
        for k in range(begin, end):
            if end - k < least or looked > effort:
                break
            for n in range(first_ptr[items[k]], first_ptr[items[k] + 1]):
                looked += 1
                if looked > effort:
                    break
                other = first[n]
                size = ptr[other + 1] - ptr[other]
                if other == b or size < least or size > end - k or mask[other] & ~mask[b]:
                    continue
                at = k
                inside = True
                for m in range(ptr[other], ptr[other + 1]):
                    while at < end and items[at] < items[m]:
                        at += 1
                    if at == end or items[at] != items[m]:
                        inside = False
                        break
                    at += 1
                if inside:
                    near[here] = other
                    here += 1
        if used + min(here, kept) > len(out):
            larger = np.empty(2 * len(out) + kept, dtype=np.int32)
            for n in range(used):
                larger[n] = out[n]
            out = larger
        size = end - begin
        while counts[b - lo] < min(here, kept):  # by falling size, as they were found
            size -= 1
            for n in range(here):
                if ptr[near[n] + 1] - ptr[near[n]] == size and counts[b - lo] < kept:
                    out[used] = near[n]
                    used += 1
                    counts[b - lo] += 1
    return counts, out[:used].copy()
