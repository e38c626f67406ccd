"""A page of output: on a terminal with tables and colour, in a pipe as plain lines that are never wrapped."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sordino.cli.streams import say
from sordino.words.text import clean, count, percent

__all__ = ["Block", "Grid", "Headline", "Lines", "Steps", "clean", "count", "percent", "show"]


@dataclass(frozen=True)
class Headline:
    """The answer in one line; `good` is None where it is not known."""

    text: str
    good: bool | None


@dataclass(frozen=True)
class Lines:
    """Sentences under a title, if there is one."""

    lines: tuple[str, ...]
    title: str | None = None


@dataclass(frozen=True)
class Grid:
    """A table; the columns whose numbers are in `right` are flush right."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...] = ()
    total: bool = False  # whether the last row sums up


@dataclass(frozen=True)
class Steps:
    """What to do next: sentences, each with the command for it, if there is one; a command is never wrapped."""

    title: str
    steps: tuple[tuple[str, str | None], ...]


Block = Headline | Lines | Grid | Steps
_TONES = {True: "bold green", False: "bold red", None: "bold yellow"}


def show(page: Sequence[Block]) -> None:
    """Write the page to standard output."""
    say(_rich(page) if sys.stdout.isatty() else plain(page))


def plain(page: Sequence[Block]) -> str:
    """The page as plain text."""
    parts: list[str] = []
    for block in page:
        if isinstance(block, Headline):
            parts.append(block.text)
        elif isinstance(block, Lines):
            indent = "  " if block.title else ""
            parts.append("\n".join([*([block.title] if block.title else []), *(indent + line for line in block.lines)]))
        elif isinstance(block, Steps):
            parts.append("\n".join([block.title, *_step_lines(block)]))
        else:
            rows = [block.head, *block.rows]
            widths = [max(len(row[k]) for row in rows) for k in range(len(block.head))]
            lines = ("  ".join(_cells(row, widths, block.right)).rstrip() for row in rows)
            parts.append("\n".join([block.title, *("  " + line for line in lines)]))
    return "\n\n".join(parts) + "\n"


def _step_lines(block: Steps) -> Iterator[str]:
    for sentence, command in block.steps:
        yield f"  {sentence}"
        if command is not None:
            yield f"    {command}"


def _cells(row: Sequence[str], widths: Sequence[int], right: Iterable[int]) -> list[str]:
    return [
        cell.rjust(width) if k in right else cell.ljust(width)
        for k, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]


def _rich(page: Sequence[Block]) -> str:
    from rich import box
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console()
    with console.capture() as captured:
        for k, block in enumerate(page):
            if k:
                console.print()
            if isinstance(block, Headline):
                console.print(Text(block.text, style=_TONES[block.good]))
            elif isinstance(block, Lines):
                if block.title:
                    console.print(Text(block.title, style="bold"))
                for line in block.lines:
                    console.print(Padding(Text(line), (0, 0, 0, 2 if block.title else 0)))
            elif isinstance(block, Steps):
                console.print(Text(block.title, style="bold"))
                for sentence, command in block.steps:
                    console.print(Padding(Text(sentence), (0, 0, 0, 2)))
                    if command is not None:
                        console.print(Text(f"    {command}", style="cyan"), soft_wrap=True)
            else:
                console.print(Text(block.title, style="bold"))
                table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False, header_style="dim", pad_edge=True)
                for column, head in enumerate(block.head):
                    flush_right = column in block.right
                    table.add_column(
                        Text(head), justify="right" if flush_right else "left", no_wrap=flush_right, overflow="fold"
                    )
                for number, row in enumerate(block.rows):
                    last = block.total and number == len(block.rows) - 1
                    table.add_row(*(Text(cell) for cell in row), style="bold" if last else None)
                console.print(table)
    return captured.get()
