"""What a result is told in: plain data, without a word of HTML, a colour or a width.

Whoever shows them decides on the looks: `report/page.py` and `report/charts.py` make HTML of them, `cli/page.py` lines
and tables for a terminal. A name from the data is `clean`ed before it gets into a block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from sordino.words.text import percent

__all__ = [
    "Block", "Card", "Cards", "Chart", "Closer", "Facts", "Findings", "Page", "Points", "Section", "Series",
    "Sides", "Steps", "Table", "Text", "Verdict", "flat", "points",
]  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    """The answer in one line; `good` is None where it is not known, or neither good nor bad."""

    text: str
    good: bool | None


@dataclass(frozen=True)
class Text:
    """A paragraph; `strong` for the one sentence of a section that must not be missed."""

    text: str
    strong: bool = False


@dataclass(frozen=True)
class Points:
    """A list of sentences, under a title if there is one."""

    points: tuple[str, ...]
    title: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of text; columns whose numbers are in `right` are flush right; the first column names the row."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...] = ()
    total: bool = False  # whether the last row sums up
    apart: tuple[int, ...] = ()  # rows that begin something new: there is a line above them


@dataclass(frozen=True)
class Findings:
    """What was found, the worst first: each as a row of the table, and the same as a sentence."""

    table: Table
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """Names and values: parameters, versions, hashes."""

    caption: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Steps:
    """What to do next: sentences, each with the command for it, if there is one; a command is never wrapped."""

    title: str
    steps: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True)
class Card:
    """One number that tells much, with what it means. Each stands in a table or sentence, too."""

    value: str
    label: str


@dataclass(frozen=True)
class Cards:
    cards: tuple[Card, ...]


@dataclass(frozen=True)
class Series:
    """Values over the labels of a chart; None where there is none. What is not drawn stands in its table only.

    form: how a value is shown, as `format` takes it, or "share" (see `percent`); as the chart's values if it is empty.
    """

    name: str
    values: tuple[float | None, ...]
    form: str = ""
    drawn: bool = True
    gone: bool = field(default=False, repr=False)  # whether this is what was taken away


@dataclass(frozen=True)
class Chart:
    """A picture of numbers. Its summary is what a screen reader says; its numbers always stand in a table beside it.

    kind: "bars" (groups of horizontal bars), "stacked" (series of one bar behind each other), "lines" (over numeric
    `x`). table: what stands beside it, if that is more than the numbers that are drawn.
    """

    title: str
    summary: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    kind: Literal["bars", "stacked", "lines"] = "bars"
    x: tuple[float, ...] | None = None
    axis: str = ""  # what the values are
    x_axis: str = ""  # what the labels or x are
    percent: bool = False
    log: bool = False
    decimals: int = 0
    marks: tuple[tuple[float, float, str], ...] = ()  # (x, y, what) points of a lines chart to point out
    table: Table | None = None

    def numbers(self) -> Table:
        """The table beside the picture."""
        if self.table is not None:
            return self.table
        rows = tuple(
            (label, *(self.number(series.values[k], series.form) for series in self.series))
            for k, label in enumerate(self.labels)
        )
        head = (self.x_axis, *(series.name for series in self.series))
        return Table(self.title, head, rows, tuple(range(1, len(head))))

    def number(self, value: float | None, form: str = "") -> str:
        """A value as it is shown."""
        if value is None:
            return "-"
        usual = ".1%" if self.percent else f",.{self.decimals}f"
        return percent(value) if form == "share" else format(value, form or usual)


@dataclass(frozen=True)
class Sides:
    """Two groups of blocks beside each other, each under its title."""

    left: tuple[str, tuple[Block, ...]]
    right: tuple[str, tuple[Block, ...]]


@dataclass(frozen=True)
class Closer:
    """Blocks that look closer: a page has room for them, a screen has not."""

    blocks: tuple[Block, ...]


Block = Verdict | Text | Points | Table | Findings | Facts | Steps | Cards | Chart | Sides | Closer


@dataclass(frozen=True)
class Section:
    """A chapter with a title."""

    name: str  # for links
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Page:
    """A whole report: the answer first, then the sections."""

    title: str
    subtitle: str
    verdict: str
    good: bool | None  # None: neither good nor bad
    sections: tuple[Section, ...]
    notice: str = ""  # who may see this
    cards: Cards | None = None
    lead: str = ""  # why, in a sentence or two
    about: str = ""  # which data these are, and how large
    cautions: tuple[str, ...] = ()  # what to mind beside the verdict, each with what to do
    published: bool = False  # whether this is part of what is published


def flat(blocks: Iterable[Block]) -> Iterator[Block]:
    """All of them, also those that look closer."""
    for block in blocks:
        if isinstance(block, Closer):
            yield from flat(block.blocks)
        else:
            yield block


def points(title: str, sentences: Iterable[str]) -> Iterator[Points]:
    """Sentences under their title; nothing if there are none."""
    told = tuple(sentences)
    if told:
        yield Points(told, title)
