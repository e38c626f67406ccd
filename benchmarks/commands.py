"""Whole commands, as somebody waits for them: on a machine that has compiled nothing yet, and on one that has.

    python benchmarks/commands.py [--only PART ...] [--runs N] [--files NAME ...] [--rho R] [--seed N] [--jobs N]
                                  [--markdown FILE]

Parts: first (each run with empty caches: what is compiled, and what other libraries keep, lies in a folder of its own),
second (the same commands on the bundled samples, compiled), files (protect and verify of real files, 40 % of the items
sensitive).

A command's time is that of a process of its own, from its start to its end: Python, imports, reading, all checks,
writing. Processor seconds are those of all its threads and helpers. The best of the runs counts, on either clock.
Before the first of them every command runs once, so that Python has compiled its modules, as an installation does.
Goals are about the clock of a machine that has nothing else to do. Exit code 1 if a command fails; a goal that is
missed is shown, but is no error.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.common import (
    FILES,
    Table,
    add_markdown,
    check_markdown,
    data_folder,
    draw_sensitive,
    machine,
    markdown,
    named,
)

PARTS = ("first", "second", "files")
RUNS = 3
WHOLE = ("BMS-WebView-2", "Retail", "BMS-POS part (275k)")
GOALS: Mapping[str, float] = {  # seconds of the clock, on two cores
    "first audit": 4.0,
    "first audit and protect": 10.0,
    "first protect, templates": 4.0,
    "first protect, injector": 4.0,
    "second audit": 1.5,
    "second protect": 1.5,
    "protect BMS-WebView-2": 4.0,
    "protect Retail": 8.0,
    "protect BMS-POS part (275k)": 45.0,
    "verify BMS-POS part (275k)": 10.0,
}
NOT_SAFE = 1  # the exit code of an audit that finds something
DIVERSITY = """\
kind = "diversity"
sensitive = "diagnosis"
quasi = ["sex", "region", "insurance"]
l = 3
"""


class FailedError(Exception):
    """A command did not do what it should."""


@dataclass(frozen=True)
class Seconds:
    """How long a command took, by the clock and of processors."""

    clock: float
    processor: float

    def __add__(self, other: Seconds) -> Seconds:
        return Seconds(self.clock + other.clock, self.processor + other.processor)


def best(runs: Sequence[Seconds]) -> Seconds:
    """The shortest, on either clock."""
    return Seconds(min(run.clock for run in runs), min(run.processor for run in runs))


def timed(
    command: Sequence[str], bytecode: Path, *, kept: Path | None = None, codes: tuple[int, ...] = (0,)
) -> Seconds:
    """One run of `python -m sordino` with these words; with the caches of the user in `kept`, if that is stated.

    Python keeps its compiled modules in `bytecode`, whatever is usual here.
    """
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(bytecode)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if kept is not None:
        environment.pop("NUMBA_CACHE_DIR", None)
        environment["XDG_CACHE_HOME"] = str(kept)
    with tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "sordino", *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            env=environment,
        )
        _, status, used = os.wait4(process.pid, 0)
        clock = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in codes:
            said.seek(0)
            last = (said.read().decode(errors="replace").strip().splitlines() or ["without a word"])[-1]
            raise FailedError(f"{command[0]} ended with exit code {process.returncode}: {last}")
    return Seconds(clock, used.ru_utime + used.ru_stime)


def told(name: str, seconds: float) -> str:
    """How it stands with the goal of that name."""
    goal = GOALS.get(name)
    if goal is None:
        return ""
    return f"MET (under {goal:g} s)" if seconds < goal else f"MISSED by {seconds - goal:.2f} s (under {goal:g} s)"


def sample(name: str) -> tuple[str, ...]:
    """The words for a bundled sample under its policy."""
    folder = Path(__file__).resolve().parent.parent / "src" / "sordino" / "sample" / "files"
    return str(folder / f"{name}.csv"), "--policy", str(folder / f"{name}_policy.toml")


class Samples:
    """The commands about the bundled samples, each run with an output of its own."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.folder, self.bytecode = folder, folder / "bytecode"
        self.more = ("--jobs", str(options.jobs)) if options.jobs else ()
        self.runs = 0
        self.diversity = folder / "diversity.toml"
        self.diversity.write_text(DIVERSITY, encoding="utf-8")

    def audit(self, kept: Path | None = None) -> Seconds:
        return timed(("audit", *sample("pharmacy"), *self.more), self.bytecode, kept=kept, codes=(NOT_SAFE,))

    def protect(self, kept: Path | None = None) -> Seconds:
        return self._protected(sample("pharmacy"), kept)

    def templates(self, kept: Path | None = None) -> Seconds:
        return self._protected(sample("patients"), kept)

    def injector(self, kept: Path | None = None) -> Seconds:
        return self._protected((sample("patients")[0], "--policy", str(self.diversity)), kept)

    def _protected(self, words: tuple[str, ...], kept: Path | None) -> Seconds:
        self.runs += 1
        out = ("--out", str(self.folder / f"release-{self.runs}"))
        return timed(("protect", *words, *self.more, *out), self.bytecode, kept=kept)


