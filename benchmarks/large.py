"""How long, and with how much memory, is more than fits audited and protected? (docs/benchmarks.md)

    python benchmarks/large.py                        # baskets: 0.25 and 1 million; a table of 10 million rows
    python benchmarks/large.py --millions 0.25 1 5    # up to the goal; takes half an hour on two quiet cores
    python benchmarks/large.py --millions --rows 100  # the table alone

Baskets are those of the BMS-POS part, drawn with replacement, one item in ten replaced by another (seeded). Every run
has a process of its own, whose peak memory is told. "audit" is `sordino audit FILE.parquet`, read in pieces from a
million records on; "protect" is all that `sordino protect` does, with the audits before and after, the proof and the
folder. Goals are for 5 million baskets on two cores: audited in 10 minutes and protected in 20, under 3 GB; and for
100 million rows of a table: under 4 GB.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.common import (
    FILES,
    Table,
    add_markdown,
    check_markdown,
    lacking,
    machine,
    markdown,
    measure_phases,
)

CELL = "large_cell.py"
CAP = 7200.0  # seconds
GOALS = {"audit": (600.0, 3000.0), "protect": (1200.0, 3000.0)}  # seconds and megabytes, at WHOLE
WHOLE = 5_000_000
ROWS_GOAL = 4000.0  # megabytes, however many rows


def judged(value: float, goal: float, counts: bool) -> str:
    """A figure, and whether the goal is met where it counts."""
    text = f"{value:,.0f}"
    return f"{text} ({'MET' if value <= goal else 'MISSED'}: {goal:,.0f})" if counts else text


def run(task: dict[str, Any]) -> dict[str, Any]:
    """The values of one task, or why there are none."""
    outcome = measure_phases(CELL, task, cap=CAP)
    values = dict(outcome.values or {})
    return values if "seconds" in values or values.get("phase") == "done" else {"reason": outcome.reason}


def baskets(numbers: list[int], verbs: list[str], parts: int | None, folder: Path) -> Table:
    table = Table(
        f"Baskets, rho 0.7, 40 % of the items sensitive; {machine()}",
        ("records", "what", "seconds", "peak MB", "at risk", "loss %"),
        left=2,
    )
    for number in numbers:
        file = str(folder / f"{number}.parquet")
        run({"do": "make", "of": "baskets", "number": number, "file": file, "seed": 1})
        for verb in verbs:
            task: dict[str, Any] = {"do": verb, "kind": "baskets", "file": file, "out": str(folder / f"out-{number}")}
            if parts is not None and verb == "protect":
                task["parts"] = parts
            found = run(task)
            if "reason" in found:
                table.add(f"{number:,}", verb, f"MISSED: {found['reason']}", "", "", "")
                continue
            seconds, memory = GOALS[verb]
            counts = number == WHOLE
            risk = f"{found['at risk']:,}" if "at risk" in found else ""
            loss = f"{found['loss']:.2f}" if "loss" in found else ""
            took, held = judged(found["seconds"], seconds, counts), judged(found["megabytes"], memory, counts)
            table.add(f"{number:,}", verb, took, held, risk, loss)
    return table


def tables(rows: int, folder: Path) -> Table:
    table = Table(
        f"A table, counted in the columns of the policy; {machine()}",
        ("rows", "what", "seconds", "peak MB", "at risk"),
        left=2,
    )
    file = str(folder / "people.parquet")
    run({"do": "make", "of": "people", "number": rows, "file": file, "seed": 1})
    for kind in ("templates", "diversity"):
        found = run({"do": "audit", "kind": kind, "file": file})
        if "reason" in found:
            table.add(f"{rows:,}", kind, f"MISSED: {found['reason']}", "", "")
            continue
        memory = judged(found["megabytes"], ROWS_GOAL, counts=True)
        table.add(f"{rows:,}", kind, f"{found['seconds']:,.0f}", memory, f"{found['at risk']:,}")
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--millions", type=float, nargs="*", default=[0.25, 1.0], help="baskets, in millions")
    parser.add_argument("--rows", type=float, default=10.0, help="rows of the table, in millions; 0: none")
    parser.add_argument("--only", choices=("audit", "protect"), help="of baskets, only this")
    parser.add_argument("--parts", type=int, help="protect in so many parts (default: as is usual)")
    parser.add_argument("--work", type=Path, help="where the files are made, and removed (default: a temporary folder)")
    add_markdown(parser)
    asked = parser.parse_args()
    check_markdown(parser, asked.markdown)
    wanting = lacking([FILES["BMS-POS part (275k)"]]) if asked.millions else ""
    if wanting:
        sys.exit(wanting)
    from rich.console import Console

    load = os.getloadavg()[0]
    made = []
    with tempfile.TemporaryDirectory(prefix="sordino-large-", dir=asked.work) as place:
        if asked.millions:
            verbs = ["audit", "protect"] if asked.only is None else [asked.only]
            made.append(baskets([round(m * 1e6) for m in asked.millions], verbs, asked.parts, Path(place)))
        if asked.rows > 0:
            made.append(tables(round(asked.rows * 1e6), Path(place)))
    for table in made:
        table.notes.append(f"Load of the machine when it began: {load:.1f}.")
        table.show(Console(width=120))
    if asked.markdown:
        asked.markdown.write_text(markdown("## More than fits", made))


if __name__ == "__main__":
    main()
