"""What a method changed, and whether it was allowed to: a suppressor may delete items, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.arrow import arrow_numbers, arrow_texts
from sordino.data.baskets import Baskets, Int64
from sordino.errors import InternalError

__all__ = ["Deletions", "changes_table", "find_deletions"]


@dataclass(frozen=True, eq=False)
class Deletions:
    """Occurrences that are gone: item code `items[k]` from record `records[k]` (from 0), in the order of the data."""

    records: Int64
    items: Int64

    def __len__(self) -> int:
        return len(self.items)


def find_deletions(before: Baskets, after: Baskets) -> Deletions:
    """What is missing in `after`; an InternalError unless `after` is `before` with items deleted, and nothing else."""
    if len(after) != len(before):
        raise InternalError("the method changed the number of records")
    if after.names is not before.names and after.names != before.names:
        raise InternalError("the method changed the names of the items")
    if after.ids is not before.ids and after.ids != before.ids:
        raise InternalError("the method changed the record ids")
    if len(after.items) and not 0 <= int(after.items.min()) <= int(after.items.max()) < len(before.names):
        raise InternalError("the method made up an item")
    if np.any(np.diff(after.indptr) < 0):
        raise InternalError("the method broke the record boundaries")
    gone = [_gone(before, after, lo, hi) for lo, hi in before.stretches()]
    none = np.empty(0, dtype=np.int64)
    return Deletions(*(np.concatenate([none, *(found[k] for found in gone)]) for k in range(2)))


def _gone(before: Baskets, after: Baskets, lo: int, hi: int) -> tuple[Int64, Int64]:
    """Record and item of what is missing in records lo..hi; an InternalError if it is not only missing."""
    old, new = before.keys(lo, hi), after.keys(lo, hi)
    if len(new) > 1 and not bool(np.all(new[1:] > new[:-1])):
        raise InternalError("the method repeated or disordered items within a record")
    kept = np.zeros(len(old), dtype=np.bool_)
    place = np.searchsorted(old, new)
    if len(new) and (int(place[-1]) >= len(old) or not np.array_equal(old[place], new)):
        raise InternalError("the method added an item to a record")
    kept[place] = True
    gone = old[~kept]
    width = max(len(before.names), 1)
    return gone // width, gone % width


def changes_table(before: Baskets, deletions: Deletions, number: npt.NDArray[np.int64]) -> Any:
    """The change log as an Arrow table.

    record: the original id, or the position from 0 if there are no ids; published: which record of the published file
    it is, from 1; item: the item that was changed; from, to: what it was and became, null for a deletion.
    """
    import pyarrow as pa

    codes = arrow_numbers(deletions.items.astype(np.int32))
    items = pa.DictionaryArray.from_arrays(codes, arrow_texts(before.names))
    record = arrow_numbers(deletions.records)
    if before.ids is not None:
        record = arrow_texts(before.ids).take(record)
    return pa.table(
        {
            "record": record,
            "published": arrow_numbers(number[deletions.records]),
            "item": items,
            "from": items,
            "to": pa.nulls(len(deletions), pa.string()),
        }
    )
