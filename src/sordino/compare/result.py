"""What a comparison found: as a table, as files, as a page with the frontier between privacy and usefulness."""

from __future__ import annotations

import csv
import io
import json
import os
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from sordino.compare.choice import Cell, Recommendation, frontier, ranked
from sordino.compare.scale import Measure, Scale
from sordino.compare.store import write_atomically
from sordino.policy.threshold import show_rational
from sordino.report.page import render
from sordino.version import VERSION
from sordino.words.comparison import comparison_page
from sordino.words.text import percent

__all__ = ["Comparison"]


@dataclass(frozen=True)
class Comparison:
    """Cells in the order in which they ran, and what is recommended (None: nothing could be)."""

    cells: tuple[Cell, ...]
    recommended: Recommendation | None
    prefer: str
    own: Fraction  # the threshold of the policy
    name: str
    records: int
    scale: Scale
    remarks: tuple[str, ...] = ()

    def ranked(self) -> list[Cell]:
        """By threshold, the best first."""
        return ranked(self.cells, self.prefer, self.scale)

    def rows(self) -> list[tuple[str, ...]]:
        """The table of the cells, best first within each threshold, with the recommended one marked."""
        best = frontier(self.cells, self.scale)
        rows: list[tuple[str, ...]] = []
        for cell in self.ranked():
            chosen = self.recommended is not None and (cell.method, cell.threshold) == (
                self.recommended.method,
                self.recommended.threshold,
            )
            mark = "recommended" if chosen else "frontier" if (cell.method, cell.threshold) in best else ""
            apart = ("weaker guarantee" if cell.weaker else "", "no real hierarchy" if cell.aside else "")
            remark = ", ".join(filter(None, (mark, *apart, cell.reason)))
            numbers = (_show(measure, cell.value(measure.key)) for measure in self.measures)
            rows.append((cell.method, show_rational(cell.threshold), *numbers, remark))
        return rows

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures that some cell has."""
        held = [m for m in self.scale.measures if any(cell.value(m.key) is not None for cell in self.cells)]
        return tuple(held)

    @property
    def head(self) -> tuple[str, ...]:
        """The titles of `rows`."""
        return ("method", self.scale.noun, *(measure.title for measure in self.measures), "")

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain data, ready for JSON."""
        best = frontier(self.cells, self.scale)
        chosen, field = self.recommended, self.scale.field
        recommended = None
        if chosen is not None:
            recommended = {"method": chosen.method, field: self._stated(chosen.threshold), "reason": chosen.reason}
        return {
            "sordino": VERSION,
            "kind": self.scale.kind,
            "data": self.name,
            "records": self.records,
            f"policy_{field}": self._stated(self.own),
            "prefer": self.prefer,
            "recommended": recommended,
            "remarks": list(self.remarks),
            "cells": [{**c.to_dict(self.scale), "frontier": (c.method, c.threshold) in best} for c in self.ranked()],
        }

    def _stated(self, threshold: Fraction) -> str | int:
        return int(threshold) if self.scale.rising else show_rational(threshold)

    def to_csv(self) -> str:
        """The cells as CSV, best first within each threshold."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.scale.fields)
        for cell in self.ranked():
            plain = cell.to_dict(self.scale)
            writer.writerow(["" if plain[field] is None else plain[field] for field in self.scale.fields])
        return out.getvalue()

    def page(self) -> str:
        """One self-contained HTML page."""
        return render(comparison_page(self))

    def write(self, folder: str | os.PathLike[str]) -> Path:
        """Write comparison.csv, .json and .html into a folder, and return where it is."""
        path = Path(folder)
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False)
        for name, content in (("csv", self.to_csv()), ("json", f"{text}\n"), ("html", self.page())):
            write_atomically(path / f"comparison.{name}", content.encode())
        return path

    def __repr__(self) -> str:
        chosen = self.recommended
        said = (
            "nothing recommended"
            if chosen is None
            else f"recommended {chosen.method!r} at {self.scale.at(chosen.threshold)}"
        )
        return f"Comparison({len(self.cells)} runs, {said})"

    def __str__(self) -> str:
        from sordino.report.notebook import page_text

        return page_text(comparison_page(self))

    def _repr_html_(self) -> str:
        from sordino.report.notebook import page_html

        return page_html(comparison_page(self))


def _show(measure: Measure, value: float | None) -> str:
    if value is None:
        return "-"
    if measure.form == "percent":
        return percent(value)
    if measure.form == "seconds":
        return f"{value:,.1f}"
    return f"{int(value):,}" if value == int(value) else f"{value:,.1f}" if value >= 100 else f"{value:.4g}"
