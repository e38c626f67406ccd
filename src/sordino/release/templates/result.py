"""A protected table: what was changed, what it cost, and how we know that it is safe."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sordino.audit.template_result import TemplateAudit
from sordino.data.baskets import Int64
from sordino.data.counted import Counted
from sordino.data.table import Table
from sordino.errors import InputError
from sordino.policy.template import TemplatePolicy
from sordino.release.numbering import SHUFFLE, numbers_table
from sordino.release.result import Release
from sordino.utility.table_cost import TableCost

__all__ = ["StreamedRelease", "TableRelease"]


@dataclass(frozen=True, eq=False, kw_only=True)
class TableRelease(Release):
    """A table in which the policy holds, with the rows and columns of the input in their order.

    changes: an Arrow table, a row for each cell that shows something else: row (from 0), published (its number in the
    published file, from 1), column, from, to. number[k] is the number of row k in the published file.
    """

    data: Table
    changes: Any
    utility: TableCost
    policy: TemplatePolicy
    audit_before: TemplateAudit
    audit_after: TemplateAudit
    ids: str
    number: Int64 = field(repr=False)

    @property
    def changed(self) -> int:
        """How many cells show something else than before."""
        return int(self.changes.num_rows)

    @property
    def unchanged(self) -> bool:
        """Whether every cell is as it was."""
        return self.changed == 0

    @cached_property
    def published(self) -> Table:
        """The rows as they are published: in the order of the file."""
        return self.data.rows(self.number.argsort())

    def numbers(self) -> Any:
        """An Arrow table (published, record) that leads back to the rows of the input; None if they are in order."""
        return numbers_table(self.number, None) if self.ids == SHUFFLE else None

    def __repr__(self) -> str:
        return f"TableRelease({len(self.data):,} rows, method {self.method!r}, {self.changed:,} cells changed)"


@dataclass(frozen=True, eq=False, kw_only=True)
class StreamedRelease(TableRelease):
    """The same of a table that is too large to be held: `data` are its distinct rows in the columns of the policy.

    changes: column, from, to, and the number of rows in which a cell changed so; they are decided by value. All rows
    are read from their source once more, and written, when the release is.
    """

    source: Counted = field(repr=False)

    @property
    def changed(self) -> int:
        return int(sum(self.changes.column("rows").to_pylist()))

    @cached_property
    def published(self) -> Table:
        raise InputError(
            "this table is too large to be held", hint="Write the release, and read publish/data.parquet in pieces."
        )

    def numbers(self) -> Any:
        """They are written together with the rows."""
        return None

    def __repr__(self) -> str:
        return f"StreamedRelease({self.data.people:,} rows, method {self.method!r}, {self.changed:,} cells changed)"
