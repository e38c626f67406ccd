"""Experiments: every one runs (in its quick version), says what it declares, and judges the paper's sentences."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from sordino.compare.store import Store
from sordino.errors import InputError
from sordino.experiments.declared import Row, Rows, below, falling, least, rising
from sordino.experiments.registry import EXPERIMENTS, PAPERS, named
from sordino.experiments.run import facts, run
from sordino.experiments.setup import Setup, draw_sensitive, short_records, synthetic


@pytest.fixture(scope="module")
def store() -> Store:
    """Finished runs are shared: figures of one paper often have the same cells."""
    return Store(None)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_it_runs_quickly_and_shows_ours_beside_theirs(name: str, store: Store, tmp_path: Path) -> None:
    experiment = EXPERIMENTS[name]
    outcome = run(experiment, Setup(quick=True, store=store))
    assert outcome.rows
    assert {row.measure for row in outcome.rows} <= set(experiment.measures)
    assert all(len(row.labels) == len(experiment.columns) for row in outcome.rows)
    assert any(row.ours is not None for row in outcome.rows)
    assert len(outcome.verdicts) == len(experiment.shape)
    page = outcome.write(tmp_path).read_text()
    drawn = sum(any(row.measure == measure for row in outcome.rows) for measure in experiment.measures)
    assert page.count("<svg") == drawn >= 1
    rows = list(csv.DictReader(io.StringIO((tmp_path / f"{name}.csv").read_text())))
    assert len(rows) == len(outcome.rows) == len(json.loads((tmp_path / f"{name}.json").read_text())["rows"])
    assert experiment.title.split(":")[0] in outcome._repr_html_().replace("&#x27;", "'")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_it_declares_what_it_is(name: str) -> None:
    experiment = EXPERIMENTS[name]
    assert experiment.name == name
    assert re.fullmatch(rf"{experiment.paper.lower()}-(table|fig)\d+[a-c]?", name)
    assert experiment.paper in PAPERS
    assert dict(facts(experiment))["what"].startswith(experiment.where)


def test_table_1_of_jia_is_met() -> None:
    outcome = run(named("jia-table1"), Setup(quick=True))
    ours = {row.labels[0]: (row.ours, row.paper) for row in outcome.rows}
    assert ours["mine"] == (2.0, None)
    assert ours["jia:heuristic=mine"] == (2.0, 2.0)
    assert ours["global"] == (4.0, 4.0)
    assert outcome.verdicts[0][1] is True


def test_sentences_are_judged_on_the_numbers() -> None:
    rows = Rows([Row(("d", "a"), "loss", 0.1), Row(("d", "b"), "loss", 0.2), Row(("e", "a"), "loss", 0.3)])
    assert below("a", "b", "loss", 1)(rows) is True
    assert below("b", "a", "loss", 1)(rows) is False
    assert least("c", "loss", 1)(rows) is None, "it was not run"
    line = Rows([Row((rho,), "loss", value) for rho, value in (("0.3", 0.3), ("0.5", 0.2), ("0.7", 0.1))])
    assert falling("loss", 0)(line) is True
    assert rising("loss", 0)(line) is False
    assert rising("seconds", 0)(line) is None


def test_without_data_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SORDINO_DATA", str(tmp_path))
    monkeypatch.setenv("SORDINO_CACHE", str(tmp_path))
    with pytest.raises(InputError, match="none of the data sets is here") as caught:
        run(named("jia-table2"), Setup(only=["Retail"]))
    assert "--quick" in str(caught.value)
    with pytest.raises(InputError, match="none of these data sets"):
        run(named("jia-table2"), Setup(only=["Groceries"]))


def test_the_sizes_are_those_of_the_files(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORDINO_DATA", str(data_folder))
    outcome = run(named("jia-table2"), Setup(only=["BMS-WebView-2"]))
    assert all(row.ours == row.paper for row in outcome.rows)


def test_draws_are_seeded_and_have_the_declared_share() -> None:
    baskets = synthetic(2_000, 50, 4.2, 50, seed=1)
    assert abs(baskets.occurrences / len(baskets) - 4.0) < 0.5
    assert int(baskets.lengths.max()) <= 50
    assert draw_sensitive(baskets, 0.4, 3) == draw_sensitive(baskets, 0.4, 3) != draw_sensitive(baskets, 0.4, 4)
    assert len(draw_sensitive(baskets, 0.4, 3)) == 20
    assert int(short_records(baskets, 5).lengths.max()) == 5


def test_an_unknown_experiment_is_answered_with_a_known_one() -> None:
    with pytest.raises(InputError, match="Did you mean 'jia-table3'"):
        named("jia-tabel3")


def test_the_worked_examples_have_the_papers_numbers() -> None:
    """WANG's evolution of the worst inference, and the part of LGPS's example that the paper gets right."""
    rows = run(named("wang-fig2"), Setup(quick=True)).rows
    assert [round(row.ours or 0, 4) for row in rows] == [row.paper for row in rows] == [0.2083, 0.25, 0.25]
    before, after = run(named("wang-table2"), Setup(quick=True)).rows
    assert before.ours == before.paper == 0.8
    assert after.ours is not None
    assert after.ours <= 0.75
    strict, loose = run(named("chen-table4"), Setup(quick=True)).rows
    assert strict.ours is not None
    assert loose.ours is not None
    assert loose.ours <= 5 <= strict.ours
