"""Results as the commands tell them: the pages of `words/`, with names and commands as the user typed them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sordino.cli.page import Block, screen
from sordino.words import pages
from sordino.words.blocks import Page
from sordino.words.steps import Asked, Step, hand_on
from sordino.words.text import clean

__all__ = ["audit_page", "measure_page", "protect_page", "source_name"]


def source_name(data: str) -> str:
    """What the user called the data."""
    return "standard input" if data == "-" else clean(data)


def audit_page(
    result: Any, data: str, asked: Asked, policy: object = None, *, steps: Iterable[Step] | None = None
) -> Page:
    """The page of an audit of any kind; `steps`: what to do next, if that is not as always."""
    page = pages.audit_page(result.to_dict(), pages.Source(source_name(data)), policy, asked=asked, steps=steps)
    return replace(page, about=f"{page.about} It took {result.seconds:.1f} s.")


def protect_page(release: Any, out: Path) -> list[Block]:
    """The page of a release of any kind, as it lies in its folder, and what to do with it."""
    from sordino.release.house_report import house_page

    joint = getattr(release, "joint", None)
    earlier = release.previous if joint is not None and joint.holds else ()
    words = [word for old in earlier if old.folder is not None for word in ("--with", str(old.folder))]
    keep = out / "keep"
    verify = shlex.join(["sordino", "verify", str(out), *words])
    told = None if joint is None else joint.to_dict()
    return [
        *screen(house_page(out)),
        hand_on(str(out / "publish"), str(keep), str(keep / "report.html"), verify, told),
    ]


def measure_page(cost: Any, kind: str, before: str, after: str, *, top: int = 10) -> Page:
    """What it cost, of any kind."""
    return pages.cost_page(cost.to_dict(), kind, source_name(before), source_name(after), top=top)
