"""The teller of kinds that have none of their own: their numbers in tables, and findings that say themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sordino.policy.answer import Answer
from sordino.report.blocks import Block, Card, Facts, Points, Section, clean, share
from sordino.words.claims import OPEN, answer_of

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
    return f"{audit['records']:,} records" if "records" in audit else ""


def audit_verdict(audit: Plain) -> tuple[str, bool | None]:
    answer = answer_of(audit)
    if answer is Answer.NOT_CHECKED:
        return OPEN, None
    if answer is Answer.HOLDS:
        return "SAFE: the policy holds.", True
    return f"NOT SAFE: the policy does not hold{_people(audit)}.", False


def release_verdict(before: Plain, after: Plain) -> str:
    if answer_of(after) is not Answer.HOLDS:
        return audit_verdict(after)[0]
    against = f" against someone who knows {after['reach']}" if after.get("reach") else ""
    if answer_of(before) is Answer.HOLDS:
        return f"SAFE as it was{against}: the policy held already."
    return f"SAFE now{against}: before, the policy did not hold{_people(before)}; now it does."


def _people(audit: Plain) -> str:
    if "people_at_risk" not in audit or "records" not in audit:
        return ""
    people, records = audit["people_at_risk"], audit["records"]
    return f" ({people:,} of {records:,} people at risk, {share(people, records)})"


def audit_cards(audit: Plain) -> Iterator[Card]:
    if "people_at_risk" in audit:
        yield Card(f"{audit['people_at_risk']:,}", f"people at risk, of {audit.get('records', 0):,}")


def cost_cards(before: Plain, after: Plain, cost: Plain) -> Iterator[Card]:
    del after, cost
    yield from audit_cards(before)


def before_section(audit: Plain, *, now: bool) -> Section:
    said = tuple(clean(f["sentence"]) for f in audit.get("findings", ()) if isinstance(f, Mapping) and "sentence" in f)
    blocks: list[Block] = [Points(said, numbered=True)] if said else []
    title = "What can be inferred" if now else "Before: what could be inferred"
    return Section("before", title, (*blocks, _facts("The audit", audit)))


def done_section(history: Plain) -> Section:
    return Section("done", "What was done", (Facts("Method", (("method", history["method"]),)),))


def cost_section(cost: Plain) -> Section:
    return Section("cost", "What it cost", (_facts("Measures", cost),))


def policy_blocks(policy: Any) -> Iterator[Block]:
    del policy
    yield from ()


def _facts(caption: str, content: Plain) -> Facts:
    """The numbers, texts and truths of plain data; what is nested, by its path."""
    return Facts(caption, tuple(_flat(content, "")))


def _flat(content: Plain, path: str) -> Iterator[tuple[str, str]]:
    for key, value in content.items():
        name = f"{path}{key}".replace("_", " ")
        if isinstance(value, Mapping):
            yield from _flat(value, f"{path}{key}: ")
        elif isinstance(value, bool):
            yield name, "yes" if value else "no"
        elif isinstance(value, int):
            yield name, f"{value:,}"
        elif isinstance(value, float):
            yield name, f"{value:.4g}"
        elif isinstance(value, str):
            yield name, clean(value)
