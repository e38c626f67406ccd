"""How long, and with how much memory, is more than fits audited and protected? (docs/benchmarks.md)

    python benchmarks/large.py                          # all goals: hours on two quiet cores; see --only
    python benchmarks/large.py --only baskets --millions 0.25 1
    python benchmarks/large.py --only table --rows 10   # millions of rows
    python benchmarks/large.py --only table --kinds diversity --verbs protect
    python benchmarks/large.py --only parts             # loss at 8 parts, against the whole
    python benchmarks/large.py --only hostile           # one enormous record, a million items, all sensitive; Ctrl-C
    python benchmarks/large.py --table                  # measures nothing: the tables of what is kept

Every measurement is kept in benchmarks/results/large.jsonl (--keep FILE) as soon as it is made, and the tables of all
that is kept are written to large.md beside it; one that is made again replaces the old one.

Baskets are those of the BMS-POS part, drawn with replacement, one item in ten replaced by another (seeded). Every run
has a process of its own, whose peak memory is told. "audit" is `sordino audit FILE.parquet`, read in pieces from a
million records on; "protect" is all that `sordino protect` does, with the audits before and after, the proof and the
folder. Goals on two cores: 5 million baskets audited in 10 minutes and protected in 20, under 3 GB; 100 million rows of
a table under 4 GB; loss at 8 parts, before and after putting back, within so many points of the whole.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.common import FILES, ROOT, Table, lacking, machine, markdown, measure_phases

CELL = "large_cell.py"
CAP = 7200.0  # seconds
KEPT = ROOT / "benchmarks" / "results" / "large.jsonl"
WHOLE, ROWS = 5_000_000, 100_000_000  # where the goals count
GOALS = {"audit": (600.0, 3000.0), "protect": (1200.0, 3000.0)}  # seconds and megabytes, at WHOLE
ROWS_GOAL = 4000.0  # megabytes, however many rows
POINTS = {"BMS-WebView-2": 1.4, "Retail": 0.5, "BMS-POS part (275k)": 1.1}  # over the whole, before putting back
AFTER, FASTER = 0.3, ("BMS-POS part (275k)", 0.2)  # after; and by how much where it must be faster, too
HOSTILE = ("one long record", "a million items", "all sensitive")
HOSTILE_GOAL, SOON = 3000.0, 2.0  # megabytes; seconds after Ctrl-C
KINDS = ("templates", "diversity")  # of policies on tables
METHODS = ("templates", "disclosure-local", "diversity", "anatomy")  # the usual method of each, and another one
WHAT = ("baskets", "table", "parts", "hostile")

Row = dict[str, Any]


def judged(value: float, goal: float, counts: bool, form: str = ",.0f") -> str:
    """A figure, and whether the goal is met where it counts."""
    text = f"{value:{form}}"
    return f"{text} ({'MET' if value <= goal else 'MISSED'}: {goal:{form}})" if counts else text


def tasks(asked: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """What is measured, one after the other; files are made before they are used, and removed afterwards."""
    if "baskets" in asked.only:
        for number in (round(m * 1e6) for m in asked.millions):
            file = str(folder / f"{number}.parquet")
            yield {"do": "make", "of": "baskets", "number": number, "file": file, "seed": 1}
            for verb in asked.verbs:
                more = {} if asked.parts is None or verb == "audit" else {"parts": asked.parts}
                yield {"of": "baskets", "do": verb, "kind": "baskets", "number": number, "file": file, **more}
    if "table" in asked.only:
        rows, file = round(asked.rows * 1e6), str(folder / "people.parquet")
        yield {"do": "make", "of": "people", "number": rows, "file": file, "seed": 1}
        for verb, kind in (*product(("audit",), KINDS), *product(("protect",), METHODS)):
            if verb in asked.verbs and kind in asked.kinds:
                yield {"of": "table", "do": verb, "kind": kind, "number": rows, "file": file}
    if "parts" in asked.only:
        yield from ({"of": "parts", "do": "parts", "kind": name, "number": 8} for name in POINTS)
    if "hostile" in asked.only:
        for name in HOSTILE:
            for verb in ("audit", "protect", "interrupt"):
                yield {"of": "hostile", "do": verb, "kind": name, "number": asked.share}


def key(row: Row) -> tuple[str, ...]:
    return tuple(str(row.get(name)) for name in ("of", "kind", "number", "do", "parts"))


def measured(task: Row, folder: Path, cap: float) -> Row | None:
    """What came of a task; None if that was only to make a file."""
    outcome = measure_phases(CELL, {**task, "out": str(folder / "out")}, cap=cap)
    values = dict(outcome.values or {})
    if task["do"] == "make":
        if values.get("phase") != "done":
            sys.exit(f"The data could not be made: {outcome.reason}")
        return None
    about = {name: value for name, value in task.items() if name not in ("file", "out")}
    found = values if values.get("phase") == "done" else {"reason": outcome.reason}
    return {**about, **found, "load": round(os.getloadavg()[0], 1), "machine": machine()}


def read_kept(file: Path) -> list[Row]:
    """The last measurement of each sort, in the order in which they were first made."""
    found: dict[tuple[str, ...], Row] = {}
    for line in file.read_text().splitlines() if file.exists() else ():
        row = json.loads(line)
        found[key(row)] = row
    return list(found.values())


def tables(rows: list[Row]) -> list[Table]:
    """All that is kept, against the goals."""
    makers = {"baskets": _baskets, "table": _people, "parts": _parts, "hostile": _hostile}
    made = []
    for of, maker in makers.items():
        some = sorted((row for row in rows if row["of"] == of), key=lambda row: (row["number"], row["kind"], row["do"]))
        if some:
            table = maker(some)
            loads = [row["load"] for row in some if "load" in row]
            table.notes.append(f"{some[-1]['machine']}; load of the machine after each run: {loads}.")
            made.append(table)
    return made


def _baskets(rows: list[Row]) -> Table:
    columns = ("records", "what", "seconds", "CPU s", "peak MB", "at risk", "loss %")
    table = Table("Baskets, rho 0.7, 40 % of the items sensitive", columns, left=2)
    for row in rows:
        start = f"{row['number']:,}", row["do"] + (f" in {row['parts']:,} parts" if "parts" in row else "")
        if "reason" in row:
            table.add(*start, f"MISSED: {row['reason']}", "", "", "", "")
            continue
        counts, (seconds, memory) = row["number"] == WHOLE, GOALS[row["do"]]
        risk = f"{row['at risk']:,}" if "at risk" in row else ""
        loss = f"{row['loss']:.2f}" if "loss" in row else ""
        took, held = judged(row["seconds"], seconds, counts), judged(row["megabytes"], memory, counts)
        table.add(*start, took, f"{row['cpu']:,.0f}", held, risk, loss)
    return table


def _people(rows: list[Row]) -> Table:
    columns = ("rows", "what", "seconds", "CPU s", "peak MB", "at risk", "cells kept %", "counts off %")
    table = Table("A table, counted in the columns of the policy", columns, left=2)
    for row in rows:
        start = f"{row['number']:,}", f"{row['do']} {row['kind']}"
        if "reason" in row:
            table.add(*start, f"MISSED: {row['reason']}", "", "", "", "", "")
            continue
        memory = judged(row["megabytes"], ROWS_GOAL, counts=True)
        kept = f"{row['kept']:.1f}" if "kept" in row else ""
        off = f"{row['off']:.2f}" if "off" in row else ""
        took, cpu = f"{row['seconds']:,.0f}", f"{row['cpu']:,.0f}"
        table.add(*start, took, cpu, memory, f"{row['at risk']:,}", kept, off)
    return table


def _parts(rows: list[Row]) -> Table:
    columns = ("file", "whole: loss %", "CPU s", "union: points over", "put back: points over", "CPU s")
    table = Table("Eight parts against the whole, rho 0.7, 40 % of the items sensitive", columns)
    for row in rows:
        if "reason" in row:
            table.add(row["kind"], f"MISSED: {row['reason']}", "", "", "", "")
            continue
        before, after = row["union"] - row["whole"], row["back"] - row["whole"]
        name, most = FASTER
        took = judged(row["back cpu"], row["whole cpu"], row["kind"] == name, ",.1f")
        if row["kind"] == name:
            took += f"; {judged(after, most, True, '.2f')} points"
        table.add(
            row["kind"],
            f"{row['whole']:.2f}",
            f"{row['whole cpu']:,.1f}",
            judged(before, POINTS[row["kind"]], True, ".2f"),
            judged(after, AFTER, True, ".2f"),
            took,
        )
    return table


def _hostile(rows: list[Row]) -> Table:
    columns = ("data", "what", "size", "seconds", "peak MB", "after Ctrl-C")
    table = Table("Data that would hang or fill the memory", columns, left=2)
    for row in rows:
        start = row["kind"], row["do"], f"{row['number']:g}"
        if "reason" in row:
            table.add(*start, f"MISSED: {row['reason']}", "", "")
        elif row["do"] == "interrupt":
            table.add(*start, "", "", judged(row["after"], SOON, True, ".1f") if row["under way"] else "it was done")
        else:
            table.add(*start, f"{row['seconds']:,.1f}", judged(row["megabytes"], HOSTILE_GOAL, True), "")
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=WHAT, nargs="+", default=list(WHAT), help="measure only these")
    parser.add_argument("--millions", type=float, nargs="*", default=[0.25, 0.5, 1.0, 2.0, 5.0], help="of baskets")
    parser.add_argument("--rows", type=float, default=100.0, help="rows of the table, in millions")
    parser.add_argument("--verbs", choices=tuple(GOALS), nargs="+", default=list(GOALS), help="of baskets and tables")
    parser.add_argument("--kinds", choices=METHODS, nargs="+", default=list(METHODS), help="of tables")
    parser.add_argument("--parts", type=int, help="protect baskets in so many parts (default: as is usual)")
    parser.add_argument("--share", type=float, default=1.0, help="hostile data of this share of their size")
    parser.add_argument("--cap", type=float, default=CAP, help="seconds after which a run is given up")
    parser.add_argument("--work", type=Path, help="where the files are made, and removed (default: a temporary folder)")
    parser.add_argument("--keep", type=Path, default=KEPT, help="where measurements are kept")
    parser.add_argument("--table", action="store_true", help="measure nothing: the tables of what is kept")
    asked = parser.parse_args()
    if not asked.keep.absolute().parent.is_dir():
        parser.error(f"--keep: there is no folder {asked.keep.absolute().parent}")
    from rich.console import Console

    if not asked.table:
        wanting = lacking([FILES[name] for name in POINTS]) if {"baskets", "parts"} & set(asked.only) else ""
        if wanting:
            sys.exit(wanting)
        with tempfile.TemporaryDirectory(prefix="sordino-large-", dir=asked.work) as place:
            for task in tasks(asked, Path(place)):
                row = measured(task, Path(place), asked.cap)
                if row is not None:
                    print(json.dumps(row), flush=True)
                    with asked.keep.open("a") as file:
                        file.write(json.dumps(row) + "\n")
    rows = read_kept(asked.keep)
    asked.keep.write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = tables(rows)
    for table in made:
        table.show(Console(width=140))
    asked.keep.with_suffix(".md").write_text(markdown("## More than fits", made))


if __name__ == "__main__":
    main()
