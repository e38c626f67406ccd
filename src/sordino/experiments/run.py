"""Running a declared experiment, and what it found."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sordino.compare.store import write_atomically
from sordino.experiments.declared import Experiment, Row, Rows
from sordino.experiments.registry import PAPERS
from sordino.experiments.setup import Setup
from sordino.report.page import fragment, render
from sordino.version import VERSION
from sordino.words.blocks import Block, Chart, Facts, Page, Points, Section, Series, Table, Text
from sordino.words.text import percent

__all__ = ["FOUND", "OURS", "Judged", "Outcome", "facts", "recorded", "run"]

SERIES = ("method", "release", "trained on", "reading")  # a last column that tells series of a chart apart
FOUND, OURS = "What the paper found", "What we claim"


class Judged(NamedTuple):
    """A sentence and what our numbers say to it; `ours` if it is no sentence of the paper."""

    sentence: str
    met: bool | None
    ours: bool = False
    why: str = ""

    def line(self) -> str:
        if self.met is None:
            return f"NOT COMPARED: {self.sentence} {self.why or 'It cannot be told from this run.'}"
        return f"{'MET' if self.met else 'NOT MET'}: {self.sentence}"


@dataclass(frozen=True)
class Outcome:
    """Our rows beside the paper's, and which of the paper's sentences, and of our own, they bear out."""

    experiment: Experiment
    rows: tuple[Row, ...]
    verdicts: tuple[Judged, ...]
    quick: bool
    remarks: tuple[str, ...] = ()

    def table(self) -> Table:
        """All numbers, ours beside the paper's."""
        head = (*self.experiment.columns, "measure", "ours", "deviation", "paper")
        rows = tuple(
            (
                *row.labels,
                row.measure,
                self._show(row, row.ours),
                self._show(row, row.spread),
                self._show(row, row.paper),
            )
            for row in self.rows
        )
        first = len(self.experiment.columns) + 1
        spread = any(row.spread is not None for row in self.rows)
        if not spread:
            head = (*head[:-2], head[-1])
            rows = tuple((*row[:-2], row[-1]) for row in rows)
        return Table(f"{self.experiment.where}: ours beside the paper's", head, rows, tuple(range(first, len(head))))

    def _show(self, row: Row, value: float | None) -> str:
        if value is None:
            return "-"
        form = self.experiment.measures[row.measure]
        if form == "percent":
            return percent(value)
        if form == "seconds":
            return f"{value:.2f} s" if value < 10 else f"{value:.0f} s"
        return f"{value:,.0f}" if form == "count" else f"{value:.4g}"

    def charts(self) -> Iterator[Chart]:
        """A chart for each measure: a series for each method, and the paper's numbers where it printed some."""
        for measure, form in self.experiment.measures.items():
            rows = [row for row in self.rows if row.measure == measure]
            if not rows:
                continue
            labels, series = self._series(rows)
            printed = any(row.paper is not None for row in rows)
            yield Chart(
                f"{self.experiment.title}: {measure.replace('_', ' ')}",
                "Ours beside what the paper printed." if printed else "The paper printed no numbers, only a picture.",
                labels,
                series,
                axis=measure.replace("_", " "),
                x_axis=", ".join(self.experiment.columns),
                percent=form == "percent",
                decimals={"seconds": 2, "number": 5}.get(form, 0),
            )

    def _series(self, rows: Sequence[Row]) -> tuple[tuple[str, ...], tuple[Series, ...]]:
        """The labels of a chart of these rows, and its series: by the last column where that is the method."""
        apart = len(self.experiment.columns) > 1 and self.experiment.columns[-1] in SERIES
        places = list(dict.fromkeys(", ".join(row.labels[:-1] if apart else row.labels) for row in rows))
        ours: dict[str, list[float | None]] = {}
        theirs: dict[str, list[float | None]] = {}
        for row in rows:
            name = row.labels[-1] if apart else "ours"
            place = places.index(", ".join(row.labels[:-1] if apart else row.labels))
            ours.setdefault(name, [None] * len(places))[place] = row.ours
            if row.paper is not None:
                printed = f"{name}, paper" if apart else "paper"
                theirs.setdefault(printed, [None] * len(places))[place] = row.paper
        return tuple(places), tuple(Series(name, tuple(values)) for name, values in (ours | theirs).items())

    def verdict_lines(self, *, ours: bool = False) -> tuple[str, ...]:
        """The paper's sentences, or our own claims, each with what our numbers say."""
        return tuple(judged.line() for judged in self.verdicts if judged.ours == ours)

    def sentences(self) -> tuple[Points, ...]:
        """The same as lists under their titles."""
        lists = ((FOUND, self.verdict_lines()), (OURS, self.verdict_lines(ours=True)))
        return tuple(Points(lines, title) for title, lines in lists if lines)

    def to_dict(self) -> dict[str, Any]:
        return {
            "sordino": VERSION,
            "experiment": self.experiment.name,
            "quick": self.quick,
            "columns": list(self.experiment.columns),
            "rows": [row.to_dict() for row in self.rows],
            "shape": [judged._asdict() for judged in self.verdicts],
            "remarks": list(self.remarks),
        }

    def to_csv(self) -> str:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([*self.experiment.columns, "measure", "ours", "deviation", "paper"])
        for row in self.rows:
            numbers = ("" if value is None else value for value in (row.ours, row.spread, row.paper))
            writer.writerow([*row.labels, row.measure, *numbers])
        return out.getvalue()

    def _blocks(self) -> tuple[Block, ...]:
        remarks: list[Block] = [Points(self.remarks)] if self.remarks else []
        return (*self.sentences(), *self.charts(), self.table(), *remarks)

    def page(self) -> str:
        """One self-contained HTML page."""
        e = self.experiment
        met = [judged.met for judged in self.verdicts if judged.met is not None and not judged.ours]
        verdict = (
            f"{sum(met)} of {len(met)} findings of the paper show in our numbers."
            if met
            else "Ours beside the paper's."
        )
        return render(
            Page(
                f"{e.paper} {e.where}: {e.title}",
                PAPERS[e.paper] + (" (quick version, on the bundled sample)" if self.quick else ""),
                verdict,
                all(met) if met else None,
                (
                    Section("numbers", "Ours beside the paper's", self._blocks()),
                    Section("declared", "What was run", (Facts("Declared", tuple(facts(e))),)),
                ),
            )
        )

    def write(self, folder: str | os.PathLike[str]) -> Path:
        """Write NAME.csv, .json and .html into a folder, and return the page."""
        path = Path(folder)
        name = self.experiment.name
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False)
        for ending, content in (("csv", self.to_csv()), ("json", f"{text}\n"), ("html", self.page())):
            write_atomically(path / f"{name}.{ending}", content.encode())
        return path / f"{name}.html"

    def _repr_html_(self) -> str:
        return fragment((Text(f"{self.experiment.where}: {self.experiment.title}", strong=True), *self._blocks()))


