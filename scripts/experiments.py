"""The papers' experiments, run whole and kept: one small file each in benchmarks/results, and the page made of them.

    python scripts/experiments.py list                 # which have a result, and about how long the others take
    python scripts/experiments.py run                  # every experiment that has no whole result yet, cheapest first
    python scripts/experiments.py run jia-fig1 li-fig8 # these, also if they have one
    python scripts/experiments.py run --only JIA       # those of a paper
    python scripts/experiments.py run --minutes 30     # as many as are done in half an hour
    python scripts/experiments.py run --each 10        # a single run is given up after ten minutes of the processor
    python scripts/experiments.py run jia-fig1 --data Retail --draws 1   # a part of it, which its result says
    python scripts/experiments.py page                 # docs/experiments.md and its charts, from the results

It may be stopped and started again: an experiment that is finished is not run again, and one that is not goes on with
the cells that it has (in out/experiments). Data sets are looked for as `sordino datasets list` says. What has no result
in the end, because data are missing or the time is over, is told, and the exit code is then 1. Seconds are those of the
processor, so other work on the machine does not count; on a quiet machine they are still somewhat smaller.
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
from typing import Any, NamedTuple

from sordino.compare.store import Store, write_atomically
from sordino.engine.local import OutOfTime
from sordino.errors import InputError, SordinoError
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
SMALL = 36  # rows that are shown as a table; more of them are charts
MINUTES = {  # about how long those take on two cores that take longer than a minute; estimates, for the order
    "li-fig4": 1.5,
    "li-fig8": 1.5,
    "naka-fig1": 2.0,
    "naka-fig7": 10.0,
    "jia-fig7": 13.0,
    "jia-fig6": 5.0,
    "jia-fig5": 8.0,
    "naka-fig6": 7.0,
    "naka-fig5": 10.0,
    "naka-fig2": 30.0,
    "chen-fig3": 30.0,
    "jia-table3": 15.0,
    "chen-fig4": 60.0,
    "jia-fig3": 30.0,
    "chen-fig2": 120.0,
    "naka-fig8": 25.0,
    "jia-fig1": 50.0,
    "jia-fig2": 50.0,
    "jia-fig4": 120.0,
}


PRINTED = (  # rho = 0.7
    "Measured on BMS-WebView-2 and Retail: Mine as printed takes 9 and 38 processor seconds a run, Dist as printed 7 "
    "and 30 (`jia` 2 to 3);"
)
SAMPLED = (
    "Measured in Figure 6, with adversaries as they are drawn now: Algorithm 2 as printed takes 1.5 to 2.7 processor "
    "seconds a run on a tenth of BMS-WebView-2;"
)
LGPS = (
    "Measured on the records of at most five items of BMS-WebView-1: LGPS as published takes 18 to 22 processor "
    "seconds with 10 % of the items sensitive, and LGPS that only divides as published 2 with 40 %;"
)
TOLD = {  # what was measured of those that have no whole result: why, and what it would take
    "jia-fig1": f"{PRINTED} there are 48 such runs here, on four files of which these are the smaller ones.",
    "jia-fig2": "Its runs are those of Figure 1.",
    "jia-fig3": f"{PRINTED} there are 48 such runs here, on records of at most five items, which take less.",
    "jia-fig4": f"{PRINTED} there are 20 such runs here, on Retail, half of them undivided.",
    "jia-fig5": f"{PRINTED} there are 10 such runs here, on Retail.",
    "jia-fig6": f"{PRINTED} there are 8 such runs here, with buffers of 10 to 10,000.",
    "jia-table3": f"{PRINTED} there are 8 such runs here, on four files of which these are the smaller ones.",
    "naka-fig2": f"{SAMPLED} there are 60 such runs here, a third of them on a tenth of BMS-POS part.",
    "naka-fig5": f"{SAMPLED} there are 100 such runs here.",
    "naka-fig7": "When this was run, Algorithm 2 as printed took 7 processor seconds a run on average; it takes a "
    "quarter of that now.",
    "naka-fig8": "Measured in its first draw, personalized+: with epsilon = 0.01, which draws 38 times as many "
    "adversaries, Algorithm 2 as printed takes 25 processor seconds and ours 40; there are 20 runs of each.",
    "chen-fig2": f"{LGPS} there are 9 such runs here, with 40 % sensitive.",
    "chen-fig3": f"{LGPS} there are 5 such runs here.",
    "chen-fig4": f"{LGPS} there are 5 such runs here, on up to the whole of BMS-POS part.",
}


class Asked(NamedTuple):
    """How experiments are to be run: on which data and draws, and how long."""

    only: tuple[str, ...] = ()
    draws: int | None = None
    jobs: int | None = None
    longest: float | None = None  # processor seconds of a single run
    deadline: float | None = None

    def part(self, experiment: Experiment) -> dict[str, Any]:
        """What of the experiment is asked for, if that is not all of it."""
        left = [name for name in experiment.data if self.only and name.lower() not in map(str.lower, self.only)]
        data = [name for name in experiment.data if name not in left]
        if left and not data:
            raise InputError(f"it has none of these data sets; it has: {', '.join(experiment.data)}")
        fewer = self.draws is not None and self.draws < experiment.draws
        return {**({"data": data} if left else {}), **({"draws": self.draws} if fewer else {})}


def in_order() -> list[Experiment]:
    """All experiments, cheapest first."""
    return sorted(EXPERIMENTS.values(), key=lambda e: (MINUTES.get(e.name, 0.0), bool(e.data), e.draws))


def measure(experiment: Experiment, asked: Asked) -> dict[str, Any]:
    """Runs what is asked of an experiment: what it found, with all that it depends on."""
    start = time.perf_counter()
    part = asked.part(experiment)
    file = CELLS.parent / f"{experiment.name}.spent.json"
    before = float(json.loads(file.read_bytes())["seconds"]) if file.is_file() else 0.0
    setup = Setup(
        only=part.get("data", ()),
        draws=part.get("draws"),
        jobs=asked.jobs,
        store=Store(CELLS),
        longest=asked.longest,
        deadline=asked.deadline,
    )
    try:
        outcome = run(experiment, setup)
    except (OutOfTime, KeyboardInterrupt):
        spent = before + time.perf_counter() - start
        write_atomically(file, json.dumps({"seconds": round(spent, 1)}).encode())
        raise
    file.unlink(missing_ok=True)
    return {
        "command": command(experiment, asked),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "seconds": round(before + time.perf_counter() - start, 1),
        "versions": {"sordino": VERSION, "python": platform.python_version(), **{n: version(n) for n in LIBRARIES}},
        "cores": os.cpu_count(),
        **({"part": part} if part else {}),
        **outcome.to_dict(),
    }


def command(experiment: Experiment, asked: Asked) -> str:
    """The command that runs the same again."""
    part = asked.part(experiment)
    words = [f"--data '{','.join(part['data'])}'"] if "data" in part else []
    words += [f"--draws {part['draws']}"] if "draws" in part else []
    if asked.longest is None:
        return " ".join(("sordino experiment run", experiment.name, *words))
    return " ".join(("python scripts/experiments.py run", experiment.name, *words, f"--each {asked.longest / 60:g}"))


def whole(name: str) -> bool:
    """Whether an experiment has a result, and not of a part of it."""
    file = RESULTS / f"{name}.json"
    return file.is_file() and "part" not in json.loads(file.read_bytes())


def run_all(names: list[str], paper: str | None, asked: Asked) -> int:
    """Runs what is asked for; 1 if something has no result in the end."""
    wanted = [named(name) for name in names] or [e for e in in_order() if paper is None or e.paper == paper.upper()]
    wanted = [e for e in wanted if names or not whole(e.name)]
    failed = []
    for experiment in wanted:
        print(f"{experiment.name} ...", end=" ", flush=True)
        try:
            if asked.deadline is not None and time.monotonic() >= asked.deadline:
                raise OutOfTime
            found = measure(experiment, asked)
        except OutOfTime:
            failed.append(f"{experiment.name}: the time was over; what is finished of it is kept")
            print("not finished")
            continue
        except SordinoError as error:
            failed.append(f"{experiment.name}: {error}")
            print("cannot be run")
            continue
        write_atomically(
            RESULTS / f"{experiment.name}.json", (json.dumps(found, indent=1, ensure_ascii=False) + "\n").encode()
        )
        print(f"{found['seconds']:,.1f} s")
    print("\n".join(failed) or "Everything that was asked for has its result.")
    return 1 if failed else 0


def list_all(paper: str | None) -> None:
    """Which experiments have a result, and about how long the others take; cheapest first."""
    for experiment in in_order():
        if paper is not None and experiment.paper != paper.upper():
            continue
        file = RESULTS / f"{experiment.name}.json"
        about = f"about {MINUTES[experiment.name]:,g} min" if experiment.name in MINUTES else "under a minute"
        if file.is_file():
            found = json.loads(file.read_bytes())
            about = f"{found['date']}, {found['seconds']:,.0f} s" + (
                f", in part: {in_part(found)}" if "part" in found else ""
            )
        print(f"{experiment.name:12} {'result of' if file.is_file() else 'no result,'} {about}")


def in_part(found: dict[str, Any]) -> str:
    """Which part of an experiment a result is of."""
    part = found["part"]
    draws = f"{part['draws']} draw{'s' if part['draws'] > 1 else ''}" if "draws" in part else ""
    return "; ".join(filter(None, (", ".join(part.get("data", ())), draws)))


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
    parts = there - sum(map(whole, EXPERIMENTS))
    yield from (
        "<!-- Made by `python scripts/experiments.py page` from benchmarks/results: do not edit. -->",
        "# The papers' experiments: results",
        "",
        "Every table and figure with numbers of the five papers, run whole, ours beside theirs. What the paper found",
        "stands under its name, and our own claims under ours; each is judged on the numbers. How they are run: [The",
        "papers' experiments](howto/experiments.md). Seconds are those of the processor, all threads together, for",
        "changing the data and auditing the result: other work on the machine does not count, nor do reading,",
        "measuring and compiling.",
        "",
        f"{there} of {len(files)} experiments have a result here"
        + (f" ({parts} of them of a part, which is told)" if parts else "")
        + ("." if there == len(files) else "; of the others it says why not."),
        "",
    )


def section(experiment: Experiment, wanted: set[str]) -> Iterable[str]:
    """One experiment."""
    yield from (f"### {experiment.where}: {experiment.title}", "")
    file = RESULTS / f"{experiment.name}.json"
    if not file.is_file():
        yield from (why_not(experiment), "")
        return
    found = json.loads(file.read_bytes())
    outcome = recorded(experiment, found)
    made = found["versions"]
    if "part" in found:
        told = f" {TOLD[experiment.name]}" if experiment.name in TOLD else ""
        yield from (f"**Of a part only: {in_part(found)}.**{told}", "")
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


def why_not(experiment: Experiment) -> str:
    """Why an experiment has no result."""
    minutes = MINUTES.get(experiment.name, 0.0)
    time_ = (
        "less than a minute"
        if minutes < 1
        else f"about {minutes:,g} minutes"
        if minutes < 120
        else f"about {minutes / 60:,.0f} hours"
    )
    data = f", and needs {', '.join(experiment.data)}" if experiment.data else ""
    told = f" {TOLD[experiment.name]}" if experiment.name in TOLD else ""
    return (
        f"`{experiment.name}` has no result yet: it takes {time_} on two quiet cores (an estimate){data}.{told} Its "
        f"quick version, on the sample, is run by the tests. `python scripts/experiments.py run {experiment.name}`."
    )


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
    parser.add_argument("what", choices=("list", "run", "page"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--only", metavar="PAPER", help="experiments of one paper")
    parser.add_argument("--data", metavar="A,B", help="only these data sets of those declared")
    parser.add_argument("--draws", type=int, metavar="N", help="fewer draws than declared")
    parser.add_argument("--minutes", type=float, metavar="N", help="end after so many; what is finished is kept")
    parser.add_argument(
        "--each", type=float, metavar="N", help="give up a single run after so many minutes of the processor"
    )
    parser.add_argument("--jobs", type=int)
    stated = parser.parse_args(arguments)
    if stated.what == "list":
        list_all(stated.only)
        return 0
    code = 0
    if stated.what == "run":
        asked = Asked(
            tuple(name.strip() for name in (stated.data or "").split(",") if name.strip()),
            stated.draws,
            stated.jobs,
            None if stated.each is None else stated.each * 60,
            None if stated.minutes is None else time.monotonic() + stated.minutes * 60,
        )
        code = run_all(stated.names, stated.only, asked)
    write_page()
    return code


if __name__ == "__main__":
    sys.exit(main())
