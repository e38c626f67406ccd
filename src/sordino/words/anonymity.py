"""What is said of k-anonymity and its relatives: the figures before and after, and what they do not cover."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sordino.words.blocks import Block, Points, Table
from sordino.words.text import percent, share

__all__ = ["anonymity_blocks"]

Plain = Mapping[str, Any]

TITLE = "Figures that are often asked for"
NOT_COVERED = (
    "None of them limits what can be inferred: a group of k people who all have the same secret gives it away, and "
    "nobody is asked what else is known. What is promised is the policy."
)


def anonymity_blocks(cost: Plain) -> Iterator[Block]:
    """A table of both sides; nothing if it was not measured."""
    told = cost.get("anonymity")
    if not told:
        return
    sides = (told["before"], told["after"])
    secret = any(side["highest_share"] is not None for side in sides)
    table = "distinct_l" in sides[0]

    def row(name: str, key: str, meaning: str) -> tuple[str, ...]:
        return name, *(_number(side, key) for side in sides), meaning

    what = "known columns" if table else "items"
    rows = [
        row("k-anonymity", "k", f"the fewest people who have all of these {what} in common"),
        (
            "unique people",
            *(f"{side['unique']:,} ({share(side['unique'], side['records'])})" for side in sides),
            f"share their {what} with nobody",
        ),
    ]
    if table:
        rows.append(row("l-diversity", "distinct_l", "the fewest different sensitive values among people alike"))
    else:
        rows.append(row("k^1-anonymity", "k1", "the fewest people who have one of these items"))
        rows.append(row("k^2-anonymity", "k2", "the fewest people who have one or two of these items in common"))
        if secret:
            rows.append(row("l-diversity", "l", "of people alike, at most one in l has the same sensitive item"))
    if secret:
        shares = ("-" if side["highest_share"] is None else percent(side["highest_share"]) for side in sides)
        rows.append(
            ("highest share", *shares, f"of people alike have the same sensitive {'value' if table else 'item'}")
        )
    if table:
        by = "People are taken to be recognized by the columns of the policy; a suppressed cell is a value like others."
    else:
        by = "People are taken to be recognized by all items" + (" that are not sensitive." if secret else ".")
    yield Table(TITLE, ("figure", "before", "after", "meaning"), tuple(rows), (1, 2))
    yield Points((by, NOT_COVERED))


def _number(side: Plain, key: str) -> str:
    if side[key] is not None:
        return f"{side[key]:,}"
    return "too many pairs" if key == "k2" and side["k1"] is not None else "-"
