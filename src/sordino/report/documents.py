"""Whole reports as HTML: of an audit alone, of a release for the house; what they say is for `words/pages.py`."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from typing import Any

from sordino.report.page import render
from sordino.version import VERSION
from sordino.words.pages import Promise, Seen, Source, audit_page, release_page, shareable_page

__all__ = ["Promise", "Seen", "Source", "audit_report", "release_report", "shareable_page", "versions"]


def audit_report(audit: Mapping[str, Any], source: Source, policy: object | None = None) -> str:
    """The report of an audit alone; `policy` is of the audit's kind."""
    return render(audit_page(audit, source, policy, versions=versions()))


def release_report(
    history: Mapping[str, Any],
    source: Source,
    policy: object,
    promise: Promise,
    files: Mapping[str, str],
    *,
    reach: str = "",
) -> str:
    """The report of a release for the house: before, what was done, what holds now, what it cost."""
    return render(release_page(history, source, policy, promise, files, reach=reach, versions=versions()))


def versions() -> Iterator[tuple[str, str]]:
    """What made a report."""
    yield "sordino", VERSION
    yield "Python", platform.python_version()
