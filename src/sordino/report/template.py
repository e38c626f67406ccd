"""What a report says about tables under templates: from the plain data of an audit and of a cost, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from sordino.report.blocks import (
    Block,
    Card,
    Chart,
    Facts,
    Points,
    Section,
    Series,
    Table,
    Text,
    clean,
    count,
    percent,
)
from sordino.words import claims

__all__ = [
    "audit_cards",
    "audit_verdict",
    "before_section",
    "cost_blocks",
    "cost_cards",
    "cost_section",
    "done_section",
    "policy_blocks",
    "release_verdict",
    "seen_blocks",
    "sentence",
    "size",
]

Plain = Mapping[str, Any]
SHOWN = 12  # findings


def size(audit: Plain) -> str:
    """How large the data are."""
    return f"{audit['records']:,} rows, {audit['columns']:,} columns, {count(len(audit['templates']), 'template')}"


def audit_verdict(audit: Plain) -> tuple[str, bool | None]:
    """The answer in one sentence."""
    return claims.verdict(audit), bool(audit["holds"])


def release_verdict(before: Plain, after: Plain) -> str:
    """What protecting came to."""
    return claims.released(before, after, kept="no template was broken")


def audit_cards(audit: Plain) -> Iterator[Card]:
    """What a steward looks for first."""
    yield Card(f"{audit['people_at_risk']:,}", f"people at risk, of {audit['records']:,}")
    yield Card(f"{sum(t['broken'] for t in audit['templates']):,}", "inferences above their threshold")
    worst = _worst(audit)
    if worst is not None:
        yield Card(percent(worst), "how sure somebody can become of a sensitive value, at worst")


def cost_cards(before: Plain, after: Plain, cost: Plain) -> Iterator[Card]:
    """What a steward looks for first in a release."""
    people = f"{before['people_at_risk']:,} → {after['people_at_risk']:,}"
    yield Card(people, f"people at risk, of {before['records']:,}")
    cells = cost["cells"]
    yield Card(percent(cells["share_kept"]), f"of {cells['cells']:,} cells are as they were")
    yield Card(f"{cost['granularity']['mean']:.3f}", "granularity: 1 is everything, 0 is nothing left")


def before_section(audit: Plain, *, now: bool) -> Section:
    """What could be inferred: each template with its worst inference, the findings in sentences."""
    can = "can" if now else "could"
    blocks: list[Block] = [
        Text(
            f"The question, for each template: {can} someone who knows these columns of a person infer the sensitive "
            "value, surer than the template allows?"
        ),
        _templates_chart(audit),
    ]
    if audit["findings"]:
        blocks.append(Text("The worst findings, the surest first:", strong=True))
        blocks.append(Points(tuple(sentence(f) for f in audit["findings"][:SHOWN]), numbered=True))
    blocks += [_above_chart(audit), _templates_table(audit)]
    for column, labels in audit["ranges"].items():
        blocks.append(Text(f"{clean(column)} counts, and is published, as ranges: {', '.join(map(clean, labels))}."))
    if audit["remarks"]:
        blocks.append(Points(tuple(clean(remark) for remark in audit["remarks"])))
    title = "What can be inferred" if now else "Before: what could be inferred"
    return Section("before", title, tuple(blocks))


def sentence(finding: Plain) -> str:
    """A finding in plain words."""
    known = " and ".join(f"{clean(name)} = {clean(text)}" for name, text in finding["known"].items())
    sure = float(Fraction(finding["people"], finding["rows"]))
    return (
        f"Someone who knows {known} can infer {clean(finding['sensitive'])} = {clean(finding['value'])} for "
        f"{count(finding['people'], 'person', 'people')} ({finding['people']:,} of {finding['rows']:,}, "
        f"{sure:.0%} sure)."
    )


def _templates_chart(audit: Plain) -> Chart:
    templates = audit["templates"]
    broken = [t for t in templates if not t["holds"]]
    return Chart(
        "The worst inference of each template, and what it allows",
        f"{len(broken)} of {count(len(templates), 'template')} broken: their worst inference is surer than allowed.",
        tuple(f"{t['template']}: {', '.join(map(clean, t['given']))}" for t in templates),
        (
            Series(
                "worst inference", tuple(None if t["worst"] is None else t["worst"]["confidence"] for t in templates)
            ),
            Series("allowed", tuple(float(Fraction(t["at_most"])) for t in templates)),
        ),
        axis="how sure somebody becomes",
        x_axis="template",
        percent=True,
    )


def _above_chart(audit: Plain) -> Chart:
    above = audit["above"]
    return Chart(
        "How many inferences there are, by how sure they make somebody",
        f"{audit['inferences']:,} different combinations of known values and a sensitive value occur in all.",
        tuple(f"above {limit}%" for limit in above),
        (Series("inferences", tuple(float(number) for number in above.values())),),
        axis="inferences",
        x_axis="how sure",
    )


def _templates_table(audit: Plain) -> Table:
    rows = tuple(
        (
            str(t["template"]),
            ", ".join(map(clean, t["given"])),
            clean(t["sensitive"]),
            percent(Fraction(t["at_most"])),
            "-" if t["worst"] is None else percent(t["worst"]["confidence"]),
            f"{t['broken']:,}",
            f"{t['people']:,}",
            "holds" if t["holds"] else "broken",
        )
        for t in audit["templates"]
    )
    head = ("template", "known columns", "sensitive", "allowed", "worst", "too sure", "people", "")
    return Table("The templates", head, rows, (3, 4, 5, 6))


def _worst(audit: Plain) -> float | None:
    return max((t["worst"]["confidence"] for t in audit["templates"] if t["worst"] is not None), default=None)


def done_section(history: Plain) -> Section:
    """What was done, column by column."""
    cells = history["utility"]["cells"]
    text = (
        f"The method '{history['method']}' suppressed {cells['suppressed']:,} of {cells['cells']:,} cells and replaced "
        f"{cells['generalized']:,} by a coarser value; {cells['changed_rows']:,} of {cells['rows']:,} rows were "
        f"touched, {cells['suppressed_rows']:,} are wholly suppressed. All other columns are as they were."
    )
    return Section("done", "What was done", (Text(text), _cells_chart(cells)))


def _cells_chart(cells: Plain) -> Chart:
    columns = cells["by_attribute"]
    return Chart(
        "What became of the cells, by column",
        f"{percent(cells['share_kept'])} of the cells of these columns are as they were.",
        tuple(clean(c["attribute"]) for c in columns),
        tuple(Series(what, tuple(float(c[what]) for c in columns)) for what in ("kept", "generalized", "suppressed")),
        kind="stacked",
        axis="cells",
        x_axis="column",
    )


def cost_section(cost: Plain) -> Section:
    """What it cost: granularity, values left, errors of classifiers."""
    return Section("cost", "What it cost", cost_blocks(cost))


def cost_blocks(cost: Plain) -> tuple[Block, ...]:
    """The pictures and numbers of a cost."""
    granularity = cost["granularity"]
    blocks: list[Block] = [
        Chart(
            "How finely the columns still tell people apart (granularity)",
            f"1 is every value as it was, 0 is one value for all; {granularity['mean']:.3f} on average.",
            tuple(clean(name) for name in granularity["by_attribute"]),
            (Series("granularity", tuple(granularity["by_attribute"].values())),),
            axis="granularity",
            x_axis="column",
            decimals=3,
        )
    ]
    if cost.get("errors"):
        blocks.append(_errors_chart(cost["errors"]))
    rows = tuple(
        (clean(c["attribute"]), percent(c["share_kept"]), f"{c['values']:,}", f"{c['values_left']:,}")
        for c in cost["cells"]["by_attribute"]
    )
    blocks.append(Table("Columns", ("column", "cells kept", "values before", "values after"), rows, (1, 2, 3)))
    return tuple(blocks)


def _errors_chart(errors: Sequence[Plain]) -> Chart:
    return Chart(
        "Can the class still be predicted? Errors of classifiers",
        "Trained on the original, on the release, and without the sensitive columns at all.",
        tuple(clean(e["classifier"]) for e in errors),
        (
            Series("original", tuple(e["base_error"] for e in errors)),
            Series("release", tuple(e["suppression_error"] for e in errors)),
            Series("sensitive columns removed", tuple(e["removal_error"] for e in errors)),
        ),
        axis="share of wrong predictions",
        x_axis="classifier",
        percent=True,
    )


def policy_blocks(policy: Any) -> Iterator[Block]:
    """The policy beyond its templates, which stand above."""
    facts = [("templates", f"{len(policy.templates):,}")]
    if policy.class_column:
        facts.append(("class", clean(policy.class_column)))
    facts.append(("symbol of a suppressed cell", clean(policy.symbol)))
    yield Facts("The policy", tuple(facts))


def seen_blocks(columns: Sequence[tuple[str, int, int]], rows: int) -> tuple[Block, ...]:
    """A published table: for each column its name, how many values it shows, and how many cells are suppressed."""
    hidden = tuple(None if not rows else gone / rows for _, _, gone in columns)
    return (
        Chart(
            "How much of each column is suppressed",
            f"{rows:,} rows; suppressed cells show a symbol instead of a value.",
            tuple(clean(name) for name, _, _ in columns),
            (Series("suppressed", hidden),),
            axis="share of the rows",
            x_axis="column",
            percent=True,
        ),
        Table(
            "The columns",
            ("column", "different values", "suppressed cells"),
            tuple((clean(name), f"{values:,}", f"{gone:,}") for name, values, gone in columns),
            (1, 2),
        ),
    )
