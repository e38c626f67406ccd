"""What a report consists of: plain data, without a word of HTML. `page.py` renders it, `charts.py` draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sordino.words.text import clean, count, percent, share

__all__ = [
    "Block",
    "Card",
    "Cards",
    "Chart",
    "Facts",
    "Page",
    "Points",
    "Section",
    "Series",
    "Sides",
    "Table",
    "Text",
    "clean",
    "count",
    "percent",
    "share",
]


@dataclass(frozen=True)
class Text:
    """A paragraph; `strong` for the one sentence of a section that must not be missed."""

    text: str
    strong: bool = False


@dataclass(frozen=True)
class Points:
    """A list of sentences."""

    points: tuple[str, ...]
    numbered: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of text; columns whose numbers are in `right` are flush right; the first column names the row."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...] = ()
    total: bool = False  # whether the last row sums up


@dataclass(frozen=True)
class Facts:
    """Names and values: parameters, versions, hashes."""

    caption: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Card:
    """One number that tells much, with what it means."""

    value: str
    label: str


@dataclass(frozen=True)
class Cards:
    cards: tuple[Card, ...]


@dataclass(frozen=True)
class Series:
    """Values over the labels of a chart; None where there is none."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class Chart:
    """A picture of numbers. Its summary is what a screen reader says; its numbers always stand in a table beside it.

    kind: "bars" (groups of horizontal bars), "stacked" (series of one bar behind each other), "lines" (over numeric
    `x`).
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


@dataclass(frozen=True)
class Sides:
    """Two groups of blocks beside each other, each under its title."""

    left: tuple[str, tuple[Block, ...]]
    right: tuple[str, tuple[Block, ...]]


Block = Text | Points | Table | Facts | Cards | Chart | Sides


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
