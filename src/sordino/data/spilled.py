"""Baskets that lie on the disk as numbers, because they need not fit into memory: written once, read in pieces.

Items are numbered as they first appear; `Spilled` knows the names in their one order (`Baskets`), and the totals. What
stays in memory is a name and two numbers for every distinct item.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Origin, vocabulary_order
from sordino.data.distinct import distinct
from sordino.data.private import PrivateFolder
from sordino.data.totals import Totals

__all__ = ["Piece", "Spill", "Spilled"]

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]


class Piece(NamedTuple):
    """Some records in a row: record `first` + u holds items[ptr[u]:ptr[u + 1]], in no order."""

    first: int
    ptr: I64
    items: I32  # as they first appeared: `Spilled.code` tells their codes


@dataclass(frozen=True, eq=False, kw_only=True)
class Spilled(Totals):
    """Baskets on the disk."""

    origin: Origin
    empty: int  # records without any item
    sizes: tuple[tuple[int, int], ...]  # records and items of each piece
    code: I32  # the code of each item in the order of first appearance
    folder: PrivateFolder = field(repr=False)

    def pieces(self) -> Iterator[Piece]:
        """All records, in the order in which they were written."""
        first = 0
        with (self.folder.path / "lengths").open("rb") as lengths, (self.folder.path / "items").open("rb") as items:
            for records, number in self.sizes:
                ptr = np.zeros(records + 1, dtype=np.int64)
                np.cumsum(np.fromfile(lengths, dtype=np.int32, count=records), out=ptr[1:])
                yield Piece(first, ptr, np.fromfile(items, dtype=np.int32, count=number))
                first += records


class Spill:
    """Baskets being written."""

    def __init__(self) -> None:
        self.folder = PrivateFolder()
        self.names: dict[str, int] = {}
        self._supports: I64 = np.zeros(1024, dtype=np.int64)
        self._sizes: list[tuple[int, int]] = []
        self.records = self.repeated = self.empty = 0

    def add(
        self, owner: npt.NDArray[np.integer], codes: npt.NDArray[np.integer], names: Sequence[str], records: int
    ) -> None:
        """Adds `records` records: pairs of a record, from 0 on, and an item as its place in `names` (-1: none)."""
        own = self.names
        place = np.fromiter((own.setdefault(name, len(own)) for name in names), dtype=np.int64, count=len(names))
        kept = codes >= 0
        keys = (owner[kept].astype(np.int64) << 32) | place[codes[kept]]
        once = keys if len(keys) < 2 or bool(np.all(keys[1:] > keys[:-1])) else distinct(keys)
        lengths = np.bincount(once >> 32, minlength=records)
        items = (once & 0xFFFFFFFF).astype(np.int32)
        if len(own) > len(self._supports):
            self._supports = np.concatenate([self._supports, np.zeros(2 * len(own), dtype=np.int64)])
        self._supports[: len(own)] += np.bincount(items, minlength=len(own))
        _append(self.folder.path / "lengths", lengths.astype(np.int32))
        _append(self.folder.path / "items", items)
        self._sizes.append((records, len(items)))
        self.records += records
        self.repeated += len(keys) - len(once)
        self.empty += int(np.count_nonzero(lengths == 0))

    def done(self, origin: Origin) -> Spilled:
        """What was written."""
        names = vocabulary_order(list(self.names))
        code_of = {name: code for code, name in enumerate(names)}
        code = np.fromiter((code_of[name] for name in self.names), dtype=np.int32, count=len(names))
        supports = np.zeros(len(names), dtype=np.int64)
        supports[code] = self._supports[: len(names)]
        return Spilled(
            names,
            supports,
            self.records,
            self.repeated,
            origin=origin,
            empty=self.empty,
            sizes=tuple(self._sizes),
            code=code,
            folder=self.folder,
        )


def _append(path: Path, numbers: npt.NDArray[np.integer]) -> None:
    with path.open("ab") as file:
        numbers.tofile(file)
