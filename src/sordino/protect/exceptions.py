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
from sordino.engine.local import Watch
from sordino.knowledge.exclusion import Exclusion

__all__ = ["has_exceptions", "joined"]

Int64 = npt.NDArray[np.int64]


def has_exceptions(value: npt.NDArray[np.integer], exclusion: Exclusion) -> bool:
    """Whether the rules exclude for somebody what she has."""
    own = exclusion.sets[exclusion.kind_of, value >> 6] >> (value & 63).astype(np.uint64)
    return bool((own & np.uint64(1)).any())


def joined(value: npt.NDArray[np.integer], exclusion: Exclusion, group: Int64, size: int, watch: Watch) -> Int64:
    """The groups, joined until everybody has `size` possible values; numbered from 0. One group must be enough."""
    while True:  # fewer groups with each turn
        group = np.unique(group, return_inverse=True)[1].reshape(-1).astype(np.int64)
        count = int(group.max(initial=-1)) + 1
        possible, _ = possible_in_groups(value, exclusion.kind_of, exclusion.sets, group, jobs=1, watch=watch)
        short = np.zeros(count, dtype=np.bool_)
        short[group[possible < size]] = True
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
        group = into[group]
