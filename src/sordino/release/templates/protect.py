"""Tables in which a method suppresses or generalizes cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Unpack

import numpy as np

from sordino.audit.template import audit_table
from sordino.audit.template_exists import require_possible
from sordino.audit.template_result import TemplateAudit
from sordino.data.counted import Counted
from sordino.data.in_turn import Parted
from sordino.data.table import Table
from sordino.errors import InputError, InternalError
from sordino.policy.template import ResolvedTemplate, TemplatePolicy
from sordino.protect.registry import find_method
from sordino.release.making import Making
from sordino.release.numbering import row_numbers
from sordino.release.request import How, Run, start
from sordino.release.templates.changes import table_changes
from sordino.release.templates.parts import streamed_parts, template_parts
from sordino.release.templates.result import StreamedRelease, TableRelease
from sordino.release.templates.streamed import value_changes
from sordino.utility.table_cost import TableCost, measure_table_cost

__all__ = ["protect_table"]

GLOBALLY, BY_GROUP = "disclosure", "disclosure-local"
ROWS = 200_000  # of a table for which the other method is tried, too: beyond, that takes its time


def protect_table(
    table: Table, policy: TemplatePolicy, *, method: str, missing: str = "error", **how: Unpack[How]
) -> TableRelease:
    """A release of `table` in which `policy` holds; a cell that need not change does not, but for bins.

    Binned columns show their ranges, because that is all that the audit assumes to be known of them. Raises
    Unsatisfiable, with the thresholds that would do, if no suppression can make the policy hold.
    """
    run = start(method, "template", **how)
    if policy.symbol in table.origin.missing:
        raise InputError(
            f"the suppression symbol '{policy.symbol}' also stands for a missing value",
            hint="Choose another symbol in the policy.",
        )
    release: TableRelease = _Making(table, policy, run, policy.resolve(table, missing=missing)).make()
    return release


class _Making(Making):
    """A release of a table in the making; its data are the table in the terms of the policy."""

    def __init__(self, table: Table, policy: TemplatePolicy, run: Run, resolved: ResolvedTemplate) -> None:
        super().__init__(resolved.table, policy, run)
        self.table, self.resolved = table, resolved

    def audit_before(self) -> TemplateAudit:
        return audit_table(self.table, self.resolved, progress=self.run.progress)

    def changed(self) -> tuple[Table, TemplateAudit]:
        run = self.run
        require_possible(self.resolved)
        data = self.table if isinstance(self.table, Counted) else self.data  # which knows its source
        kept = run.method.load_table()(
            data, self.resolved, seed=run.seed, jobs=run.jobs, watch=run.watch, **run.options
        )
        _check_form(_parted(self.resolved, kept), kept, run.method.name)
        after = audit_table(kept, self.policy, progress=run.progress, missing="accept")
        if not after.holds:
            raise run.failed()
        return kept, after

    def release(self, kept: Table, before: TemplateAudit, after: TemplateAudit) -> TableRelease:
        run = self.run
        utility = measure_table_cost(kept, _parted(self.resolved, kept))
        if isinstance(self.table, Counted):
            return self._streamed(self.table, kept, utility, before, after)
        number = row_numbers(kept, run.ids, run.seed)
        if kept is not self.data and run.method.name == GLOBALLY and len(kept) <= ROWS:
            before = replace(before, remarks=(*before.remarks, *self._by_group(utility.cells.share)))
        return TableRelease(
            data=kept,
            changes=table_changes(self.table, kept, number),
            utility=utility,
            policy=self.policy,
            audit_before=before,
            audit_after=after,
            method=run.method.name,
            seed=run.seed,
            ids=run.ids,
            number=number,
            options=run.options,
            parts=template_parts,
        )

    def _streamed(
        self, source: Counted, kept: Table, utility: TableCost, before: TemplateAudit, after: TemplateAudit
    ) -> StreamedRelease:
        """The release of a table that is too large to be held."""
        run = self.run
        return StreamedRelease(
            data=kept,
            source=source,
            changes=value_changes(source, kept),
            utility=utility,
            policy=self.policy,
            audit_before=before,
            audit_after=after,
            method=run.method.name,
            seed=run.seed,
            ids=run.ids,
            number=np.empty(0, dtype=np.int64),
            options=run.options,
            parts=streamed_parts,
        )

    def _by_group(self, share: Fraction) -> Iterator[str]:
        """What would be kept if every group of rows were decided by itself, if that is more."""
        run = self.run
        method = find_method(BY_GROUP, "template").load_table()
        other = method(self.data, self.resolved, seed=run.seed, jobs=run.jobs, watch=run.watch)
        could = measure_table_cost(other, self.resolved).cells.share
        if could > share:
            yield (
                f"'{GLOBALLY}' shows a value in all rows or in none, and kept {float(share):.1%} of the cells that it "
                f"may change. '{BY_GROUP}' decides for each group of rows, and would keep {float(could):.1%}: --method "
                f"{BY_GROUP}."
            )


def _parted(resolved: ResolvedTemplate, kept: Table) -> ResolvedTemplate:
    """The policy on its table with the rows of `kept`, which may be parts of those that were counted."""
    return replace(resolved, table=kept.again(resolved.table)) if isinstance(kept, Parted) else resolved


def _check_form(resolved: ResolvedTemplate, kept: Table, method: str) -> None:
    """The method has changed nothing but cells of masking columns."""
    table = resolved.table
    if kept.names != table.names or len(kept) != len(table):
        raise InternalError(f"the method '{method}' changed the rows or columns of the table")
    for place, (old, new) in enumerate(zip(table.columns, kept.columns, strict=True)):
        if place not in resolved.masking and old is not new and old.differs(new).any():
            raise InternalError(f"the method '{method}' changed a column that it may not change")
