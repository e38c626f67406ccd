"""`sordino hierarchy`, and the methods that need one, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.shell import Run

BASKETS = "milk,rice,x\nmilk,rice\ncheese,wheat,x\ncheese,rice\nmilk,x\ncheese\nwheat,x\nrice,wheat\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "baskets.csv"
    path.write_text(BASKETS)
    return path


@pytest.mark.parametrize("name", ["h.csv", "h.json", "h.csv.gz"])
@pytest.mark.parametrize("by", ["balanced", "frequency", "cooccurrence"])
def test_build_and_show(run: Run, data: Path, tmp_path: Path, name: str, by: str) -> None:
    out = tmp_path / name
    built = run("hierarchy", "build", data, "--by", by, "--fanout", 2, "--out", out)
    assert (built.code, built.err) == (0, "")
    assert "5 items" in built.out
    shown = run("hierarchy", "show", out)
    assert shown.code == 0
    assert shown.out.startswith("ALL (5)\n")
    assert all(item in shown.out for item in ("milk", "rice", "cheese", "wheat", "x"))
    again = run("hierarchy", "build", data, "--out", out)
    assert (again.code, "already there" in again.err) == (2, True)
    assert run("hierarchy", "build", data, "--out", out, "--force").code == 0


def test_show_a_part(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "h.json"
    path.write_text(json.dumps({"ALL": {"A": list("abcd"), "B": ["e\x1b[31m"]}}))
    top = run("hierarchy", "show", path, "--depth", 1)
    assert "A (4)" in top.out
    assert " a\n" not in top.out
    few = run("hierarchy", "show", path, "--most", 2)
    assert "... and 2 more" in few.out
    assert "\x1b" not in few.out


def test_a_layout_that_was_not_seen_can_be_stated_and_written(run: Run, tmp_path: Path) -> None:
    path, out = tmp_path / "h.csv", tmp_path / "h.json"
    path.write_text("ware,art\nmilk,dairy\nrice,grain\n")
    unclear = run("hierarchy", "show", path)
    assert (unclear.code, "--layout columns" in unclear.err, "ware" in unclear.err) == (2, True, False)
    assert "ware" in run("hierarchy", "show", path, "--layout", "paths").out
    shown = run("hierarchy", "show", path, "--layout", "columns", "--out", out)
    assert (shown.code, "ware" in shown.out) == (0, False)
    assert json.loads(out.read_text())["name"] == "ALL"
    assert run("hierarchy", "show", out).out == shown.out
    assert run("hierarchy", "show", path, "--out", out).code == 2
    assert run("hierarchy", "show", path, "--out", path, "--force").code == 2
    assert run("hierarchy", "show", path, "--layout", "paths", "--out", out, "--force").code == 0


def test_what_is_wrong_is_named(run: Run, tmp_path: Path, data: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("milk;dairy;*\nmilk;grain;*\n")
    shown = run("hierarchy", "show", path)
    assert shown.code == 2
    assert "'milk' has two parents" in shown.err
    path.write_text("milk;dairy;*\ncheese;dairy;*\nrice;grain;*\n")
    out = run("protect", data, "--sensitive", "x", "--rho", "0.3", "--method", "lgps", "--hierarchy", path, "--out",
              tmp_path / "out")  # fmt: skip
    assert out.code == 2
    assert "does not cover 1 name that the data hold" in out.err
    assert "wheat" not in out.err  # it stands in records only
    assert not (tmp_path / "out").exists()
    wrong = run("hierarchy", "build", data, "--by", "luck", "--out", tmp_path / "x.csv")
    assert (wrong.code, "by 'luck'" in wrong.err) == (2, True)


@pytest.mark.parametrize("method", ["lgps", "tdcontrol", "cahd"])
def test_protect_verify_audit_measure(run: Run, data: Path, tmp_path: Path, method: str) -> None:
    tree, out = tmp_path / "h.csv", tmp_path / "out"
    tree.write_text("milk;dairy;*\ncheese;dairy;*\nrice;grain;*\nwheat;grain;*\n")
    more = [] if method == "cahd" else ["--hierarchy", tree]
    made = run("protect", data, "--sensitive", "x", "--rho", "0.3", "--method", method, *more, "--out", out)
    assert (made.code, made.err) == (0, "")
    assert ("NON-SENSITIVE" in made.out) == (method == "cahd")
    checked = run("verify", out)
    assert checked.code == 0
    assert ("knows only non-sensitive items" in checked.out) == (method == "cahd")
    audited = run("audit", out)
    assert audited.code == 0
    assert "SAFE" in audited.out
    other = run("audit", out, "--sensitive", "x", "--rho", "0.01", "--json", "-")
    assert other.code == (1 if json.loads(other.out)["findings"] else 0)
    measured = run("measure", data, out, "--no-rules")
    assert measured.code == 0
    assert "suppressed" in measured.out
    assert ("NCP" in measured.out) == (method != "cahd")
    assert run("audit", out, "--layout", "baskets").code == 2
