"""The recorded results of the papers' experiments, and the page that is made of them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from sordino.compare.store import Store
from sordino.errors import InputError
from sordino.experiments.registry import EXPERIMENTS, named
from sordino.experiments.run import recorded, run
from sordino.experiments.setup import Setup

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "benchmarks" / "results").glob("*.json"))


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("scripts_experiments", ROOT / "scripts" / "experiments.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_a_result_is_that_of_a_declared_experiment(file: Path) -> None:
    found = json.loads(file.read_bytes())
    experiment = EXPERIMENTS[file.stem]
    assert found["experiment"] == file.stem
    assert found["quick"] is False
    assert found["command"] == f"sordino experiment run {file.stem}"
    assert found["date"]
    assert {"sordino", "python", "numpy", "numba"} <= set(found["versions"])
    assert found["rows"]
    assert {row["measure"] for row in found["rows"]} <= set(experiment.measures)
    assert all(len(row["labels"]) == len(experiment.columns) for row in found["rows"])
    assert file.stat().st_size < 100_000, "small data files"


def test_the_page_is_made_of_the_results(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies in docs is what the script makes: `python scripts/experiments.py page`."""
    monkeypatch.setattr(script, "PAGE", tmp_path / "experiments.md")
    monkeypatch.setattr(script, "IMAGES", tmp_path / "images")
    script.write_page()
    assert (tmp_path / "experiments.md").read_text() == (ROOT / "docs" / "experiments.md").read_text()
    there = ROOT / "docs" / "images" / "experiments"
    assert sorted(f.name for f in (tmp_path / "images").iterdir()) == sorted(f.name for f in there.iterdir())


def test_a_run_is_recorded_once(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RESULTS", "CELLS", "IMAGES"):
        monkeypatch.setattr(script, name, tmp_path / name)
    monkeypatch.setattr(script, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(script, "in_order", lambda: [named("wang-fig2"), named("naka-table2")])
    assert script.main(["run"]) == 0
    first = (tmp_path / "RESULTS" / "wang-fig2.json").read_bytes()
    monkeypatch.setattr(script, "measure", lambda *_: pytest.fail("it has its result"))
    assert script.main(["run"]) == 0
    assert (tmp_path / "RESULTS" / "wang-fig2.json").read_bytes() == first
    page = (tmp_path / "page.md").read_text()
    assert "2 of " in page
    assert "`jia-table1` was not run whole yet." in page


def test_what_cannot_be_run_is_told(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(*_: object) -> None:
        raise InputError("the data are not here")

    monkeypatch.setattr(script, "RESULTS", tmp_path)
    monkeypatch.setattr(script, "write_page", lambda: None)
    monkeypatch.setattr(script, "measure", missing)
    assert script.main(["run", "jia-table2"]) == 1
    assert "jia-table2: the data are not here" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


def test_an_outcome_is_the_same_after_it_was_recorded() -> None:
    outcome = run(named("jia-fig7"), Setup(quick=True, store=Store(None)))
    again = recorded(outcome.experiment, json.loads(json.dumps(outcome.to_dict())))
    assert again == outcome


def test_charts_have_a_series_for_each_method() -> None:
    outcome = run(named("jia-fig7"), Setup(quick=True, store=Store(None)))
    chart = next(outcome.charts())
    shown = [series.name.replace(", as printed", ":algorithm=paper:b_max=1000") for series in chart.series]
    assert shown == list(outcome.experiment.methods)
    assert chart.labels == ("4",)
