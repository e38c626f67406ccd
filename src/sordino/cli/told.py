"""Results as the commands tell them: the pages of `words/`, with names and commands as the user typed them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sordino.cli.asked import Asked
from sordino.cli.page import Block, screen
from sordino.policy.answer import Answer
from sordino.words import pages
from sordino.words.blocks import Page
from sordino.words.inference import counted_once
from sordino.words.steps import Step, hand_on
from sordino.words.text import clean, count

if TYPE_CHECKING:
    from sordino.kinds import Source

__all__ = ["audit_page", "measure_page", "protect_page", "source_name"]


def source_name(data: str) -> str:
    """What the user called the data."""
    return "standard input" if data == "-" else clean(data)


def audit_page(
    result: Any, source: Source, asked: Asked, policy: object = None, *, top: int, proof: Path | None = None
) -> Page:
    """The page of an audit of any kind: of a file, of a release folder, or of several releases together."""
    name, notes = source_name(asked.data), tuple(counted_once(getattr(source.data, "repeated", 0)))
    steps: tuple[Step, ...] | None = None
    if asked.previous:
        name, steps = f"{name} and {count(len(asked.previous), 'earlier release')}", ()
    elif source.folder is not None:
        by = "the policy of the release" if policy is None else "the policy stated"
        notes, steps = (f"Judged against {by}.",), tuple(_missing(result, asked))
    page = pages.audit_page(
        result.to_dict(), pages.Source(name), policy, asked=asked.again(top, proof, notes), steps=steps
    )
    return replace(page, about=f"{page.about} It took {result.seconds:.1f} s.")


def _missing(result: Any, asked: Asked) -> Iterator[Step]:
    """What an audit of a release folder needs that was not given."""
    if result.answer is Answer.NOT_CHECKED and getattr(result, "personal", False) and asked.original is None:
        more = () if asked.choices or asked.policy else ("--choices", "CHOICES")
        yield "Audit with what is missing:", asked.command("audit", *more, "--original", "DATA")


def protect_page(release: Any, out: Path) -> list[Block]:
    """The page of a release of any kind, as it lies in its folder, and what to do with it."""
    from sordino.release.retell import HISTORY, house_page

    joint = getattr(release, "joint", None)
    earlier = release.previous if joint is not None and joint.holds else ()
    words = [word for old in earlier if old.folder is not None for word in ("--with", str(old.folder))]
    keep = out / "keep"
    verify = shlex.join(["sordino", "verify", str(out), *words])
    told = None if joint is None else joint.to_dict()
    if (keep / HISTORY).is_file():
        page = house_page(out)
    else:  # of a kind that keeps no history
        audits = {"before": release.audit_before.to_dict(), "after": release.audit_after.to_dict()}
        history = {"method": release.method, **audits, "utility": release.utility.to_dict()}
        page = pages.release_page(history, pages.Source(clean(out.name)), None, None, {})
    return [
        *screen(page),
        hand_on(str(out / "publish"), str(keep), str(keep / "report.html"), verify, told),
    ]


def measure_page(cost: Any, kind: str, asked: Asked, *, top: int = 10) -> Page:
    """What it cost, of any kind."""
    return pages.cost_page(cost.to_dict(), kind, source_name(asked.data), source_name(str(asked.after)), top=top)
