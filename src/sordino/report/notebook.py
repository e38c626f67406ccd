"""Results in a notebook: the same tables and charts as in a report, without the page around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sordino.report.blocks import Block, Text
from sordino.report.inference import people_chart
from sordino.report.page import fragment
from sordino.report.tellers import teller_of

__all__ = ["audit_html", "cost_html", "release_html"]

Plain = Mapping[str, Any]


def audit_html(audit: Plain) -> str:
    """Verdict, people at risk, findings."""
    tell = teller_of(audit)
    verdict, _ = tell.audit_verdict(audit)
    return fragment((Text(verdict, strong=True), *tell.before_section(audit, now=True).blocks))


def cost_html(cost: Plain, sentences: Sequence[str], audit: Plain) -> str:
    """What a change cost; `audit` is of the kind that it is about."""
    first, *rest = sentences
    blocks = teller_of(audit).cost_section(cost).blocks
    return fragment((Text(first, strong=True), *(Text(line) for line in rest), *blocks))


def release_html(summary: str, before: Plain, after: Plain, cost: Plain) -> str:
    """Before and after, and what it cost."""
    tell = teller_of(before)
    blocks: tuple[Block, ...] = (Text(summary, strong=True),)
    if not before["holds"] and "exposure_by_knowledge" in before:
        blocks = (*blocks, people_chart((("before", before), ("after", after)), now=False))
    history = {"method": "", "utility": cost}
    if "kind" in before:
        blocks = (*blocks, *tell.done_section(history).blocks[1:])
    return fragment((*blocks, *tell.cost_section(cost).blocks))
