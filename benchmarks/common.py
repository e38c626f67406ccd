"""What every benchmark needs: the data, the draw of sensitive items, one measurement a process, and tables.

Nothing heavy is imported here: a child's ru_maxrss starts at what its parent held when it was made, so the parent of
all measurements stays small.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from sordino.data.baskets import Baskets

__all__ = ["FILES", "QUICK", "ROOT", "Outcome", "Table", "data_folder", "draw_sensitive", "measure", "short_records"]

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
        return Outcome(None, "out of time")
    lines = done.stdout.splitlines()
    if done.returncode == 0 and lines:
        answer = json.loads(lines[-1])
        return Outcome(None, answer["reason"]) if "reason" in answer else Outcome(answer)
    if done.returncode < 0:
        return Outcome(None, f"ended by signal {-done.returncode}")
    return Outcome(None, (done.stderr.strip().splitlines() or ["failed without a word"])[-1])


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
