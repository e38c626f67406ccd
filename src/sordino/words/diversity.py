"""What is said of tables in groups: from the plain data of an audit and of a cost, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from sordino.policy.answer import Answer
from sordino.words import claims
from sordino.words.blocks import Block, Card, Chart, Closer, Facts, Findings, Series, Table, Text, points
from sordino.words.steps import Asked, Step, not_as_it_is
from sordino.words.text import clean, count, percent

__all__ = [
    "KEPT", "audit_blocks", "audit_cards", "audit_steps", "cost_blocks", "cost_size", "cost_verdict", "done_blocks",
    "policy_blocks", "release_blocks", "release_cards", "sentences", "size",
]  # fmt: skip

Plain = Mapping[str, Any]

KEPT = "nothing had to be changed"


def _people(value: float) -> str:
    return f"{value:,} people" if isinstance(value, int) else f"{value:,.1f} people"


def _number(value: float) -> str:
    return f"{value:,}"


def _off(value: float) -> str:
    return f"{value:,.1f}%"


MEASURES: Mapping[str, tuple[str, Callable[[float], str]]] = {
    "records": ("in the file", _people),
    "groups": ("groups", _number),
    "average_group": ("in a group, on average", _people),
    "largest_group": ("in the largest group", _people),
    "rules_before": ("association rules to the sensitive value, in the original", _number),
    "rules_after": ("such rules, from the groups", _number),
    "confidence_error_percent": ("confidence of the rules, off by on average", _off),
    "missed_rules_percent": ("rules of the original that the groups do not show", _off),
    "false_rules_percent": ("rules that only the groups show, for each 100% of the original", _off),
    "min_support": ("a rule counts from this share of the people on (support)", percent),
    "min_conviction": ("and from this conviction on (1: chance)", _number),
    "query_error_percent": ("COUNT queries, off by on average", _off),
    "queries": ("COUNT queries asked, at random", _number),
    "dim": ("attributes in a query, besides the sensitive one", _number),
    "selectivity": ("share of the values of an attribute that a query takes", percent),
}


def size(audit: Plain) -> str:
    """How large the data are."""
    return f"{count(audit['records'], 'person', 'people')} in {count(audit['groups'], 'group')}; l = {audit['l']}"


def audit_cards(audit: Plain) -> Iterator[Card]:
    """What a steward looks for first."""
    yield Card(f"{audit['people_at_risk']:,}", f"people at risk, of {audit['records']:,}")
    yield Card(str(audit["matching_l_diversity"]), "possible values, for whoever has fewest, once the rules are known")
    yield Card(str(audit["plain_l_diversity"]), "different values in the group that has fewest")
    yield Card(f"{audit['rules']:,}", "rules that the adversary is assumed to know")


def release_cards(before: Plain, after: Plain, cost: Plain) -> Iterator[Card]:
    """What a steward looks for first in a release."""
    people = f"{before['people_at_risk']:,} → {after['people_at_risk']:,}"
    yield Card(people, f"people at risk, of {before['records']:,}")
    yield Card(f"{cost['average_group']:.1f}", f"people in a group, on average; {cost['largest_group']:,} at most")
    if cost.get("query_error_percent") is not None:
        yield Card(f"{cost['query_error_percent']:.1f}%", "error of COUNT queries, on average")


def audit_blocks(audit: Plain, asked: Asked, policy: Any = None) -> Iterator[Block]:
    """How many values stay possible for whom, and the worst cases."""
    del policy
    yield Text(_question(audit, "can"))
    yield from points("What stayed open", map(clean, claims.stayed_open(audit)))
    yield from _possible((("people", audit),))
    yield from _findings(audit)
    yield _numbers((("value", audit),))
    yield from points("Remarks", (*asked.notes, *map(clean, audit["remarks"])))


def release_blocks(before: Plain, after: Plain) -> Iterator[Block]:
    """How many values stayed possible before, and how many do now."""
    yield Text(_question(before, "could"))
    yield from points("What stayed open", map(clean, claims.stayed_open(before)))
    yield from _possible((("before", before), ("after", after)))
    yield Closer(tuple(_findings(before)))
    yield _numbers((("before", before), ("after", after)))
    yield from points("Remarks", map(clean, before["remarks"]))


def _question(audit: Plain, can: str) -> str:
    groups = f" ({clean(audit['grouping'])})" if audit["grouping"] else ""
    many = "all" if audit["mined_rules"] == audit["rules"] else f"{audit['mined_rules']:,}"
    mined = f", {many} of them mined from the data" if audit["mined_rules"] else ""
    return (
        f"The question: how many values {can} a person have, for someone who knows everybody's other columns, the "
        f"groups{groups} and {count(audit['rules'], 'rule')} about what cannot be{mined}?"
    )


def _possible(audits: Sequence[tuple[str, Plain]]) -> Iterator[Chart]:
    """People by how many values they may have; of one audit, or of two beside each other."""
    first, l = audits[0][1], audits[0][1]["l"]  # noqa: E741 - the name of the literature
    numbers = sorted({int(number) for _, audit in audits for number in audit["possible_values"]})
    if not numbers:
        return
    alone = len(audits) == 1
    held = [tuple(audit["possible_values"].get(str(number), 0) for number in numbers) for _, audit in audits]
    shares = Series("share", tuple(people / first["records"] for people in held[0]), "share", drawn=False)
    yield Chart(
        "People, by how many values stay possible for them",
        f"Fewer than {l} is too few: that {'concerns' if alone else 'concerned'} {first['people_at_risk']:,} people.",
        tuple(map(str, numbers)),
        (*(Series(name, people) for (name, _), people in zip(audits, held, strict=True)), *([shares] if alone else [])),
        axis="people",
        x_axis="possible values",
    )


def _findings(audit: Plain) -> Iterator[Findings]:
    told = tuple(clean(finding["sentence"]) for finding in audit["findings"])
    if told:
        rows = tuple((text, f"{f['people']:,}") for text, f in zip(told, audit["findings"], strict=True))
        yield Findings(Table("The worst cases", ("what one must know, and what it leaves", "people"), rows, (1,)), told)


def _numbers(audits: Sequence[tuple[str, Plain]]) -> Table:
    named = (
        ("plain l-diversity: different values in a group, at least", "plain_l_diversity"),
        ("simple l-diversity: values in the group that no rule excludes for a person, at least", "simple_l_diversity"),
        ("matching l-diversity: possible values of a person under the rules, at least", "matching_l_diversity"),
        ("people at risk without any rule", "plain_at_risk"),
        ("people at risk by the simple requirement", "simple_at_risk"),
        ("people in groups that no assignment fits", "contradicted"),
    )
    known = [(name, key) for name, key in named if all(audit.get(key) is not None for _, audit in audits)]
    rows = [(name, *(f"{audit[key]:,}" for _, audit in audits)) for name, key in known]
    shares = (percent(Fraction(audit["worst_share"])) for _, audit in audits)
    rows.append(("largest share of one value in a group", *shares))
    return Table("In numbers", ("", *(name for name, _ in audits)), tuple(rows), tuple(range(1, len(rows[0]))))


def audit_steps(audit: Plain, asked: Asked) -> Iterator[Step]:
    """What to do next."""
    if claims.answer_of(audit) is not Answer.FAILS:
        return
    if audit.get("largest_l", audit["l"]) < audit["l"]:
        yield "Do not hand on the file as it is. The policy cannot be met: change it first, as the remarks say.", None
    else:
        yield not_as_it_is(asked)


def cost_verdict(cost: Plain) -> str:
    """The groups, in one line."""
    return (
        f"{count(cost['groups'], 'group')} of {cost['average_group']:.1f} people on average, "
        f"{cost['largest_group']:,} at most."
    )


def cost_size(cost: Plain) -> str:
    """How large the tables are that were compared."""
    return count(cost["records"], "person", "people")


def sentences(cost: Plain) -> Iterator[str]:
    """The cost in plain words."""
    yield cost_verdict(cost)
    yield from _costs(cost)


def _costs(cost: Plain) -> Iterator[str]:
    if cost.get("confidence_error_percent") is not None:
        yield (
            f"Association rules to the sensitive value: their confidence is off by "
            f"{cost['confidence_error_percent']:.1f}% on average; of {cost['rules_before']:,} rules, "
            f"{cost['missed_rules_percent']:.1f}% are missed, and {cost['false_rules_percent']:.1f}% as many false "
            "ones appear."
        )
    if cost.get("query_error_percent") is not None:
        yield (
            f"Counts: {cost['queries']:,} random queries about {cost['dim']} attributes and the sensitive value are "
            f"off by {cost['query_error_percent']:.1f}% on average."
        )


def done_blocks(cost: Plain, *, policy: Any = None, top: int = 0) -> Iterator[Block]:
    """What was done."""
    del policy, top
    yield Text(f"{count(cost['records'], 'person is', 'people are')} in {cost_verdict(cost)}")
    yield Text(
        "Within a group the sensitive values are in random order; all other columns are as they were. Rows and groups "
        "are in random order, too."
    )


def cost_blocks(cost: Plain) -> Iterator[Block]:
    """What it cost: errors of rules and of queries."""
    yield from map(Text, _costs(cost))
    named = (
        ("confidence of rules", cost.get("confidence_error_percent")),
        ("rules missed", cost.get("missed_rules_percent")),
        ("false rules", cost.get("false_rules_percent")),
        ("COUNT queries", cost.get("query_error_percent")),
    )
    known = [(name, value) for name, value in named if value is not None]
    closer: list[Block] = []
    if known:
        closer.append(
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
    # How long it took is no measure, and would make two equal reports differ.
    told = [(name, show(cost[key])) for key, (name, show) in MEASURES.items() if cost.get(key) is not None]
    closer.append(Facts("All measures", tuple(told)))
    yield Closer(tuple(closer))


def policy_blocks(policy: Any) -> Iterator[Block]:
    """What is protected from whom; the published statement of a policy has no names of its own to tell."""
    facts = []
    for label, name in (("sensitive", "sensitive"), ("known of everybody", "quasi"), ("l", "l")):
        value = getattr(policy, name, None)
        if value is not None:
            facts.append((label, ", ".join(map(clean, value)) if isinstance(value, tuple) else clean(str(value))))
    if facts:
        yield Facts("The policy", tuple(facts))
