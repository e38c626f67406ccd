"""The verbs for template policies: tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sordino.audit.template import audit_table
from sordino.audit.template_result import TemplateAudit
from sordino.data.read_counted import read_counted, read_huge
from sordino.data.read_table import read_table
from sordino.data.table import MISSING, SYMBOL, Table
from sordino.errors import InputError
from sordino.kinds.source import Source, is_folder
from sordino.policy.template import TemplatePolicy
from sordino.protect.registry import Method
from sordino.release.numbering import SHUFFLE
from sordino.release.templates.protect import protect_table
from sordino.release.templates.result import TableRelease
from sordino.utility.cells import measure_cells
from sordino.utility.granularity import measure_granularity
from sordino.utility.table_cost import TableCost, measure_table_cost
from sordino.verify.folder import published_part
from sordino.verify.keep import house_policy, places_before
from sordino.verify.manifest_file import read_manifest
from sordino.verify.shapes.template import TemplateManifest

__all__ = ["audit", "measure", "protect", "read"]

Progress = Callable[[str, int, int], None]

FROM_COUNTS = ("disclosure", "disclosure-local")  # methods that look at no row, but at how many of each kind there are
IN_RANGES = (
    "This is about the file as it is, with its numbers. In the ranges of the policy, which is how 'protect' publishes "
    "them, nothing could be inferred."
)


def read(
    data: object,
    policy: TemplatePolicy | None = None,
    *,
    delimiter: str | None = None,
    missing: Sequence[str] | None = None,
    may_spill: bool | None = None,
    method: str | None = None,
) -> Source:
    """A table from whatever `read_table` takes; of a release folder, which knows its own form, the published one.

    Where only an audit follows (`may_spill`), equal rows of a large source are counted before they are read; of what is
    too large to be held, also where a `method` follows that decides from these counts.
    """
    stated = {"delimiter": delimiter, "missing": missing}
    form = {name: value for name, value in stated.items() if value is not None}
    if not is_folder(data):
        counted = None
        if policy is not None and delimiter is None:
            blank = MISSING if missing is None else missing
            if may_spill:
                counted = read_counted(data, _named(policy), blank)
            elif method in FROM_COUNTS:
                counted = read_huge(data, _named(policy), blank)
        return Source(counted or read_table(data, **form), form)  # type: ignore[arg-type]
    if form:
        raise InputError("a release folder knows its own form", hint=f"Leave out: {', '.join(form)}.")
    folder = str(data)
    table, manifest = _published(folder)
    return Source(table, folder=folder, own=house_policy(folder, manifest))


def _named(policy: TemplatePolicy) -> tuple[str, ...]:
    """The columns that the policy is about."""
    found = [name for template in policy.templates for name in (*template.given, template.sensitive)]
    return (*found, *([] if policy.class_column is None else [policy.class_column]))


def audit(
    source: Source,
    policy: TemplatePolicy | None,
    *,
    top: int = 10,
    time_limit: float | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    missing: str = "error",
) -> TemplateAudit:
    """What can be inferred from a table along the templates."""
    del jobs  # counting takes one thread
    if time_limit is not None:
        raise InputError("a time limit is for baskets; counting a table always ends soon")
    table, policy = source.data, policy or source.own
    assert policy is not None
    result = audit_table(table, policy, top=top, progress=progress, missing=missing)
    exact = _without_ranges(policy)
    if not result.holds or exact is policy:
        return result
    # In ranges it would hold; but whoever has this file sees the numbers.
    shown = audit_table(table, exact, top=top, progress=progress, missing=missing)
    return result if shown.holds else replace(shown, remarks=(*shown.remarks, IN_RANGES))


def _without_ranges(policy: TemplatePolicy) -> TemplatePolicy:
    """The policy about the numbers themselves; as it is, if it has no ranges but those that are sensitive."""
    sensitive = {template.sensitive for template in policy.templates}
    bins = {name: way for name, way in policy.bins.items() if name in sensitive}
    return policy if len(bins) == len(policy.bins) else replace(policy, bins=bins)


def protect(
    source: Source,
    policy: TemplatePolicy,
    *,
    method: Method,
    seed: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    ids: str | None = None,
    missing: str = "error",
    options: Mapping[str, Any] | None = None,
) -> TableRelease:
    """A table in which the policy holds."""
    return protect_table(
        source.data, policy, method=method.name, seed=seed, jobs=jobs, progress=progress, ids=ids or SHUFFLE,
        missing=missing, options=options,
    )  # fmt: skip


def measure(
    source: Source,
    after: object,
    policy: TemplatePolicy | None,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    missing: str = "error",
    errors: bool = False,
) -> TableCost:
    """What became of the cells: of the columns that a method may change if there is a policy, else of all.

    With errors=True also what it cost the prediction of the class; this needs scikit-learn.
    """
    del jobs, progress
    old: Table = source.data
    if is_folder(after):
        new, manifest = _published(str(after), len(old))
        policy = policy or manifest.policy
    else:
        new = read_table(after)
    if policy is not None:
        return measure_table_cost(new, policy.resolve(old, missing=missing), errors=errors)
    if errors:
        raise InputError("errors of prediction need a policy that names the class")
    if old.names != new.names:
        raise InputError("the tables cannot be compared: their columns differ")
    places = range(len(old.columns))
    started = time.monotonic()
    cells = measure_cells(old, new, places, SYMBOL)
    return TableCost(cells, measure_granularity(old, new, places, {}, SYMBOL), (), time.monotonic() - started)


def _published(folder: str, before: int | None = None) -> tuple[Table, TemplateManifest]:
    """The table of a release folder, in the order of so many rows before if these are given, and its manifest.

    Only where it is measured against what was before, the publisher is believed about what is missing. Otherwise that
    is what is commonly written for it: whatever else he calls missing could hide a value.
    """
    publish = published_part(folder)
    manifest = read_manifest(publish)
    if not isinstance(manifest, TemplateManifest) or Path(manifest.file).name != manifest.file:
        raise InputError("this is not the release of a table under templates", where=str(publish))
    delimiter = manifest.delimiter if manifest.format == "csv" else None
    missing = MISSING if before is None else manifest.missing
    if before is None and manifest.format == "parquet":
        counted = read_huge(publish / manifest.file, _named(manifest.policy), missing)
        if counted is not None:
            return counted, manifest
    table = read_table(publish / manifest.file, delimiter=delimiter, missing=missing, kinds=manifest.kinds or None)
    if before is not None and manifest.ids == SHUFFLE and len(table) == before:
        number = places_before(folder, len(table), None, before)
        if number is None:
            raise InputError(
                "the rows of this release are in random order; keep/records.parquet, which leads back, is not there",
                where=str(publish),
                hint="Give the whole release folder, as it was written.",
            )
        table = table.rows(number.argsort())
    return table, manifest
