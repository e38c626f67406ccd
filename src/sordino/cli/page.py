"""Blocks as a page of output: on a terminal with tables and colour, in a pipe as plain lines that are never wrapped.

A screen has less room than a page: what looks closer is left out, and so are cards, whose numbers stand below them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from sordino.cli.streams import say
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
from sordino.words.text import clean, count, percent

__all__ = ["Block", "Points", "Steps", "Table", "Verdict", "clean", "count", "percent", "plain", "screen", "show"]

Simple = Verdict | Points | Table | Steps
_TONES = {True: "bold green", False: "bold red", None: "bold yellow"}


def show(page: Page | Sequence[Block]) -> None:
    """Write the page to standard output."""
    blocks = list(_simple(screen(page) if isinstance(page, Page) else page))
    say(_rich(blocks) if sys.stdout.isatty() else _lines(blocks))


def plain(page: Page | Sequence[Block]) -> str:
    """The page as plain text."""
    return _lines(list(_simple(screen(page) if isinstance(page, Page) else page)))


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


def _simple(blocks: Iterable[Block]) -> Iterator[Simple]:
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
                    yield from _simple(_of_section(Section("", title, inner)))
            case Verdict() | Points() | Table() | Steps():
                yield block


def _lines(page: Sequence[Simple]) -> str:
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


def _rich(page: Sequence[Simple]) -> str:
    from rich import box
    from rich import table as grid
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text as Line

    console = Console()

    def say_below(title: str, *lines: str) -> None:
        if title:
            console.print(Line(title, style="bold"))
        for line in lines:
            console.print(Padding(Line(line), (0, 0, 0, 2 if title else 0)))

    with console.capture() as captured:
        for k, block in enumerate(page):
            if k:
                console.print()
            match block:
                case Verdict(text, good):
                    console.print(Line(text, style=_TONES[good]))
                case Points(points, title):
                    say_below(title, *points)
                case Steps(title, steps):
                    say_below(title)
                    for sentence, command in steps:
                        console.print(Padding(Line(sentence), (0, 0, 0, 2)))
                        if command is not None:
                            console.print(Line(f"    {command}", style="cyan"), soft_wrap=True)
                case Table(caption, head, rows, right, total):
                    say_below(caption)
                    table = grid.Table(
                        box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False, header_style="dim", show_header=any(head)
                    )
                    widths = (max(map(len, column)) for column in zip(head, *rows, strict=True))
                    fits = sum(width + 3 for width in widths if width) <= console.width  # else heads must be folded
                    for column, name in enumerate(head):
                        flush = column in right
                        justify: Literal["left", "right"] = "right" if flush else "left"
                        table.add_column(Line(name), justify=justify, no_wrap=flush and fits, overflow="fold")
                    for number, row in enumerate(rows):
                        last = total and number == len(rows) - 1
                        table.add_row(*map(Line, row), style="bold" if last else None)
                    console.print(table)
    return captured.get()
