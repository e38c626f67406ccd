"""The benchmark of more than fits: what it makes, and when a goal is met."""

from __future__ import annotations

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
