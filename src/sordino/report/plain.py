"""Blocks as plain lines of text, for a pipe, a log or `print(result)`: never wrapped, without colour.

A screen has less room than a page: what looks closer is left out, and so are cards, whose numbers stand below them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sordino.words.blocks import (
    Block,
    Cards,
    Chart,
    Closer,
    Facts,
    Findings,
    Page,
    Points,
    Section,
    Sides,
    Steps,
    Table,
    Text,
    Verdict,
)
from sordino.words.cautions import TITLE

__all__ = ["Simple", "lines", "plain", "screen", "simple"]

Simple = Verdict | Points | Table | Steps


def plain(page: Page | Sequence[Block]) -> str:
    """The page as plain text."""
    return lines(list(simple(screen(page) if isinstance(page, Page) else page)))


def screen(page: Page) -> list[Block]:
    """The blocks of a page that find room on a screen: the verdict, what it is about, and the sections."""
    about = tuple(filter(None, (page.about, page.lead)))
    first: list[Block] = [Verdict(page.verdict, page.good), *([Points(about)] if about else [])]
    first += [Points(page.cautions, TITLE)] if page.cautions else []
    return [*first, *(block for section in page.sections for block in _of_section(section))]


def _of_section(section: Section) -> Iterator[Block]:
    """Its blocks; the sentences that it begins with stand under its title."""
    blocks = [block for block in section.blocks if not isinstance(block, Closer | Cards)]
    told: list[str] = []
    while blocks and isinstance(blocks[0], Text | Points) and not getattr(blocks[0], "title", ""):
        first = blocks.pop(0)
        told += [first.text] if isinstance(first, Text) else getattr(first, "points", ())
    if told:
        yield Points(tuple(told), section.title)
    yield from blocks


def simple(blocks: Iterable[Block]) -> Iterator[Simple]:
    """The same in what a screen can show."""
    for block in blocks:
        match block:
            case Text(text):
                yield Points((text,))
            case Findings(table, _):
                yield table
            case Chart(title):
                yield block.table or replace(block.numbers(), caption=title)
            case Facts(caption, facts):
                yield Table(caption, ("", ""), facts)
            case Sides(left, right):
                for title, inner in (left, right):
                    yield from simple(_of_section(Section("", title, inner)))
            case Verdict() | Points() | Table() | Steps():
                yield block


def lines(page: Sequence[Simple]) -> str:
    parts: list[str] = []
    for block in page:
        match block:
            case Verdict(text, _):
                parts.append(text)
            case Points(points, title):
                parts.append("\n".join([title, *(f"  {point}" for point in points)] if title else points))
            case Steps(title, steps):
                parts.append("\n".join([title, *_step_lines(steps)]))
            case Table(caption, head, rows, right):
                shown = [head, *rows] if any(head) else list(rows)
                widths = [max((len(row[k]) for row in shown), default=0) for k in range(len(head))]
                lines = ("  ".join(_cells(row, widths, right)).rstrip() for row in shown)
                parts.append("\n".join([caption, *("  " + line for line in lines)]))
    return "\n\n".join(parts) + "\n"


def _step_lines(steps: Iterable[tuple[str, str | None]]) -> Iterator[str]:
    for sentence, command in steps:
        yield f"  {sentence}"
        if command is not None:
            yield f"    {command}"


def _cells(row: Sequence[str], widths: Sequence[int], right: Iterable[int]) -> list[str]:
    return [
        cell.rjust(width) if k in right else cell.ljust(width)
        for k, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
