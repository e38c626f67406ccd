"""Suppression, measured: `mine` and `dist` beside the published algorithm (`jia`) and the lower bound on loss.

    python benchmarks/suppress.py [--quick] [--files NAME ...] [--rho R ...] [--methods NAME ...] [--seed N] [--draws N]
                                  [--thorough] [--cap SECONDS] [--markdown FILE]

`--thorough --methods mine improved` shows default, improved, bound and thorough bound in one run.

See docs/benchmarks.md. Exit code 1 if a result fails the audit (UNSAFE) or a measurement fails; what takes longer than
the cap, or misses a goal, is shown, but is no error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.common import (
    FILES,
    Outcome,
    add_markdown,
    check_markdown,
    data_folder,
    machine,
    markdown,
    measure_phases,
    named,
)
from benchmarks.suppress_report import BOUND, CLOSER, IMPROVED, METHODS, Key, Report

RHOS = ("0.3", "0.5", "0.7")
WHOLE = tuple(name for name in FILES if name != "Groceries")
QUICK = ("BMS-WebView-1",)


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 190)
    names = []
    for name in options.files:
        if (data_folder() / FILES[name]).is_file():
            names.append(name)
        else:
            console.print(f"{name}: {FILES[name]} is not in the data folder; left out", highlight=False)
    if not names:
        console.print("No data: point SORDINO_DATA at the folder with the files.", highlight=False)
        return 2
    heading = _heading(options)
    console.print(heading, highlight=False)
    seeds = range(options.seed, options.seed + options.draws)
    report = Report(names, options.rho, list(seeds), options.methods, options.cap)
    if not options.quick:
        for method in options.methods:  # else the first of the measured processes would compile, in its own memory
            with console.status(f"{method}: compiling"):
                measure({"task": "first", "seed": options.seed, **METHODS[method]}, cap=options.cap)
    for name in names:
        for rho in options.rho:
            for seed in seeds:
                for what in (BOUND, *((CLOSER,) if options.thorough else ()), *options.methods):
                    with console.status(f"{name}, rho {rho}, seed {seed}: {what}"):
                        report.add(Key(name, rho, seed, what), measure(_task(name, rho, seed, what), cap=options.cap))
        if options.markdown:  # after every file: a long run that is stopped has not been for nothing
            options.markdown.write_text(markdown(heading, report.tables()), encoding="utf-8")
    for table in report.tables():
        table.show(console)
    failures = report.failures()
    for failure in failures:
        console.print(failure, style="bold red", highlight=False, markup=False)
    return 1 if failures else 0


def _task(name: str, rho: str, seed: int, what: str) -> dict[str, Any]:
    task = {"path": str(data_folder() / FILES[name]), "rho": rho, "seed": seed}
    if what in (BOUND, CLOSER):
        return {"task": "bound", **task, "thorough": what == CLOSER}
    return {"task": "suppress", **task, **METHODS[what]}


def measure(task: Mapping[str, Any], *, cap: float) -> Outcome:
    """Runs one task (see suppress_cell.py) in a fresh process; the values of the last phase that ended."""
    return measure_phases("suppress_cell.py", task, cap=cap)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Benchmark of suppression (see docs/benchmarks.md).")
    parser.add_argument("--files", nargs="+", metavar="NAME", help=f"of: {', '.join(FILES)} (or a beginning of it)")
    parser.add_argument("--rho", nargs="+", help="thresholds (default: 0.3 0.5 0.7)")
    parser.add_argument(
        "--methods",
        nargs="+",
        metavar="NAME",
        help=f"of: {', '.join(METHODS)} (or a beginning of it); "
        f"{IMPROVED} takes a minute a file, and is measured only if it is named",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the draw of sensitive items (default: 1)")
    parser.add_argument("--draws", type=int, default=1, help="draws to average over, with seeds from --seed on")
    parser.add_argument("--cap", type=float, default=900.0, help="seconds for one measurement (default: 900)")
    parser.add_argument("--thorough", action="store_true", help="also the thorough bound, a minute or so a file")
    parser.add_argument("--quick", action="store_true", help="BMS-WebView-1, rho 0.7, nothing compiled beforehand")
    add_markdown(parser)
    options = parser.parse_args(arguments)
    if options.draws < 1 or options.seed < 0 or options.cap <= 0:
        parser.error("--draws must be 1 or more, --seed 0 or more, --cap above 0")
    check_markdown(parser, options.markdown)

    options.rho = options.rho or (["0.7"] if options.quick else list(RHOS))
    options.files = named(parser, options.files, FILES) if options.files else list(QUICK if options.quick else WHOLE)
    options.methods = (
        named(parser, options.methods, METHODS) if options.methods else [m for m in METHODS if m != IMPROVED]
    )
    return options


def _heading(options: argparse.Namespace) -> str:
    seed = "seed" if options.draws == 1 else f"{options.draws} draws from seed"
    return f"benchmarks/suppress.py, {seed} {options.seed}, cap {options.cap:,.0f} s, {machine()}"


if __name__ == "__main__":
    sys.exit(main())
