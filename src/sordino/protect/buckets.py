"""What the grouping methods share: classes of interchangeable people, and their rows in random order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from sordino.audit.kernels.matching import possible_values
from sordino.data.dealt import stable_order
from sordino.data.table import weighted
from sordino.engine.local import Flag, raise_if_stopped
from sordino.engine.sorted import order_of
from sordino.errors import InputError
from sordino.knowledge.classes import row_classes

__all__ = ["Classes", "alike_order", "classes_of", "deal", "possible_in_one_group", "truth"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

MANY = 1 << 24  # people who are put into order in the least room


@dataclass(frozen=True, eq=False)
class Classes:
    """People of one sensitive value and one excluded set: value, set and count of a class, and the class of a row.

    A row may be many people (`weight`); count is of people.
    """

    value: Int64
    kind: Int64
    count: Int64
    class_of: Int64 = field(repr=False)

    def __len__(self) -> int:
        return len(self.value)


def classes_of(value: npt.NDArray[np.integer], kind: npt.NDArray[np.integer], weight: Int64 | None = None) -> Classes:
    """The classes of all rows."""
    sizes = [int(kind.max(initial=0)) + 1, int(value.max(initial=0)) + 1]
    first, class_of, count = row_classes([kind, value], sizes)
    if weight is not None:
        count = weighted(class_of, weight, len(first))
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


def deal(
    class_of: Int32, people: Int32, wanted: Int32, group: Int32, group_of: Int32, stop: Flag | None = None
) -> None:
    """Gives people to groups: entry k one of class wanted[k] to group[k], in the order of both lists.

    Of each class as many are wanted as there are among `people`. Stopped once the flag `stop` is up.
    """
    by_class = people[_in_order(class_of[people], stop)]
    group_of[by_class] = group[_in_order(wanted, stop)]
    raise_if_stopped(stop)


def _in_order(keys: Int32, stop: Flag | None) -> npt.NDArray[np.integer]:
    """The places of the keys in their order; looks at the flag meanwhile, unless there are so many that the memory
    counts: then others listen for Ctrl-C (`Watch.aside`)."""
    raise_if_stopped(stop)
    return order_of(keys, stop=stop) if len(keys) < MANY else stable_order(keys)


def alike_order(
    columns: Sequence[npt.NDArray[np.integer]],
    sizes: Sequence[int],
    value: npt.NDArray[np.integer],
    rng: np.random.Generator,
    stop: Flag | None = None,
    weight: Int64 | None = None,
) -> Int32:
    """The people sorted by all columns, the one that tells most about the value first; equal ones in random order.

    Stopped once the flag `stop` is up.
    """
    known = []
    for column, size in zip(columns, sizes, strict=True):
        raise_if_stopped(stop)
        known.append(_information(column, size, value, weight))
    least_first = sorted(range(len(columns)), key=lambda j: (known[j], -j))
    if weight is None:
        in_order = order_of(rng.random(len(value)), *(columns[j] for j in least_first), stop=stop)
        return in_order.astype(np.int32)
    rows = np.lexsort([columns[j] for j in least_first])
    new = np.zeros(len(rows), dtype=np.bool_)
    for column in columns:
        new[1:] |= np.diff(column[rows]) != 0
    first, count = np.cumsum(weight) - weight, weight[rows]
    end = np.cumsum(count)
    order = np.arange(int(weight.sum()), dtype=np.int32)
    order += np.repeat((first[rows] - (end - count)).astype(np.int32), count)
    bounds = np.concatenate([[0], (end - count)[new], [len(order)]]).tolist()
    for lo, hi in pairwise(bounds):
        raise_if_stopped(stop)
        rng.shuffle(order[lo:hi])  # in its place
    return order


def _information(
    column: npt.NDArray[np.integer], size: int, value: npt.NDArray[np.integer], weight: Int64 | None
) -> float:
    """The mutual information of a column and the value, rounded so that the order never hangs on a last bit."""
    values = int(value.max(initial=0)) + 1
    pairs, of_row = np.unique(column.astype(np.int64) * values + value, return_inverse=True)
    joint = weighted(of_row, weight, len(pairs))
    of_column = weighted(column, weight, size)[pairs // values]
    of_value = weighted(value, weight, values)[pairs % values]
    people = max(int(joint.sum()), 1)
    return round(float((joint * np.log(joint * people / (of_column * of_value))).sum()) / people, 9)


def truth(name: str, value: object) -> bool:
    """An option that is on or off, as Python or the command line writes it."""
    text = str(value).lower()
    if text in ("true", "yes", "on", "1"):
        return True
    if text in ("false", "no", "off", "0"):
        return False
    raise InputError(f"{name} must be yes or no")
