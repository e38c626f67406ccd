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
from sordino.report.blocks import Block, Chart, Page, Points, Section, Series, Table, Text, clean, percent
from sordino.report.page import fragment, render
from sordino.version import VERSION

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
            remark = ", ".join(filter(None, (mark, "weaker guarantee" if cell.weaker else "", cell.reason)))
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
        chosen = self.recommended
        verdict = (
            f"Nothing can be recommended: no method finished at {self.scale.nouns} that the policy allows."
            if chosen is None
            else f"Take '{chosen.method}' at {self.scale.at(chosen.threshold)}."
        )
        methods = len({cell.method for cell in self.cells})
        thresholds = len({cell.threshold for cell in self.cells})
        many = self.scale.nouns if thresholds > 1 else self.scale.noun if self.scale.rising else "threshold"
        rule = (
            f"The method is the one with {self.scale.preferences[self.prefer].words}, on average over the "
            f"{self.scale.nouns}.",
            f"The {self.scale.noun} is the policy's own, unless a stricter one costs hardly more (at most a fifth, or "
            "one point in a hundred). A looser one is never recommended.",
            "On the frontier are the choices that no other beats in both, strictness and loss.",
            *self.remarks,
        )
        return render(
            Page(
                f"Which method, which {self.scale.noun}? {clean(self.name)}",
                f"{self.records:,} {self.scale.records}; {methods} methods at {thresholds} {many}",
                verdict,
                None if chosen is None else True,
                (
                    Section("frontier", "Privacy against usefulness", self._blocks()),
                    Section("rule", "How the choice was made", (Points(rule),)),
                ),
                lead="" if chosen is None else chosen.reason,
            )
        )

    def _blocks(self) -> tuple[Block, ...]:
        right = tuple(range(1, len(self.head) - 1))
        table = Table(f"Every run, the best first at each {self.scale.noun}", self.head, tuple(self.rows()), right)
        if len({cell.threshold for cell in self.cells}) < 2:
            return (self._bars(), table)
        return (self.frontier_chart(), table)

    def frontier_chart(self) -> Chart:
        """Loss over the threshold, a line for each method."""
        thresholds = sorted({cell.threshold for cell in self.cells})
        methods = list(dict.fromkeys(cell.method for cell in self.cells))
        by = {(cell.method, cell.threshold): cell for cell in self.cells}
        lines = [Series(m, tuple(by[m, at].loss for at in thresholds)) for m in methods]
        bounds = [
            next((c.bound for c in self.cells if c.threshold == at and c.bound is not None), None) for at in thresholds
        ]
        if any(bound is not None for bound in bounds):
            lines.append(Series("least possible", tuple(bounds)))
        marks: tuple[tuple[float, float, str], ...] = ()
        if self.recommended is not None:
            loss = by[self.recommended.method, self.recommended.threshold].loss
            marks = ((float(self.recommended.threshold), loss or 0.0, "recommended"),)
        return Chart(
            f"What protection costs, by {self.scale.noun}",
            self.scale.strictness,
            tuple(show_rational(at) for at in thresholds),
            tuple(lines),
            kind="lines",
            x=tuple(float(at) for at in thresholds),
            axis=self.scale.loss,
            x_axis=self.scale.noun,
            percent=True,
            marks=marks,
        )

    def _bars(self) -> Chart:
        cells = [cell for cell in self.ranked() if cell.done]
        return Chart(
            "What each method loses",
            f"All at {self.scale.at(self.cells[0].threshold)}." if self.cells else "Nothing was run.",
            tuple(cell.method for cell in cells),
            (Series("lost", tuple(cell.loss for cell in cells)),),
            axis=self.scale.loss,
            percent=True,
        )

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

    def _repr_html_(self) -> str:
        first: tuple[Block, ...] = ()
        if self.recommended is not None:
            head = f"Take '{self.recommended.method}' at {self.scale.at(self.recommended.threshold)}."
            first = (Text(head, strong=True), Text(self.recommended.reason))
        return fragment((*first, *self._blocks()))


def _show(measure: Measure, value: float | None) -> str:
    if value is None:
        return "-"
    if measure.form == "percent":
        return percent(value)
    return f"{value:.1f}" if measure.form == "seconds" else f"{value:.4g}"
