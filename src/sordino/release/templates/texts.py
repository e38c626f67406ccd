"""What releases of tables under templates say."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sordino.data.counted import Counted
from sordino.data.table import MISSING, Table
from sordino.policy.promise import percent_exactly
from sordino.policy.template import Template
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
SHOWN = 8  # templates told one by one


class TemplateTexts(Texts):
    """Tables in which cells were suppressed or generalized."""

    def guaranteed(self) -> tuple[str, ...]:
        """What holds for the published file."""
        sentences = [_sentence(template) for template in self.policy.templates[:SHOWN]]
        rest = len(self.policy.templates) - SHOWN
        if rest > 0:
            sentences.append(f"So it is with {rest:,} more such statements, listed in {MANIFEST}.")
        return (
            *sentences,
            "Confidence means: among all rows of this file that agree with what that someone knows, the share of "
            "those that have the sensitive value. A missing or suppressed cell, and a range or group shown in place "
            "of a value, counts as what it shows.",
            "It holds as well for whoever knows only some of these columns, or knows the value itself where the file "
            "shows a range, a group or nothing.",
            "This is exact, without rounding or sampling, for every person in the file; counting the file is the "
            "evidence.",
        )

    def not_guaranteed(self) -> tuple[str, ...]:
        """Where the guarantee ends."""
        limits = [
            "Against someone who knows other columns than those named above, or more of them together than one "
            "statement names, nothing is promised.",
            "Plain frequencies stay visible: how many rows have a sensitive value can be counted by everyone.",
            "Values that the policy does not name as sensitive are not protected, nor is the fact of being in the "
            "file.",
            "Columns that no statement above names are not protected.",
            "Other sources: linking this file with other data about the same people, or with another release of the "
            "same rows, may tell more than this file alone.",
            "Knowing what a person's value is NOT, or why the method changed what it changed, is not covered.",
            "Names, addresses and other identifiers must not be in the file to begin with; nothing here removes them.",
        ]
        cut = [name for name, bins in self.policy.bins.items() if bins.by is None]
        if cut:
            limits.append(
                f"The edges of the ranges shown in {listed(cut)} may follow from the distribution of the original "
                "numbers."
            )
        return tuple(limits)

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


def _sentence(template: Template) -> str:
    if template.rarest is not None:
        which = (
            "any value" if template.rarest == 1 else f"one of the rarest {percent_exactly(template.rarest)} of values"
        )
        what = f"{which} of {template.sensitive}"
    elif len(template.values) == 1:
        what = f"that {template.sensitive} is {template.values[0]}"
    else:
        what = f"any of {len(template.values):,} values of {template.sensitive}"
    return (
        f"Someone who knows {listed(list(template.given))} of a person cannot infer from this file {what} with a "
        f"confidence above {percent_exactly(template.at_most)}."
    )


def _apart(delimiter: str) -> str:
    """What separates the fields, where it is not a comma."""
    return "" if delimiter == "," else f", its fields apart by {APART.get(delimiter, repr(delimiter))}"
