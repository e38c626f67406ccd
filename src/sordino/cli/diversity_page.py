"""Diversity in the words of a data steward: audit, protect, measure and mine."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from sordino.audit.diversity_result import DiversityResult
from sordino.cli.page import Block, Grid, Headline, Lines, Steps, clean, count, percent
from sordino.knowledge.mined import MinedRules
from sordino.policy.answer import Answer
from sordino.policy.threshold import show_rational
from sordino.release.diversity.result import DiversityRelease
from sordino.utility.diversity import DiversityCost
from sordino.words.claims import released, stayed_open, verdict

__all__ = ["audit_page", "measure_page", "mine_page", "protect_page"]


def audit_page(result: DiversityResult, data: str, command: Any, *, top: int) -> Sequence[Block]:
    """Verdict, possible values, findings, remarks, what next."""
    head = Headline(verdict(result.to_dict()), good=result.answer.good)
    page: list[Block] = [head, Lines(tuple(_question(result, data)))]
    if result.unchecked:
        page.append(Lines(tuple(stayed_open(result.to_dict())), "What stayed open"))
    page.append(_possible(result))
    if result.findings and top:
        page.append(Lines(tuple(clean(f.sentence()) for f in result.findings), "Worst cases"))
    if result.remarks:
        page.append(Lines(tuple(map(clean, result.remarks)), "Remarks"))
    if result.answer is Answer.FAILS:
        page.append(Steps("What next", (("Make a safe version:", command("protect", "--out", "release")),)))
    return page


def _question(result: DiversityResult, data: str) -> Iterator[str]:
    source = "standard input" if data == "-" else data
    yield f"{clean(source)}: {count(result.records, 'person', 'people')} in {count(result.groups, 'group')}."
    if result.grouping:
        yield f"A group is: {clean(result.grouping)}."
    mined = f", {result.mined:,} of them mined from the data" if result.mined else ""
    yield f"The adversary knows who is in which group, and {count(result.rules, 'rule')}{mined}."
    yield (
        f"Fewest different values in a group (plain l-diversity): {result.plain_l}. Fewest possible values of a person "
        f"(matching l-diversity): {result.matching_l}."
    )
    yield f"Most frequent value of a group: {percent(result.worst_share)} of it at most."


def _possible(result: DiversityResult) -> Grid:
    rows = tuple(
        (str(number), f"{people:,}", percent(Fraction(people, max(result.records, 1))))
        for number, people in sorted(result.possible.items())
    )
    return Grid("People by how many values they may have", ("values", "people", "share"), rows, right=(0, 1, 2))


def protect_page(release: DiversityRelease, data: str, out: Path) -> Sequence[Block]:
    """Before and after, what it cost, where the release is."""
    before, after = release.audit_before, release.audit_after
    source = "standard input" if data == "-" else data
    form = "one file, values permuted within groups" if release.form == "permuted" else "two tables"
    return [
        Headline(released(before.to_dict(), after.to_dict()), good=after.holds),
        Lines(
            (
                f"{clean(source)}: {count(after.records, 'person', 'people')} in {count(after.groups, 'group')}; "
                f"values of {clean(release.policy.sensitive)}; method {release.method}; {form}.",
                f"Before, {before.people_at_risk:,} had fewer than {after.l} possible values; now nobody has, also for "
                f"someone who knows the {count(after.rules, 'rule')}.",
                f"Plain l-diversity {after.plain_l}, matching l-diversity {after.matching_l}.",
            )
        ),
        Lines(release.utility.sentences(), "What it cost"),
        Steps(
            "What next",
            (
                (
                    f"Hand on {clean(str(out / 'publish'))}, and nothing else; its README.txt says what is guaranteed.",
                    None,
                ),
                (f"Keep {clean(str(out / 'keep'))} in the house: it shows who has which value.", None),
                (f"Read the report: {clean(str(out / 'keep' / 'report.html'))}", None),
                ("Check the release, as whoever receives it can:", shlex.join(["sordino", "verify", str(out)])),
            ),
        ),
    ]


def measure_page(cost: DiversityCost, before: str, after: str) -> Sequence[Block]:
    """What it cost."""
    return [
        Headline(f"{clean(before)} and {clean(after)}", good=True),
        Lines(cost.sentences(), "What it cost"),
    ]


def mine_page(mined: MinedRules, data: str, *, top: int, out: Path | None) -> Sequence[Block]:
    """The rules as sentences."""
    source = "standard input" if data == "-" else data
    implied = "" if mined.everything else " that no more general one implies"
    page: list[Block] = [
        Headline(f"{count(len(mined), 'negative rule')}{implied}.", good=True),
        Lines(
            (
                f"{clean(source)}: {count(mined.records, 'person', 'people')}. Each rule would be broken with a "
                f"probability of at least {show_rational(mined.min_expectation)} if it were chance.",
            )
        ),
    ]
    if top and mined.rules:
        rows = tuple(
            (clean(rule.sentence()), "" if rule.support is None else f"{float(rule.support):,.0f}")
            for rule in mined.rules[:top]
        )
        more = f" (the first {top} of {len(mined):,})" if len(mined) > top else ""
        page.append(Grid(f"Rules{more}", ("rule", "people who fit"), rows, right=(1,)))
    steps: list[tuple[str, str | None]] = []
    if out is not None:
        steps.append(("Edit the rules, add what you know, and state them in a policy:", f'rules = "{clean(out.name)}"'))
    if mined.max_conditions != 1 and any(len(rule.conditions) > 1 for rule in mined):
        steps.append(
            ("A policy mines rules of one condition unless it says otherwise:", "max_conditions = 0 (any number)")
        )
    if steps:
        page.append(Steps("What next", tuple(steps)))
    return page
