"""Pages of `words/` made ready for the screen, on the thread of the work: drawing takes longer than a page may wait."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sordino.report.page import fragment
from sordino.words.blocks import Block, Cards, Closer, Findings, Page, Section, Steps, Table, Text, Verdict, flat

__all__ = ["Drawn", "Look", "More", "Prepared", "Title", "prepare", "prepare_page"]

SORTED = 8  # rows from which on a table is worth sorting
_drawing = threading.Lock()  # Matplotlib's settings are everybody's


@dataclass(frozen=True)
class Drawn:
    """HTML that the report makes, with every name in it escaped."""

    html: str


@dataclass(frozen=True)
class Title:
    """The title of a section."""

    text: str


@dataclass(frozen=True)
class Look:
    """What to mind beside the verdict, each with what to do."""

    out: tuple[str, ...]


@dataclass(frozen=True)
class More:
    """What folds out."""

    inside: tuple[Part, ...]


Part = Drawn | Title | Look | More | Verdict | Steps | Table | Text
Prepared = tuple[Part, ...]


def prepare_page(
    page: Page, *, without: Iterable[str] = (), unfolded: Iterable[str] = (), verdict: bool = True
) -> Prepared:
    """The verdict, what to look out for, the cards, and the sections but those `without`.

    Of those `unfolded`, what looks closer is shown at once.
    """
    left_out, opened = set(without), set(unfolded)
    wanted = [s for s in page.sections if s.name not in left_out]
    wanted = [replace(s, blocks=tuple(flat(s.blocks))) if s.name in opened else s for s in wanted]
    cards = () if page.cards is None else (page.cards,)
    lead = (Text(page.lead),) if page.lead else ()
    return (
        *((Verdict(page.verdict, page.good),) if verdict else ()),
        *((Look(page.cautions),) if page.cautions else ()),
        *prepare((*lead, *cards)),
        *(part for section in wanted for part in _section(section)),
    )


def _section(section: Section) -> Iterator[Part]:
    yield Title(section.title)
    yield from prepare(section.blocks)


def prepare(blocks: Iterable[Block]) -> Prepared:
    """Blocks, each as what shows it best: tables to sort, commands to copy, all else as in a report."""
    parts: list[Part] = []
    for block in blocks:
        match block:
            case Findings(table, _):
                parts.append(table)
            case Table(_, _, rows) if len(rows) >= SORTED:
                parts.append(block)
            case Closer(inner):
                inside = prepare(inner)
                parts += [More(inside)] if inside else []
            case Steps() | Verdict():
                parts.append(block)
            case Cards(()):
                pass
            case _:
                with _drawing:
                    parts.append(Drawn(fragment((block,))))
    return tuple(parts)
