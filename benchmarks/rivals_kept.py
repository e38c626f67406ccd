"""Cells of benchmarks/rivals.py that need not be measured: of an earlier run, or of benchmarks/suppress.py."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["keep", "kept", "key_of", "measured_by_suppress"]

Values = dict[str, Any]


def key_of(task: Mapping[str, Any]) -> str:
    """A task as text, wherever its files lie."""
    names = {name: Path(task[name]).name for name in ("path", "hierarchy") if task.get(name)}
    return json.dumps({**task, **names}, sort_keys=True)


def kept(file: Path | None) -> dict[str, Values]:
    """The cells that were written down, the last of each; half a line, of a run that was killed, does not count."""
    if file is None or not file.is_file():
        return {}
    cells = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        try:
            cell = json.loads(line)
        except json.JSONDecodeError:
            continue
        cells[cell["task"]] = cell
    return cells


def keep(file: Path, cell: Values) -> None:
    """Writes a cell down, at once: a run that is stopped keeps the others."""
    with file.open("a", encoding="utf-8") as sink:
        sink.write("\n" + json.dumps(cell) + "\n")


def measured_by_suppress(text: str, seed: int) -> Iterator[tuple[str, str, str, Values]]:
    """File, method, rho and values of all cells in the tables that `benchmarks/suppress.py --markdown` wrote, if they
    are of this draw. What deletes only has an NCP that is its loss."""
    if f"benchmarks/suppress.py, seed {seed}," not in text:
        return
    records = {row["file"]: int(row["records"].replace(",", "")) for row in _rows(text, "The draws")}
    for row in _rows(text, "Suppression: whole files"):
        loss = float(row["loss %"]) / 100
        values: Values = {"records": records[row["file"]], "phase": "", "by": "suppress.py", "groups": 1}
        values |= {"holds": row["audit"] == "holds", "loss": loss, "ncp": loss}
        values |= {"symmetric": float(row["symmetric KL"]), "megabytes": float(row["peak MB"].replace(",", ""))}
        values |= {"seconds": float(row["protect s"]), "processor": float(row["CPU s"])}
        jaccard = row["rule Jaccard 30 % / 70 %"].split("/")
        if len(jaccard) == 2:
            values["jaccard"] = [float(part) for part in jaccard]
        yield row["file"], row["method"], row["rho"], values


def _rows(text: str, title: str) -> Iterator[dict[str, str]]:
    """The rows of the table whose title begins so, by the heads of their columns."""
    table = text.partition(f"### {title}")[2].partition("\n#")[0]
    lines = [line.strip().strip("|").split("|") for line in table.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line] for line in lines]
    for row in cells[2:]:
        yield dict(zip(cells[0], row, strict=True))
