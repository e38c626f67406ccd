"""What is known of baskets that were counted, but are not held: how many records there are, and how many hold what."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

__all__ = ["Totals"]


@dataclass(frozen=True, eq=False)
class Totals:
    """Totals of baskets; names are in the order of their codes, as in `Baskets`."""

    names: tuple[str, ...]
    supports: npt.NDArray[np.int64]
    records: int
    repeated: int = 0  # repeated items that count once

    def __len__(self) -> int:
        return self.records

    @property
    def occurrences(self) -> int:
        """How many (record, item) pairs there are."""
        return int(self.supports.sum())

    @property
    def distinct_items(self) -> int:
        """How many items occur at least once."""
        return int(np.count_nonzero(self.supports))

    @cached_property
    def code_of(self) -> dict[str, int]:
        """The code behind each name."""
        return dict(zip(self.names, range(len(self.names)), strict=True))
