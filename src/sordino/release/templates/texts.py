"""What releases of tables under templates say."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sordino.data.counted import Counted
from sordino.data.table import MISSING, Table
from sordino.policy.promise_table import templates_guaranteed, templates_not_guaranteed
from sordino.release.texts import OURS, Texts
from sordino.report.documents import Seen
from sordino.verify.manifest import MANIFEST
from sordino.words.blocks import Card
from sordino.words.seen import seen_blocks
from sordino.words.text import listed

__all__ = ["TemplateTexts"]

ABOUT_FORMAT = {"csv": "CSV text with a header", "parquet": "Parquet", "jsonl": "JSON lines, an object a row"}
ABOUT_ORDER = {
    "keep": "Rows and columns are in the order of the source.",
    "renumber": "Rows and columns are in the order of the source.",
    "shuffle": "Rows are in random order, columns in that of the source.",
}
APART = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


class TemplateTexts(Texts):
    """Tables in which cells were suppressed or generalized."""

    def guaranteed(self) -> tuple[str, ...]:
        """What holds for the published file."""
        return templates_guaranteed(self.policy, "this file", MANIFEST)

    def not_guaranteed(self) -> tuple[str, ...]:
        """Where the guarantee ends."""
        return templates_not_guaranteed(self.policy, "this file")

    def about(self) -> tuple[str, ...]:
        """What the data are, and what was done to them."""
        manifest = self.manifest
        rows = "1 row" if manifest.records == 1 else f"{manifest.records:,} rows"
        form = f"{ABOUT_FORMAT[manifest.format]}{_apart(manifest.delimiter)}"
        first = (
            f"{manifest.file} is a table of {rows}, one a person: {form}. "
            f"{ABOUT_ORDER.get(manifest.ids, '')} Before it was published, cells were suppressed or made less "
            f"precise wherever they would have allowed someone to infer a sensitive value; nothing was invented. "
            f"'{self.policy.symbol}' stands in a suppressed cell."
        )
        more = [f"Its columns: {', '.join(manifest.columns)}."]
        for what, shown, dates in (("numbers", "ranges", False), ("dates", "the periods in which they lie", True)):
            cut = [name for name, bins in self.policy.bins.items() if (bins.by is not None) is dates]
            if cut:
                more.append(f"Instead of {what}, {listed(cut)} shows {shown}.")
        if set(manifest.missing) - set(MISSING):
            texts = ", ".join(f"'{text}'" for text in manifest.missing)
            more.append(f"Who published it takes these texts for missing values: {texts}.")
        return first, *more

    def about_policy(self) -> str:
        """Where to find what is protected."""
        return (
            f'The columns, sensitive values and thresholds are listed in {MANIFEST}, under "policy". They were chosen '
            "by whoever published this folder."
        )

    def about_check(self) -> tuple[str, str]:
        own = (
            "" if not set(self.manifest.missing) - set(MISSING) else " It has to be told what is missing (--null TEXT)."
        )
        return (
            f"You need not trust whoever made this folder: count for yourself, or let a part of sordino count {OURS}. "
            "In this folder, run",
            f"and counts every combination of known values against the policy.{own}",
        )

    def seen(self, data: Table) -> Seen:
        """Rows, columns, and for each column its values and suppressed cells."""
        symbol = self.policy.symbol
        columns = data.shown(symbol) if isinstance(data, Counted) else list(_seen(data, symbol))
        rows, hidden = data.people, sum(gone for _, _, gone in columns)
        cells = rows * len(columns)
        cards = (
            Card(f"{rows:,}", "rows"),
            Card(f"{len(columns):,}", "columns"),
            Card(f"{hidden / cells:.1%}" if cells else "-", "of all cells are suppressed"),
        )
        return Seen(cards, seen_blocks(columns, rows))


def _seen(data: Table, symbol: str) -> Iterator[tuple[str, int, int]]:
    """Each column with its number of values and of suppressed cells."""
    for name in data.names:
        column = data.column(name)
        counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.values))
        gone = sum(int(counts[k]) for k, value in enumerate(column.values) if str(value) == symbol)
        yield name, int(np.count_nonzero(counts)) - (gone > 0), gone


def _apart(delimiter: str) -> str:
    """What separates the fields, where it is not a comma."""
    return "" if delimiter == "," else f", its fields apart by {APART.get(delimiter, repr(delimiter))}"
