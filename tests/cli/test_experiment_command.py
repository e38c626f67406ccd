"""`sordino experiment` and `sordino datasets` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.shell import Run


def test_list_and_show(run: Run) -> None:
    listed = run("experiment", "list")
    assert listed.code == 0
    assert "jia-table3" in listed.out
    shown = run("experiment", "show", "jia-table3")
    assert "t_max" in shown.out
    assert run("experiment", "show", "jia-tabel3").code == 2


def test_run_prints_ours_beside_theirs(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORDINO_CACHE", str(tmp_path / "cache"))
    outcome = run("experiment", "run", "jia-table1", "--quick")
    assert (outcome.code, outcome.err) == (0, "")
    assert "MET: Partial suppression deletes fewer items than global suppression." in outcome.out
    assert str(tmp_path / "cache" / "experiments" / "jia-table1.html") in outcome.out
    assert run("experiment", "run", "jia-table1", "--out", tmp_path / "o").code == 0
    assert (tmp_path / "o" / "jia-table1.csv").is_file()


def test_data_sets(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORDINO_CACHE", str(tmp_path))
    monkeypatch.setenv("SORDINO_DATA", str(tmp_path))
    listed = run("datasets", "list")
    assert listed.code == 0
    assert "BMS-WebView-2" in listed.out
    assert "not here" in listed.out
    missing = run("datasets", "get", "Retail", "--url", "http://127.0.0.1:9/none")
    assert missing.code == 2
    assert "offline" in missing.err
