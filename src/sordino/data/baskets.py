"""Set-valued data: every record is a set of items."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.distinct import distinct
from sordino.data.handed_on import HandedOn
from sordino.errors import InputError

__all__ = ["Baskets", "Origin"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
BLOCK = 1 << 18  # items of which a text is made together
PAIRS = 1 << 22  # of record and item that are looked at together


@dataclass(frozen=True)
class Origin:
    """Where baskets came from, and all that is needed to write them back in the same form."""

    path: str | None = None  # None: made in Python; "-": standard input
    format: str = "memory"  # fimi | csv | parquet | jsonl | memory
    layout: str = "list"  # fimi | baskets | long | list
    record: str | None = None  # name of the record column (long layouts)
    item: str | None = None  # name of the item (or list) column
    gzipped: bool = False
    delimiter: str = ","
    sha256: str | None = None  # of the bytes as read (before unzipping)
    record_type: str = "text"  # text | integer: what the record ids were (Parquet, JSON)
    item_type: str = "text"  # text | integer: what the items were (Parquet, JSON)
    stated: bool = field(default=False, compare=False)  # whether the user said how the records lie there
    unused: tuple[str, ...] = field(default=(), compare=False)  # columns that were not read
    database: str | None = field(default=None, compare=False)  # the system that it was read from, if it was one
    shape: str = field(default="", compare=False)  # "onehot": every column was an item; else as `layout` says
    missing: tuple[tuple[str, int], ...] = field(default=(), compare=False)  # texts that were no items, and how often
    packed: str = field(default="", compare=False)  # what the source was packed in, and which part of it was taken


@dataclass(frozen=True, eq=False)
class Baskets(HandedOn):
    """Records as item codes in CSR form, and the names behind the codes.

    Record u holds `items[indptr[u]:indptr[u + 1]]`: ascending, without repeats, perhaps empty. Names are in the order
    of their codes: numeric order if all are whole numbers, else by code point. So the codes depend on the content only,
    not on its format. Some names may occur in no record.
    """

    indptr: Int64
    items: Int32
    names: tuple[str, ...]
    ids: tuple[str, ...] | None = None  # record ids in record order, if the source has them
    repeated: int = 0  # repeated items that were dropped while reading
    origin: Origin = field(default_factory=Origin)

    def __post_init__(self) -> None:
        if len(self.indptr) == 0 or self.indptr[0] != 0 or self.indptr[-1] != len(self.items):
            raise InputError("the record boundaries do not fit the items")
        if self.ids is not None and len(self.ids) != len(self):
            raise InputError("the number of record ids differs from the number of records")

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __iter__(self) -> Iterator[frozenset[str]]:
        return (self.record(u) for u in range(len(self)))

    def __repr__(self) -> str:
        return f"Baskets({len(self):,} records, {self.distinct_items:,} items, {self.occurrences:,} occurrences)"

    def record(self, u: int) -> frozenset[str]:
        """The item names of record u."""
        return frozenset(self.names[i] for i in self.items[self.indptr[u] : self.indptr[u + 1]])

    def to_arrow(self) -> Any:
        """The records as a pyarrow.Table: rows of record and item if they came so, else a list of items a record."""
        from sordino.data.write import arrow_baskets

        return arrow_baskets(self)

    @property
    def occurrences(self) -> int:
        """How many (record, item) pairs there are."""
        return len(self.items)

    @cached_property
    def lengths(self) -> Int64:
        """How many items each record holds."""
        return np.diff(self.indptr)

    @cached_property
    def supports(self) -> Int64:
        """In how many records each item occurs."""
        found = np.zeros(len(self.names), dtype=np.int64)
        for start in range(0, len(self.items), PAIRS):  # NumPy counts in words of eight bytes
            found += np.bincount(self.items[start : start + PAIRS], minlength=len(self.names))
        return found

    def stretches(self) -> Iterator[tuple[int, int]]:
        """Records lo..hi of which some PAIRS items are looked at together, one stretch after the other; an enormous
        record is one by itself."""
        lo = 0
        while lo < len(self):
            hi = int(np.searchsorted(self.indptr, self.indptr[lo] + PAIRS, side="right")) - 1
            hi = min(max(hi, lo + 1), len(self))
            yield lo, hi
            lo = hi

    def keys(self, lo: int, hi: int) -> Int64:
        """A number for each (record, item) of records lo..hi; ascending."""
        owner = np.repeat(np.arange(lo, hi, dtype=np.int64), self.lengths[lo:hi])
        owner *= max(len(self.names), 1)
        owner += self.items[self.indptr[lo] : self.indptr[hi]]
        return owner

    def recoded(self, code: npt.NDArray[np.integer], names: tuple[str, ...]) -> Baskets:
        """The same records in another vocabulary: item k is code[k] in that, and no two items that occur are one."""
        items = np.empty(len(self.items), dtype=np.int32)
        width = max(len(names), 1)
        for lo, hi in self.stretches():
            begin, stop = self.indptr[lo], self.indptr[hi]
            keys = np.repeat(np.arange(hi - lo, dtype=np.int64) * width, self.lengths[lo:hi])
            keys += code[self.items[begin:stop]]
            if not bool(np.all(keys[1:] > keys[:-1])):
                keys.sort()
            items[begin:stop] = keys % width
        return Baskets(self.indptr, items, names, self.ids, 0, self.origin)

    @property
    def distinct_items(self) -> int:
        """How many items occur at least once."""
        return int(np.count_nonzero(self.supports))

    @cached_property
    def code_of(self) -> dict[str, int]:
        """The code behind each name."""
        return dict(zip(self.names, range(len(self.names)), strict=True))

    @cached_property
    def fingerprint(self) -> str:
        """sha256 of the content, whatever its format: a line a record, names in code-point order, joined by U+001F."""
        digest = hashlib.sha256()
        by_name = sorted(range(len(self.names)), key=self.names.__getitem__)
        rank = np.empty(len(self.names), dtype=np.int64)
        rank[by_name] = np.arange(len(self.names))
        names = [self.names[i] for i in by_name]
        # A name is followed by U+001F, the last one of a record by the end of the line, which an empty record is.
        texts = [*(f"{name}\x1f" for name in names), *(f"{name}\n" for name in names), "\n"]
        width = max(len(names), 1)
        for lo, hi in self.stretches():
            begin, stop, lengths = self.indptr[lo], self.indptr[hi], self.lengths[lo:hi]
            keys = np.repeat(np.arange(hi - lo, dtype=np.int64) * width, lengths)
            keys += rank[self.items[begin:stop]]
            keys.sort()
            ranks, ends, empty = keys % width, self.indptr[lo : hi + 1] - begin, lengths == 0
            ranks[ends[1:][~empty] - 1] += len(names)
            ranks = np.insert(ranks, ends[:-1][empty], 2 * len(names))
            for start in range(0, len(ranks), BLOCK):
                digest.update("".join([texts[k] for k in ranks[start : start + BLOCK].tolist()]).encode())
        return digest.hexdigest()

    @classmethod
    def from_sets(cls, records: Iterable[Iterable[object]], *, ids: Iterable[object] | None = None) -> Baskets:
        """Baskets from any iterable of iterables; items are taken by their text."""
        lists = [[str(item) for item in record] for record in records]
        flat = [item for record in lists for item in record]
        lengths = np.fromiter((len(record) for record in lists), dtype=np.int64, count=len(lists))
        names, codes = _vocabulary(flat)
        owner = np.repeat(np.arange(len(lists), dtype=np.int64), lengths)
        texts = None if ids is None else tuple(str(i) for i in ids)
        if texts is not None and len(set(texts)) < len(texts):
            raise InputError(f"{len(texts) - len(set(texts)):,} of {len(texts):,} record ids repeat others")
        return cls.from_pairs(owner, codes, names, len(lists), ids=texts)

    @classmethod
    def from_pairs(
        cls,
        owner: npt.NDArray[np.integer],
        codes: npt.NDArray[np.integer],
        names: tuple[str, ...],
        records: int,
        *,
        ids: tuple[str, ...] | None = None,
        origin: Origin | None = None,
    ) -> Baskets:
        """Baskets from (record, code) pairs in any order; repeats are dropped and counted.

        `names` must already be in vocabulary order (see the class), and every code below len(names).
        """
        width = max(len(names), 1)
        indptr = np.zeros(records + 1, dtype=np.int64)
        items = np.empty(len(codes), dtype=np.int32)
        end = 0
        for begin, stop in _blocks(owner):
            keys = owner[begin:stop].astype(np.int64)
            keys *= width
            keys += codes[begin:stop]
            if len(keys) > 1 and not bool(np.all(keys[1:] > keys[:-1])):
                keys = distinct(keys)
            first, last = int(keys[0]) // width, int(keys[-1]) // width
            indptr[first + 1 : last + 2] = np.bincount(keys // width - first)
            items[end : end + len(keys)] = keys % width
            end += len(keys)
        np.cumsum(indptr, out=indptr)
        if end < len(items):
            items = items[:end].copy()
        return cls(indptr, items, names, ids, len(codes) - end, origin or Origin())


def _blocks(owner: npt.NDArray[np.integer]) -> Iterator[tuple[int, int]]:
    """Stretches of pairs, no record in two of them: of records in order some PAIRS pairs, else all at once."""
    begin = 0
    if len(owner) > PAIRS and bool(np.all(owner[1:] >= owner[:-1])):
        while len(owner) - begin > PAIRS:
            stop = int(np.searchsorted(owner, owner[begin + PAIRS]))
            if stop == begin:  # one enormous record
                stop = int(np.searchsorted(owner, owner[begin], side="right"))
            yield begin, stop
            begin = stop
    if begin < len(owner):
        yield begin, len(owner)


def _vocabulary(flat: list[str]) -> tuple[tuple[str, ...], Int64]:
    """Names in vocabulary order, and the code of every entry."""
    first = dict.fromkeys(flat)
    names = vocabulary_order(list(first))
    code_of = {name: code for code, name in enumerate(names)}
    return names, np.fromiter((code_of[item] for item in flat), dtype=np.int64, count=len(flat))


def vocabulary_order(names: list[str]) -> tuple[str, ...]:
    """Distinct names in the one order that codes follow: by number if all are whole numbers, else by code point."""
    if names and all(name.isascii() and name.isdigit() for name in names):
        # The order of int(name), also for more digits than Python converts.
        return tuple(sorted(names, key=lambda name: (len(name.lstrip("0")), name.lstrip("0"), name)))
    return tuple(sorted(names))
