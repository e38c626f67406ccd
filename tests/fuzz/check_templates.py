"""Tables under templates: audit and release as the oracle has it."""

from __future__ import annotations

from typing import Any

import oracle_disclosure as oracle
from fuzz.finding import demand
from fuzz.made import MadeTemplate
from fuzz.truth_tables import binned, masking, template_paths, templates_of
from sordino.errors import Unsatisfiable

__all__ = ["audit", "audit_jobs", "protect", "rows_of"]


def audit(made: MadeTemplate) -> None:
    result = made.audit()
    rows = binned(made.case)
    numbers = binned(made.case, known=False)
    demand(result.records == len(made.rows), "the audit counts other rows")
    if rows is None or numbers is None:  # quantiles: which ranges there are is sordino's to say
        return
    each = templates_of(made.case, rows)
    templates = [template for own in each for template in own]
    holds = oracle.holds(rows, templates)
    if holds and not oracle.holds(numbers, templates):  # in ranges it holds; but whoever has the file sees its numbers
        rows, holds = numbers, False
    said = f"the audit says {result.answer}"
    demand(result.holds == holds, said, "unsafe" if result.holds else "mismatch")
    people = oracle.people_at_risk(rows, templates)
    demand(
        result.people_at_risk == len(people),
        f"people at risk: {result.people_at_risk}, the oracle counts {len(people)}",
    )
    demand(result.worst == max((oracle.worst(rows, t) for t in templates), default=0), "another worst confidence")
    for outcome, own in zip(result.templates, each, strict=True):
        demand(outcome.holds == oracle.holds(rows, own), "a template's own verdict is wrong")
        demand(bool(outcome.findings) == (not outcome.holds), "findings do not fit the verdict")


def audit_jobs(made: MadeTemplate) -> None:
    """Two threads, the same answers."""
    one, two = (made.audit(jobs=jobs, top=50).to_dict() | {"seconds": 0} for jobs in (1, 2))
    demand(one == two, "two threads give other answers than one")


def protect(made: MadeTemplate) -> None:
    case = made.case
    rows = binned(case)
    seen = made.rows if rows is None else rows
    templates = [template for own in templates_of(case, seen) for template in own]
    possible = oracle.holds(oracle.suppressed(seen, masking(case), case.symbol), templates)
    try:
        release = made.release
    except Unsatisfiable:
        demand(not possible, "called unsatisfiable, though suppressing everything would do", "refused")
        made.refused = True
        return
    demand(possible, "released, though not even suppressing everything would do", "unsafe")
    demand(release.audit_after.holds, "a release whose own audit does not hold", "unsafe")
    after = rows_of(release.data)
    demand(len(after) == len(made.rows) and release.data.names == case.columns, "rows or columns were changed")
    demand(oracle.holds(after, templates), "the release is not safe", "unsafe")
    paths = template_paths(case, made.rows)
    for old, new in zip(made.rows, after, strict=True):
        for name in case.columns:
            if name not in case.bins:
                allowed = paths[name][old[name]] if name in paths else (old[name],)
                demand(new[name] in allowed, f"a cell shows what it may not ({'masked' if name in paths else 'fixed'})")
    if not case.bins and len(case.rows) <= 30:
        for template in templates:
            worst = oracle.worst_by_leaves(made.rows, after, template, paths)
            demand(worst <= template.limit, "not safe for who knows original values", "unsafe")


def rows_of(table: Any) -> list[dict[str, str | None]]:
    """The cells of a table of sordino as texts."""
    return [dict(zip(table.names, table.row(k), strict=True)) for k in range(len(table))]
