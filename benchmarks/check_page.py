"""check.html, measured: how long the page takes to check releases of real files, beside `sordino verify`.

    python benchmarks/check_page.py [--files NAME ...] [--rho R] [--seed N] [--runs N] [--releases DIR]
                                    [--markdown FILE]

40 % of the items are sensitive (see docs/benchmarks.md), the method is `mine`, and any number of items may be known.
With --releases the releases are kept in that folder, and those that lie there are not made again. Exit code 1 if one of
the two says that a release does not hold; a goal that is missed is shown, but is no error.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.common import FILES, Table, data_folder, draw_sensitive

from browser import browser_path  # type: ignore[import-not-found]
from page import CheckPage, opened_page  # type: ignore[import-not-found]

WHOLE = tuple(name for name in FILES if name != "Groceries")
GOALS = {"BMS-WebView-2": 60.0}  # seconds in the page


def release_of(name: str, rho: str, seed: int, folder: Path) -> Path:
    """The published part of the release of a file; made, if it does not lie there."""
    out = folder / f"{FILES[name].split('.')[0]}-rho{rho.replace('/', '_')}-seed{seed}"
    if not out.exists():
        import sordino

        baskets = sordino.read_baskets(data_folder() / FILES[name])
        policy = sordino.InferencePolicy(draw_sensitive(baskets.names, seed), rho)
        sordino.protect(baskets, policy, seed=seed).write(out)
    return out / "publish"


def in_the_page(page: CheckPage, publish: Path) -> tuple[str, float, float]:
    """What the page says, and after how many seconds, from the choice of the files to the verdict; of the clock, and of
    its processor."""
    page.tab.call("Performance.enable")
    before, start = _processor(page), time.perf_counter()
    page.start(publish)
    while not page.tab.ask("window.told !== undefined && !running"):
        time.sleep(0.1)
    seconds, processor = time.perf_counter() - start, _processor(page) - before
    return str(page.result()["answer"]), seconds, processor


def _processor(page: CheckPage) -> float:
    metrics = page.tab.call("Performance.getMetrics")["metrics"]
    return next(float(metric["value"]) for metric in metrics if metric["name"] == "ProcessTime")


def measured(name: str, rho: str, publish: Path, runs: int) -> tuple[tuple[str, ...], bool]:
    """A row of the table, and whether both say that the release holds."""
    import sordino

    seconds, processor, answers = [], [], set()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(runs):  # each in a new browser, as somebody would who opens the page
            with opened_page(Path(folder)) as page:
                answer, took, worked = in_the_page(page, publish)
                answers.add(answer)
                seconds.append(took)
                processor.append(worked)
    start, worked = time.perf_counter(), time.process_time()
    own = sordino.verify(publish)
    python, own_worked = time.perf_counter() - start, time.process_time() - worked
    answers.add(str(own.answer))
    best, goal = min(seconds), GOALS.get(name)
    told = "" if goal is None else f"{'met' if best < goal else 'MISSED'} (under {goal:g} s)"
    size = sum(path.stat().st_size for path in publish.iterdir())
    proof = (publish / "proof.json.gz").stat().st_size
    records = json.loads((publish / "manifest.json").read_bytes())["records"]
    row = (
        *(name, rho, f"{records:,}", f"{own.served:,}", f"{own.searched:,}", f"{size / 1e6:.1f}", f"{proof / 1e6:.1f}"),
        *(f"{best:.1f}", f"{min(processor):.1f}", f"{python:.1f}", f"{own_worked:.1f}", told),
    )
    return row, answers == {"holds"}


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    if browser_path() is None:
        print("No Chromium: install one, or name it in SORDINO_BROWSER.")
        return 2
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 170)
    table = Table(
        "check.html: seconds to check a release",
        ("file", "rho", "records", "by alibis", "by search", "MB", "proof", "page s", "CPU", "verify s", "CPU", "goal"),
        left=2,
    )
    table.notes.append(_heading(options))
    failed = []
    with _folder(options.releases) as folder:
        for name in options.files:
            if not (data_folder() / FILES[name]).is_file():
                console.print(f"{name}: {FILES[name]} is not in the data folder; left out", highlight=False)
                continue
            with console.status(f"{name}: making the release"):
                publish = release_of(name, options.rho, options.seed, folder)
            with console.status(f"{name}: checking it"):
                row, holds = measured(name, options.rho, publish, options.runs)
            table.add(*row)
            if not holds:
                failed.append(name)
    table.show(console)
    if options.markdown:
        options.markdown.write_text(table.markdown(), encoding="utf-8")
    for name in failed:
        console.print(f"{name}: the release does not hold", style="bold red", highlight=False)
    return 1 if failed else 0


@contextlib.contextmanager
def _folder(stated: Path | None) -> Iterator[Path]:
    if stated is not None:
        stated.mkdir(parents=True, exist_ok=True)
        yield stated
        return
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Benchmark of the page that checks releases (see docs/benchmarks.md).")
    parser.add_argument("--files", nargs="+", metavar="NAME", help=f"of: {', '.join(FILES)} (or a beginning of it)")
    parser.add_argument("--rho", default="0.5", help="threshold (default: 0.5)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw of sensitive items and of the release")
    parser.add_argument("--runs", type=int, default=1, help="how often; the best counts (default: 1)")
    parser.add_argument("--releases", type=Path, metavar="DIR", help="keep releases there, and take them from there")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table there as well")
    options = parser.parse_args(arguments)
    if options.runs < 1 or options.seed < 0:
        parser.error("--runs must be 1 or more, --seed 0 or more")
    asked = options.files or WHOLE
    unknown = [part for part in asked if not any(name.lower().startswith(part.lower()) for name in FILES)]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are: {', '.join(FILES)}")
    options.files = [name for name in FILES if any(name.lower().startswith(part.lower()) for part in asked)]
    return options


def _heading(options: argparse.Namespace) -> str:
    browser = browser_path()
    assert browser is not None
    version = subprocess.run([browser, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    runs = "one run" if options.runs == 1 else f"the best of {options.runs} runs"
    return (
        f"{version or 'Chromium'}, Python {platform.python_version()}, {os.cpu_count()} cores{load}; seed "
        f"{options.seed}, {runs}. The page uses one core, and its time begins when the files are chosen."
    )


if __name__ == "__main__":
    sys.exit(main())
