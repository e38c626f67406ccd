"""Records, indexed for counting: classes of equal records, items by rarity, posting lists with signatures.

Items are renumbered by rising support (rank 0 is the rarest), so the first item of a class is its rarest one, and
scanning that item's posting list is the quickest way to all supersets (model.md 1.2, point 5). Classes are ordered by
length, so posting lists run from short records to long ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sordino.audit.kernels import classes as kernels
from sordino.data.baskets import Baskets
from sordino.engine.local import Flag, raise_if_stopped
from sordino.errors import InputError

__all__ = ["RecordIndex", "by_rarity", "equal_records", "holders", "index_records"]

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
U64 = npt.NDArray[np.uint64]
MANY = 16  # items, from which all lists are counted at once
MOST = 2**31 - 1  # classes are numbered by 32 bits; so products of two counts have room in 64


class RecordIndex(NamedTuple):
    """Classes of equal non-empty records. All item numbers are ranks; `code[rank]` is the code in the baskets.

    A tuple, so that kernels take it as it is.
    """

    ptr: I64  # class c holds items[ptr[c]:ptr[c + 1]], ranks ascending
    items: I32
    weight: I64  # how many records are in each class
    first: I32  # the first of them
    class_of: I32  # class of every record, -1 for an empty one
    rank: I32  # code -> rank
    code: I32  # rank -> code
    support: I64  # by rank
    post_ptr: I64
    post: I32
    post_sig: U64
    sig0: U64
    sig1: U64

    @property
    def classes(self) -> int:
        return len(self.ptr) - 1

    @property
    def width(self) -> int:
        return len(self.code)


def equal_records(indptr: I64, items: I32, stop: Flag | None = None) -> tuple[I32, I32]:
    """The class of equal records of each record (-1: empty), and the first record of each class."""
    bits = max(4, int(np.ceil(np.log2(max(1, len(indptr) - 1) * 2))))
    with np.errstate(over="ignore"):  # a hash wraps around; NumPy warns when the kernel runs uncompiled
        class_of, first = kernels.group_equal(indptr, items, bits, stop)
    raise_if_stopped(stop)
    return class_of, first


def by_rarity(supports: npt.NDArray[np.integer]) -> tuple[I32, I32]:
    """Items by rising support: the code of every rank, and the rank of every code."""
    code = np.argsort(supports, kind="stable").astype(np.int32)
    rank = np.empty(len(code), dtype=np.int32)
    rank[code] = np.arange(len(code), dtype=np.int32)
    return code, rank


def holders(post_ptr: I64, post: I32, ranks: tuple[int, ...]) -> I32:
    """The classes that hold all the given items."""
    lists = sorted((post[post_ptr[r] : post_ptr[r + 1]] for r in ranks), key=len)
    if len(lists) > MANY:  # a record may hold 100,000 items: one pass, not one a list
        return np.flatnonzero(np.bincount(np.concatenate(lists)) == len(lists)).astype(np.int32)
    classes = lists[0]
    for other in lists[1:]:
        classes = np.intersect1d(classes, other, assume_unique=True)
    return classes


def index_records(baskets: Baskets, stop: Flag | None = None, ranked: bool = False) -> RecordIndex:
    """The index of all records of `baskets`; Stopped if the flag goes up meanwhile.

    `ranked`: codes are ranks already.
    """
    if len(baskets) >= MOST:
        raise InputError(f"more than {MOST - 1:,} records are too many for one index", hint="Audit them in parts.")
    class_of, first = equal_records(baskets.indptr, baskets.items, stop)
    lengths = baskets.lengths[first]
    narrow = np.uint16 if lengths.max(initial=0) < 2**16 else np.int64  # NumPy sorts the former by digits
    order = np.argsort(lengths.astype(narrow), kind="stable")
    place = np.empty(len(order) + 1, dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    place[-1] = -1  # empty records have class -1
    class_of, first = place[class_of], first[order]
    weight = np.bincount(class_of[class_of >= 0], minlength=len(first)).astype(np.int64)

    width = len(baskets.names)
    code, rank = by_rarity(np.arange(width) if ranked else baskets.supports)
    ptr = np.zeros(len(first) + 1, dtype=np.int64)
    np.cumsum(lengths[order], out=ptr[1:])
    items = np.empty(int(ptr[-1]), dtype=np.int32)
    kernels.gather_sorted(baskets.indptr, baskets.items, first, rank, ptr, items, stop)
    raise_if_stopped(stop)
    sig0 = np.empty(len(first), dtype=np.uint64)
    sig1 = np.empty(len(first), dtype=np.uint64)
    post_ptr, post, post_sig = kernels.build_postings(ptr, items, width, sig0, sig1, stop)
    raise_if_stopped(stop)
    return RecordIndex(
        ptr, items, weight, first, class_of, rank, code, baskets.supports[code], post_ptr, post, post_sig, sig0, sig1
    )
