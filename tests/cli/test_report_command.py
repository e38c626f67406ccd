"""`sordino report`: from data or from the JSON of an audit, one page."""

from __future__ import annotations

import json
from pathlib import Path

from cli.shell import Run
from sordino import sample


def test_a_report_of_data_and_of_its_audit_say_the_same(run: Run, shop: Path, policy: Path, tmp_path: Path) -> None:
    page, again, result = tmp_path / "a.html", tmp_path / "b.html", tmp_path / "audit.json"
    outcome = run("report", shop, "--policy", policy, "--out", page)
    assert (outcome.code, outcome.err) == (0, "")
    assert str(page) in outcome.out
    assert run("audit", shop, "--policy", policy, "--json", result, "--quiet").code == 1
    assert run("report", result, "--out", again, "--quiet").out == ""
    for path in (page, again):
        text = path.read_text()
        assert "NOT SAFE: 2 of 6 people (33.3%) are at risk." in text
        assert "Someone who knows a can infer x for 2 people" in text


def test_a_report_needs_a_policy_or_an_audit(run: Run, shop: Path, tmp_path: Path) -> None:
    outcome = run("report", shop, "--out", tmp_path / "a.html")
    assert outcome.code == 2
    assert "there is no policy" in outcome.err
    assert not (tmp_path / "a.html").exists()
    assert "no such file or release folder" in run("report", tmp_path / "nowhere", "--out", tmp_path / "a.html").err


def test_half_an_audit_is_refused(run: Run, tmp_path: Path) -> None:
    half = tmp_path / "half.json"
    half.write_text(json.dumps({"holds": True, "seconds": 1.0}))
    outcome = run("report", half, "--out", tmp_path / "a.html")
    assert outcome.code == 2
    assert "not the whole result of an audit" in outcome.err


def test_it_never_overwrites_its_input(run: Run, shop: Path, policy: Path) -> None:
    before = shop.read_bytes()
    assert run("report", shop, "--policy", policy, "--out", shop).code == 2
    assert shop.read_bytes() == before


def test_a_release_tells_its_report_again(run: Run, shop: Path, policy: Path, tmp_path: Path) -> None:
    out, again = tmp_path / "release", tmp_path / "again.html"
    assert run("protect", shop, "--policy", policy, "--out", out, "--quiet").code == 0
    assert run("report", out, "--out", again).code == 0
    assert again.read_bytes() == (out / "keep" / "report.html").read_bytes()
    missing = run("report", out / "publish", "--out", again)
    assert missing.code == 2
    assert "Give the whole release folder." in missing.err


def test_a_table_has_its_report_too(run: Run, tmp_path: Path) -> None:
    data, rules, page = sample.path("patients.csv"), sample.path("patients_policy.toml"), tmp_path / "a.html"
    assert run("report", data, "--policy", rules, "--out", page).code == 0
    text = page.read_text()
    assert "NOT SAFE:" in text
    assert "Someone who knows " in text
    assert run("report", data, "--policy", rules, "--layout", "long", "--out", page).code == 2


def test_a_result_that_contradicts_itself_is_no_report(tmp_path: Path, run: Run) -> None:
    data, result = tmp_path / "data.csv", tmp_path / "audit.json"
    data.write_text("a,hiv\na,hiv\nb\na\n", encoding="utf-8")
    words = ["--layout", "baskets", "--sensitive", "hiv", "--rho", "0.5"]
    assert run("audit", str(data), *words, "--json", str(result)).code == 1
    assert run("report", str(result), "--out", str(tmp_path / "a.html")).code == 0
    content = json.loads(result.read_text(encoding="utf-8"))
    for change in ({"holds": True}, {"holds": True, "answer": "holds"}, {"answer": "not checked"}):
        result.write_text(json.dumps({**content, **change}), encoding="utf-8")
        done = run("report", str(result), "--out", str(tmp_path / "b.html"))
        assert (done.code, "contradicts itself" in done.err) == (2, True), change
    assert not (tmp_path / "b.html").exists()
