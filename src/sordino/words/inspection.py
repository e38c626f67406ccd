"""What a look at a file has shown: how it would be read, why, its first records, and what may not be as it seems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sordino.words.blocks import Block, Page, Points, Section, Steps, Table
from sordino.words.names import LABELS, named, with_names
from sordino.words.text import clean, count

__all__ = ["inspection_page", "inspection_text"]

Plain = Mapping[str, Any]
NOTICE = "For the house only: this shows contents of records. Do not publish it."
WIDE = 60  # letters of a name or a record that are shown


def inspection_page(found: Plain) -> Page:
    """The page of an inspection."""
    found = _with_names(found)
    name = clean(found["source"] or "data in memory")
    main = found[found["as"]]
    sections = [Section("first", "The first records", tuple(_first(found)))]
    if found["columns"]:
        sections.append(Section("columns", "The columns", (_columns(found["columns"]),)))
    if found["as"] == "baskets":
        sections.insert(1, Section("items", "The items", tuple(_items(main))))
    told = tuple(_doubts(found))
    if told:
        sections.append(Section("doubts", "Look at this", (Points(told),)))
    other = tuple(_other(found))
    if other:
        sections.append(Section("other", "The other way", (Points(other),)))
    ways = tuple((f"If {what}:", flags) for what, flags in found["otherwise"])
    if ways:
        sections.append(Section("otherwise", "What would read it otherwise", (Steps("Otherwise", ways),)))
    return Page(
        f"How sordino reads {name}",
        "",
        clean(main["read_as"]),
        None,
        tuple(sections),
        NOTICE,
        lead=clean(main["because"]),
        about=_about(main),
    )


def _with_names(found: Plain) -> Plain:
    labels = found.get(LABELS)
    if not labels or found["as"] == "baskets":
        return with_names(found)
    rows = [
        {c: None if text is None else named(text, labels.get(c, {})) for c, text in row.items()}
        for row in found["table"]["first"]
    ]
    return {**found, "table": {**found["table"], "first": rows}}


def inspection_text(found: Plain) -> str:
    """The same as plain lines."""
    page = inspection_page(found)
    lines = [page.verdict, page.lead, page.about]
    for section in page.sections:
        lines += ["", section.title]
        for block in section.blocks:
            lines += [f"  {line}" for line in _lines(block)]
    return "\n".join(lines)


def _lines(block: Block) -> Iterator[str]:
    if isinstance(block, Points):
        yield from block.points
    elif isinstance(block, Steps):
        for sentence, command in block.steps:
            yield f"{sentence} {command or ''}".rstrip()
    elif isinstance(block, Table):
        shown = [block.head, *block.rows] if any(block.head) else list(block.rows)
        widths = [max(len(row[k]) for row in shown) for k in range(len(block.head))]
        for row in shown:
            cells = (cell.rjust(widths[k]) if k in block.right else cell.ljust(widths[k]) for k, cell in enumerate(row))
            yield "  ".join(cells).rstrip()


def _about(main: Plain) -> str:
    parts = []
    if main["encoding"]:
        parts.append(f"{main['encoding']} text")
    if main["packed"]:
        parts.append(f"packed: {clean(main['packed'])}")
    if "longest" in main:
        parts.append(
            f"{main['shortest']:,} to {main['longest']:,} items a record, {main['median']:,} in the middle"
            + (
                f"; {count(main['repeated'], 'repeat')} of an item within a record counted once"
                if main["repeated"]
                else ""
            )
        )
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _first(found: Plain) -> Iterator[Block]:
    if found["as"] == "baskets":
        rows = []
        for number, entry in enumerate(found["baskets"]["first"], 1):
            who = str(number) if entry["id"] is None else clean(entry["id"])
            rows.append((_short(who), _short("{" + ", ".join(map(clean, entry["items"])) + "}")))
        head = "person" if found["baskets"]["record"] is None else clean(found["baskets"]["record"])
        yield Table("The first records, each as the set that it is taken for", (head, "items"), tuple(rows))
        return
    first = found["table"]["first"]
    names = [column["name"] for column in found["columns"]]
    table = tuple(tuple("" if row[name] is None else _short(clean(row[name])) for name in names) for row in first)
    lacking = "; an empty cell is missing" if any(row[name] is None for row in first for name in names) else ""
    yield Table(f"The first rows, each taken for a person{lacking}", tuple(map(clean, names)), table)


def _items(main: Plain) -> Iterator[Block]:
    people = main["records"]
    rows = tuple((_short(clean(name)), f"{number:,}") for name, number in main["frequent"])
    yield Table(
        f"The most frequent of {main['items']:,}, and how many of {people:,} have them", ("item", "people"), rows, (1,)
    )


def _columns(columns: Any) -> Table:
    rows = tuple(
        (_short(clean(c["name"])), c["kind"], f"{c['values']:,}", f"{c['missing']:,}", "; ".join(c["marks"]))
        for c in columns
    )
    return Table("The columns", ("column", "kind", "values", "missing", "what strikes"), rows, (2, 3))


def _doubts(found: Plain) -> Iterator[str]:
    main = found[found["as"]]
    yield from map(clean, main["doubts"])
    for group in main.get("twins", ()):
        yield f"Nearly the same: {', '.join(map(_quoted, group))}."
    for column in found["columns"] or () if found["as"] == "table" else ():
        for group in column["twins"]:
            yield f"Nearly the same in '{clean(column['name'])}': {', '.join(map(_quoted, group))}."
    if main.get("everywhere"):
        yield f"In every record: {', '.join(map(_quoted, main['everywhere']))}. Is that an item?"
    if main.get("empty"):
        yield f"{count(main['empty'], 'record')} without any item."
    if "once" in main and main["items"] > 10 and 2 * main["once"] > main["items"]:
        yield (
            f"{main['once']:,} of {main['items']:,} items occur in one record only. Numbers, dates, amounts or ids "
            "among the items would make every record unlike all others."
        )


def _other(found: Plain) -> Iterator[str]:
    other = found["table" if found["as"] == "baskets" else "baskets"]
    if other is None:
        return
    if "refused" in other:
        yield f"Not as {'a table' if found['as'] == 'baskets' else 'baskets'}: {other['refused']}."
    else:
        yield f"For policies about tables: {clean(other['read_as'])}"


def _quoted(name: str) -> str:
    return f"'{_short(clean(name))}'"


def _short(text: str) -> str:
    return text if len(text) <= WIDE else f"{text[: WIDE - 3]}..."
