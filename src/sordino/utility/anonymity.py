"""The figures that data protection officers are asked for: k-anonymity, k^m-anonymity, uniqueness, l-diversity.

Of baskets, what people are recognized by are the items that are not sensitive (all, if none is):

- k: the fewest people who have the same of these items; unique: how many share theirs with nobody.
- k^m (Terrovitis et al., 2008): the fewest people who have the same m of these items or fewer, for m = 1 and 2.
- l: in every group of people who have the same of these items, at most one in l has the same sensitive item.

None of them is what a policy promises; they are told, not enforced.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.data.distinct import distinct

__all__ = ["Anonymity", "anonymity"]

PAIRS = 4_000_000  # pairs of items in records that are counted

Bools = npt.NDArray[np.bool_]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Anonymity:
    """The figures of one file; None where there is nothing to count, or too much (`k2`)."""

    records: int
    k: int | None
    unique: int
    k1: int | None
    k2: int | None
    share: Fraction | None  # the highest share of a sensitive item in a group of people alike; 0 if nobody has one

    @property
    def l(self) -> int | None:  # noqa: E743 - the name of the literature
        """l-diversity: 1 / the highest share, rounded down; None if nobody has anything sensitive."""
        return None if not self.share else int(1 / self.share)

    def to_dict(self) -> dict[str, Any]:
        return {
            "records": self.records,
            "k": self.k,
            "unique": self.unique,
            "k1": self.k1,
            "k2": self.k2,
            "l": self.l,
            "highest_share": None if self.share is None else float(self.share),
        }


def anonymity(baskets: Baskets, sensitive: Bools | None) -> Anonymity:
    """The figures of these records; `sensitive` marks codes, None where nothing is."""
    records = len(baskets)
    if not records:
        return Anonymity(0, None, 0, None, None, None)
    owner = np.repeat(np.arange(records, dtype=np.int64), baskets.lengths)
    secret = np.zeros(len(baskets.names), dtype=np.bool_) if sensitive is None else sensitive
    hidden = secret[baskets.items] if len(baskets.items) else np.empty(0, dtype=np.bool_)
    seen, by = baskets.items[~hidden], owner[~hidden]
    group = _alike(seen, by, records)
    size = np.bincount(group)
    supports = np.bincount(seen, minlength=len(baskets.names))
    rarest = int(supports[supports > 0].min()) if len(seen) else None
    share = None
    if sensitive is not None:
        share = Fraction(0)
        width = len(baskets.names)
        keys, held = np.unique(group[owner[hidden]] * width + baskets.items[hidden], return_counts=True)
        if len(keys):
            worst = int(np.argmax(held / size[keys // width]))
            share = Fraction(int(held[worst]), int(size[keys[worst] // width]))
    return Anonymity(records, int(size.min()), int((size == 1).sum()), rarest, _pairs(seen, by, rarest, records), share)


def _alike(items: npt.NDArray[np.integer], owner: Int64, records: int) -> Int64:
    """The group of each record; records with the same items are in one. By 128 bits that follow from the items."""
    marks = np.zeros((records, 2), dtype=np.uint64)
    draw = np.random.default_rng(20_080_407)
    words = draw.integers(0, 2**64, size=(int(items.max(initial=-1)) + 1, 2), dtype=np.uint64)
    ends = np.searchsorted(owner, np.arange(records + 1))
    for half in range(2):
        sums = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(words[items, half], dtype=np.uint64)))
        marks[:, half] = sums[ends[1:]] - sums[ends[:-1]]
    order = np.lexsort((marks[:, 1], marks[:, 0]))
    new = np.ones(records, dtype=np.bool_)
    new[1:] = (marks[order][1:] != marks[order][:-1]).any(axis=1)
    group = np.empty(records, dtype=np.int64)
    group[order] = np.cumsum(new) - 1
    return group


def _pairs(items: npt.NDArray[np.integer], owner: Int64, rarest: int | None, records: int) -> int | None:
    """The fewest records that share one item, or two that some record has; None if there are too many pairs."""
    if rarest is None or rarest == 1:
        return rarest
    length = np.bincount(owner, minlength=records)
    if int((length * (length - 1) // 2).sum()) > PAIRS:
        return None
    start = np.cumsum(length) - length
    width = int(items.max()) + 1
    keys = []
    for size in distinct(length[length > 1]).tolist():
        rows = items[start[length == size][:, None] + np.arange(size)].astype(np.int64)
        first, second = np.triu_indices(size, 1)
        keys.append((rows[:, first] * width + rows[:, second]).ravel())
    if not keys:
        return rarest
    _, counts = np.unique(np.concatenate(keys), return_counts=True)
    return min(rarest, int(counts.min()))
