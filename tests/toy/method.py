"""The toy's method: takes the rows out that stand in too small a crowd."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from sordino.data.table import Table
from toy.policy import CrowdPolicy
from toy.verbs import crowds


def protect(table: Table, policy: CrowdPolicy, *, seed: int, jobs: int, watch: Any, more: int = 0) -> Table:
    del seed, jobs
    watch.report("hiding", 0, len(table))
    own = crowds(table, policy.resolve(table))
    sizes = Counter(own)
    return table.rows(np.array([k for k, crowd in enumerate(own) if sizes[crowd] >= policy.k + more], dtype=np.int64))
