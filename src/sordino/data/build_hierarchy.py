"""Building a hierarchy where there is none: items in some order, cut into blocks of blocks.

What is near in the order gets near in the tree: names that follow each other (balanced), items that are about as
frequent (frequency), or items that are found in the same records (cooccurrence). All leaves lie at one depth.

A hierarchy goes out with a release. One that is made by frequency or co-occurrence tells something of the data it was
made from; "balanced" tells the names only.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.data.hierarchy import ROOT, Hierarchy, hierarchy_of
from sordino.errors import InputError, MissingExtra, did_you_mean

__all__ = ["FANOUT", "WAYS", "build_hierarchy"]

WAYS = ("balanced", "frequency", "cooccurrence")
FANOUT = 5
CLUSTERED = 3_000  # items that are clustered with each other; rarer ones are put beside the one they meet most often

Order = npt.NDArray[np.int64]


def build_hierarchy(baskets: Baskets, *, by: str = "balanced", fanout: int = FANOUT) -> Hierarchy:
    """A hierarchy of the items that occur; no node has more than `fanout` children, and siblings differ by one at most.

    by: "balanced" in the order of the vocabulary; "frequency", the most frequent first; "cooccurrence" in the order of
    the leaves of an average-linkage clustering by cosine similarity (needs SciPy).
    """
    if by not in WAYS:
        raise InputError(
            f"hierarchies cannot be built by '{by}'.{did_you_mean(by, WAYS)}", hint=f"By: {', '.join(WAYS)}"
        )
    if isinstance(fanout, bool) or not isinstance(fanout, int) or fanout < 2:
        raise InputError("the fanout must be a whole number, 2 or more")
    codes: Order = np.flatnonzero(baskets.supports)
    if not len(codes):
        raise InputError("there are no items to build a hierarchy of")
    if by == "frequency":
        codes = codes[np.argsort(-baskets.supports[codes], kind="stable")]
    elif by == "cooccurrence":
        codes = _clustered(baskets, codes)
    return _blocks([baskets.names[code] for code in codes], fanout, by == "balanced")


def _blocks(items: list[str], fanout: int, ranges: bool) -> Hierarchy:
    """The tree of blocks of blocks. A block is called by its ends if the items are in order, else by its place."""
    height = 1
    while fanout**height < len(items):
        height += 1
    names, parent = [ROOT], [-1]
    waiting = [(0, 0, len(items), 1, "")]
    while waiting:
        up, lo, hi, depth, place = waiting.pop()
        if depth == height:
            names += items[lo:hi]
            parent += [up] * (hi - lo)
            continue
        count = -(-(hi - lo) // fanout ** (height - depth))  # as few blocks as can hold them
        edges = [lo + (hi - lo) * k // count for k in range(count + 1)]
        for k, (start, stop) in enumerate(pairwise(edges), start=1):
            here = f"{place}-{k}"
            names.append(f"{items[start]}..{items[stop - 1]}" if ranges else f"group{here}")
            parent.append(up)
            waiting.append((len(names) - 1, start, stop, depth + 1, here))
    return hierarchy_of(names, parent)


def _clustered(baskets: Baskets, codes: Order) -> Order:
    try:
        from scipy.cluster.hierarchy import average, leaves_list
        from scipy.sparse import csr_array
        from scipy.spatial.distance import squareform
    except ImportError:
        raise MissingExtra("SciPy", "ml", "A hierarchy by co-occurrence") from None
    frequent = np.sort(codes[np.argsort(-baskets.supports[codes], kind="stable")[:CLUSTERED]])
    if len(frequent) < 2:
        return codes
    shape = (len(baskets), len(baskets.names))
    table = csr_array((np.ones(len(baskets.items)), baskets.items, baskets.indptr), shape=shape).tocsc()
    length = np.sqrt(np.maximum(baskets.supports, 1))
    together = (table[:, frequent].T @ table[:, frequent]).toarray()
    apart = 1.0 - together / np.outer(length[frequent], length[frequent])
    np.fill_diagonal(apart, 0.0)
    order = frequent[leaves_list(average(squareform(np.clip(apart, 0.0, 1.0), checks=False)))]
    rare = np.setdiff1d(codes, frequent)
    place = np.empty(len(baskets.names), dtype=np.float64)
    place[order] = np.arange(len(order))
    if len(rare):
        meets = (table[:, rare].T @ table[:, order]).tocsr()
        for k, code in enumerate(rare):
            row = slice(meets.indptr[k], meets.indptr[k + 1])
            near, often = meets.indices[row], meets.data[row]
            best = near[often == often.max()].min() if len(near) else len(order)
            place[code] = best + 0.5
    return codes[np.lexsort((codes, place[codes]))]
