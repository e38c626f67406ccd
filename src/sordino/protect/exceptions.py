"""Groups under rules that are wrong about somebody: `min_confidence` below 1 (model.md 2.2).

Whoever has what a rule excludes for her is an exception. The adversary takes the rule for certain, so somebody else of
the group must be able to have her value. Joining groups that have an assignment at all never takes a possible value
from anybody: each may go on as before. So groups in which somebody has too few are joined with their neighbours, and if
any grouping is enough, the whole table as one group is.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sordino.audit.diversity import possible_in_groups
from sordino.data.dealt import Dealt
from sordino.engine.local import Watch
from sordino.knowledge.exclusion import Exclusion

__all__ = ["has_exceptions", "is_exception", "joined"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


def is_exception(
    value: npt.NDArray[np.integer], kind: npt.NDArray[np.integer], sets: npt.NDArray[np.uint64]
) -> npt.NDArray[np.bool_]:
    """For whom the rules exclude what she has."""
    own = sets[kind, value >> 6] >> (value & 63).astype(np.uint64)
    found: npt.NDArray[np.bool_] = (own & np.uint64(1)).astype(np.bool_)
    return found


def has_exceptions(value: npt.NDArray[np.integer], exclusion: Exclusion) -> bool:
    """Whether the rules exclude for somebody what she has."""
    return bool(is_exception(value, exclusion.kind_of, exclusion.sets).any())


def joined(
    value: npt.NDArray[np.integer],
    exclusion: Exclusion,
    group: Int32,
    size: int,
    watch: Watch,
    weight: Int64 | None = None,
) -> Int32:
    """The groups, joined until everybody has `size` possible values; numbered from 0. One group must be enough.

    A row is as many people as `weight` says; group[person] has no gaps.
    """
    while True:  # fewer groups with each turn
        short = _short(value, exclusion, Dealt.of(group, weight), size, watch)
        count = len(short)
        if count < 2 or not short.any():
            return group
        into = np.arange(count)
        k = 0
        while k < count:
            if short[k : k + 2].any():
                if k + 1 < count:
                    into[k + 1] = into[k]
                else:
                    into[k] = into[k - 1]
                k += 2
            else:
                k += 1
        dense = np.unique(into, return_inverse=True)[1].reshape(-1).astype(np.int32)
        group = dense[group]


def _short(
    value: npt.NDArray[np.integer], exclusion: Exclusion, dealt: Dealt, size: int, watch: Watch
) -> npt.NDArray[np.bool_]:
    """In which groups somebody has fewer possible values."""
    short = np.zeros(len(dealt), dtype=np.bool_)
    first = 0
    for group, rows in dealt.pieces():
        possible, _ = possible_in_groups(
            value[rows], exclusion.kind_of[rows], exclusion.sets, group, jobs=1, watch=watch
        )
        short[first + group[possible < size]] = True
        first += int(group[-1]) + 1
    return short
