"""A published data set beside its original: the same records in the same order, in the codes of the original."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sordino.data.baskets import Baskets, Int64
from sordino.errors import InputError

__all__ = ["align", "in_random_order", "reordered"]


def align(published: Baskets, original: Baskets) -> Baskets:
    """The published records in the order and with the names and ids of the original.

    Records belong together by their ids, if both have the same ones, else by position. An InputError if there are not
    as many, or if a published record holds something that its original does not.
    """
    if published is original:
        return original
    _check_number(published, original)
    order = np.arange(len(original), dtype=np.int64)
    if published.ids is not None and original.ids is not None and published.ids != original.ids:
        place = {name: u for u, name in enumerate(published.ids)}
        if place.keys() == set(original.ids):
            order = np.fromiter((place[name] for name in original.ids), dtype=np.int64, count=len(order))
    where = np.empty(len(order), dtype=np.int64)
    where[order] = np.arange(len(order))
    owner = np.repeat(where, published.lengths)
    codes = _codes(published, original)
    aligned = None
    if not len(codes) or codes.min() >= 0:
        aligned = Baskets.from_pairs(
            owner, codes, original.names, len(original), ids=original.ids, origin=published.origin
        )
        width = max(len(original.names), 1)
        old = np.repeat(np.arange(len(original), dtype=np.int64), original.lengths) * width + original.items
        new = np.repeat(np.arange(len(original), dtype=np.int64), aligned.lengths) * width + aligned.items
        place_of = np.searchsorted(old, new)
        if len(new) and (int(place_of[-1]) >= len(old) or not np.array_equal(old[place_of], new)):
            aligned = None
    if aligned is None:
        raise InputError(
            "the published records are not parts of the original ones",
            hint="Give the data from which the release was made, in the same order or with the same record ids. For a "
            "release in random order (--ids shuffle): sordino verify DIR --original DATA --policy FILE",
        )
    return replace(aligned, repeated=0)


def in_random_order(published: Baskets, original: Baskets) -> Baskets:
    """The published records as they are, in the codes of the original, and with its ids: which is whose is not known.

    That is enough to judge them. What may be known of people, and what they chose, is said by the original; what can be
    inferred from it is counted in the published records, whoever's they are.
    """
    _check_number(published, original)
    codes = _codes(published, original)
    if len(codes) and codes.min() < 0:
        raise InputError("the published records hold an item that no original one has")
    owner = np.repeat(np.arange(len(original), dtype=np.int64), published.lengths)
    return Baskets.from_pairs(owner, codes, original.names, len(original), ids=original.ids, origin=published.origin)


def reordered(baskets: Baskets, number: Int64) -> Baskets:
    """The baskets in the order of their numbers (1 to n, each once)."""
    order = np.argsort(number)
    if np.array_equal(order, np.arange(len(order))):
        return baskets
    lengths = baskets.lengths[order]
    indptr = np.zeros(len(order) + 1, dtype=np.int64)
    np.cumsum(lengths, out=indptr[1:])
    new = replace(baskets, indptr=indptr, items=np.empty(len(baskets.items), dtype=np.int32), ids=None)
    for lo, hi in new.stretches():
        # the k-th place of the new items lies as far into its record as in the old ones
        begin, end = indptr[lo], indptr[hi]
        away = np.repeat(baskets.indptr[order[lo:hi]] - indptr[lo:hi], lengths[lo:hi])
        new.items[begin:end] = baskets.items[np.arange(begin, end) + away]
    ids = None if baskets.ids is None else tuple(baskets.ids[u] for u in order.tolist())
    return replace(new, ids=ids)


def _check_number(published: Baskets, original: Baskets) -> None:
    if len(published) != len(original):
        raise InputError(
            f"there are {len(published):,} published and {len(original):,} original records",
            hint="Give the data from which the release was made.",
        )


def _codes(published: Baskets, original: Baskets) -> Int64:
    """The code in the original of every published occurrence; -1 if it has none."""
    used = np.flatnonzero(published.supports)
    code = np.full(len(published.names), -1, dtype=np.int64)
    code[used] = [original.code_of.get(published.names[c], -1) for c in used.tolist()]
    return code[published.items]
