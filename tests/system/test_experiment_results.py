"""The recorded results of the papers' experiments, and the page that is made of them."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from sordino.compare.store import Store
from sordino.engine.local import OutOfTime
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
    assert re.fullmatch(
        rf"(sordino experiment|python scripts/experiments.py) run {file.stem}( --\w+ .+)*", found["command"]
    )
    assert ("--data" in found["command"] or "--draws" in found["command"]) == ("part" in found)
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
    assert "`jia-table1` has no result yet: it takes less than a minute" in page


def test_a_part_of_an_experiment_says_so(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer data sets or draws than declared: its result, its command and the page tell, and the whole is still due."""
    asked = script.Asked(only=("retail",), draws=1)
    experiment = named("jia-fig1")
    assert asked.part(experiment) == {"data": ["Retail"], "draws": 1}
    assert script.command(experiment, asked) == "sordino experiment run jia-fig1 --data 'Retail' --draws 1"
    assert script.Asked(draws=3).part(experiment) == {}, "that is what is declared"
    with pytest.raises(InputError, match="none of these data sets"):
        script.Asked(only=("CRX",)).part(experiment)
    found = json.loads((ROOT / "benchmarks" / "results" / "wang-fig2.json").read_bytes())
    monkeypatch.setattr(script, "RESULTS", tmp_path)
    (tmp_path / "wang-fig2.json").write_text(json.dumps({**found, "part": {"data": ["CRX"], "draws": 2}}))
    assert "**Of a part only: CRX; 2 draws.**" in list(script.section(named("wang-fig2"), set()))
    assert not script.whole("wang-fig2")


def test_time_that_is_over_ends_it_and_is_added_up(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("RESULTS", "CELLS", "IMAGES"):
        monkeypatch.setattr(script, name, tmp_path / name / "x")
    monkeypatch.setattr(script, "write_page", lambda: None)
    assert script.main(["run", "naka-table2", "--minutes", "0"]) == 1
    assert "naka-table2: the time was over" in capsys.readouterr().out

    def out_of_time(*_: object) -> None:
        raise OutOfTime

    with monkeypatch.context() as patched:
        patched.setattr(script, "run", out_of_time)
        assert script.main(["run", "naka-table2"]) == 1
    kept = tmp_path / "CELLS" / "naka-table2.spent.json"
    kept.write_text(json.dumps({"seconds": 1000.0}))
    assert script.main(["run", "naka-table2"]) == 0
    assert 1000 <= json.loads((tmp_path / "RESULTS" / "x" / "naka-table2.json").read_bytes())["seconds"] < 1300
    assert not kept.exists()


def test_the_list_is_in_order(script: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert set(script.MINUTES) <= set(EXPERIMENTS)
    assert script.main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(EXPERIMENTS)
    minutes = [script.MINUTES.get(line.split()[0], 0.0) for line in lines]
    assert minutes == sorted(minutes)


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
    shown = [series.name.replace(", as printed", ":algorithm=paper:b_max=100") for series in chart.series]
    assert shown == list(outcome.experiment.methods)
    assert chart.labels == ("4",)
