"""What is said of negative rules that were mined from a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sordino.policy.threshold import show_rational
from sordino.words.blocks import Block, Page, Section, Steps, Table
from sordino.words.steps import Step
from sordino.words.text import clean, count

__all__ = ["rules_page"]


def rules_page(mined: Any, name: str, *, top: int, file: str | None = None) -> Page:
    """The page of `MinedRules`: the first of them as sentences, and what to do with them; `file`: where they are."""
    implied = "" if mined.everything else " that no more general one implies"
    people = count(mined.records, "person", "people")
    blocks: list[Block] = []
    if top and mined.rules:
        rows = tuple(
            (clean(rule.sentence()), "" if rule.support is None else f"{float(rule.support):,.0f}")
            for rule in mined.rules[:top]
        )
        more = f" (the first {top} of {len(mined):,})" if len(mined) > top else ""
        blocks.append(Table(f"Rules{more}", ("rule", "people who fit"), rows, right=(1,)))
    steps = tuple(_steps(mined, file))
    return Page(
        f"What nobody has, in {name}",
        people,
        f"{count(len(mined), 'negative rule')}{implied}.",
        True,
        (
            Section("rules", "Rules", tuple(blocks)),
            *([Section("next", "What to do next", (Steps("What next", steps),))] if steps else []),
        ),
        about=f"{name}: {people}. Each rule would be broken with a probability of at least "
        f"{show_rational(mined.min_expectation)} if it were chance.",
    )


def _steps(mined: Any, file: str | None) -> Iterator[Step]:
    if file is not None:
        yield "Edit the rules, add what you know, and state them in a policy:", f'rules = "{clean(file)}"'
    if mined.max_conditions != 1 and any(len(rule.conditions) > 1 for rule in mined):
        yield "A policy mines rules of one condition unless it says otherwise:", "max_conditions = 0 (any number)"
