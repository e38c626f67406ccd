"""Records in reverse Cuthill-McKee order: similar ones side by side (Cuthill and McKee 1969; see cahd.py)."""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import kernel
from sordino.engine.kernels.flag import raised


@kernel
def reverse_cuthill_mckee(ptr, near, first, stop):  # type: ignore[no-untyped-def]
    """The nodes of a graph in reverse Cuthill-McKee order; near[ptr[i] : ptr[i + 1]] are the neighbours of i.

    `first` are all nodes in the order in which they may begin a component: by rising degree. From there breadth-first,
    the neighbours of a node by rising degree, of equals the one listed first.
    """
    nodes = len(ptr) - 1
    order = np.empty(nodes, dtype=np.int64)
    seen = np.zeros(nodes, dtype=np.bool_)
    found = 0
    at = 0
    for seed in first:
        if seen[seed]:
            continue
        seen[seed] = True
        order[found] = seed
        found += 1
        while at < found and not raised(stop):  # each node is found once
            i = order[at]
            at += 1
            begun = found
            for p in range(ptr[i], ptr[i + 1]):
                j = near[p]
                if not seen[j]:
                    seen[j] = True
                    order[found] = j
                    found += 1
            if found - begun > 1:
                fresh = order[begun:found].copy()
                for place in np.argsort(ptr[fresh + 1] - ptr[fresh], kind="mergesort"):
                    order[begun] = fresh[place]
                    begun += 1
    return order[::-1].copy()
