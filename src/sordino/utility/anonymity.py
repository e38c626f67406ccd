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
    secret = np.zeros(len(baskets.names), dtype=np.bool_) if sensitive is None else sensitive
    group, hidden = _alike(baskets, secret)
    size = np.bincount(group)
    supports = np.where(secret, 0, baskets.supports)
    rarest = int(supports[supports > 0].min()) if supports.any() else None
    share = None if sensitive is None else _highest_share(baskets, secret, group, size)
    fewest = _pairs(baskets, secret, baskets.lengths - hidden, rarest)
    return Anonymity(records, int(size.min()), int((size == 1).sum()), rarest, fewest, share)


def _alike(baskets: Baskets, secret: Bools) -> tuple[Int64, Int64]:
    """The group of each record, and how many items it hides; records that show the same items are in one group.

    By 128 bits that follow from the items.
    """
    records = len(baskets)
    marks, hidden = np.zeros((records, 2), dtype=np.uint64), np.zeros(records, dtype=np.int64)
    draw = np.random.default_rng(20_080_407)
    words = draw.integers(0, 2**64, size=(len(secret), 2), dtype=np.uint64)
    words[secret] = 0
    for lo, hi in baskets.stretches():
        ends = baskets.indptr[lo : hi + 1] - baskets.indptr[lo]
        items = baskets.items[baskets.indptr[lo] : baskets.indptr[hi]]
        for half in range(2):
            sums = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(words[items, half], dtype=np.uint64)))
            marks[lo:hi, half] = np.diff(sums[ends])
        hidden[lo:hi] = np.diff(np.concatenate(([0], np.cumsum(secret[items])))[ends])
    order = np.lexsort((marks[:, 1], marks[:, 0]))
    new = np.ones(records, dtype=np.bool_)
    new[1:] = (marks[order][1:] != marks[order][:-1]).any(axis=1)
    group = np.empty(records, dtype=np.int64)
    group[order] = np.cumsum(new) - 1
    return group, hidden


def _highest_share(baskets: Baskets, secret: Bools, group: Int64, size: Int64) -> Fraction:
    """The highest share of a group that has the same of these items; 0 if nobody has one."""
    width = max(len(secret), 1)
    keys = np.empty(int(baskets.supports[secret].sum()), dtype=np.int64)  # group and item
    end = 0
    for lo, hi in baskets.stretches():
        items = baskets.items[baskets.indptr[lo] : baskets.indptr[hi]]
        some = np.repeat(group[lo:hi] * width, baskets.lengths[lo:hi])[secret[items]] + items[secret[items]]
        keys[end : end + len(some)] = some
        end += len(some)
    if not len(keys):
        return Fraction(0)
    keys.sort()
    first = np.concatenate(([0], np.flatnonzero(keys[1:] != keys[:-1]) + 1))
    held, of = np.diff(np.append(first, len(keys))), size[keys[first] // width]
    worst = int(np.argmax(held / of))
    return Fraction(int(held[worst]), int(of[worst]))


def _pairs(baskets: Baskets, secret: Bools, length: Int64, rarest: int | None) -> int | None:
    """The fewest records that share one item, or two that some record has; None if there are too many pairs.

    `length`: how many items each record shows.
    """
    if rarest is None or rarest == 1:
        return rarest
    if int((length * (length - 1) // 2).sum()) > PAIRS:
        return None
    items = baskets.items[~secret[baskets.items]]
    start = np.cumsum(length) - length
    width = len(secret)
    keys = []
    for size in distinct(length[length > 1]).tolist():
        rows = items[start[length == size][:, None] + np.arange(size)].astype(np.int64)
        first, second = np.triu_indices(size, 1)
        keys.append((rows[:, first] * width + rows[:, second]).ravel())
    if not keys:
        return rarest
    _, counts = np.unique(np.concatenate(keys), return_counts=True)
    return min(rarest, int(counts.min()))
