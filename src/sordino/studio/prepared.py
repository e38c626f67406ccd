"""Pages of `words/` made ready for the screen, on the thread of the work: drawing takes longer than a page may wait."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace

from sordino.report.page import fragment
from sordino.words.blocks import (
    Block,
    Card,
    Cards,
    Closer,
    Findings,
    Page,
    Points,
    Section,
    Steps,
    Table,
    Text,
    Verdict,
    flat,
)  # fmt: skip

__all__ = [
    "Drawn", "Look", "More", "Prepared", "Title", "briefly", "prepare", "prepare_head", "prepare_page",
    "prepare_sections",
]  # fmt: skip

SAID = ("What stayed open", "Remarks")  # lists of an audit that are not folded away
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
    title: str = "Look closer"


Part = Drawn | Title | Look | More | Verdict | Steps | Table | Text
Prepared = tuple[Part, ...]


def prepare_page(
    page: Page, *, without: Iterable[str] = (), unfolded: Iterable[str] = (), verdict: bool = True
) -> Prepared:
    """The head of a page, and its sections."""
    return (*prepare_head(page, verdict=verdict), *prepare_sections(page, without=without, unfolded=unfolded))


def prepare_head(page: Page, *, verdict: bool = True) -> Prepared:
    """The verdict, what to look out for, and the cards; but no card for a number that the verdict has just said."""
    cards = () if page.cards is None else (_beside(page.cards, page.verdict if verdict else ""),)
    lead = (Text(page.lead),) if page.lead else ()
    return (
        *((Verdict(page.verdict, page.good),) if verdict else ()),
        *((Look(page.cautions),) if page.cautions else ()),
        *prepare((*lead, *cards)),
    )


def _beside(cards: Cards, verdict: str) -> Cards:
    return replace(cards, cards=tuple(card for card in cards.cards if not _is_said(card, verdict)))


def _is_said(card: Card, verdict: str) -> bool:
    """Whether the verdict says the same: how many people, of how many, are at risk, or were and are no more."""
    of = re.fullmatch(r"people at risk, of ([\d,]+)", card.label)
    told = re.search(
        r": ((?:at least )?[\d,]+) of ([\d,]+) (?:person|people) \(\S+\) (?:is|are|was|were) at risk", verdict
    )
    if of is None or told is None or told[2] != of[1]:
        return False
    people, arrow, now = card.value.partition(" → ")
    return told[1] == people and (not arrow or (now == "0" and verdict.endswith("nobody is now.")))


def prepare_sections(
    page: Page, *, without: Iterable[str] = (), unfolded: Iterable[str] = (), folded: bool = False
) -> Prepared:
    """The sections but those `without`. Of those `unfolded`, what looks closer is shown at once; `folded`: of all
    sections only the titles are, which fold out."""
    left_out, opened = set(without), set(unfolded)
    parts: list[Part] = []
    for section in page.sections:
        if section.name in left_out:
            continue
        inside = prepare(flat(section.blocks) if folded or section.name in opened else section.blocks)
        parts += [More(inside, section.title)] if folded else [Title(section.title), *inside]
    return tuple(parts)


def briefly(page: Page) -> Page:
    """The page of an audit with what comes behind its findings folded, but for what stayed open and remarks."""
    return replace(page, sections=tuple(map(_brief, page.sections)))


def _brief(section: Section) -> Section:
    place = next((k for k, block in enumerate(section.blocks, 1) if isinstance(block, Findings)), None)
    if place is None:
        return section
    first, behind = section.blocks[:place], section.blocks[place:]
    said = tuple(block for block in behind if isinstance(block, Points) and block.title in SAID)
    rest = tuple(block for block in behind if block not in said)
    return replace(section, blocks=(*first, *((Closer(rest),) if rest else ()), *said))


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
                    parts.append(Drawn(fragment((block,), brief=True)))
    return tuple(parts)
