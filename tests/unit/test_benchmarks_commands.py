"""The benchmark of whole commands measures what it says, and says what is missed."""

from __future__ import annotations

import gzip
import importlib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.commands")


def test_goals_are_met_below_them_only(commands: ModuleType) -> None:
    assert commands.told("second audit", 1.49) == "MET (under 1.5 s)"
    assert commands.told("second audit", 1.5) == "MISSED by 0.00 s (under 1.5 s)"
    assert commands.told("protect Retail", 9.25) == "MISSED by 1.25 s (under 8 s)"
    assert commands.told("no goal is set for this", 1.0) == ""


def test_the_best_counts_on_either_clock(commands: ModuleType) -> None:
    runs = [commands.Seconds(2.0, 3.5), commands.Seconds(3.0, 3.0)]
    assert commands.best(runs) == commands.Seconds(2.0, 3.0)
    assert runs[0] + runs[1] == commands.Seconds(5.0, 6.5)


def test_a_command_is_measured_and_its_failure_is_told(commands: ModuleType, tmp_path: Path) -> None:
    took = commands.timed(("--version",), tmp_path / "bytecode", kept=tmp_path / "kept")
    assert took.processor > 0
    assert 0 < took.clock < 60
    with pytest.raises(commands.FailedError, match="audit ended with exit code 2"):
        commands.timed(("audit", str(tmp_path / "nothing.csv"), "--sensitive", "a", "--rho", "0.5"), tmp_path)


def test_every_part_runs_and_a_failure_is_no_measurement(
    commands: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, ...]] = []

    def taken(command: tuple[str, ...], _: Path, *, kept: Path | None = None, codes: tuple[int, ...] = (0,)) -> object:
        del kept, codes
        asked.append(command)
        if command[0] == "verify":
            raise commands.FailedError("verify ended with exit code 1: no")
        if "--out" in command:
            Path(command[command.index("--out") + 1]).mkdir()
        return commands.Seconds(float(len(asked)), 1.0)

    (tmp_path / "Retail.dat.gz").write_bytes(gzip.compress(b"1 2 3\n1 4 5\n"))
    monkeypatch.setenv("SORDINO_DATA", str(tmp_path))
    monkeypatch.setattr(commands, "timed", taken)
    where = tmp_path / "out.md"
    assert commands.main(["--runs", "1", "--markdown", str(where)]) == 1
    assert [command[0] for command in asked] == [
        *("audit", "protect", "protect", "protect"),  # before anything is measured
        *("audit", "protect", "protect", "protect"),
        *("audit", "protect", "protect", "verify"),
    ]
    text = where.read_text(encoding="utf-8")
    assert "| first audit | 5.00 | 1.00 | MISSED by 1.00 s (under 4 s) |" in text
    assert "| first audit and protect | 11.00 | 2.00 | MISSED by 1.00 s (under 10 s) |" in text
    assert "| second audit | 9.00 | 1.00 | MISSED by 7.50 s (under 1.5 s) |" in text
    assert "Retail |" not in text
    assert "verify ended with exit code 1: no" in capsys.readouterr().out
