"""`sordino compare`: a table, a recommendation, files, and nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.shell import Run


def test_it_ranks_recommends_and_resumes(run: Run, shop: Path, policy: Path, tmp_path: Path) -> None:
    out = tmp_path / "comparison"
    ask = ("compare", shop, "--policy", policy, "--methods", "mine,dist", "--rho", "0.4,0.5", "--out", out)
    first = run(*ask)
    assert (first.code, first.err) == (0, "")
    assert first.out.startswith("Take '")
    assert "recommended" in first.out
    assert {p.name for p in out.iterdir()} == {"cells", "comparison.csv", "comparison.json", "comparison.html"}
    again = run(*ask)
    assert "4 runs of 4 had been made before." in again.out


def test_without_out_finished_runs_lie_in_the_cache(
    run: Run, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SORDINO_CACHE", str(tmp_path / "cache"))
    ask = ("compare", shop, "--sensitive", "x,y", "--methods", "mine", "--rho", "0.4,0.5")
    assert run(*ask).code == 0
    assert "2 runs of 2 had been made before." in run(*ask).out
    stored = "".join(path.read_text() for path in (tmp_path / "cache" / "compare").iterdir())
    assert '"loss"' in stored


def test_no_policy_is_bad_usage(run: Run, shop: Path) -> None:
    outcome = run("compare", shop, "--methods", "mine")
    assert outcome.code == 2
    assert "there is no policy" in outcome.err
