"""The methods of the set-valued papers side by side: JIA's Table 3 and Figures 1, 2, 3, 7, and CHEN's Figures 2 to 4.

    python benchmarks/rivals.py [--quick] [--figures NAME ...] [--files NAME ...] [--methods NAME ...] [--rho R ...]
                                [--seed N] [--cap SECONDS] [--keep FILE] [--suppress FILE] [--report]
                                [--markdown FILE]

Every cell (a method on a file at a threshold) runs in a process of its own, once, and serves all figures that need it.
With --keep it is written down when it ends, and a later run takes it from there: a run that was stopped can be resumed,
and tables can be put together from several (--report measures nothing). --suppress takes what benchmarks/suppress.py
has measured of mine, dist and jia from its tables. See docs/benchmarks.md. Exit code 1 if a result
fails its audit (UNSAFE) or a measurement fails; what takes longer than the cap is shown as such, with what was measured
until then.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.common import (
    FILES,
    OUT_OF_TIME,
    Outcome,
    Table,
    add_markdown,
    check_markdown,
    data_folder,
    machine,
    markdown,
    measure_phases,
    named,
)
from benchmarks.rivals_kept import keep, kept, key_of, measured_by_suppress

METHODS: Mapping[str, Mapping[str, Any]] = {
    "mine": {"method": "mine"},
    "dist": {"method": "dist"},
    "jia mine": {"method": "jia", "options": {"heuristic": "mine"}},
    "jia dist": {"method": "jia", "options": {"heuristic": "dist"}},
    "lgps": {"method": "lgps"},
    "global": {"method": "global"},
    "tdcontrol": {"method": "tdcontrol"},
    "cahd": {"method": "cahd"},
}
PUBLISHED = {"lgps, divided as published": {"method": "lgps", "options": {"divide": "valid"}}}  # for one table only
REAL = {"Groceries": "groceries_hierarchy.csv.gz"}  # the others get built ones
RHOS = ("0.3", "0.7")
NOT_RUN = "not run"


@dataclass(frozen=True)
class Cell:
    """One measurement: a method on (the first percent of) a file, with a share of the items sensitive."""

    file: str
    method: str
    rho: str
    sensitive: int = 40
    percent: int = 100


@dataclass(frozen=True)
class Figure:
    """A table of the paper: its cells, and which values of a cell make its columns."""

    title: str
    cells: Callable[[argparse.Namespace], Iterator[Cell]]
    columns: tuple[str, ...]
    note: str = ""


def _grid(options: argparse.Namespace, rhos: Iterable[str] | None = None) -> Iterator[Cell]:
    for file in options.files:
        for rho in options.rho if rhos is None else rhos:
            for method in options.methods:
                yield Cell(file, method, rho)


def _permutation(options: argparse.Namespace) -> Iterator[Cell]:
    file = "BMS-WebView-2" if "BMS-WebView-2" in options.files else options.files[0]
    for p in (4,) if options.quick else (4, 6, 8, 10):
        for method in options.methods:
            if method in ("mine", "dist", "jia mine", "jia dist", "cahd"):
                yield Cell(file, method, f"1/{p}")


def _chen(options: argparse.Namespace, methods: Iterable[str]) -> list[str]:
    return [method for method in methods if method in options.methods]


def _datasets(options: argparse.Namespace) -> Iterator[Cell]:
    for file in options.files:
        for method in _chen(options, ("lgps", "tdcontrol", "dist")):
            yield Cell(file, method, "0.5")


def _shares(options: argparse.Namespace) -> Iterator[Cell]:
    file = "BMS-WebView-1" if "BMS-WebView-1" in options.files else options.files[0]
    for share in (10, 40) if options.quick else (10, 20, 30, 40, 50):
        for method in _chen(options, ("lgps", "tdcontrol")):
            yield Cell(file, method, "0.5", sensitive=share)


def _sizes(options: argparse.Namespace) -> Iterator[Cell]:
    whole = "BMS-POS part (275k)"
    file = whole if whole in options.files else options.files[0]
    for percent in (50, 100) if options.quick else (20, 40, 60, 80, 100):
        for method in _chen(options, ("lgps", "tdcontrol", "dist")):
            yield Cell(file, method, "0.5", percent=percent)


def _divided(options: argparse.Namespace) -> Iterator[Cell]:
    for file in options.files:
        for rho in options.rho:
            for method in _chen(options, ("lgps",)):
                yield Cell(file, method, rho)
                yield from (Cell(file, name, rho) for name in PUBLISHED)


FIGURES: Mapping[str, Figure] = {
    "jia-table-3": Figure(
        "JIA, Table 3: seconds at rho 0.7", lambda o: _grid(o, ("0.7",)), ("seconds", "processor", "megabytes")
    ),
    "jia-figure-1": Figure("JIA, Figure 1: loss", _grid, ("loss", "ncp", "groups")),
    "jia-figure-2": Figure(
        "JIA, Figure 2: symmetric KL of item distributions",
        _grid,
        ("symmetric",),
        "A generalized item counts as an item of its own. Of cahd it is that of a table that agrees with the release, "
        "which has the same numbers of all items: 0 by construction, unless something had to be suppressed.",
    ),
    "jia-figure-3": Figure(
        "JIA, Figure 3: Jaccard similarity of rules (support 0.05 %)",
        _grid,
        ("jaccard 30 %", "jaccard 70 %"),
        "Non-sensitive rules, in the records that had at most five items; generalized rules at leaf level.",
    ),
    "jia-figure-7": Figure(
        "JIA, Figure 7: permutation, rho = 1/p",
        _permutation,
        ("loss", "symmetric", "jaccard 30 %", "seconds", "processor"),
    ),
    "chen-figure-2": Figure(
        "CHEN, Figure 2: KL by file, rho 0.5",
        _datasets,
        ("symmetric", "loss", "ncp"),
        "The symmetric form, because KL to generalized items is infinite. Hardly an item of these files is in 40 % "
        "of the records, so the default adaptive rule leaves the thresholds as they are: one for all, for all methods.",
    ),
    "chen-figure-3": Figure(
        "CHEN, Figure 3: rules hidden and pseudo-rules, by share of sensitive items, rho 0.5",
        _shares,
        ("rules before", "hidden 30 %", "pseudo 30 %", "hidden 70 %", "pseudo 70 %"),
    ),
    "chen-figure-4": Figure(
        "CHEN, Figure 4: by size of the file (first records), rho 0.5",
        _sizes,
        ("symmetric", "loss", "ncp", "seconds", "processor"),
    ),
    "divide": Figure(
        "LGPS: dividing groups where that loses less, or wherever it is valid",
        _divided,
        ("ncp", "loss", "groups", "seconds", "processor"),
    ),
}
NUMBERS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "seconds": lambda v: f"{v['seconds']:,.1f}",
    "processor": lambda v: f"{v['processor']:,.1f}",
    "megabytes": lambda v: f"{v['megabytes']:,.0f}",
    "loss": lambda v: f"{v['loss']:.1%}",
    "ncp": lambda v: "-" if v["ncp"] is None else f"{v['ncp']:.1%}",
    "groups": lambda v: f"{v['groups']:,}",
    "symmetric": lambda v: f"{v['symmetric']:.4f}",
    "jaccard 30 %": lambda v: f"{v['jaccard'][0]:.3f}",
    "jaccard 70 %": lambda v: f"{v['jaccard'][1]:.3f}",
    "rules before": lambda v: f"{v['before'][0]:,} / {v['before'][1]:,}",
    "hidden 30 %": lambda v: f"{v['hidden'][0]:,}",
    "hidden 70 %": lambda v: f"{v['hidden'][1]:,}",
    "pseudo 30 %": lambda v: f"{v['pseudo'][0]:,}",
    "pseudo 70 %": lambda v: f"{v['pseudo'][1]:,}",
}
HEADS = {"processor": "CPU s", "megabytes": "peak MB", "ncp": "NCP", "symmetric": "symmetric KL", "seconds": "s"}


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 160)
    there = [name for name in options.files if (data_folder() / FILES[name]).is_file()]
    for name in sorted(set(options.files) - set(there)):
        console.print(f"{name}: {FILES[name]} is not in the data folder; left out", highlight=False)
    if not there:
        console.print("No data: point SORDINO_DATA at the folder with the files.", highlight=False)
        return 2
    options.files = there
    heading = _heading(options)
    console.print(heading, highlight=False)
    outcomes: dict[Cell, Outcome] = {}
    cells = _known(options)
    figures = [FIGURES[name] for name in options.figures]
    for figure in figures:
        for cell in figure.cells(options):
            if cell not in outcomes:
                with console.status(f"{cell.file}, rho {cell.rho}: {cell.method}"):
                    outcomes[cell] = _outcome(cell, options, cells)
        if options.markdown:  # after every figure: a long run that is stopped has not been for nothing
            tables = [_table(f, options, outcomes) for f in figures[: figures.index(figure) + 1]]
            options.markdown.write_text(markdown(heading, tables), encoding="utf-8")
    for figure in figures:
        _table(figure, options, outcomes).show(console)
    verdict = _claim(outcomes)
    verdict.show(console)
    if options.markdown:
        tables = [*(_table(figure, options, outcomes) for figure in figures), verdict]
        options.markdown.write_text(markdown(heading, tables), encoding="utf-8")
    failures = list(_failures(outcomes))
    for failure in failures:
        console.print(failure, style="bold red", highlight=False, markup=False)
    return 1 if failures else 0


def _task(cell: Cell, options: argparse.Namespace) -> dict[str, Any]:
    real = data_folder() / REAL[cell.file] if cell.file in REAL else None
    return {
        "path": str(data_folder() / FILES[cell.file]),
        "rho": cell.rho,
        "seed": options.seed,
        "sensitive": cell.sensitive,
        "percent": cell.percent,
        "hierarchy": str(real) if real is not None and real.is_file() else None,
        "by": options.by,
        **{**METHODS, **PUBLISHED}[cell.method],
    }


def _outcome(cell: Cell, options: argparse.Namespace, cells: dict[str, dict[str, Any]]) -> Outcome:
    """What was kept of this cell if it ended, or had as much time as now; else a measurement, which is then kept."""
    task = _task(cell, options)
    key = key_of(task)
    known = cells.get(key)
    if known and (
        options.report or not known["reason"] or (known["reason"] == OUT_OF_TIME and known["cap"] >= options.cap)
    ):
        return Outcome(known["values"], known["reason"])
    if options.report:
        return Outcome(None, NOT_RUN)
    outcome = measure(task, cap=options.cap)
    if options.keep:
        cells[key] = {"task": key, "cap": options.cap, "values": outcome.values, "reason": outcome.reason}
        keep(options.keep, cells[key])
    return outcome


def _known(options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """The cells that need not be measured, by task."""
    cells = {}
    if options.suppress:
        for file, method, rho, values in measured_by_suppress(options.suppress.read_text("utf-8"), options.seed):
            key = key_of(_task(Cell(file, method, rho), options))
            cells[key] = {"task": key, "cap": options.cap, "values": values, "reason": ""}
    return cells | kept(options.keep)


def measure(task: Mapping[str, Any], *, cap: float) -> Outcome:
    """Runs one task (see rivals_cell.py) in a fresh process; the values of the last phase that ended."""
    return measure_phases("rivals_cell.py", task, cap=cap)


def _table(figure: Figure, options: argparse.Namespace, outcomes: Mapping[Cell, Outcome]) -> Table:
    heads = tuple(HEADS.get(column, column) for column in figure.columns)
    table = Table(figure.title, ("file", "rho", "sensitive", "records", "method", *heads, "audit"), left=5)
    if figure.note:
        table.notes.append(figure.note)
    for cell in figure.cells(options):
        if cell not in outcomes:
            continue
        values = outcomes[cell].values or {}
        shown = [_shown(NUMBERS[column], values, outcomes[cell].reason) for column in figure.columns]
        records = f"{values['records']:,}" if "records" in values else f"{cell.percent} % of them"
        holds = {True: "holds", False: "UNSAFE", None: "not reached"}[values.get("holds")]
        method = f"{cell.method} *" if values.get("by") else cell.method
        table.add(cell.file, cell.rho, f"{cell.sensitive} %", records, method, *shown, holds)
    if any(row[4].endswith("*") for row in table.rows):
        table.notes.append("\\* as benchmarks/suppress.py measured it, with the same data, draw and method.")
    return table


def _shown(number: Callable[[Mapping[str, Any]], str], values: Mapping[str, Any], reason: str) -> str:
    try:
        return number(values)
    except KeyError:
        return reason or "not measured"


def _claim(outcomes: Mapping[Cell, Outcome]) -> Table:
    """Whether lgps loses less than tdcontrol, wherever both were measured."""
    table = Table(
        "LGPS loses less than TDControl (NCP)", ("file", "rho", "sensitive", "lgps", "tdcontrol", "verdict"), 3
    )
    for cell, outcome in outcomes.items():
        if cell.method != "lgps" or cell.percent != 100:
            continue
        rival = outcomes.get(Cell(cell.file, "tdcontrol", cell.rho, cell.sensitive, cell.percent))
        mine, theirs = ((o.values or {}).get("ncp") if o else None for o in (outcome, rival))
        if mine is None or theirs is None:
            continue
        verdict = "met" if mine < theirs else "MISSED"
        table.add(cell.file, cell.rho, f"{cell.sensitive} %", f"{mine:.1%}", f"{theirs:.1%}", verdict)
    return table


def _failures(outcomes: Mapping[Cell, Outcome]) -> Iterator[str]:
    for cell, outcome in outcomes.items():
        values = outcome.values or {}
        if values.get("holds") is False:
            yield f"UNSAFE: {cell.method} on {cell.file}, rho {cell.rho}"
        if outcome.reason and outcome.reason not in (OUT_OF_TIME, NOT_RUN):
            yield f"{cell.method} on {cell.file}, rho {cell.rho}: {outcome.reason}"


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The methods of the papers side by side (see docs/benchmarks.md).")
    parser.add_argument("--figures", nargs="+", metavar="NAME", help=f"of: {', '.join(FIGURES)} (or a beginning of it)")
    parser.add_argument("--files", nargs="+", metavar="NAME", help=f"of: {', '.join(FILES)} (or a beginning of it)")
    parser.add_argument("--methods", nargs="+", metavar="NAME", help=f"of: {', '.join(METHODS)} (or a beginning of it)")
    parser.add_argument("--rho", nargs="+", help="thresholds of JIA's figures 1 to 3 (default: 0.3 0.7)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw of sensitive items (default: 1)")
    parser.add_argument("--cap", type=float, default=900.0, help="seconds for one measurement (default: 900)")
    parser.add_argument("--by", default="balanced", help="how hierarchies are built: balanced, frequency, cooccurrence")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="write every cell there, and take it from there")
    parser.add_argument(
        "--suppress", type=Path, metavar="FILE", help="take cells from tables of benchmarks/suppress.py"
    )
    parser.add_argument("--report", action="store_true", help="measure nothing; tables of what --keep has")
    parser.add_argument("--quick", action="store_true", help="Groceries at rho 0.7, few points a figure")
    add_markdown(parser)
    options = parser.parse_args(arguments)
    if options.seed < 0 or options.cap <= 0:
        parser.error("--seed must be 0 or more, --cap above 0")
    if options.suppress and not options.suppress.is_file():
        parser.error(f"--suppress: there is no file {options.suppress}")
    if options.report and not options.keep:
        parser.error("--report needs --keep FILE")
    check_markdown(parser, options.markdown)
    check_markdown(parser, options.keep, "--keep")

    options.rho = options.rho or (["0.7"] if options.quick else list(RHOS))
    options.figures = named(parser, options.figures, FIGURES) if options.figures else list(FIGURES)
    every = ["Groceries"] if options.quick else list(FILES)
    options.files = named(parser, options.files, FILES) if options.files else every
    options.methods = named(parser, options.methods, METHODS) if options.methods else list(METHODS)
    return options


def _heading(options: argparse.Namespace) -> str:
    return f"benchmarks/rivals.py, seed {options.seed}, cap {options.cap:,.0f} s, {machine()}"


if __name__ == "__main__":
    sys.exit(main())
