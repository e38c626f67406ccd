"""The benchmark of more than fits: what it makes, and when a goal is met."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

import sordino
from sordino.data.baskets import Baskets
from tables import random_table

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import large, large_cell


def test_records_are_drawn_with_noise() -> None:
    baskets = Baskets.from_sets([{"a", "b", "c"}] * 50 + [{"d"}])
    made = large_cell.resampled(baskets, 2000, np.random.default_rng(1))["items"].to_pylist()
    assert len(made) == 2000
    assert {len(items) for items in made} == {1, 3}
    kept = sum(sorted(items) == ["a", "b", "c"] for items in made) / sum(len(items) == 3 for items in made)
    assert 0.75 < kept < 0.85  # each of three stays with 0.9, or becomes itself with a third of 0.1
    again = large_cell.resampled(baskets, 2000, np.random.default_rng(1))["items"].to_pylist()
    assert made == again


def test_files_are_made_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_cell, "PIECE", 400)
    text = "".join(" ".join(sorted(record) or ["0"]) + "\n" for record in random_table(100, 30, 6, seed=1))
    (tmp_path / "x.dat").write_text(text)
    monkeypatch.setattr(large_cell, "data_folder", lambda: tmp_path)
    monkeypatch.setitem(large_cell.FILES, large_cell.SOURCE, "x.dat")
    for of in ("baskets", "people"):
        file = str(tmp_path / f"{of}.parquet")
        large_cell.make({"of": of, "number": 1000, "file": file, "seed": 1})
        assert parquet.read_metadata(file).num_row_groups == 3
        assert parquet.read_metadata(file).num_rows == 1000
    for kind, of in (("baskets", "baskets"), ("templates", "people"), ("diversity", "people")):
        found = sordino.audit(tmp_path / f"{of}.parquet", large_cell.policy(kind), top=0, missing="accept")
        assert found.records == 1000


def test_goals_count_at_their_size_only() -> None:
    assert large.judged(599, 600, counts=True) == "599 (MET: 600)"
    assert large.judged(1601, 600, counts=True) == "1,601 (MISSED: 600)"
    assert large.judged(1601, 600, counts=False) == "1,601"


def test_what_is_measured_and_what_is_kept(tmp_path: Path) -> None:
    asked = argparse.Namespace(
        only=list(large.WHAT),
        millions=[0.25, 5.0],
        rows=100.0,
        verbs=list(large.GOALS),
        parts=None,
        share=1.0,
        kinds=list(large.METHODS),
    )
    planned = [task for task in large.tasks(asked, tmp_path) if task["do"] != "make"]
    assert [task["do"] for task in planned if task["of"] == "baskets"] == ["audit", "protect"] * 2
    assert {task["kind"] for task in planned if task["of"] == "parts"} == set(large.POINTS)
    assert len({large.key(task) for task in planned}) == len(planned) == 4 + 6 + 3 + 9
    kept = tmp_path / "kept.jsonl"
    first, again = {**planned[0], "seconds": 1}, {**planned[0], "seconds": 2}
    kept.write_text("".join(json.dumps(row) + "\n" for row in (first, planned[1], again)))
    assert large.read_kept(kept) == [again, planned[1]]


def test_the_tables_say_what_is_met() -> None:
    about = {"load": 0.1, "machine": "m"}
    rows = [
        {"of": "baskets", "kind": "baskets", "number": 5_000_000, "do": "protect", "seconds": 1300.0, "cpu": 2000.0,
         "megabytes": 2900.0, "at risk": 7, "loss": 23.5},
        {"of": "table", "kind": "templates", "number": 100_000_000, "do": "protect", "seconds": 400.0, "cpu": 500.0,
         "megabytes": 3900.0, "at risk": 7, "kept": 80.0},
        {"of": "parts", "kind": "Retail", "number": 8, "do": "parts", "whole": 36.95, "whole cpu": 9.0, "union": 37.5,
         "back": 37.0, "back cpu": 8.0},
        {"of": "hostile", "kind": "all sensitive", "number": 1.0, "do": "interrupt", "after": 1.5, "under way": True},
        {"of": "hostile", "kind": "all sensitive", "number": 1.0, "do": "audit", "reason": "out of time"},
    ]  # fmt: skip
    baskets, people, parts, hostile = large.tables([{**row, **about} for row in rows])
    assert baskets.rows[0][2:5] == ("1,300 (MISSED: 1,200)", "2,000", "2,900 (MET: 3,000)")
    assert people.rows[0][4] == "3,900 (MET: 4,000)"
    assert parts.rows[0][3:5] == ("0.55 (MISSED: 0.50)", "0.05 (MET: 0.30)")
    assert [row[3] for row in hostile.rows] == ["MISSED: out of time", ""]
    assert hostile.rows[1][5] == "1.5 (MET: 2.0)"


@pytest.mark.parametrize("kind", large.HOSTILE)
def test_hostile_data_in_small(kind: str, tmp_path: Path) -> None:
    baskets, sensitive = large_cell.hostile_records(kind, 0.01)
    assert len(sensitive) == (len(baskets.names) if kind == "all sensitive" else -(-len(baskets.names) // 5))
    task = {"of": "hostile", "kind": kind, "number": 0.002, "out": str(tmp_path / "out")}
    for verb in ("audit", "protect"):
        assert large_cell.hostile({**task, "do": verb})["seconds"] > 0
    assert sordino.verify(tmp_path / "out").holds


def test_a_table_and_its_release_in_small(tmp_path: Path) -> None:
    task = {"of": "people", "number": 3000, "file": str(tmp_path / "people.parquet"), "seed": 1}
    large_cell.make(task)
    for kind in ("templates", "disclosure-local"):
        found = large_cell.whole_command({**task, "do": "protect", "kind": kind, "out": str(tmp_path / kind)})
        assert 0 < found["kept"] < 100
        assert found["at risk"] > 0
    for kind in ("diversity", "anatomy"):
        found = large_cell.whole_command({**task, "do": "protect", "kind": kind, "out": str(tmp_path / kind)})
        assert 0 < found["off"] < 100
        assert sordino.verify(tmp_path / kind).holds
