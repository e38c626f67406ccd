"""What is said of how surely each sensitive item can be inferred anywhere: from the plain data of an audit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sordino.words.blocks import Block, Points, Table
from sordino.words.text import clean, count, percent

__all__ = ["highest", "surest_blocks"]

Plain = Mapping[str, Any]

SHOWN = 10
LEVELS = ("50", "70", "90", "100")


def highest(audit: Plain) -> float | None:
    """The highest confidence that is known of, by whatever antecedent."""
    told = [one["highest"] for one in audit.get("surest", ()) if one["highest"] is not None]
    told += [f["confidence"] for f in audit["findings"]]
    return max(told, default=None)


def surest_blocks(audit: Plain, shown: int | None = None) -> Iterator[Block]:
    """By sensitive item: the highest confidence anywhere, and how many people can be inferred how surely."""
    told = audit.get("surest", ())
    if not told:
        return
    together, items = told[0], told[1:]
    rows = [_row(one) for one in items[: SHOWN if shown is None else max(shown, SHOWN)]]
    if len(items) > 1:
        rows.append(("any of them", *_row(together)[1:]))
    head = ("sensitive item", "people", "highest", "known", *(f"{level}% sure" for level in LEVELS))
    title = "How surely each sensitive item can be inferred anywhere, and of how many people"
    yield Table(title, head, tuple(rows), (1, 2, 4, 5, 6, 7), total=len(items) > 1)
    lines = ["A person counts at a level if something known of her makes it at least so sure that she has the item."]
    if len(items) > len(rows) - (len(items) > 1):
        lines.append(f"{count(len(items), 'item')} in all; the JSON result (--json) holds all of them.")
    if any(not all(one["exact"].values()) for one in told):
        lines.append(
            "With a +: so many at least; there is too much to ask about all of it. What one known item gives is "
            "counted whole, and so is who is given away for certain where any items may be known; of all between, "
            "what the audit has found."
        )
    yield Points(tuple(lines))


def _row(one: Plain) -> tuple[str, ...]:
    return (
        clean(one["item"] or ""),
        f"{one['having']:,}",
        _sure(one),
        _known(one),
        *(f"{one['people'][level]:,}{'' if one['exact'][level] else '+'}" for level in LEVELS),
    )


def _sure(one: Plain) -> str:
    if one["highest"] is None:
        return "-"
    if one["highest_exact"]:
        return percent(one["highest"])
    return f"{percent(one['highest'])} to {percent(one['at_most'])}"


def _known(one: Plain) -> str:
    """From what: the smallest antecedent at hand."""
    if one["highest"] is None:
        return ""
    if one["antecedent"] is None:
        return "all the rest of a record"
    return " + ".join(map(clean, one["antecedent"]))
