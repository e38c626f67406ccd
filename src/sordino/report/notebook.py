"""Results in a notebook: the same tables and charts as in a report, without the page around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sordino.report.page import fragment
from sordino.words.blocks import Page, Verdict
from sordino.words.pages import Source, audit_page, cost_page, release_page

__all__ = ["audit_html", "cost_html", "page_html", "release_html"]

Plain = Mapping[str, Any]
HERE = Source("data in memory")


def audit_html(audit: Plain) -> str:
    """Verdict, people at risk, findings."""
    return page_html(audit_page(audit, HERE), "before")


def cost_html(cost: Plain, kind: str | None = None) -> str:
    """What a change cost."""
    return page_html(cost_page(cost, kind, "before", "after"))


def release_html(history: Plain) -> str:
    """Before and after, and what it cost; the history of a release that need not be written."""
    return page_html(release_page(history, HERE, None, None, {}))


def page_html(page: Page, *names: str) -> str:
    """The verdict and the sections of a page, or those of these names."""
    blocks = (block for section in page.sections if not names or section.name in names for block in section.blocks)
    return fragment((Verdict(page.verdict, page.good), *blocks))
