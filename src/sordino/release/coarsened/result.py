"""Generalized or permuted baskets in which the policy holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sordino.data.generalized import Generalized
from sordino.data.permuted import Permuted
from sordino.release.baskets.result import BasketRelease
from sordino.release.coarsened.told_tree import with_told_items
from sordino.release.numbering import in_order

__all__ = ["CoarsenedRelease"]


@dataclass(frozen=True, eq=False, kw_only=True)
class CoarsenedRelease(BasketRelease):
    """A release in groups. `data` are the published records (labels of nodes, or non-sensitive items only).

    changes: a row for each occurrence that is not shown as itself; `to` is the wider item, or the group that tells of
    it, or null if it was suppressed. coarse: records, groups, and what is told of each group, in the order of the
    input.
    """

    coarse: Generalized | Permuted | None = None
    told: frozenset[str] | None = field(default=None, repr=False)  # the items that the published hierarchy names
    brought: bool = False  # whether the user gave the hierarchy

    @property
    def deletions(self) -> int:
        """How many (record, item) pairs were suppressed."""
        return int(self.changes["to"].null_count)

    @property
    def unchanged(self) -> bool:
        return False

    @property
    def weaker(self) -> str:
        """Permuted data protect only against those who know non-sensitive items."""
        if not isinstance(self.coarse, Permuted):
            return ""
        return "nothing is promised against someone who knows a sensitive item of the person."

    @property
    def published_groups(self) -> Generalized | Permuted:
        """The data as they are published: in the order of the file, groups numbered by first record."""
        assert self.coarse is not None
        data = in_order(self.coarse, self.published, self.number)
        if isinstance(data, Permuted):
            return data
        assert self.told is not None
        return with_told_items(data, self.told)

    def to_arrow(self) -> Any:
        """The published records with their groups; what else is told of the groups is in `published_groups`."""
        import pyarrow as pa

        data = self.published_groups
        table = data.baskets.to_arrow()
        group = data.group
        if data.baskets.origin.layout == "long":
            group = group.repeat(data.baskets.lengths.clip(1))
        name = "group"
        while name in table.column_names:
            name += "_"
        return table.append_column(name, pa.array(group))

    def __repr__(self) -> str:
        groups = 0 if self.coarse is None else self.coarse.groups
        return f"CoarsenedRelease({len(self.data):,} records in {groups:,} groups, method {self.method!r})"
