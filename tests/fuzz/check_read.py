"""What was read is what was written, whatever the form."""

from __future__ import annotations

from fuzz.finding import demand
from fuzz.made import Made, MadeBaskets

__all__ = ["check"]


def check(made: Made) -> None:
    if isinstance(made, MadeBaskets):
        data = made.data
        demand(list(data) == made.records, "the records read are not those written")
        demand(data.ids == made.case.ids, "the ids read are not those written")
        return
    table = made.data
    case = made.case
    demand(table.names == case.columns, "the columns read are not those written")
    read = [dict(zip(table.names, table.row(k), strict=True)) for k in range(len(table))]
    demand(read == made.rows, "the rows read are not those written")  # type: ignore[attr-defined]
