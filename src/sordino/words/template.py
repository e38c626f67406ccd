"""What is said of tables under templates: from the plain data of an audit and of a cost, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from sordino.policy.answer import Answer
from sordino.words.anonymity import anonymity_blocks
from sordino.words.blocks import Block, Card, Chart, Closer, Facts, Findings, Series, Table, Text, points
from sordino.words.claims import answer_of
from sordino.words.steps import Asked, Step, more_findings, not_as_it_is
from sordino.words.text import clean, count, exactly, percent

__all__ = [
    "KEPT", "audit_blocks", "audit_cards", "audit_steps", "cost_blocks", "cost_size", "cost_verdict", "done_blocks",
    "policy_blocks", "release_blocks", "release_cards", "sentence", "sentences", "size", "templates",
]  # fmt: skip

Plain = Mapping[str, Any]

KEPT = "no template was broken"
EACH = 3  # findings of a template that has none among the surest
RANGES = 12  # of a column, that are named


def size(audit: Plain) -> str:
    """How large the data are."""
    many = count(len(audit["templates"]), "template")
    return f"{count(audit['records'], 'row')}, {count(audit['columns'], 'column')}, {many}"


def audit_cards(audit: Plain) -> Iterator[Card]:
    """What a steward looks for first."""
    yield Card(f"{audit['people_at_risk']:,}", f"people at risk, of {audit['records']:,}")
    yield Card(f"{sum(t['broken'] for t in audit['templates']):,}", "inferences above their threshold")
    worst = [t["worst"]["confidence"] for t in audit["templates"] if t["worst"] is not None]
    if worst:
        yield Card(percent(max(worst)), "how sure somebody can become of a sensitive value, at worst")


def release_cards(before: Plain, after: Plain, cost: Plain) -> Iterator[Card]:
    """What a steward looks for first in a release."""
    people = f"{before['people_at_risk']:,} → {after['people_at_risk']:,}"
    yield Card(people, f"people at risk, of {before['records']:,}")
    cells = cost["cells"]
    yield Card(percent(cells["share_kept"]), f"of {cells['cells']:,} cells are as they were")
    mean = cost["granularity"]["mean"]
    if abs(mean - cells["share_kept"]) >= 0.0005:  # else it is the same number again: nothing is shown more coarsely
        yield Card(f"{mean:.3f}", "granularity: 1 is everything, 0 is nothing left")


def audit_blocks(audit: Plain, asked: Asked, policy: Any = None) -> Iterator[Block]:
    """What can be inferred: each template with its worst inference, the findings, how sure inferences are."""
    del policy
    yield Text(_question("can"))
    yield templates((("worst inference", audit),))
    yield from _findings("What can be inferred, the surest first", audit["findings"])
    told = {finding["template"] for finding in audit["findings"]}
    silent = [f for t in audit["templates"] if t["template"] not in told for f in t["findings"][:EACH]]
    if audit["findings"]:
        yield from _findings("And along the other templates", silent)
    yield _above(audit)
    yield from points("Remarks", (*asked.notes, *_ranges(audit), *_impossible(audit), *map(clean, audit["remarks"])))


def release_blocks(before: Plain, after: Plain) -> Iterator[Block]:
    """The templates before and after, and what could be inferred."""
    yield Text(_question("could"))
    yield templates((("before", before), ("after", after)))
    yield Closer((*_findings("What could be inferred, the surest first", before["findings"]), _above(before)))
    yield from points("Remarks", (*_ranges(before), *map(clean, before["remarks"])))


def _question(can: str) -> str:
    return (
        f"The question, for each template: {can} someone who knows these columns of a person infer the sensitive "
        "value, surer than the template allows? Every number is exact."
    )


def templates(audits: Sequence[tuple[str, Plain]]) -> Chart:
    """The worst inference of each template, beside what it allows; of one audit, or before and after."""
    first, last = audits[0][1]["templates"], audits[-1][1]["templates"]
    broken, alone = sum(not t["holds"] for t in first), len(audits) == 1
    rows = tuple(
        (
            str(old["template"]),
            " + ".join(map(clean, old["given"])),
            _inferred(old),
            exactly(old["at_most"]),
            *((_worst(old), f"{old['people']:,}", "yes" if old["holds"] else "NO") if alone else _both(old, new)),
        )
        for old, new in zip(first, last, strict=True)
    )
    head = ("", "knows", "infers", "at most", *(("worst", "people", "holds") if alone else BOTH))
    right = (3, 4, 5) if alone else (3, 4, 5, 6, 7)
    return Chart(
        "The worst inference of each template, and what it allows",
        f"{broken:,} of {count(len(first), 'template')} {'are' if alone else 'were'} broken: their worst inference "
        f"{'is' if alone else 'was'} surer than allowed.",
        tuple(f"{t['template']}: {', '.join(map(clean, t['given']))}" for t in first),
        (
            *(
                Series(name, tuple(None if t["worst"] is None else t["worst"]["confidence"] for t in a["templates"]))
                for name, a in audits
            ),
            Series("allowed", tuple(float(Fraction(t["at_most"])) for t in first)),
        ),
        axis="how sure somebody becomes",
        x_axis="template",
        percent=True,
        table=Table("Templates" if alone else "Templates, before and after", head, rows, right),
    )


BOTH = ("worst before", "after", "people before", "after")


def _both(old: Plain, new: Plain) -> tuple[str, ...]:
    worst = ("-" if t["worst"] is None else percent(t["worst"]["confidence"]) for t in (old, new))
    return (*worst, f"{old['people']:,}", f"{new['people']:,}")


def _worst(template: Plain) -> str:
    return "-" if template["worst"] is None else _share(template["worst"])


def _share(finding: Plain) -> str:
    return f"{finding['people']:,} of {finding['rows']:,} = {percent(Fraction(finding['people'], finding['rows']))}"


def _inferred(template: Plain) -> str:
    if template["values"] == 1 and template["worst"] is not None:
        return f"{clean(template['sensitive'])} = {clean(template['worst']['value'])}"
    return f"{clean(template['sensitive'])} ({count(template['values'], 'value')})"


def _findings(title: str, findings: Sequence[Plain]) -> Iterator[Findings]:
    rows = tuple(
        (
            " + ".join(f"{clean(name)} = {clean(text)}" for name, text in finding["known"].items()),
            f"{clean(finding['sensitive'])} = {clean(finding['value'])}",
            _share(finding),
        )
        for finding in findings
    )
    if rows:
        yield Findings(Table(title, ("knows", "infers", "confidence"), rows, (2,)), tuple(map(sentence, findings)))


def sentence(finding: Plain) -> str:
    """A finding in plain words."""
    known = " and ".join(f"{clean(name)} = {clean(text)}" for name, text in finding["known"].items())
    sure = float(Fraction(finding["people"], finding["rows"]))
    return (
        f"Someone who knows {known} can infer {clean(finding['sensitive'])} = {clean(finding['value'])} for "
        f"{count(finding['people'], 'person', 'people')} ({finding['people']:,} of {finding['rows']:,}, "
        f"{sure:.0%} sure)."
    )


def _above(audit: Plain) -> Chart:
    limits = tuple(audit["above"])
    title = "Inferences (known values with a sensitive value), by how sure they are"
    head = ("", *(f"above {limit}%" for limit in limits), "all")
    counted = [(f"template {t['template']}", t) for t in audit["templates"]]
    rows = tuple(
        (name, *(f"{one['above'][limit]:,}" for limit in limits), f"{one['inferences']:,}")
        for name, one in (*counted, ("each once", audit))
    )
    return Chart(
        "How many inferences there are, by how sure they make somebody",
        f"{audit['inferences']:,} different combinations of known values and a sensitive value occur in all.",
        head[1:-1],
        (Series("inferences", tuple(float(number) for number in audit["above"].values())),),
        axis="inferences",
        x_axis="how sure",
        table=Table(title, head, rows, tuple(range(1, len(head))), total=True),
    )


def _ranges(audit: Plain) -> Iterator[str]:
    for name, labels in audit["ranges"].items():
        named = "; ".join(map(clean, labels[:RANGES])) + ("; ..." if len(labels) > RANGES else ".")
        yield f"{clean(name)} counts, and is published, as {count(len(labels), 'range')}: {named}"


def _possible(template: Plain) -> bool:
    return Fraction(template["lowest_possible"]) <= Fraction(template["at_most"])


def _impossible(audit: Plain) -> Iterator[str]:
    for template in audit["templates"]:
        if template["implied"]:
            yield f"Template {template['template']} follows from the others."
        if not _possible(template):
            lowest = template["lowest_possible"]
            never = "no threshold below 1 would do"
            remedy = never if Fraction(lowest) >= 1 else f"it could with at_most = {lowest} or more"
            others = [text for text in template.get("remedies", ()) if not text.startswith("at_most")]
            helps = f" What helps: {'; or '.join(others)}." if others else ""
            yield f"Template {template['template']} can never hold, whatever is suppressed; {remedy}.{helps}"


def audit_steps(audit: Plain, asked: Asked) -> Iterator[Step]:
    """What to do next."""
    if answer_of(audit) is Answer.HOLDS:
        yield "The verdict is about the templates of the policy: names and other identifiers must go anyway.", None
        return
    yield from more_findings(audit, asked)
    if all(map(_possible, audit["templates"])):
        yield not_as_it_is(asked)
    else:
        yield "Change the templates that can never be kept, as said above, then audit again.", None


def cost_verdict(cost: Plain) -> str:
    """How much is left, in one line."""
    return f"{percent(cost['cells']['share_kept'])} of the cells are kept."


def cost_size(cost: Plain) -> str:
    """How large the tables are that were compared."""
    return count(cost["cells"]["rows"], "row")


def sentences(cost: Plain, symbol: str | None = None) -> Iterator[str]:
    """The cost in plain words."""
    yield _done(cost, symbol)
    yield from _costs(cost)


def _done(cost: Plain, symbol: str | None = None) -> str:
    cells = cost["cells"]
    shown = f", shown as '{clean(symbol)}'," if symbol is not None and cells["suppressed"] else ""
    return (
        f"{cells['suppressed']:,} of {cells['cells']:,} cells were suppressed{shown} and {cells['generalized']:,} "
        f"generalized; {percent(cells['share_kept'])} are as they were. {cells['changed_rows']:,} of {cells['rows']:,} "
        f"rows were touched, {cells['suppressed_rows']:,} are wholly suppressed. All other columns are as they were."
    )


def _costs(cost: Plain) -> Iterator[str]:
    yield f"Granularity (1: every value is shown, 0: nothing is): {cost['granularity']['mean']:.3f}."
    for one in cost.get("errors", ()):
        yield (
            f"Predicting the class by {clean(one['classifier'])}: {one['base_error']:.1%} wrong before, "
            f"{one['suppression_error']:.1%} now, {one['removal_error']:.1%} without the sensitive columns."
        )


def done_blocks(cost: Plain, *, policy: Any = None, top: int = 0) -> Iterator[Block]:
    """What was done, column by column."""
    del top  # all columns are shown
    yield Text(_done(cost, getattr(policy, "symbol", None)))
    if getattr(policy, "bins", None):
        yield Text("A number that is shown as its range is counted as it was: the policy judges by ranges.")
    cells = cost["cells"]
    columns, granularity = cells["by_attribute"], cost["granularity"]["by_attribute"]
    other = (
        Series("cells kept", tuple(c["share_kept"] for c in columns), "share", drawn=False),
        Series("values before", tuple(c["values"] for c in columns), drawn=False),
        Series("after", tuple(c["values_left"] for c in columns), drawn=False),
        Series("granularity", tuple(granularity[c["attribute"]] for c in columns), ".3f", drawn=False),
    )
    yield Chart(
        "What became of the cells, by column",
        f"{percent(cells['share_kept'])} of the cells of these columns are as they were.",
        tuple(clean(c["attribute"]) for c in columns),
        (*(Series(what, tuple(c[what] for c in columns)) for what in ("kept", "generalized", "suppressed")), *other),
        kind="stacked",
        axis="cells",
        x_axis="column",
    )


def cost_blocks(cost: Plain) -> Iterator[Block]:
    """What it cost: granularity, errors of classifiers."""
    granularity, errors = cost["granularity"], cost.get("errors", ())
    yield from map(Text, _costs(cost))
    yield from anonymity_blocks(cost)
    closer = [
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
    if errors:
        trained = {
            "original": "base_error",
            "release": "suppression_error",
            "sensitive columns removed": "removal_error",
        }
        closer.append(
            Chart(
                "Can the class still be predicted? Errors of classifiers",
                "Trained on the original, on the release, and without the sensitive columns at all.",
                tuple(clean(e["classifier"]) for e in errors),
                tuple(Series(name, tuple(e[key] for e in errors)) for name, key in trained.items()),
                axis="share of wrong predictions",
                x_axis="classifier",
                percent=True,
            )
        )
    yield Closer(tuple(closer))


def policy_blocks(policy: Any) -> Iterator[Block]:
    """The policy beyond its templates, which stand above."""
    facts = [("templates", f"{len(policy.templates):,}")]
    if policy.class_column:
        facts.append(("class", clean(policy.class_column)))
    facts.append(("symbol of a suppressed cell", clean(policy.symbol)))
    yield Facts("The policy", tuple(facts))
