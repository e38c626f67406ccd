"""The audit of release folders in the words of a data steward: of one, and of several together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sordino.cli.absence_page import known_items
from sordino.cli.asked import Asked
from sordino.cli.audit_page import headline
from sordino.cli.page import Block, Grid, Lines, Steps, clean, count, percent
from sordino.policy.answer import Answer
from sordino.words.claims import stayed_open

if TYPE_CHECKING:
    from sordino.audit.joint import JointAudit
    from sordino.audit.result import AuditResult

__all__ = ["folder_page", "joint_page"]


def folder_page(asked: Asked, result: AuditResult, stated: bool) -> Sequence[Block]:
    """Verdict, what stayed open, findings; whether the policy was stated, and not the release's own."""
    by = "the policy stated" if stated else "the policy of the release"
    page: list[Block] = [
        headline(result),
        Lines(
            (
                f"{clean(asked.data)}: {count(result.records, 'record')}, "
                f"{count(result.sensitive_items, 'sensitive item')} left; against {by}.",
                *result.remarks,
            )
        ),
        *_open(asked, result),
    ]
    if result.findings:
        rows = tuple(
            (known_items(f), clean(f.consequent), f"{f.with_consequent:,} of {f.support:,}") for f in result.findings
        )
        page.append(Grid("What can be inferred", ("known", "inferred", "records"), rows, (2,)))
    if result.answer is Answer.NOT_CHECKED and result.personal and asked.original is None:
        more = () if asked.choices or asked.policy else ("--choices", "CHOICES")
        page.append(
            Steps("What next", (("Audit with what is missing:", asked.command("audit", *more, "--original", "DATA")),))
        )
    return page


def joint_page(asked: Asked, result: JointAudit) -> Sequence[Block]:
    """Verdict, who is in which release, what stayed open, findings."""
    earlier = len(asked.previous or ())
    page: list[Block] = [
        headline(result),
        Lines(
            (
                f"{clean(asked.data)} and {count(earlier, 'earlier release')}: "
                f"{count(result.records, 'person', 'people')}.",
                "Question: can someone who has all of them, and links the rows of each person, infer a sensitive item "
                "that one of them shows?",
            )
        ),
        Lines(result.remarks, "Who is in which release (the last is the new one)"),
        *_open(asked, result),
    ]
    if result.findings:
        rows = tuple(
            (
                " + ".join(map(clean, finding.antecedent)),
                clean(finding.consequent),
                f"{finding.with_consequent:,} of {finding.support:,} = {percent(finding.confidence)}",
                f"{finding.people:,}",
            )
            for finding in result.findings
        )
        heads = ("knows", "infers", "confidence", "people")
        page.append(Grid("What can be inferred, the most telling first", heads, rows, (2, 3)))
    return page


def _open(asked: Asked, result: AuditResult) -> Sequence[Block]:
    still_open = tuple(stayed_open(result.to_dict(), asked.time_limit))
    return [Lines(still_open, "What stayed open")] if still_open else []
