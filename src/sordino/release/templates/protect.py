"""From a table and a template policy to a release: audit, change, audit again, say what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sordino.audit.template import audit_table
from sordino.audit.template_exists import require_possible
from sordino.data.table import Table
from sordino.engine.local import Progress, Watch, thread_count
from sordino.errors import InputError, InternalError
from sordino.policy.template import ResolvedTemplate, TemplatePolicy
from sordino.protect.registry import default_method
from sordino.release.numbering import SHUFFLE, row_numbers, run_seed
from sordino.release.protect import check_request
from sordino.release.table_edits import table_changes
from sordino.release.table_result import TableRelease
from sordino.utility.table_cost import measure_table_cost

__all__ = ["protect_table"]


def protect_table(
    table: Table,
    policy: TemplatePolicy,
    *,
    method: str | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    ids: str = SHUFFLE,
    missing: str = "error",
    options: Mapping[str, Any] | None = None,
) -> TableRelease:
    """A release of `table` in which `policy` holds; a cell that need not change does not, but for bins.

    Binned columns show their ranges, because that is all that the audit assumes to be known of them. Raises
    Unsatisfiable, with the thresholds that would do, if no suppression can make the policy hold.
    """
    options, method = dict(options or {}), method or default_method("template")
    chosen = check_request(method, options, seed=seed, jobs=jobs, ids=ids, kind="template")
    seed = run_seed(seed)
    if policy.symbol in table.origin.missing:
        raise InputError(
            f"the suppression symbol '{policy.symbol}' also stands for a missing value",
            hint="Choose another symbol in the policy.",
        )
    resolved = policy.resolve(table, missing=missing)
    before = audit_table(table, resolved, progress=progress)
    kept, after = resolved.table, before
    if not before.holds:
        require_possible(resolved)
        kept = chosen.load_table()(
            resolved.table, resolved, seed=seed, jobs=thread_count(jobs), watch=Watch(progress), **options
        )
        _check_form(resolved, kept, method)
        after = audit_table(kept, policy, progress=progress, missing="accept")
        if not after.holds:
            raise InternalError(f"the result of the method '{method}' fails the audit; nothing is published")
    number = row_numbers(kept, ids, seed)
    return TableRelease(
        data=kept,
        changes=table_changes(table, kept, number),
        utility=measure_table_cost(kept, resolved),
        policy=policy,
        audit_before=before,
        audit_after=after,
        method=method,
        seed=seed,
        ids=ids,
        number=number,
        options=options,
    )


def _check_form(resolved: ResolvedTemplate, kept: Table, method: str) -> None:
    """The method has changed nothing but cells of masking columns."""
    table = resolved.table
    if kept.names != table.names or len(kept) != len(table):
        raise InternalError(f"the method '{method}' changed the rows or columns of the table")
    for place, (old, new) in enumerate(zip(table.columns, kept.columns, strict=True)):
        if place not in resolved.masking and old is not new and old.differs(new).any():
            raise InternalError(f"the method '{method}' changed a column that it may not change")
