"""What every benchmark needs: the data, the draw of sensitive items, one measurement a process, and tables.

Nothing heavy is imported here: a child's ru_maxrss starts at what its parent held when it was made, so the parent of
all measurements stays small.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from sordino.data.baskets import Baskets

__all__ = [
    "FILES",
    "OUT_OF_TIME",
    "QUICK",
    "ROOT",
    "Outcome",
    "Table",
    "add_markdown",
    "check_markdown",
    "data_folder",
    "draw_sensitive",
    "lacking",
    "machine",
    "markdown",
    "measure",
    "measure_phases",
    "named",
    "short_records",
]

ROOT = Path(__file__).resolve().parent.parent
FILES = {
    "BMS-WebView-1": "BMS-WebView-1.dat.gz",
    "BMS-WebView-2": "BMS-WebView-2.dat.gz",
    "Retail": "Retail.dat.gz",
    "BMS-POS part (275k)": "BMS-POS-part-275k.dat.gz",  # not the whole of BMS-POS, and never called so
    "Groceries": "groceries.csv.gz",
}
QUICK = ("Groceries", "BMS-WebView-1")
SENSITIVE_PERCENT = 40
OUT_OF_TIME = "out of time"


def data_folder() -> Path:
    """$SORDINO_DATA, or the shared folder's data beside the repository."""
    stated = os.environ.get("SORDINO_DATA")
    return Path(stated) if stated else ROOT.parent / "shared" / "data"


def draw_sensitive(names: Sequence[str], seed: int) -> list[str]:
    """40 % of the names (rounded), drawn with the seed; both in vocabulary order."""
    import numpy as np

    wanted = max(1, round(len(names) * SENSITIVE_PERCENT / 100))
    codes = np.random.default_rng(seed).choice(len(names), size=wanted, replace=False)
    return [names[code] for code in sorted(codes.tolist())]


def short_records(baskets: Baskets, longest: int) -> Baskets:
    """The records of at most `longest` items, with the names that occur in them."""
    import numpy as np

    from sordino.data.baskets import Baskets

    kept = baskets.lengths <= longest
    owner = np.repeat(np.arange(len(baskets)), baskets.lengths)
    inside = kept[owner]
    items = baskets.items[inside]
    used = np.unique(items)
    renumbered = (np.cumsum(kept) - 1)[owner[inside]]
    names = tuple(baskets.names[code] for code in used)
    return Baskets.from_pairs(renumbered, np.searchsorted(used, items), names, int(kept.sum()))


@dataclass(frozen=True)
class Outcome:
    """What one measurement in a process of its own came to: its values, or why there are none."""

    values: Mapping[str, Any] | None
    reason: str = ""  # "not installed", "out of time", "out of memory", or the last line of an error


def measure(task: Mapping[str, Any], *, cap: float, environment: Mapping[str, str] | None = None) -> Outcome:
    """Runs one task (see cell.py) in a fresh process, and ends that process after `cap` seconds."""
    command = [sys.executable, str(ROOT / "benchmarks" / "cell.py"), json.dumps(task)]
    try:
        done = subprocess.run(
            command, env={**os.environ, **(environment or {})}, capture_output=True, text=True, timeout=cap, check=False
        )
    except subprocess.TimeoutExpired:  # run() has killed the process
        return Outcome(None, OUT_OF_TIME)
    lines = done.stdout.splitlines()
    if done.returncode == 0 and lines:
        answer = json.loads(lines[-1])
        return Outcome(None, answer["reason"]) if "reason" in answer else Outcome(answer)
    if done.returncode < 0:
        return Outcome(None, f"ended by signal {-done.returncode}")
    return Outcome(None, (done.stderr.strip().splitlines() or ["failed without a word"])[-1])


def measure_phases(cell: str, task: Mapping[str, Any], *, cap: float) -> Outcome:
    """Runs one task in a fresh process of benchmarks/`cell`, and ends that process after `cap` seconds.

    The values are those of the last phase that ended; if not all did, the reason says why.
    """
    command = [sys.executable, str(ROOT / "benchmarks" / cell), json.dumps(task)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=cap, check=False)
    except subprocess.TimeoutExpired as late:  # run() has killed the process
        return Outcome(_last(late.stdout), OUT_OF_TIME)
    values = _last(done.stdout)
    if done.returncode == 0:
        return Outcome(values)
    if done.returncode < 0:
        return Outcome(values, f"ended by signal {-done.returncode}")
    words = done.stderr.decode(errors="replace").strip().splitlines()
    return Outcome(values, (words or ["failed without a word"])[-1])


def _last(output: bytes | None) -> dict[str, Any]:
    """The values of the last whole line."""
    lines = (output or b"").split(b"\n")[:-1]
    return dict(json.loads(lines[-1])) if lines else {"phase": "starting"}


def machine() -> str:
    """Where a benchmark ran."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return f"{cores} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"


def lacking(files: Iterable[str]) -> str:
    """That some of the files are not in the folder of the data; empty if all are."""
    absent = [name for name in files if not (data_folder() / name).exists()]
    return f"No data: {', '.join(absent)} missing; set SORDINO_DATA to their folder." if absent else ""


def named(parser: argparse.ArgumentParser, asked: Sequence[str], known: Iterable[str]) -> list[str]:
    """The known names that begin like those asked for, in their order."""
    known = list(known)
    chosen = [[name for name in known if name.lower().startswith(part.lower())] for part in asked]
    unknown = [part for part, found in zip(asked, chosen, strict=True) if not found]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are: {', '.join(known)}")
    return [name for name in known if any(name in found for found in chosen)]


def add_markdown(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables there as well")


def check_markdown(parser: argparse.ArgumentParser, target: Path | None, option: str = "--markdown") -> None:
    if target and not target.absolute().parent.is_dir():
        parser.error(f"{option}: there is no folder {target.absolute().parent}")


def markdown(heading: str, tables: Iterable[Table]) -> str:
    return "\n".join([heading, "", *(table.markdown() for table in tables)])


@dataclass
class Table:
    """Rows for a terminal (Rich) and for a Markdown file. The first `left` columns are text, the rest numbers."""

    title: str
    columns: tuple[str, ...]
    left: int = 1
    rows: list[tuple[str, ...]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        if len(cells) != len(self.columns):
            raise ValueError(f"{len(cells)} cells for {len(self.columns)} columns")
        self.rows.append(cells)

    def show(self, console: Console) -> None:
        from rich.markup import escape
        from rich.table import Table as RichTable

        table = RichTable(title=escape(self.title), title_justify="left", title_style="bold")
        for k, column in enumerate(self.columns):
            table.add_column(escape(column), justify="left" if k < self.left else "right", overflow="fold")
        for row in self.rows:
            table.add_row(*(escape(cell) for cell in row), style="red" if any("MISSED" in c for c in row) else None)
        console.print(table)
        for note in self.notes:
            console.print(escape(note), soft_wrap=True)
        console.print()

    def markdown(self) -> str:
        rule = ["---" if k < self.left else "---:" for k in range(len(self.columns))]
        lines = [f"### {self.title}", ""]
        lines += ["| " + " | ".join(cells) + " |" for cells in (self.columns, rule, *self.rows)]
        for note in self.notes:
            lines += ["", note]
        return "\n".join(lines) + "\n"
