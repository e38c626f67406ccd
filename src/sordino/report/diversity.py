"""What a report says about tables in groups: from the plain data of an audit and of a cost, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sordino.report.blocks import Block, Card, Chart, Facts, Points, Section, Series, Table, Text, clean, count
from sordino.words import claims

__all__ = [
    "audit_cards",
    "audit_verdict",
    "before_section",
    "cost_cards",
    "cost_section",
    "done_section",
    "policy_blocks",
    "release_verdict",
    "size",
]

Plain = Mapping[str, Any]


def size(audit: Plain) -> str:
    """How large the data are."""
    return f"{audit['records']:,} people in {count(audit['groups'], 'group')}; l = {audit['l']}"


def audit_verdict(audit: Plain) -> tuple[str, bool | None]:
    """The answer in one sentence."""
    return claims.verdict(audit), claims.answer_of(audit).good


def release_verdict(before: Plain, after: Plain) -> str:
    """What protecting came to."""
    return claims.released(before, after, kept="nothing had to be changed")


def audit_cards(audit: Plain) -> Iterator[Card]:
    """What a steward looks for first."""
    yield Card(f"{audit['people_at_risk']:,}", f"people at risk, of {audit['records']:,}")
    yield Card(str(audit["matching_l_diversity"]), "possible values, for whoever has fewest, once the rules are known")
    yield Card(str(audit["plain_l_diversity"]), "different values in the group that has fewest")
    yield Card(f"{audit['rules']:,}", "rules that the adversary is assumed to know")


def cost_cards(before: Plain, after: Plain, cost: Plain) -> Iterator[Card]:
    """What a steward looks for first in a release."""
    people = f"{before['people_at_risk']:,} → {after['people_at_risk']:,}"
    yield Card(people, f"people at risk, of {before['records']:,}")
    yield Card(f"{cost['average_group']:.1f}", f"people in a group, on average; {cost['largest_group']:,} at most")
    if cost.get("query_error_percent") is not None:
        yield Card(f"{cost['query_error_percent']:.1f}%", "error of COUNT queries, on average")


def before_section(audit: Plain, *, now: bool) -> Section:
    """How many values stay possible for whom, and the worst cases in sentences."""
    can = "can" if now else "could"
    possible = audit["possible_values"]
    told = (
        f"The question: how many values {can} a person have, for someone who knows everybody's other columns, the "
        f"groups ({clean(audit['grouping'])}) and {count(audit['rules'], 'rule')} about what cannot be?"
    )
    blocks: list[Block] = [Text(told)]
    still_open = tuple(map(clean, claims.stayed_open(audit)))
    if still_open:
        blocks += [Text("What stayed open:", strong=True), Points(still_open)]
    if possible:
        blocks.append(
            Chart(
                "People, by how many values stay possible for them",
                f"Fewer than {audit['l']} is too few: that concerns {audit['people_at_risk']:,} people.",
                tuple(count(int(number), "possible value") for number in possible),
                (Series("people", tuple(float(people) for people in possible.values())),),
                axis="people",
                x_axis="possible values",
            )
        )
    if audit["findings"]:
        blocks.append(Text("The worst cases:", strong=True))
        blocks.append(Points(tuple(clean(finding["sentence"]) for finding in audit["findings"]), numbered=True))
    rows = (
        ("plain l-diversity: different values in a group, at least", f"{audit['plain_l_diversity']:,}"),
        ("matching l-diversity: possible values of a person under the rules, at least", _text(audit)),
        ("people at risk without any rule", f"{audit['plain_at_risk']:,}"),
        ("people in groups that no assignment fits", f"{audit['contradicted']:,}"),
        ("largest share of one value in a group", clean(audit["worst_share"])),
        ("rules mined from the data", f"{audit['mined_rules']:,}"),
    )
    blocks.append(Table("In numbers", ("", "value"), rows, (1,)))
    if audit["remarks"]:
        blocks.append(Points(tuple(clean(remark) for remark in audit["remarks"])))
    title = "What can be inferred" if now else "Before: what could be inferred"
    return Section("before", title, tuple(blocks))


def _text(audit: Plain) -> str:
    return f"{audit['matching_l_diversity']:,}"


def done_section(history: Plain) -> Section:
    """What was done."""
    cost = history["utility"]
    text = (
        f"The method '{history['method']}' put {cost['records']:,} people into {count(cost['groups'], 'group')} of "
        f"{cost['average_group']:.1f} on average ({cost['largest_group']:,} at most). Within a group the sensitive "
        "values are in random order; all other columns are as they were. Rows and groups are in random order, too."
    )
    return Section("done", "What was done", (Text(text),))


def cost_section(cost: Plain) -> Section:
    """What it cost: errors of rules and of queries."""
    named = (
        ("confidence of rules", cost.get("confidence_error_percent")),
        ("rules missed", cost.get("missed_rules_percent")),
        ("false rules", cost.get("false_rules_percent")),
        ("COUNT queries", cost.get("query_error_percent")),
    )
    known = [(name, value) for name, value in named if value is not None]
    blocks: list[Block] = []
    if known:
        blocks.append(
            Chart(
                "How far answers from the release are off",
                f"Rules to the sensitive value ({cost.get('rules_before', 0):,} before), and "
                f"{cost.get('queries', 0):,} random COUNT queries, answered from the groups.",
                tuple(name for name, _ in known),
                (Series("error", tuple(value / 100 for _, value in known)),),
                axis="error",
                percent=True,
            )
        )
    numbers = [(k.replace("_", " "), f"{v:,.4g}") for k, v in cost.items() if isinstance(v, int | float)]
    blocks.append(Facts("All measures", tuple(numbers)))
    return Section("cost", "What it cost", tuple(blocks))


def policy_blocks(policy: Any) -> Iterator[Block]:
    """What is protected from whom; the published statement of a policy has no names of its own to tell."""
    facts = []
    for label, name in (("sensitive", "sensitive"), ("known of everybody", "quasi"), ("l", "l")):
        value = getattr(policy, name, None)
        if value is not None:
            facts.append((label, ", ".join(map(clean, value)) if isinstance(value, tuple) else clean(str(value))))
    if facts:
        yield Facts("The policy", tuple(facts))
