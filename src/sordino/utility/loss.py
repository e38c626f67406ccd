"""How much was deleted: NS = deleted / original occurrences (model.md 1.3), by item and by length of the record."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets

__all__ = ["ItemLoss", "LengthLoss", "Loss", "measure_loss"]

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ItemLoss:
    """In how many records an item occurred, and in how many of them it is left."""

    item: str
    original: int
    left: int

    @property
    def deleted(self) -> int:
        return self.original - self.left

    @property
    def share(self) -> Fraction:
        return _share(self.deleted, self.original)

    def to_dict(self) -> dict[str, Any]:
        return {"item": self.item, "original": self.original, "left": self.left, "share": float(self.share)}


@dataclass(frozen=True)
class LengthLoss:
    """The records that had `length` items, and how many records have so many now; what was deleted from the former."""

    length: int
    records_before: int
    records_after: int
    deleted: int

    @property
    def share(self) -> Fraction:
        """Deleted / original occurrences of the records that had this length."""
        return _share(self.deleted, self.length * self.records_before)

    def to_dict(self) -> dict[str, Any]:
        return {
            "length": self.length,
            "records_before": self.records_before,
            "records_after": self.records_after,
            "deleted": self.deleted,
            "share": float(self.share),
        }


@dataclass(frozen=True)
class Loss:
    """Deletions in total, by item (in the order of the vocabulary) and by length (ascending; only those there are)."""

    occurrences: int
    left: int
    sensitive_occurrences: int | None  # None without a policy
    sensitive_left: int | None
    changed_records: int
    emptied_records: int
    items: tuple[ItemLoss, ...]
    lengths: tuple[LengthLoss, ...]

    @property
    def deleted(self) -> int:
        return self.occurrences - self.left

    @property
    def sensitive_deleted(self) -> int | None:
        """How many of the deleted occurrences were sensitive."""
        if self.sensitive_occurrences is None or self.sensitive_left is None:
            return None
        return self.sensitive_occurrences - self.sensitive_left

    @property
    def share(self) -> Fraction:
        """NS."""
        return _share(self.deleted, self.occurrences)

    @property
    def vanished_items(self) -> int:
        """Items of which nothing is left."""
        return sum(item.left == 0 for item in self.items)

    def to_dict(self) -> dict[str, Any]:
        return {
            "occurrences": self.occurrences,
            "left": self.left,
            "deleted": self.deleted,
            "share": float(self.share),
            "sensitive_occurrences": self.sensitive_occurrences,
            "sensitive_deleted": self.sensitive_deleted,
            "changed_records": self.changed_records,
            "emptied_records": self.emptied_records,
            "vanished_items": self.vanished_items,
            "by_item": [item.to_dict() for item in self.items],
            "by_length": [length.to_dict() for length in self.lengths],
        }


def measure_loss(before: Baskets, after: Baskets, sensitive: npt.NDArray[np.bool_] | None = None) -> Loss:
    """What was deleted between two paired versions (see `pair`); `sensitive` marks codes of `before`."""
    original, left = before.supports, after.supports
    gone = before.lengths - after.lengths
    longest = int(before.lengths.max(initial=0))
    had: Int64 = np.bincount(before.lengths, minlength=longest + 1)
    has: Int64 = np.bincount(after.lengths, minlength=longest + 1)
    deleted = np.zeros(longest + 1, dtype=np.int64)
    np.add.at(deleted, before.lengths, gone)
    return Loss(
        occurrences=before.occurrences,
        left=after.occurrences,
        sensitive_occurrences=None if sensitive is None else int(original[sensitive].sum()),
        sensitive_left=None if sensitive is None else int(left[sensitive].sum()),
        changed_records=int(np.count_nonzero(gone)),
        emptied_records=int(np.count_nonzero((after.lengths == 0) & (before.lengths > 0))),
        items=tuple(
            ItemLoss(name, o, n)
            for name, o, n in zip(before.names, original.tolist(), left.tolist(), strict=True)
            if o > 0
        ),
        lengths=tuple(
            LengthLoss(length, *numbers)
            for length, numbers in enumerate(zip(had.tolist(), has.tolist(), deleted.tolist(), strict=True))
            if any(numbers)
        ),
    )


def _share(part: int, whole: int) -> Fraction:
    return Fraction(part, whole) if whole else Fraction(0)
