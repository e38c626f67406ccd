"""Results in a notebook or printed: the same tables and charts as in a report, without the page around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sordino.report.page import fragment
from sordino.report.plain import plain
from sordino.words.blocks import Page, Verdict
from sordino.words.pages import Source, audit_page, cost_page, release_page

__all__ = [
    "audit_html", "audit_text", "cost_html", "cost_text", "page_html", "page_text", "release_html", "release_text",
]  # fmt: skip

Plain = Mapping[str, Any]
HERE = Source("data in memory")


def audit_html(audit: Plain) -> str:
    """Verdict, people at risk, findings."""
    return page_html(audit_page(audit, HERE), "before")


def audit_text(audit: Plain) -> str:
    """The same as plain lines, for `print`."""
    return page_text(audit_page(audit, HERE))


def cost_text(cost: Plain, kind: str | None = None) -> str:
    """What a change cost, as plain lines."""
    return page_text(cost_page(cost, kind, "before", "after"))


def release_text(history: Plain) -> str:
    """Before and after, as plain lines."""
    return page_text(release_page(history, HERE, None, None, {}))


def page_text(page: Page) -> str:
    """A page as plain lines, without those about what to type on a command line."""
    sections = tuple(section for section in page.sections if section.name != "next")
    return plain(replace(page, sections=sections)).rstrip()


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
