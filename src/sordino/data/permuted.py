"""Set-valued data of which sensitive items are shown by group of records, not by record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.errors import InputError

__all__ = ["Permuted"]

Int32 = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Permuted:
    """Records without their sensitive items, in groups; of each group, how many of its records have which of these.

    Groups are numbered by their first records. Whoever finds a person's record thinks of every record of its group as
    equally likely to have the group's sensitive items.
    """

    baskets: Baskets
    group: Int32
    held: tuple[Mapping[str, int], ...]

    def __post_init__(self) -> None:
        if len(self.group) != len(self.baskets):
            raise InputError("the number of group numbers differs from the number of records")
        sizes = self.sizes
        if len(sizes) != len(self.held) or not sizes.all():
            raise InputError("the groups of the records are not those that are described")
        for size, held in zip(sizes.tolist(), self.held, strict=True):
            if not all(0 < count <= size for count in held.values()):
                raise InputError("a group has more sensitive items of a kind than records")

    def __len__(self) -> int:
        return len(self.baskets)

    @property
    def groups(self) -> int:
        return len(self.held)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many records each group has."""
        return np.bincount(self.group, minlength=len(self.held)).astype(np.int64)

    def supports(self) -> dict[str, int]:
        """In how many records each sensitive item occurs."""
        total: dict[str, int] = {}
        for held in self.held:
            for name, count in held.items():
                total[name] = total.get(name, 0) + count
        return total

    def drawn(self, seed: int) -> Baskets:
        """One table that is as likely as any other given the release: the items of each group dealt out at random."""
        rng = np.random.default_rng(seed)
        order = np.argsort(self.group, kind="stable")
        starts = np.concatenate([[0], np.cumsum(self.sizes)])
        records = [set(record) for record in self.baskets]
        for g, held in enumerate(self.held):
            members = order[starts[g] : starts[g + 1]]
            for name, count in sorted(held.items()):
                for u in rng.choice(members, size=count, replace=False).tolist():
                    records[u].add(name)
        return Baskets.from_sets(records, ids=self.baskets.ids)
