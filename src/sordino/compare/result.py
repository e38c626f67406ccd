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

from sordino.compare.choice import PREFERENCES, Cell, Recommendation, frontier, ranked
from sordino.compare.store import write_atomically
from sordino.policy.threshold import show_rational
from sordino.report.blocks import Block, Chart, Page, Points, Section, Series, Table, Text, clean, percent
from sordino.report.page import fragment, render
from sordino.version import VERSION

__all__ = ["HEAD", "Comparison"]

HEAD = ("method", "threshold", "lost", "least possible", "moved (KL)", "rules the same", "seconds", "")
FIELDS = ("method", "rho", "done", "loss", "bound", "kl", "symmetric_kl", "jaccard", "seconds", "weaker", "reason")


@dataclass(frozen=True)
class Comparison:
    """Cells in the order in which they ran, and what is recommended (None: nothing could be)."""

    cells: tuple[Cell, ...]
    recommended: Recommendation | None
    prefer: str
    own: Fraction  # the threshold of the policy
    name: str
    records: int

    def ranked(self) -> list[Cell]:
        """By threshold, the best first."""
        return ranked(self.cells, self.prefer)

    def rows(self) -> list[tuple[str, ...]]:
        """The table of the cells, best first within each threshold, with the recommended one marked."""
        best = frontier(self.cells)
        rows: list[tuple[str, ...]] = []
        for cell in self.ranked():
            chosen = self.recommended is not None and (cell.method, cell.rho) == (
                self.recommended.method,
                self.recommended.rho,
            )
            mark = "recommended" if chosen else "frontier" if (cell.method, cell.rho) in best else ""
            remark = ", ".join(filter(None, (mark, "weaker guarantee" if cell.weaker else "", cell.reason)))
            rows.append(
                (
                    cell.method,
                    show_rational(cell.rho),
                    _percent(cell.loss),
                    _percent(cell.bound),
                    "-" if cell.symmetric_kl is None else f"{cell.symmetric_kl:.4g}",
                    _percent(cell.jaccard),
                    "-" if cell.seconds is None else f"{cell.seconds:.1f}",
                    remark,
                )
            )
        return rows

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain data, ready for JSON."""
        best = frontier(self.cells)
        return {
            "sordino": VERSION,
            "data": self.name,
            "records": self.records,
            "policy_rho": show_rational(self.own),
            "prefer": self.prefer,
            "recommended": None
            if self.recommended is None
            else {
                "method": self.recommended.method,
                "rho": show_rational(self.recommended.rho),
                "reason": self.recommended.reason,
            },
            "cells": [{**c.to_dict(), "frontier": (c.method, c.rho) in best} for c in self.ranked()],
        }

    def to_csv(self) -> str:
        """The cells as CSV, best first within each threshold."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(FIELDS)
        for cell in self.ranked():
            plain = cell.to_dict()
            writer.writerow(["" if plain[field] is None else plain[field] for field in FIELDS])
        return out.getvalue()

    def page(self) -> str:
        """One self-contained HTML page."""
        chosen = self.recommended
        verdict = (
            "Nothing can be recommended: no method finished at a threshold that the policy allows."
            if chosen is None
            else f"Take '{chosen.method}' at the threshold {show_rational(chosen.rho)}."
        )
        methods = len({cell.method for cell in self.cells})
        thresholds = len({cell.rho for cell in self.cells})
        rule = (
            f"The method is the one with {PREFERENCES[self.prefer]}, on average over the thresholds.",
            "The threshold is the policy's own, unless a stricter one costs hardly more (at most a fifth, or one point "
            "in a hundred). A looser one is never recommended.",
            "On the frontier are the choices that no other beats in both, strictness and loss.",
        )
        return render(
            Page(
                f"Which method, which threshold? {clean(self.name)}",
                f"{self.records:,} records; {methods} methods at {thresholds} thresholds",
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
        table = Table("Every run, the best first at each threshold", HEAD, tuple(self.rows()), (1, 2, 3, 4, 5, 6))
        if len({cell.rho for cell in self.cells}) < 2:
            return (self._bars(), table)
        return (self.frontier_chart(), table)

    def frontier_chart(self) -> Chart:
        """Loss over the threshold, a line for each method."""
        thresholds = sorted({cell.rho for cell in self.cells})
        methods = list(dict.fromkeys(cell.method for cell in self.cells))
        by = {(cell.method, cell.rho): cell for cell in self.cells}
        lines = [Series(m, tuple(by[m, rho].loss for rho in thresholds)) for m in methods]
        bounds = [
            next((c.bound for c in self.cells if c.rho == rho and c.bound is not None), None) for rho in thresholds
        ]
        if any(bound is not None for bound in bounds):
            lines.append(Series("least possible", tuple(bounds)))
        marks: tuple[tuple[float, float, str], ...] = ()
        if self.recommended is not None:
            loss = by[self.recommended.method, self.recommended.rho].loss
            marks = ((float(self.recommended.rho), loss or 0.0, "recommended"),)
        return Chart(
            "What protection costs: loss by threshold",
            "The threshold is how sure somebody may become: further left is stricter, further down loses less.",
            tuple(show_rational(rho) for rho in thresholds),
            tuple(lines),
            kind="lines",
            x=tuple(float(rho) for rho in thresholds),
            axis="share of the information lost",
            x_axis="threshold",
            percent=True,
            marks=marks,
        )

    def _bars(self) -> Chart:
        cells = [cell for cell in self.ranked() if cell.done]
        return Chart(
            "What each method loses",
            f"All at the threshold {show_rational(self.cells[0].rho)}." if self.cells else "Nothing was run.",
            tuple(cell.method for cell in cells),
            (Series("lost", tuple(cell.loss for cell in cells)),),
            axis="share of the information lost",
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
            "nothing recommended" if chosen is None else f"recommended {chosen.method!r} at {show_rational(chosen.rho)}"
        )
        return f"Comparison({len(self.cells)} runs, {said})"

    def _repr_html_(self) -> str:
        first: tuple[Block, ...] = ()
        if self.recommended is not None:
            head = f"Take '{self.recommended.method}' at {show_rational(self.recommended.rho)}."
            first = (Text(head, strong=True), Text(self.recommended.reason))
        return fragment((*first, *self._blocks()))


def _percent(share: float | None) -> str:
    return "-" if share is None else percent(share)
