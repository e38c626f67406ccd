"""The benchmark of templates runs, and says what it should of a known case."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def templates(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.templates")


def rows(markdown: str, start: str) -> list[list[str]]:
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown.splitlines() if line[:1] == "|"]
    return [line for line in lines if line[0].startswith(start)]


@pytest.mark.slow
def test_a_quick_run(templates: ModuleType, data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORDINO_DATA", str(data_folder))
    monkeypatch.setattr(templates, "SPLITS", 2)
    monkeypatch.setattr(templates, "RUNS", 1)
    out = tmp_path / "out.md"
    parts = ["inferences", "errors", "scale"]
    assert templates.main(["--quick", "--only", *parts, "--rows", "46000", "--markdown", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    ours, theirs, *errors = rows(text, "CRX")
    assert ours[1:] == theirs[1:] == ["Top4", "40", "27", "15", "8", "6"]  # the paper's Table 3, exactly
    assert {line[1] for line in errors} == {"tree", "logistic"}
    assert rows(text, "Adult, train")[0][2:] == ["1,619", "1,079", "581", "506", "470"]
    assert rows(text, "Adult, all")[0][2:] == ["1,992", "1,238", "640", "537", "494"]
    (scale,) = rows(text, "46,000")
    steps, whole = [float(cell) for cell in scale[1:6]], float(scale[6])
    assert abs(sum(steps) - whole) < 0.05


def test_without_data_it_says_so(
    templates: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SORDINO_DATA", str(tmp_path))
    assert templates.main(["--quick"]) == 2
    assert "SORDINO_DATA" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["--rows", "0"], ["--markdown", "no/such/folder/file"], ["--only", "everything"]]
)
def test_wrong_options(templates: ModuleType, arguments: list[str]) -> None:
    with pytest.raises(SystemExit):
        templates.main(arguments)
