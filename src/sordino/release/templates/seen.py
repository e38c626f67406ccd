"""What the report for everybody shows of a published table: counted in the table that was read back."""

from __future__ import annotations

import numpy as np

from sordino.data.table import Table
from sordino.report.documents import Seen
from sordino.words.blocks import Card
from sordino.words.seen import seen_blocks

__all__ = ["seen_in_table"]


def seen_in_table(table: Table, symbol: str) -> Seen:
    """Rows, columns, and for each column its values and suppressed cells."""
    columns = []
    hidden = 0
    for name in table.names:
        column = table.column(name)
        counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.values))
        gone = sum(int(counts[k]) for k, value in enumerate(column.values) if str(value) == symbol)
        hidden += gone
        columns.append((name, int(np.count_nonzero(counts)) - (gone > 0), gone))
    cells = len(table) * len(columns)
    cards = (
        Card(f"{len(table):,}", "rows"),
        Card(f"{len(columns):,}", "columns"),
        Card(f"{hidden / cells:.1%}" if cells else "-", "of all cells are suppressed"),
    )
    return Seen(cards, seen_blocks(columns, len(table)))
