"""A report as one HTML file: no script, nothing from elsewhere, readable on paper and by a screen reader."""

from __future__ import annotations

import hashlib
import html
from collections.abc import Callable, Iterator
from dataclasses import replace

from sordino.report.charts import can_draw, draw
from sordino.report.style import MORE_STYLE, STYLE
from sordino.version import VERSION
from sordino.words.blocks import (
    Block,
    Cards,
    Chart,
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
    flat,
)
from sordino.words.cautions import TITLE

__all__ = ["fragment", "render"]

Picture = Callable[[Chart, str], str | None] | None  # None: nothing can be drawn

BESIDE = 5  # columns of a table that finds room beside its picture
NO_CHARTS = "Charts are left out because Matplotlib is not installed: pip install 'sordino[report]' adds them."
# A browser that keeps to this can fetch nothing and run nothing, whatever a name in the data looks like.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def render(page: Page, picture: Picture = None, *, plain: bool = False) -> str:
    """The whole file; with pictures by `picture`, or by Matplotlib if it is there; `plain`: without any."""
    drawn = picture or (draw if can_draw() and not plain else None)
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta name="generator" content="sordino {VERSION}">',
        f"<title>{_e(page.title)}</title>",
        '<link rel="icon" href="data:,">',
        f"<style>{STYLE if page.published else STYLE + MORE_STYLE}</style>",
        "</head>",
        "<body>",
        '<a class="skip" href="#content">Skip to the content</a>',
        "<header>",
        f"<h1>{_e(page.title)}</h1>",
        f'<p class="subtitle">{_e(page.subtitle)}</p>',
    ]
    if page.notice:
        parts.append(f'<p class="notice">{_e(page.notice)}</p>')
    verdict = Verdict(page.verdict, page.good)
    parts += [
        "</header>",
        '<nav aria-label="Sections"><ul>',
        *(f'<li><a href="#{s.name}">{_e(s.title)}</a></li>' for s in page.sections),
        "</ul></nav>",
        '<main id="content" tabindex="-1">',
        *_block(verdict, "verdict", drawn),
    ]
    if page.lead:
        parts.append(f"<p>{_e(page.lead)}</p>")
    if page.cautions:
        told = (f"<li>{_e(caution)}</li>" for caution in page.cautions)
        parts += [
            f'<aside class="caution" aria-label="{_e(TITLE)}"><p><strong>{_e(TITLE)}</strong></p><ul>',
            *told,
            "</ul></aside>",
        ]
    if page.cards is not None:
        parts += _block(page.cards, "cards", drawn)
    if drawn is None and _has_chart(page):
        parts.append(f'<p class="remark">{_e(NO_CHARTS)}</p>')
    for section in page.sections:
        parts += _section(section, drawn)
    parts += [
        "</main>",
        f"<footer><p>Made by sordino {VERSION}. One file, no script, nothing loaded from elsewhere.</p></footer>",
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def fragment(blocks: tuple[Block, ...], *, brief: bool = False) -> str:
    """Some blocks for a notebook: the same looks, inside one element of their own; the numbers fold away. `brief`: so
    does the sentence that says what a picture shows; whoever listens hears it as the picture's name."""
    drawn = draw if can_draw() else None
    # Several results stand on one page there: ids must differ between them, and be the same for the same result.
    name = f"s{hashlib.sha256(repr(blocks).encode()).hexdigest()[:10]}"
    inner: list[str] = []
    for k, block in enumerate(flat(blocks)):
        if isinstance(block, Chart) and drawn is not None:
            told = [f"<p>{_e(block.summary)}</p>"] if brief else []
            inner += [*_figure(block, f"{name}-{k}", drawn, told=not brief), "<details><summary>The numbers</summary>"]
            inner += [*told, *_table(_numbers(block), f"{name}-{k}-n"), "</details>"]
        else:
            inner += _block(block, f"{name}-{k}", drawn)
    return f'<div class="sordino-report"><style>{_scoped()}</style>' + "\n".join(inner) + "</div>"


def _scoped() -> str:
    """The rules for tables and charts, for elements of ours alone."""
    return (
        ".sordino-report table{border-collapse:collapse;margin:.5em 0}"
        ".sordino-report caption{text-align:left;font-weight:600;padding:.2em 0}"
        ".sordino-report th,.sordino-report td{padding:.2em .7em;text-align:left;border-bottom:1px solid #d9dee3}"
        ".sordino-report .n{text-align:right;font-variant-numeric:tabular-nums}"
        ".sordino-report figure{margin:.5em 0;max-width:44rem}.sordino-report svg{width:100%;height:auto}"
        ".sordino-report figcaption{font-weight:600}.sordino-report summary{cursor:pointer}"
        ".sordino-report .verdict{font-weight:600}"
    )


def _has_chart(page: Page) -> bool:
    return any(isinstance(block, Chart) for section in page.sections for block in flat(section.blocks))


def _section(section: Section, drawn: Picture) -> Iterator[str]:
    yield f'<section id="{section.name}" aria-labelledby="{section.name}-title">'
    yield f'<h2 id="{section.name}-title">{_e(section.title)}</h2>'
    for k, block in enumerate(flat(section.blocks)):
        yield from _block(block, f"{section.name}-{k}", drawn)
    yield "</section>"


def _block(block: Block, name: str, drawn: Picture) -> list[str]:
    match block:
        case Verdict(text, good):
            tone = "" if good is None else " good" if good else " bad"
            return [f'<p class="verdict{tone}">{_e(text)}</p>']
        case Text(text, strong):
            return [f"<p><strong>{_e(text)}</strong></p>" if strong else f"<p>{_e(text)}</p>"]
        case Points(points, title):
            return [*_title(title), "<ul>", *(f"<li>{_e(point)}</li>" for point in points), "</ul>"]
        case Findings(table, sentences):
            told = (f"<li>{_e(sentence)}</li>" for sentence in sentences)
            return [*_title(table.caption), "<ol>", *told, "</ol>"]
        case Steps(_, steps):
            return ["<ul>", *(f"<li>{_e(what)}{_command(command)}</li>" for what, command in steps), "</ul>"]
        case Cards(cards):
            shown = (f"<div><dt>{_e(c.label)}</dt><dd>{_e(c.value)}</dd></div>" for c in cards)
            return ['<dl class="cards">', *shown, "</dl>"]
        case Facts(caption, facts):
            rows = (f'<tr><th scope="row">{_e(k)}</th><td>{_e(v)}</td></tr>' for k, v in facts)
            return ['<table class="facts">', f"<caption>{_e(caption)}</caption>", "<tbody>", *rows, "</tbody></table>"]
        case Sides(left, right):
            sides = (*_side(*left, f"{name}-l", drawn), *_side(*right, f"{name}-r", drawn))
            return ['<div class="sides">', *sides, "</div>"]
        case Table():
            return _table(block, name)
        case Chart():
            return _chart(block, name, drawn)
        case _:  # what looks closer is laid flat before
            return [line for inner in flat((block,)) for line in _block(inner, name, drawn)]


def _title(title: str) -> list[str]:
    return [f"<p><strong>{_e(title)}:</strong></p>"] if title else []


def _command(command: str | None) -> str:
    return "" if command is None else f"<br><code>{_e(command)}</code>"


def _side(title: str, blocks: tuple[Block, ...], name: str, drawn: Picture) -> Iterator[str]:
    yield f"<div><h3>{_e(title)}</h3>"
    for k, block in enumerate(blocks):
        yield from _block(block, f"{name}{k}", drawn)
    yield "</div>"


def _table(table: Table, name: str) -> list[str]:
    """A table in a frame that the keyboard can scroll where it is wider than the page."""
    flush = [' class="n"' if k in table.right else "" for k in range(len(table.head))]
    head = "".join(f'<th scope="col"{flush[k]}>{_e(cell)}</th>' for k, cell in enumerate(table.head))
    lines = []
    for number, row in enumerate(table.rows):
        mark = ' class="total"' if table.total and number == len(table.rows) - 1 else ""
        mark = ' class="apart"' if number in table.apart else mark
        first = f'<th scope="row"{flush[0]}>{_e(row[0])}</th>'
        rest = "".join(f"<td{flush[k]}>{_e(cell)}</td>" for k, cell in enumerate(row) if k)
        lines.append(f"<tr{mark}>{first}{rest}</tr>")
    return [
        f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{name}-caption">',
        f'<table><caption id="{name}-caption">{_e(table.caption)}</caption>',
        f"<thead><tr>{head}</tr></thead>",
        "<tbody>",
        *lines,
        "</tbody></table></div>",
    ]


def _chart(chart: Chart, name: str, drawn: Picture) -> list[str]:
    """The picture, and the numbers behind it in a table; the table alone if nothing can be drawn."""
    if drawn is None:
        return [f"<p>{_e(chart.summary)}</p>", *_table(replace(chart.numbers(), caption=chart.title), name)]
    figure, table = _figure(chart, name, drawn), _table(_numbers(chart), f"{name}-n")
    if len(chart.numbers().head) > BESIDE:
        return ['<div style="max-width: 44rem">', *figure, "</div>", *table]
    return ['<div class="pair">', *figure, *table, "</div>"]


def _figure(chart: Chart, name: str, drawn: Callable[[Chart, str], str | None], *, told: bool = True) -> list[str]:
    picture = drawn(chart, name) or ""
    summary = f"<p>{_e(chart.summary)}</p>" if told else ""
    return [f"<figure><figcaption>{_e(chart.title)}</figcaption>", picture, f"{summary}</figure>"]


def _numbers(chart: Chart) -> Table:
    return replace(chart.numbers(), caption=f"{chart.title}: the numbers")


def _e(text: str) -> str:
    return html.escape(text)
