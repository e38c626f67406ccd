"""`sordino compare`: a table, a recommendation, files, and nothing twice."""

from __future__ import annotations

import shlex
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


def test_tables_are_compared_too(run: Run, tmp_path: Path) -> None:
    data, rules = tmp_path / "bank.csv", tmp_path / "bank.toml"
    data.write_text("Job,City,Debt\n" + "clerk,a,yes\n" * 3 + "clerk,b,no\n" * 3 + "cook,a,no\n" * 6)
    rules.write_text(
        'kind = "template"\n[[template]]\ngiven = ["Job", "City"]\nvalue = { Debt = "yes" }\nat_most = "0.5"\n'
    )
    ask = ("compare", data, "--policy", rules, "--methods", "disclosure:then-maximal=true,disclosure-local")
    found = run(*ask, "--at-most", "0.4,0.5", "--out", tmp_path / "c")
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith("Take '")
    assert "disclosure:then_maximal=true" in found.out
    assert f"sordino protect {data} --policy {rules} --method" in found.out
    assert "4 runs of 4 had been made before." in run(*ask, "--rho", "0.4,0.5", "--out", tmp_path / "c").out
    wrong = run(*ask, "--l", "3")
    assert wrong.code == 2
    assert "--l is for policies of diversity" in wrong.err
    wrong = run(*ask, "--layout", "long")
    assert wrong.code == 2
    assert "--layout is for files of baskets" in wrong.err


def test_groups_are_compared_by_l(run: Run, tmp_path: Path) -> None:
    data, rules = tmp_path / "sick.csv", tmp_path / "sick.toml"
    data.write_text("Sex,Disease\n" + "m,flu\nf,cold\nm,gout\nf,flu\n" * 6)
    rules.write_text('kind = "diversity"\nsensitive = "Disease"\nquasi = ["Sex"]\nl = 2\n[knowledge]\nmined = false\n')
    found = run("compare", data, "--policy", rules, "--l", "2,3,4", "--out", tmp_path / "c")
    assert (found.code, found.err) == (0, "")
    assert " at l = 2." in found.out.splitlines()[0]
    assert "cannot be had" in found.out, "there are three diseases"
    assert "The largest l that can be had is 3." in found.out
    assert "The largest l that can be had by anatomy is 2." in found.out, "half of them have flu"


def test_the_command_to_copy_can_be_run_as_it_is(run: Run, shop: Path, policy: Path, tmp_path: Path) -> None:
    for stated in (("--sensitive", "x,y"), ("--policy", policy)):
        found = run("compare", shop, *stated, "--methods", "mine:again=2", "--rho", "0.4,0.5", "--out", tmp_path / "c")
        (command,) = [line.strip() for line in found.out.splitlines() if line.strip().startswith("sordino protect")]
        words = shlex.split(command)
        assert words[-2:] == ["--out", "release"]
        made = run(*words[1:-1], tmp_path / f"release{len(stated[1:])}{stated[0]}")
        assert (made.code, made.err) == (0, "")
