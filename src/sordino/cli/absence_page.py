"""What the pages of audit and protect say where somebody may also know what people do not have (absent = "any")."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from sordino.audit.result import AuditResult, Finding
from sordino.cli.page import Grid, clean, count, percent

__all__ = ["LIMITS", "absence_grid", "absence_grounds", "before_and_after_grid", "known_words"]

ROWS = {"0": "none", "1": "1 item", "2": "2 items", "more": "more items"}
TITLE = "People at risk, by how few absent items someone must know, beside items they have"
LIMITS = (
    'Where it says "at least", the search for the fewest absences has a limit, because finding '
    "them all can take for ever. The verdict, and every finding that is shown, are exact."
)


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


def known_words(finding: Finding) -> str:
    """What must be known: bread + no milk."""
    return " + ".join([*map(clean, finding.antecedent), *(f"no {clean(item)}" for item in finding.absent)])


def absence_grounds(result: AuditResult) -> Iterator[str]:
    """How we know."""
    if result.searched_items:
        yield (
            f"By twins: {count(result.searched_items, 'item')}. Whoever has one of them, and something else, needs "
            "enough other people whose records are equal but for it."
        )
    alone = result.sensitive_items - result.searched_items
    if alone > 0:
        yield f"Without effort: {count(alone, 'item')}, never recorded together with anything one could know."
    if result.searched_occurrences:
        yield (
            f"In entries (equal records taken once): {result.searched_occurrences:,} compared with their twins. It "
            f"took {result.seconds:.1f} s."
        )
