"""Results in a notebook: the same tables and charts as in a report, without the page around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sordino.report.blocks import Block, Text
from sordino.report.inference import audit_verdict, before_section, cost_blocks, people_chart
from sordino.report.page import fragment

__all__ = ["audit_html", "cost_html", "release_html"]

Plain = Mapping[str, Any]


def audit_html(audit: Plain) -> str:
    """Verdict, people at risk, findings."""
    verdict, _ = audit_verdict(audit)
    return fragment((Text(verdict, strong=True), *before_section(audit, now=True).blocks))


def cost_html(cost: Plain, sentences: tuple[str, ...]) -> str:
    """What a change cost."""
    first, *rest = sentences
    return fragment((Text(first, strong=True), *(Text(line) for line in rest), *cost_blocks(cost)))


def release_html(summary: str, before: Plain, after: Plain, cost: Plain) -> str:
    """Before and after, and what it cost."""
    blocks: tuple[Block, ...] = (Text(summary, strong=True),)
    if not before["holds"]:
        blocks = (*blocks, people_chart((("before", before), ("after", after)), now=False))
    return fragment((*blocks, *cost_blocks(cost)))
