"""The benchmark of the rivals runs, its figures are those of a hand calculation, and it says what went wrong."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

# x of a is certain, so x has to go from one record of two, or be told by group.
GROCERIES = "a,x\na,x\nb\nb\n"


@pytest.fixture
def rivals(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.rivals")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    import gzip

    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "groceries.csv.gz").write_bytes(gzip.compress(GROCERIES.encode()))
    tree = "item,level1\na,A\nb,A\nx,X\n"
    (folder / "groceries_hierarchy.csv.gz").write_bytes(gzip.compress(tree.encode()))
    monkeypatch.setenv("SORDINO_DATA", str(folder))
    return folder


def rows(markdown: str, title: str) -> list[list[str]]:
    """The rows of the table of this title."""
    _, _, rest = markdown.partition(f"### {title}")
    table = rest.partition("###")[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line[:1] == "|"]
    return lines[2:]


def test_a_quick_run(rivals: ModuleType, data: Path, tmp_path: Path) -> None:
    """Real processes. Seed 0 draws one sensitive item of three; the figures are those of its release."""
    out = tmp_path / "out.md"
    code = rivals.main(
        ["--quick", "--figures", "jia-figure-1", "--methods", "mine", "cahd", "--seed", "0", "--markdown", str(out)]
    )
    assert code == 0
    cells = {row[4]: row for row in rows(out.read_text(), "JIA, Figure 1")}
    assert cells.keys() == {"mine", "cahd"}
    assert all(row[3] == "4" and row[-1] == "holds" for row in cells.values())
    import numpy as np

    import sordino

    names = sordino.read_baskets(data / "groceries.csv.gz").names
    secret = names[int(np.random.default_rng(0).choice(3, size=1, replace=False)[0])]
    mine = sordino.protect(data / "groceries.csv.gz", sordino.InferencePolicy([secret], "0.7"))
    assert cells["mine"][5] == f"{mine.deletions / 6:.1%}"
    assert cells["cahd"][5] == "0.0%"
    assert cells["cahd"][6] == "-"


def answer(**values: Any) -> dict[str, Any]:
    good = {"records": 4, "seconds": 1.0, "processor": 1.5, "megabytes": 200.0, "holds": True, "groups": 2}
    good |= {"loss": 0.2, "ncp": 0.25, "kl": None, "symmetric": 0.01, "jaccard": [0.9, 0.8], "hidden": [1, 2]}
    return {**good, "pseudo": [3, 4], "before": [9, 7], "phase": "", **values}


def test_every_figure_has_its_cells_once(
    rivals: ModuleType, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del data
    asked: list[str] = []

    def measure(task: dict[str, Any], *, cap: float) -> Any:
        assert cap == 900
        asked.append(str(sorted((k, str(v)) for k, v in task.items())))
        return rivals.Outcome(answer(ncp=0.1 if task["method"] == "lgps" else 0.3))

    monkeypatch.setattr(rivals, "measure", measure)
    out = tmp_path / "out.md"
    assert rivals.main(["--quick", "--markdown", str(out)]) == 0
    assert len(asked) == len(set(asked))
    text = out.read_text()
    assert [row[5] for row in rows(text, "JIA, Table 3")] == ["1.0"] * 8
    assert {row[1] for row in rows(text, "JIA, Figure 7")} == {"1/4"}
    assert rows(text, "CHEN, Figure 3")[0][5:10] == ["9 / 7", "1", "3", "2", "4"]
    assert {row[2] for row in rows(text, "CHEN, Figure 3")} == {"10 %", "40 %"}
    assert {row[-1] for row in rows(text, "LGPS loses less")} == {"met"}


def test_a_cell_that_was_kept_is_not_measured_again(
    rivals: ModuleType, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del data
    asked: list[str] = []
    late = {"records": 4, "phase": "protecting"}

    def measure(task: dict[str, Any], *, cap: float) -> Any:
        asked.append(task["method"])
        if task["method"] == "lgps" and cap < 50:
            return rivals.Outcome(late, rivals.OUT_OF_TIME)
        return rivals.Outcome(answer()) if task["method"] != "cahd" else rivals.Outcome({}, "MemoryError")

    monkeypatch.setattr(rivals, "measure", measure)
    cells, out = tmp_path / "cells.jsonl", tmp_path / "out.md"

    def run(*more: str) -> list[str]:
        asked.clear()
        arguments = [
            "--quick",
            "--figures",
            "jia-table-3",
            "jia-figure-1",
            "--keep",
            str(cells),
            "--markdown",
            str(out),
        ]
        rivals.main([*arguments, "--methods", "mine", "lgps", "cahd", *more])
        return list(asked)

    assert run("--report") == []
    assert {row[5] for row in rows(out.read_text(), "JIA, Table 3")} == {"not run"}
    assert run("--cap", "10") == ["mine", "lgps", "cahd"]
    cells.write_text(cells.read_text() + '{"task": "half a li')  # killed while writing
    assert run("--cap", "10") == ["cahd"]  # what failed is tried again
    assert [row[5] for row in rows(out.read_text(), "JIA, Table 3")] == ["1.0", "out of time", "MemoryError"]
    assert run("--cap", "60") == ["lgps", "cahd"]  # so is what had less time than now
    assert run("--cap", "10", "--seed", "2") == ["mine", "lgps", "cahd"]
    assert run("--report") == []
    assert [row[5] for row in rows(out.read_text(), "JIA, Table 3")] == ["1.0", "1.0", "MemoryError"]


def test_what_suppress_has_measured_is_taken_from_its_tables(
    rivals: ModuleType, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept of the last whole run has such tables."""
    del data
    monkeypatch.setattr(rivals, "measure", lambda _task, **_: rivals.Outcome(answer()))
    page, out = ROOT / "benchmarks" / "results" / "suppress.md", tmp_path / "out.md"
    taken = list(rivals.measured_by_suppress(page.read_text(), 1))
    assert {(file, method, rho) for file, method, rho, _ in taken} >= {("Retail", "jia dist", "0.3")}
    mine = next(values for file, method, rho, values in taken if (file, method, rho) == ("Retail", "mine", "0.7"))
    assert mine["records"] == 88_162
    assert mine["holds"] is True
    assert 0.34 < mine["loss"] == mine["ncp"] < 0.40
    assert list(rivals.measured_by_suppress(page.read_text(), 2)) == []
    part = page.read_text().replace("Retail", "Groceries")
    (tmp_path / "suppress.md").write_text(part)
    arguments = ["--quick", "--figures", "jia-figure-1", "--suppress", str(tmp_path / "suppress.md")]
    assert rivals.main([*arguments, "--methods", "mine", "lgps", "--markdown", str(out)]) == 0
    found = {row[4]: row for row in rows(out.read_text(), "JIA, Figure 1")}
    assert found["mine *"][5] == f"{mine['loss']:.1%}"
    assert found["lgps"][5] == "20.0%"


