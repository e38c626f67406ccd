"""The benchmark script runs, and its answers are those of a hand calculation."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "audit.py"
MODULES = ("fim", "mlxtend", "efficient_apriori")

# Ten people have all of five items, and four more have each of them alone. Whichever two are sensitive: one known item
# infers another with confidence 10/14 > 0.7, and only the ten are at risk, each by one known item.
RECORDS = [["1", "2", "3", "4", "5"]] * 10 + [[item] for item in "12345" for _ in range(4)]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    for name, between in (("BMS-WebView-1.dat.gz", " "), ("groceries.csv.gz", ",")):
        text = "".join(between.join(record) + "\n" for record in RECORDS)
        (folder / name).write_bytes(gzip.compress(text.encode()))
    return folder


def run(data: Path, *options: str, before: Path | None = None) -> tuple[int, str]:
    path = os.pathsep.join(filter(None, (str(before) if before else "", os.environ.get("PYTHONPATH", ""))))
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *options],
        env={**os.environ, "SORDINO_DATA": str(data), "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def cells(markdown: str, start: str) -> list[list[str]]:
    """The rows of Markdown tables that begin with the given cell."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown.splitlines() if line[:1] == "|"]
    return [row for row in rows if row[0] == start]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Groceries", "BMS-WebView-1"])
def test_a_quick_run_without_miners(data: Path, tmp_path: Path, name: str) -> None:
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    for module in MODULES:
        (nothing / f"{module}.py").write_text("raise ImportError('not here')\n")
    code, output = run(data, "--quick", "--files", name, "--markdown", str(tmp_path / "out.md"), before=nothing)
    assert code == 0, output
    whole, goals, ours, *miners, ratios = cells((tmp_path / "out.md").read_text(), name)
    assert whole[1:4] == ["0.7", "30", "5"]
    assert whole[8:10] == ["10", "10 / 0 / 0 / 0"]
    assert goals[1].startswith("met")
    assert goals[2].startswith("met")
    assert ours[2] == "sordino"
    assert ours[9:11] == ["10", "10 / 0"]
    assert [row[6] for row in miners] == ["not installed (pip install 'sordino[bench]')"] * 3
    assert ratios[1].startswith("not known")


def test_the_miners_agree(data: Path, tmp_path: Path) -> None:
    installed = [module for module in MODULES if _there(module)]
    if not installed:
        pytest.skip("no miners: the [bench] extra is not installed")
    options = ("--part", "2", "--files", "groceries", "--rho", "0.7", "5/7", "--markdown", str(tmp_path / "out.md"))
    code, output = run(data, *options)
    assert code == 0, output
    rows = cells((tmp_path / "out.md").read_text(), "Groceries")
    sides = [row for row in rows if len(row) == 13 and row[9]]
    assert len(sides) == 2 * (1 + len(installed))
    for row in sides:
        if row[1] == "0.7":  # by one known item, and by two: 10/10
            assert row[9:11] == ["10", "10 / 0"]
        else:  # 10/14 does not exceed 5/7
            assert row[9:11] == ["10", "0 / 10"]
        if row[2] != "sordino":
            # two sensitive items: 2 x 4 rules of one known item at 0.7, none at 5/7; 2 x 6 of two known items
            assert row[8] == ("20" if row[1] == "0.7" else "12")
            assert row[11] == "yes"


def test_no_data_is_said(tmp_path: Path) -> None:
    code, output = run(tmp_path, "--quick")
    assert code == 2
    assert "SORDINO_DATA" in output


def _there(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None
