"""The papers' experiments, run whole and kept: one small file each in benchmarks/results, and the page made of them.

    python scripts/experiments.py run                  # every experiment that has no result yet, the quick ones first
    python scripts/experiments.py run jia-fig1 li-fig8 # these, also if they have one
    python scripts/experiments.py run --only JIA       # those of a paper
    python scripts/experiments.py page                 # docs/experiments.md and its charts, from the results

It may be stopped and started again: an experiment that is finished is not run again, and one that is not goes on with
the cells that it has (in out/experiments). Data sets are looked for as `sordino datasets list` says. What cannot be
run, because data are missing, is told at the end, and the exit code is then 1. Run it on a quiet machine: the seconds
are kept with the rest.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sordino.compare.store import Store, write_atomically
from sordino.errors import SordinoError
from sordino.experiments.declared import Experiment
from sordino.experiments.registry import EXPERIMENTS, PAPERS, named
from sordino.experiments.run import Outcome, recorded, run
from sordino.experiments.setup import Setup
from sordino.report.charts import draw
from sordino.version import VERSION

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
CELLS = ROOT / "out" / "experiments" / "cells"
PAGE, IMAGES = ROOT / "docs" / "experiments.md", ROOT / "docs" / "images" / "experiments"
FONT = "font-family: system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif; background: white"
LIBRARIES = ("numpy", "numba")
SMALL = 24  # rows that are shown as a table; more of them are charts
LAST = ("jia-fig1", "jia-fig2", "jia-fig3", "jia-fig4", "jia-fig5", "jia-fig6", "naka-fig8", "chen-fig4")  # long ones


def in_order() -> list[Experiment]:
    """All experiments, worked examples and small data first."""
    return sorted(EXPERIMENTS.values(), key=lambda e: (bool(e.data), e.name in LAST, e.draws))


def measure(experiment: Experiment, jobs: int | None) -> dict[str, Any]:
    """Runs an experiment whole: what it found, with all that it depends on."""
    start = time.perf_counter()
    outcome = run(experiment, Setup(jobs=jobs, store=Store(CELLS)))
    return {
        "command": f"sordino experiment run {experiment.name}",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "seconds": round(time.perf_counter() - start, 1),
        "versions": {"sordino": VERSION, "python": platform.python_version(), **{n: version(n) for n in LIBRARIES}},
        "cores": os.cpu_count(),
        **outcome.to_dict(),
    }


def run_all(names: list[str], only: str | None, jobs: int | None) -> int:
    """Runs what is asked for; 1 if something could not be run."""
    asked = [named(name) for name in names] or [e for e in in_order() if only is None or e.paper == only.upper()]
    failed = []
    for experiment in asked:
        file = RESULTS / f"{experiment.name}.json"
        if file.is_file() and not names:
            continue
        print(f"{experiment.name} ...", end=" ", flush=True)
        try:
            found = measure(experiment, jobs)
        except SordinoError as error:
            failed.append(f"{experiment.name}: {error}")
            print("cannot be run")
            continue
        write_atomically(file, (json.dumps(found, indent=1, ensure_ascii=False) + "\n").encode())
        print(f"{found['seconds']:,.1f} s")
    print("\n".join(failed) or "Everything that was asked for has its result.")
    return 1 if failed else 0


def write_page() -> None:
    """The page and its charts."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    wanted: set[str] = set()
    lines = [*head()]
    for paper, title in PAPERS.items():
        lines += [f"## {paper}: {title}", ""]
        for experiment in (e for e in EXPERIMENTS.values() if e.paper == paper):
            lines += section(experiment, wanted)
    for old in IMAGES.glob("*.svg"):
        if old.name not in wanted:
            old.unlink()
    write_atomically(PAGE, ("\n".join(lines).rstrip() + "\n").encode())


def head() -> Iterable[str]:
    files = [RESULTS / f"{name}.json" for name in EXPERIMENTS]
    there = sum(file.is_file() for file in files)
    yield from (
        "<!-- Made by `python scripts/experiments.py page` from benchmarks/results: do not edit. -->",
        "# The papers' experiments: results",
        "",
        "Every table and figure with numbers of the five papers, run whole, ours beside theirs. What the paper found",
        "stands under its name, and our own claims under ours; each is judged on the numbers. How they are run: [The",
        "papers' experiments](howto/experiments.md).",
        "",
        f"{there} of {len(files)} experiments have a result here; of the others it says so.",
        "",
    )


def section(experiment: Experiment, wanted: set[str]) -> Iterable[str]:
    """One experiment."""
    yield from (f"### {experiment.where}: {experiment.title}", "")
    file = RESULTS / f"{experiment.name}.json"
    if not file.is_file():
        data = f" It needs {', '.join(experiment.data)}." if experiment.data else ""
        yield from (f"`{experiment.name}` was not run whole yet.{data}", "")
        return
    found = json.loads(file.read_bytes())
    outcome = recorded(experiment, found)
    made = found["versions"]
    yield from (
        f"`{found['command']}`, {found['date']}, sordino {made['sordino']}, {found['cores']} cores, "
        f"{found['seconds']:,.0f} s.",
        "",
    )
    for points in outcome.sentences():
        yield from (f"**{points.title}**", "", *(f"- {line}" for line in points.points), "")
    if experiment.note:
        yield from (experiment.note, "")
    for remark in outcome.remarks:
        yield from (f"*{remark}*", "")
    if len(outcome.rows) <= SMALL:
        yield from as_table(outcome)
    else:
        yield from as_charts(outcome, wanted)
    yield from (f"All numbers: `benchmarks/results/{file.name}`.", "")


def as_table(outcome: Outcome) -> Iterable[str]:
    table = outcome.table()
    yield "| " + " | ".join(table.head) + " |"
    yield "|" + "|".join("---:" if k in table.right else "---" for k in range(len(table.head))) + "|"
    yield from ("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in table.rows)
    yield ""


def as_charts(outcome: Outcome, wanted: set[str]) -> Iterable[str]:
    for chart in outcome.charts():
        name = re.sub(r"[^a-z0-9]+", "-", f"{outcome.experiment.name} {chart.axis}".lower()).strip("-")
        svg = draw(chart, name)
        if svg is None:
            raise SystemExit("Charts need Matplotlib: pip install 'sordino[report]'")
        sized = svg.replace('style="', f'width="720" style="{FONT}; ', 1)
        write_atomically(IMAGES / f"{name}.svg", f"{sized}\n".encode())
        wanted.add(f"{name}.svg")
        yield from (f"![{chart.title}](images/experiments/{name}.svg)", "")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("run", "page"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--only", metavar="PAPER", help="experiments of one paper")
    parser.add_argument("--jobs", type=int)
    stated = parser.parse_args(arguments)
    code = run_all(stated.names, stated.only, stated.jobs) if stated.what == "run" else 0
    write_page()
    return code


if __name__ == "__main__":
    sys.exit(main())