def test_what_went_wrong_is_said(
    rivals: ModuleType, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    del data
    outcomes = {
        "mine": rivals.Outcome(answer(holds=False)),
        "lgps": rivals.Outcome(answer(ncp=0.5)),
        "tdcontrol": rivals.Outcome(answer(ncp=0.4)),
        "cahd": rivals.Outcome({"records": 4, "phase": "protecting"}, rivals.OUT_OF_TIME),
        "global": rivals.Outcome({"phase": "starting"}, "MemoryError"),
    }
    monkeypatch.setattr(rivals, "measure", lambda task, **_: outcomes[task["method"]])
    methods = list(outcomes)
    assert rivals.main(["--quick", "--figures", "jia-table-3", "--methods", *methods]) == 1
    said = capsys.readouterr().out
    assert "UNSAFE: mine on Groceries" in said
    assert "global on Groceries, rho 0.7: MemoryError" in said
    assert "out of time" in said
    assert "MISSED" in said


def test_without_data(rivals: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORDINO_DATA", str(tmp_path))
    assert rivals.main(["--quick"]) == 2


def test_a_process_that_fails_says_why(rivals: ModuleType) -> None:
    outcome = rivals.measure({"method": "mine", "path": "nowhere.dat", "rho": "0.5", "seed": 1}, cap=300)
    assert "no such file" in outcome.reason or "nowhere" in outcome.reason
