"""What the grouping methods share: classes of interchangeable people, and their rows in random order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sordino.audit.kernels.matching import possible_values
from sordino.engine.local import Flag, raise_if_stopped
from sordino.engine.sorted import order_of
from sordino.errors import InputError
from sordino.knowledge.classes import row_classes

__all__ = ["Classes", "alike_order", "classes_of", "deal", "possible_in_one_group", "truth"]

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


def possible_in_one_group(value: Int64, kind: Int64, sets: npt.NDArray[np.uint64], stop: Flag | None = None) -> Int64:
    """How many values each person may have if all these are one group. Stopped once the flag `stop` is up."""
    possible = np.empty(len(value), dtype=np.int64)
    start = np.array([0, len(value)], dtype=np.int64)
    kinds, values = (int(np.count_nonzero(np.bincount(codes))) for codes in (kind, value))
    nothing = np.empty((0, sets.shape[1]), dtype=np.uint64)
    stop = np.zeros(1, np.uint8) if stop is None else stop
    possible_values(start, kind, value, sets, kinds, values, 0, 1, possible, nothing, stop)
    raise_if_stopped(stop)
    return possible


def deal(classes: Classes, rows: Int64, wanted: Int64, group: Int64, group_of: Int64, stop: Flag | None = None) -> None:
    """Gives rows to groups: entry k one row of class wanted[k] to group[k], in the order of both lists.

    Of no class more may be wanted than `rows` has. Stopped once the flag `stop` is up.
    """
    by_class = rows[order_of(classes.class_of[rows], stop=stop)]
    places = np.arange(len(classes))
    first = np.searchsorted(classes.class_of[by_class], places)
    raise_if_stopped(stop)
    order = order_of(wanted, stop=stop)
    asked = wanted[order]
    raise_if_stopped(stop)
    nth = np.arange(len(asked)) - np.searchsorted(asked, places)[asked]
    group_of[by_class[first[asked] + nth]] = group[order]


def alike_order(
    columns: Sequence[npt.NDArray[np.integer]],
    sizes: Sequence[int],
    value: npt.NDArray[np.integer],
    rng: np.random.Generator,
    stop: Flag | None = None,
) -> Int64:
    """The rows sorted by all columns, the one that tells most about the value first; equal rows in random order.

    Stopped once the flag `stop` is up.
    """
    known = []
    for column, size in zip(columns, sizes, strict=True):
        raise_if_stopped(stop)
        known.append(_information(column, size, value))
    least_first = sorted(range(len(columns)), key=lambda j: (known[j], -j))
    return order_of(rng.random(len(value)), *(columns[j] for j in least_first), stop=stop)


def _information(column: npt.NDArray[np.integer], size: int, value: npt.NDArray[np.integer]) -> float:
    """The mutual information of a column and the value, rounded so that the order never hangs on a last bit."""
    values = int(value.max(initial=0)) + 1
    pairs, joint = np.unique(column.astype(np.int64) * values + value, return_counts=True)
    of_column = np.bincount(column, minlength=size)[pairs // values]
    of_value = np.bincount(value, minlength=values)[pairs % values]
    people = max(len(value), 1)
    return round(float((joint * np.log(joint * people / (of_column * of_value))).sum()) / people, 9)


def truth(name: str, value: object) -> bool:
    """An option that is on or off, as Python or the command line writes it."""
    text = str(value).lower()
    if text in ("true", "yes", "on", "1"):
        return True
    if text in ("false", "no", "off", "0"):
        return False
    raise InputError(f"{name} must be yes or no")