def prepared(options: argparse.Namespace, samples: Samples) -> Iterator[tuple[str, Seconds]]:
    """Every command once, and nothing to tell of it."""
    del options
    for command in (samples.audit, samples.protect, samples.templates, samples.injector):
        command()
    yield from ()


def first(options: argparse.Namespace, samples: Samples) -> Iterator[tuple[str, Seconds]]:
    """With an empty cache: audit and then protect of the baskets, and protect of a table by templates and Injector."""
    audits, both, templates, injector = [], [], [], []
    for k in range(options.runs):
        kept = [samples.folder / f"kept-{what}-{k}" for what in ("baskets", "templates", "injector")]
        audits.append(samples.audit(kept[0]))
        both.append(audits[-1] + samples.protect(kept[0]))
        templates.append(samples.templates(kept[1]))
        injector.append(samples.injector(kept[2]))
    yield "first audit", best(audits)
    yield "first audit and protect", best(both)
    yield "first protect, templates", best(templates)
    yield "first protect, injector", best(injector)


def second(options: argparse.Namespace, samples: Samples) -> Iterator[tuple[str, Seconds]]:
    """What was compiled is at hand: audit and protect of the sample of baskets."""
    yield "second audit", best([samples.audit() for _ in range(options.runs)])
    yield "second protect", best([samples.protect() for _ in range(options.runs)])


def files(options: argparse.Namespace, samples: Samples) -> Iterator[tuple[str, Seconds]]:
    """Real files: protect with all its checks, and then verify of what it wrote."""
    import sordino

    folder, bytecode = samples.folder, samples.bytecode
    for name in options.files:
        path = data_folder() / FILES[name]
        if not path.is_file():
            print(f"{name}: {path.name} is not in the data folder; left out")
            continue
        items = draw_sensitive(sordino.read_baskets(path).names, options.seed)
        listed = folder / f"sensitive-{path.name}.txt"
        listed.write_text("".join(f"{item}\n" for item in items), encoding="utf-8")
        stated = ("--sensitive", f"@{listed}", "--rho", options.rho)
        protections, checks = [], []
        for k in range(options.runs):  # kernels are loaded in each, and compiled in none but perhaps the first
            out = folder / f"{path.name}-{k}"
            command = ("protect", str(path), *stated, "--seed", str(options.seed), "--out", str(out))
            protections.append(timed((*command, *samples.more), bytecode))
            checks.append(timed(("verify", str(out)), bytecode))
            shutil.rmtree(out)
        yield f"protect {name}", best(protections)
        yield f"verify {name}", best(checks)


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 170)
    table = Table("Whole commands", ("command", "seconds", "processor s", "goal"))
    table.notes.append(_heading(options))
    ways = {"": prepared, "first": first, "second": second, "files": files}
    failures = []
    with tempfile.TemporaryDirectory(prefix="sordino-commands-") as folder:
        samples = Samples(options, Path(folder))
        for part in ("", *options.only):
            try:
                for name, seconds in ways[part](options, samples):
                    verdict = told(name, seconds.clock)
                    table.add(name, f"{seconds.clock:.2f}", f"{seconds.processor:.2f}", verdict)
                    line = f"{name}: {seconds.clock:.2f} s, {seconds.processor:.2f} s of processors. {verdict}"
                    print(line.rstrip(), flush=True)
            except FailedError as failure:
                failures.append(str(failure))
    table.show(console)
    if options.markdown:
        options.markdown.write_text(markdown("# Whole commands", [table]), encoding="utf-8")
    for said in failures:
        console.print(said, style="bold red", highlight=False, markup=False)
    return 1 if failures else 0


def _heading(options: argparse.Namespace) -> str:
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return (
        f"Best of {options.runs}; {machine()}{load}. Files: rho {options.rho}, seed {options.seed}, 40 % of the items "
        "sensitive."
    )


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Benchmark of whole commands (see docs/benchmarks.md).")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="parts (default: all)")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"of each command (default: {RUNS})")
    parser.add_argument("--files", nargs="+", metavar="NAME", help=f"of: {', '.join(WHOLE)} (or a beginning of it)")
    parser.add_argument("--rho", default="0.7", help="threshold for the files (default: 0.7)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw of sensitive items (default: 1)")
    parser.add_argument("--jobs", type=int, help="threads; without it, one per core")
    add_markdown(parser)
    options = parser.parse_args(arguments)
    if options.runs < 1 or options.seed < 0 or (options.jobs or 1) < 1:
        parser.error("--runs and --jobs must be 1 or more, --seed 0 or more")
    check_markdown(parser, options.markdown)
    options.files = named(parser, options.files, WHOLE) if options.files else list(WHOLE)
    return options


if __name__ == "__main__":
    sys.exit(main())
