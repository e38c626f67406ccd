"""Equal records but for one sensitive item: the exact test against whoever also knows what people do NOT have.

Let n(W) be the number of records equal to W. A file is safe against any knowledge of presence (one item at least) and
absence if and only if (den - num) * n(W + e) <= num * n(W) for all non-empty W and all sensitive e outside of it: see
protect/twins.py for the argument. One pass over the different records decides it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sordino.audit.examination import Thresholds
from sordino.audit.index import RecordIndex, index_records
from sordino.audit.kernels.twins import find_twins
from sordino.data.baskets import Baskets
from sordino.policy.inference import ResolvedInference

__all__ = ["twin_excess", "unsafe_records"]

I64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def twin_excess(index: RecordIndex, policy: Thresholds) -> I64:
    """For every sensitive occurrence beside another item: (den - num) times the records equal to its own, less num
    times those that are equal but for the item. Safe is what is not above 0. For all other occurrences it is 0."""
    lengths = np.diff(index.ptr)
    wanted = policy.sensitive[index.code][index.items] & np.repeat(lengths > 1, lengths)
    table = np.full(1 << max(4, (2 * index.classes).bit_length()), -1, dtype=np.int32)
    with np.errstate(over="ignore"):  # a hash wraps around; NumPy warns when the kernel runs uncompiled
        twin = find_twins(index.ptr, index.items, wanted, table)
    excess: I64 = np.zeros(len(index.items), dtype=np.int64)
    places = np.flatnonzero(wanted)
    owner = np.repeat(np.arange(index.classes), lengths)[places]
    code = index.code[index.items[places]]
    num, den = policy.num[code], policy.den[code]
    twins = np.where(twin[places] >= 0, index.weight[twin[places]], 0)
    excess[places] = (den - num) * index.weight[owner] - num * twins
    return excess


def unsafe_records(baskets: Baskets, policy: ResolvedInference) -> Bools:
    """Which records hold something sensitive that too few twins hide."""
    index = index_records(baskets)
    owner = np.repeat(np.arange(index.classes), np.diff(index.ptr))
    unsafe = np.zeros(index.classes + 1, dtype=np.bool_)  # the last is for empty records, which are class -1
    unsafe[owner[twin_excess(index, policy) > 0]] = True
    return unsafe[index.class_of]
