"""Audits, releases and costs of tables under templates, in the words of a data steward."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sordino.audit.template_result import SHARES, TemplateAudit, TemplateFinding, TemplateOutcome
from sordino.audit.template_result import percent as exact_percent
from sordino.cli.page import Block, Grid, Headline, Lines, Steps, clean, count, percent
from sordino.policy.threshold import show_rational
from sordino.release.templates.result import TableRelease
from sordino.utility.table_cost import TableCost
from sordino.words.claims import released, verdict

__all__ = ["audit_page", "before_and_after", "cost_blocks", "headline", "measure_page", "protect_page"]

Command = Callable[..., str]
EACH = 3  # findings of a template that has none among the surest


def audit_page(result: TemplateAudit, data: str, command: Command, *, top: int) -> Sequence[Block]:
    """Verdict, templates, findings, remarks, what next."""
    page: list[Block] = [headline(result), Lines((_about(result, data),)), _templates(result), _above(result)]
    if result.findings:
        page.append(_findings("What can be inferred, the surest first", result.findings))
    told = {finding.template for finding in result.findings}
    silent = [finding for o in result.templates if o.number not in told for finding in o.findings[:EACH]]
    if silent and result.findings:
        page.append(_findings("And along the other templates", silent))
    remarks = [*_ranges(result), *_impossible(result), *result.remarks]
    if remarks:
        page.append(Lines(tuple(map(clean, remarks)), "Remarks"))
    page.append(Steps("What next", tuple(_next(result, command, top))))
    return page


def headline(result: TemplateAudit) -> Headline:
    """The verdict in one line."""
    return Headline(verdict(result.to_dict()), good=result.holds)


def _about(result: TemplateAudit, data: str) -> str:
    source = "standard input" if data == "-" else data
    return (
        f"{clean(source)}: {count(result.records, 'row')}, {count(result.columns, 'column')}, "
        f"{count(len(result.templates), 'template')}. Every number is exact. It took {result.seconds:.1f} s."
    )


def _templates(result: TemplateAudit) -> Grid:
    rows = []
    for outcome in result.templates:
        worst = outcome.worst
        rows.append(
            (
                str(outcome.number),
                " + ".join(map(clean, outcome.given)),
                _inferred(outcome),
                exact_percent(outcome.at_most),
                "-" if worst is None else f"{worst.people:,} of {worst.rows:,} = {percent(worst.confidence)}",
                f"{outcome.people:,}",
                "yes" if outcome.holds else "NO",
            )
        )
    head = ("", "knows", "infers", "at most", "worst", "people", "holds")
    return Grid("Templates", head, tuple(rows), (3, 4, 5))


def _inferred(outcome: TemplateOutcome) -> str:
    if outcome.values == 1 and outcome.worst is not None:
        return f"{clean(outcome.sensitive)} = {clean(outcome.worst.value)}"
    return f"{clean(outcome.sensitive)} ({count(outcome.values, 'value')})"


def _above(result: TemplateAudit) -> Grid:
    head = ("", *(f"above {share}%" for share in SHARES), "all")
    rows = [
        (f"template {o.number}", *(f"{o.above[share]:,}" for share in SHARES), f"{o.inferences:,}")
        for o in result.templates
    ]
    rows.append(("each once", *(f"{result.above[share]:,}" for share in SHARES), f"{result.inferences:,}"))
    return Grid(
        "Inferences (known values with a sensitive value), by how sure they are",
        head,
        tuple(rows),
        tuple(range(1, len(head))),
        total=True,
    )


def _findings(title: str, findings: Sequence[TemplateFinding]) -> Grid:
    rows = tuple(
        (
            " + ".join(f"{clean(name)} = {clean(text)}" for name, text in finding.known.items()),
            f"{clean(finding.sensitive)} = {clean(finding.value)}",
            f"{finding.people:,} of {finding.rows:,} = {percent(finding.confidence)}",
        )
        for finding in findings
    )
    return Grid(title, ("knows", "infers", "confidence"), rows, (2,))


def _ranges(result: TemplateAudit) -> Iterator[str]:
    for name, labels in result.ranges.items():
        yield f"{name} counts, and will be published, as {count(len(labels), 'range')}: {'; '.join(labels[:12])}" + (
            "; ..." if len(labels) > 12 else "."
        )


def _impossible(result: TemplateAudit) -> Iterator[str]:
    for outcome in result.templates:
        if outcome.implied:
            yield f"Template {outcome.number} follows from the others."
        if not outcome.possible:
            remedy = (
                "no threshold below 1 would do"
                if outcome.lowest >= 1
                else f"it could with at_most = {show_rational(outcome.lowest)} or more"
            )
            yield f"Template {outcome.number} can never hold, whatever is suppressed; {remedy}."


def _next(result: TemplateAudit, command: Command, top: int) -> Iterator[tuple[str, str | None]]:
    if result.holds:
        yield "The verdict is about the templates of the policy: names and other identifiers must go anyway.", None
        return
    if len(result.findings) == top:  # fewer would be all there are
        yield "See more findings:", command("audit", "--top", str(max(50, 5 * top)))
    yield "Keep the result, for a pipeline or a colleague:", command("audit", "--json", "audit.json")
    if result.impossible:
        yield "Raise the thresholds that can never be kept, then audit again.", None
    else:
        yield "Do not hand on the file as it is. Make a version that is safe:", command("protect", "--out", "release")


def protect_page(release: TableRelease, data: str, out: Path) -> Sequence[Block]:
    """Before and after, what it cost, where the release is, what next."""
    before, after = release.audit_before, release.audit_after
    told = "only binned columns were changed, to ranges" if release.changed else "nothing had to be changed"
    first = Headline(released(before.to_dict(), after.to_dict(), kept=told), good=after.holds)
    source = "standard input" if data == "-" else data
    page: list[Block] = [
        first,
        Lines(
            (
                f"{clean(source)}: {count(before.records, 'row')}, {count(len(before.templates), 'template')}. Method: "
                f"{release.method}. The written file was audited again, and counted by an independent verifier.",
            )
        ),
        before_and_after(before, after),
        *cost_blocks(release.utility, release.policy.symbol),
    ]
    remarks = [*_ranges(before), *before.remarks]
    if remarks:
        page.append(Lines(tuple(map(clean, remarks)), "Remarks"))
    page.append(
        Steps(
            "What next",
            (
                (
                    f"Hand on {clean(str(out / 'publish'))}, and nothing else; its README.txt says what is guaranteed.",
                    None,
                ),
                (f"Keep {clean(str(out / 'keep'))} in the house: it shows what was changed.", None),
                (f"Read the report: {clean(str(out / 'keep' / 'report.html'))}", None),
                ("Check the release, as whoever receives it can:", shlex.join(["sordino", "verify", str(out)])),
            ),
        )
    )
    return page


def before_and_after(before: TemplateAudit, after: TemplateAudit) -> Grid:
    """The templates, before and after."""
    rows = []
    for old, new in zip(before.templates, after.templates, strict=True):
        rows.append(
            (
                str(old.number),
                " + ".join(map(clean, old.given)),
                _inferred(old),
                exact_percent(old.at_most),
                *("-" if o.worst is None else percent(o.worst.confidence) for o in (old, new)),
                f"{old.people:,}",
                f"{new.people:,}",
            )
        )
    head = ("", "knows", "infers", "at most", "worst before", "after", "people before", "after")
    return Grid("Templates, before and after", head, tuple(rows), (3, 4, 5, 6, 7))


def cost_blocks(cost: TableCost, symbol: str | None) -> Iterator[Block]:
    """What became of the cells, in all and by column."""
    cells = cost.cells
    shown = f", shown as '{clean(symbol)}'," if symbol is not None and cells.suppressed else ""
    yield Lines(
        (
            f"{cells.suppressed:,} of {cells.cells:,} cells were suppressed{shown} and {cells.generalized:,} "
            f"generalized; {percent(cells.share)} are as they were.",
            f"Granularity (1: every value is shown, 0: nothing is): {cost.granularity.mean:.3f}.",
            *(
                f"Predicting the class by {one.classifier}: {one.base:.1%} wrong before, {one.suppression:.1%} now, "
                f"{one.removal:.1%} without the sensitive columns."
                for one in cost.errors
            ),
        ),
        "What it cost",
    )
    rows = tuple(
        (
            clean(one.name),
            f"{one.kept:,}",
            percent(one.share),
            f"{one.generalized:,}",
            f"{one.suppressed:,}",
            f"{one.values:,}",
            f"{one.values_left:,}",
            f"{granularity:.3f}",
        )
        for one, granularity in zip(cells.attributes, cost.granularity.by_attribute, strict=True)
    )
    head = ("column", "cells kept", "share", "generalized", "suppressed", "values before", "after", "granularity")
    yield Grid("By column", head, rows, tuple(range(1, len(head))))


def measure_page(cost: TableCost, before: str, after: str) -> Sequence[Block]:
    """What it cost."""
    return [
        Headline(f"{percent(cost.cells.share)} of the cells are kept.", good=True),
        Lines((f"{clean(before)} compared with {clean(after)}: {count(cost.cells.rows, 'row')}.",)),
        *cost_blocks(cost, None),
    ]
