"""What the grouping methods share: classes of interchangeable people, and their rows in random order."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sordino.knowledge.classes import row_classes

__all__ = ["Classes", "classes_of", "deal"]

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Classes:
    """People of one sensitive value and one excluded set: value, set and count of a class, and the class of a row."""

    value: Int64
    kind: Int64
    count: Int64
    class_of: Int64 = field(repr=False)

    def __len__(self) -> int:
        return len(self.value)


def classes_of(value: npt.NDArray[np.integer], kind: npt.NDArray[np.integer]) -> Classes:
    """The classes of all rows."""
    sizes = [int(kind.max(initial=0)) + 1, int(value.max(initial=0)) + 1]
    first, class_of, count = row_classes([kind, value], sizes)
    return Classes(value[first].astype(np.int64), kind[first].astype(np.int64), count, class_of)


def deal(classes: Classes, wanted: Int64, group: Int64, rng: np.random.Generator) -> Int64:
    """The group of every row: entry k gives one row of class wanted[k] to group[k]; which one is left to chance.

    Every class must be wanted exactly as often as it has rows.
    """
    shuffled = rng.permutation(len(classes.class_of))
    by_class = shuffled[np.argsort(classes.class_of[shuffled], kind="stable")]
    group_of = np.empty(len(by_class), dtype=np.int64)
    group_of[by_class] = group[np.argsort(wanted, kind="stable")]
    return group_of
