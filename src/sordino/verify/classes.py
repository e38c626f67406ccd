"""Equal records as one class: the form in which a proof speaks about data.

Part of the independent verifier: it takes only the raw arrays of the baskets, and sorts, names and counts for itself.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets

__all__ = ["Classes", "classes_of"]

Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]

AT_ONCE = 1 << 18  # items of which a text is made together
PAIRS_AT_ONCE = 1 << 21  # how many questions "has this class that item?" are held in memory together


@dataclass(frozen=True, eq=False)
class Classes:
    """Distinct records with weights. Classes are in the order of their first records, which name them in proofs."""

    records: int
    fingerprint: str  # as Baskets.fingerprint defines it, computed here again
    code_of: dict[str, int]  # items are numbered by the code points of their names
    first: Int64  # the record that names each class, ascending
    weight: Int64  # how many records each class has
    class_named: Int64  # for each record: the class it names, or -1
    indptr: Int64  # class c holds items[indptr[c]:indptr[c + 1]], ascending
    items: Int64
    posting_ptr: Int64  # item i is in the classes postings[posting_ptr[i]:posting_ptr[i + 1]], ascending
    postings: Int64
    pairs: Int64  # class * (number of items) + item of every occurrence, ascending

    def __len__(self) -> int:
        return len(self.first)

    def items_of(self, c: int) -> Int64:
        """The items of class c."""
        return self.items[self.indptr[c] : self.indptr[c + 1]]

    def holders(self, item: int) -> Int64:
        """The classes that contain an item."""
        return self.postings[self.posting_ptr[item] : self.posting_ptr[item + 1]]

    def lengths(self, classes: Int64) -> Int64:
        """How many items each of the given classes has."""
        return self.indptr[classes + 1] - self.indptr[classes]

    def contains(self, classes: Int64, items: Int64 | int) -> Bool:
        """For each pair, whether the class has the item."""
        asked = classes * len(self.code_of) + items
        if not len(self.pairs):
            return np.zeros(len(asked), dtype=np.bool_)
        found = np.searchsorted(self.pairs, asked)
        return np.asarray(self.pairs[np.minimum(found, len(self.pairs) - 1)] == asked)

    def first_uncovered(self, inner: Int64, outer: Int64, spared: int) -> int | None:
        """The first k for which class outer[k] lacks an item of inner[k] other than `spared`; None if there is none."""
        ends = np.cumsum(self.lengths(inner))
        start = done = 0
        while start < len(inner):
            stop = max(start + 1, int(np.searchsorted(ends, done + PAIRS_AT_ONCE, side="right")))
            row, item = self.spread(inner[start:stop])
            lacking = (item != spared) & ~self.contains(outer[start:stop][row], item)
            if lacking.any():
                return start + int(row[np.argmax(lacking)])
            start, done = stop, int(ends[stop - 1])
        return None

    def spread(self, classes: Int64) -> tuple[Int64, Int64]:
        """All items of the given classes, one after the other, and for each the position in `classes` it comes from."""
        lengths = self.lengths(classes)
        row = np.repeat(np.arange(len(classes)), lengths)
        offset = np.arange(len(row)) - (np.cumsum(lengths) - lengths)[row]
        return row, self.items[self.indptr[classes][row] + offset]


def classes_of(baskets: Baskets) -> Classes:
    """The classes of equal records of the baskets."""
    names = sorted(set(baskets.names))
    code_of = {name: code for code, name in enumerate(names)}
    width = max(len(names), 1)
    codes = np.fromiter((code_of[name] for name in baskets.names), dtype=np.int64, count=len(baskets.names))
    owner = np.repeat(np.arange(len(baskets), dtype=np.int64), np.diff(baskets.indptr))
    pairs = np.sort(owner * width + codes[baskets.items])
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    indptr = np.searchsorted(pairs, np.arange(len(baskets) + 1) * width)
    items = pairs % width

    class_of = _class_of(indptr, items)
    _, first, weight = np.unique(class_of, return_index=True, return_counts=True)
    class_named = np.full(len(baskets), -1, dtype=np.int64)
    class_named[first] = np.arange(len(first))

    kept = np.repeat(class_named >= 0, np.diff(indptr))
    class_items = items[kept]
    class_ptr = np.concatenate([[0], np.cumsum(np.diff(indptr)[first])]).astype(np.int64)
    class_owner = np.repeat(np.arange(len(first)), np.diff(class_ptr))
    by_item = np.argsort(class_items, kind="stable")
    return Classes(
        records=len(baskets),
        fingerprint=_fingerprint(names, indptr, items),
        code_of=code_of,
        first=first.astype(np.int64),
        weight=weight.astype(np.int64),
        class_named=class_named,
        indptr=class_ptr,
        items=class_items,
        posting_ptr=np.searchsorted(class_items[by_item], np.arange(len(names) + 1)),
        postings=class_owner[by_item],
        pairs=class_owner * len(names) + class_items,
    )


def _class_of(indptr: Int64, items: Int64) -> Int64:
    """For each record the number of its class, classes being numbered as they first appear."""
    whole = items.tobytes()
    bounds = (indptr * items.itemsize).tolist()
    number: dict[bytes, int] = {}
    return np.fromiter(
        (number.setdefault(whole[start:stop], len(number)) for start, stop in pairwise(bounds)),
        dtype=np.int64,
        count=len(indptr) - 1,
    )


def _fingerprint(names: list[str], indptr: Int64, items: Int64) -> str:
    """sha256 over a line a record: its names by code point, joined by U+001F; items are numbered in that order."""
    digest = hashlib.sha256()
    middle, last = [f"{name}\x1f" for name in names], [f"{name}\n" for name in names]
    texts, codes = np.array([*middle, *last, "\n"], dtype=object), items.copy()
    filled = np.diff(indptr) > 0
    codes[indptr[1:][filled] - 1] += len(names)
    codes = np.insert(codes, indptr[:-1][~filled], 2 * len(names))
    for start in range(0, len(codes), AT_ONCE):
        digest.update("".join(texts[codes[start : start + AT_ONCE]]).encode(errors="surrogatepass"))
    return digest.hexdigest()
