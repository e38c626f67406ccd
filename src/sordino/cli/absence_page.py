"""What the pages of audit and protect say where somebody may also know what people do not have (absent = "any")."""

from __future__ import annotations

from fractions import Fraction

from sordino.audit.result import AuditResult, Finding
from sordino.cli.page import Grid, clean, percent

__all__ = ["absence_grid", "before_and_after_grid", "entries", "known_items"]

ROWS = {"0": "none", "1": "1 item", "2": "2 items", "more": "more items"}
TITLE = "People at risk, by how few absent items someone must know, beside items they have"


def absence_grid(result: AuditResult) -> Grid:
    """People at risk by how few absences suffice."""
    rows = [
        (_row(result, row), _people(result, row), percent(Fraction(result.exposure_by_absence[row], result.records)))
        for row in ROWS
    ]
    rows.append(("in all", _total(result), percent(Fraction(result.people_at_risk, result.records))))
    return Grid(TITLE, ("known to be absent", "people", "share"), tuple(rows), right=(1, 2), total=True)


def before_and_after_grid(before: AuditResult, after: AuditResult) -> Grid:
    """The same before and after protection."""
    rows = [(_row(before, row), _people(before, row), _people(after, row)) for row in ROWS]
    rows.append(("in all", _total(before), _total(after)))
    return Grid(TITLE, ("known to be absent", "before", "after"), tuple(rows), right=(1, 2), total=True)


def _row(result: AuditResult, row: str) -> str:
    return "not settled" if row == "more" and not (result.exact["1"] and result.exact["2"]) else ROWS[row]


def _people(result: AuditResult, row: str) -> str:
    unsure = not result.exact[row] and _row(result, row) != "not settled"
    return "at least " * unsure + f"{result.exposure_by_absence[row]:,}"


def _total(result: AuditResult) -> str:
    return "at least " * (not result.exact["people_at_risk"]) + f"{result.people_at_risk:,}"


def known_items(finding: Finding) -> str:
    """What must be known: bread + no milk."""
    return " + ".join([*map(clean, finding.antecedent), *(f"no {clean(item)}" for item in finding.absent)])


def entries(result: AuditResult) -> str:
    """How many entries were looked at, and how long that took."""
    return (
        f"In entries (equal records taken once): {result.searched_occurrences:,} compared with their twins. It took "
        f"{result.seconds:.1f} s."
    )
