"""Blocks as a page of output: on a terminal with tables and colour, in a pipe as plain lines that are never wrapped.

A screen has less room than a page: what looks closer is left out, and so are cards, whose numbers stand below them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Literal

from sordino.cli.streams import say
from sordino.report.plain import Simple, lines, plain, screen, simple
from sordino.words.blocks import Block, Page, Points, Steps, Table, Verdict
from sordino.words.text import clean, count, percent

__all__ = ["Block", "Points", "Steps", "Table", "Verdict", "clean", "count", "percent", "plain", "screen", "show"]

_TONES = {True: "bold green", False: "bold red", None: "bold yellow"}


def show(page: Page | Sequence[Block]) -> None:
    """Write the page to standard output."""
    blocks = list(simple(screen(page) if isinstance(page, Page) else page))
    say(_rich(blocks) if sys.stdout.isatty() else lines(blocks))


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
                case Table(caption, head, rows, right, total, apart):
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
                        style = "bold" if last else None
                        table.add_row(*map(Line, row), style=style, end_section=number + 1 in apart)
                    console.print(table)
    return captured.get()
