"""What is said of kinds that have no words of their own: their numbers in tables, and findings that say themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sordino.words.blocks import Block, Card, Facts, Findings, Table
from sordino.words.steps import Asked, Step, not_as_it_is
from sordino.words.text import clean

__all__ = [
    "KEPT", "audit_blocks", "audit_cards", "audit_steps", "cost_blocks", "cost_size", "cost_verdict", "done_blocks",
    "policy_blocks", "release_blocks", "release_cards", "sentences", "size",
]  # fmt: skip

Plain = Mapping[str, Any]

KEPT = "the policy held already"


def size(audit: Plain) -> str:
    return f"{audit['records']:,} records" if "records" in audit else "a file"


def audit_cards(audit: Plain) -> Iterator[Card]:
    if "people_at_risk" in audit:
        yield Card(f"{audit['people_at_risk']:,}", f"people at risk, of {audit.get('records', 0):,}")


def release_cards(before: Plain, after: Plain, cost: Plain) -> Iterator[Card]:
    del after, cost
    yield from audit_cards(before)


def audit_blocks(audit: Plain, asked: Asked, policy: Any = None) -> Iterator[Block]:
    del asked, policy
    found = audit.get("findings", ())
    said = tuple(clean(f["sentence"]) for f in found if isinstance(f, Mapping) and "sentence" in f)
    if said:
        yield Findings(Table("What can be inferred", ("",), tuple((text,) for text in said)), said)
    yield _facts("The audit", audit)


def release_blocks(before: Plain, after: Plain) -> Iterator[Block]:
    del after
    yield from audit_blocks(before, Asked())


def audit_steps(audit: Plain, asked: Asked) -> Iterator[Step]:
    if not audit["holds"]:
        yield not_as_it_is(asked)


def cost_verdict(cost: Plain) -> str:
    del cost
    return "What it cost, in numbers."


def sentences(cost: Plain) -> Iterator[str]:
    yield cost_verdict(cost)


def cost_size(cost: Plain) -> str:
    return f"{cost['records']:,} records" if "records" in cost else "data before and after"


def done_blocks(cost: Plain, *, policy: Any = None, top: int = 0) -> Iterator[Block]:
    del cost, policy, top
    yield from ()


def cost_blocks(cost: Plain) -> Iterator[Block]:
    yield _facts("Measures", cost)


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
