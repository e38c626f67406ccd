"""Partial suppression of groups as Chen et al. (2017) have it: the algorithm of Jia et al. (2014), as printed.

"Partial Suppressor method [7]": rules above their threshold are sanitized one after the other, in every group by
itself, until there is none. By which heuristic it does not say; both are there. The buffer has room for BUFFER
antecedents, all those of a record of nine items (the paper's records have five); longer records are searched.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.policy.inference import ResolvedInference
from sordino.protect.kernels.jia.part import Part
from sordino.protect.kernels.jia.printed import suppress_as_printed
from sordino.protect.partial import left_of_parts

__all__ = ["Literally"]

BUFFER = 1_000

I64 = npt.NDArray[np.int64]


class Literally:
    """The suppressor, with what it draws: every call draws anew, from the seed and the number of the call."""

    def __init__(self, heuristic: str, seed: int) -> None:
        self.dist = heuristic == "dist"
        self.seed = seed
        self.calls = 0

    def left(
        self, table: Baskets, policy: ResolvedInference, part_of: I64, *, jobs: int, watch: Watch
    ) -> npt.NDArray[np.bool_]:
        """Which occurrences are left when every part is safe by itself."""
        order = np.argsort(part_of, kind="stable")
        ends = np.flatnonzero(np.diff(part_of[order])) + 1
        self.calls += 1
        return left_of_parts(
            table,
            policy,
            [rows for rows in np.split(order, ends) if len(rows)],
            self._suppress,
            seed=self.seed,
            jobs=jobs,
            watch=watch,
            call=(self.calls,),
        )

    def _suppress(self, part: Part, most: int, rng: np.random.Generator) -> int:
        return int(suppress_as_printed(part, most, BUFFER, self.dist, rng))
