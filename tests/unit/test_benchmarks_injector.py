"""The benchmark of grouping runs on made-up data, and says what is missed or unsafe."""

from __future__ import annotations

import gzip
import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAD = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race",
    "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
)  # fmt: skip
VALUES = {
    "age": [str(age) for age in range(20, 60)],
    "workclass": ["Private", "State-gov"],
    "education": ["HS-grad", "Masters", "Doctorate"],
    "marital-status": ["Divorced", "Widowed"],
    "race": ["White", "Black"],
    "sex": ["Male", "Female"],
    "occupation": [f"job {k}" for k in range(10)],
}


@pytest.fixture
def injector(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.injector")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    (folder / "adult_hierarchies").mkdir(parents=True)
    rng = np.random.default_rng(0)
    for name in ("train", "test"):
        lines = [",".join(HEAD)]
        for _ in range(300):
            row = {column: str(rng.choice(VALUES.get(column, ["1"]))) for column in HEAD}
            if row["education"] == "Doctorate" and row["occupation"] == "job 0":
                row["occupation"] = "job 1"
            if rng.random() < 0.05:
                row["native-country"] = "?"
            lines.append(", ".join(row.values()))
        (folder / f"adult_{name}.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    for name, values in VALUES.items():
        half = len(values) // 2
        paths = [f"{value};{'low' if k < half else 'high'};*" for k, value in enumerate(values)]
        (folder / "adult_hierarchies" / f"adult_hierarchy_{name}.csv").write_text("\n".join(paths) + "\n")
    monkeypatch.setenv("SORDINO_DATA", str(folder))
    return folder


@pytest.mark.slow
def test_the_quick_run_shows_every_figure(
    injector: ModuleType,
    data: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    del data
    monkeypatch.setattr(injector, "QUICK", injector.Setting(rows=500, runs=1, queries=5, million=900))
    markdown = tmp_path / "out.md"
    assert injector.main(["--quick", "--markdown", str(markdown)]) == 0
    text = markdown.read_text(encoding="utf-8")
    for figure in (3, 4, 5, 8):
        assert f"Figure {figure}" in text
    assert "Figures 6 and 7" in text
    assert "900 rows" in text
    assert "met" in text
    assert "Figure 4" in capsys.readouterr().out


def test_rows_with_an_unknown_value_are_left_out_and_rules_survive_the_variations(
    injector: ModuleType, data: Path
) -> None:
    del data
    adult = injector.load_adult()
    assert 540 <= len(adult) < 600
    big = injector.expanded(adult, 2000)
    assert len(big) == 2000
    for table in (adult, big):
        cells = list(zip(table.column("education").cells(), table.column("occupation").cells(), strict=True))
        assert ("Doctorate", "job 0") not in cells
        assert ("Doctorate", "job 1") in cells


def test_what_is_missed_or_unsafe_is_said(
    injector: ModuleType, data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    del data
    monkeypatch.setattr(injector, "QUICK", injector.Setting(rows=500, runs=1, queries=5, million=900))
    monkeypatch.setattr(injector, "GOAL_GROUPING", 0.0)
    assert injector.main(["--quick", "--only", "seconds"]) == 0
    assert "MISSED" in capsys.readouterr().out
    real = injector.group
    monkeypatch.setattr(injector, "group", lambda method, *rest: real(method, *rest) * 0 + np.arange(len(rest[0])))
    assert injector.main(["--quick", "--only", "attack"]) == 1
    assert "NOT SAFE: injector" in capsys.readouterr().out


def test_without_data_it_says_so(
    injector: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SORDINO_DATA", str(tmp_path))
    assert injector.main([]) == 2
    assert "No data" in capsys.readouterr().out