def facts(experiment: Experiment) -> Iterator[tuple[str, str]]:
    """What is declared."""
    yield "paper", f"{experiment.paper}: {PAPERS[experiment.paper]}"
    yield "what", f"{experiment.where}: {experiment.title}"
    if experiment.data:
        yield "data", ", ".join(experiment.data)
    if experiment.methods:
        yield "methods", ", ".join(experiment.methods)
    yield from experiment.parameters.items()
    if experiment.draws > 1:
        yield "draws", f"{experiment.draws}, mean and deviation"
    for shape in experiment.shape:
        yield "we claim" if shape.ours else "the paper found", shape.sentence
    if experiment.note:
        yield "note", experiment.note


def run(experiment: Experiment, setup: Setup) -> Outcome:
    """Run it: every row, then the sentences on them."""
    before = len(setup.remarks)
    rows = experiment.run(setup)
    return Outcome(experiment, tuple(rows), _judged(experiment, rows), setup.quick, tuple(setup.remarks[before:]))


def recorded(experiment: Experiment, found: Mapping[str, Any]) -> Outcome:
    """An outcome from its `to_dict`; its sentences are those that are declared now, judged on the recorded numbers."""
    rows = tuple(
        Row(tuple(row["labels"]), row["measure"], row["ours"], row["paper"], row["spread"]) for row in found["rows"]
    )
    return Outcome(experiment, rows, _judged(experiment, rows), found["quick"], tuple(found["remarks"]))


def _judged(experiment: Experiment, rows: Sequence[Row]) -> tuple[Judged, ...]:
    seen = Rows(rows)
    return tuple(Judged(shape.sentence, shape.check(seen), shape.ours, shape.why) for shape in experiment.shape)
