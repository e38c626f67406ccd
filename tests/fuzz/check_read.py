"""What was read is what was written, whatever the form."""

from __future__ import annotations

from pathlib import Path

import sordino
from fuzz.finding import demand
from fuzz.made import Made, MadeBaskets
from sordino.errors import InputError

__all__ = ["check"]

ENOUGH = 20  # items in the file


def check(made: Made) -> None:
    if isinstance(made, MadeBaskets):
        data = made.data
        demand(list(data) == made.records, "the records read are not those written")
        demand(data.ids == made.case.ids, "the ids read are not those written")
        _unstated(made)
        return
    table = made.data
    case = made.case
    demand(table.names == case.columns, "the columns read are not those written")
    read = [dict(zip(table.names, table.row(k), strict=True)) for k in range(len(table))]
    demand(read == made.rows, "the rows read are not those written")  # type: ignore[attr-defined]


def _unstated(made: MadeBaskets) -> None:
    """A file of which nobody says how it is to be read: read rightly, or refused, but never taken for something else.

    Files of a few lines can be one thing as well as another.
    """
    if not isinstance(made.source, Path) or sum(map(len, made.records)) < ENOUGH:
        return
    try:
        data = sordino.read_baskets(made.source)
    except InputError:
        return
    demand(list(data) == made.records, "read as something else when nothing is stated", "unsafe")
