"""`sordino inspect`: how a file would be read, and why; and the same in the first lines of an audit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.shell import Run


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.csv"
    path.write_text("household,customer,product\nh1,1,hiv\nh1,1,flu\nh1,2,flu\nh2,3,cold\nh2,3,Flu\n")
    return path


def test_the_page(run: Run, shop: Path) -> None:
    done = run("inspect", shop, "--record", "customer", "--item", "product")
    assert done.code == 0, done.err
    for said in (
        "one value of the column 'customer' is one person",
        "{flu, hiv}",
        "Nearly the same: 'Flu', 'flu'.",
        "--record 'household'",
        f"sordino audit {shop} --record customer --item product --policy policy.toml",
    ):
        assert said in done.out


def test_json(run: Run, shop: Path, tmp_path: Path) -> None:
    found = json.loads(run("inspect", shop, "--json", "-").out)
    assert (found["as"], found["source"]) == ("table", "shop.csv")
    assert run("inspect", shop, "--json", tmp_path / "x.json").code == 0
    assert json.loads((tmp_path / "x.json").read_text()) == found


def test_standard_input_is_read_once(run: Run, shop: Path) -> None:
    done = run("inspect", "-", stdin=shop.read_bytes())
    assert (done.code, "household" in done.out) == (0, True), done.err


def test_what_is_not_clear_ends_with_two(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("secret,1\nsecret,2\nsecret,3\n3,secret\n4,a,b\n")
    done = run("inspect", path, "--layout", "long")
    assert (done.code, done.out) == (2, "")
    assert "secret" not in done.err


def test_an_audit_says_why_and_what_else_it_could_be(run: Run, shop: Path) -> None:
    words = ("--record", "customer", "--item", "product", "--sensitive", "hiv", "--rho", "0.5")
    done = run("audit", shop, *words)
    assert (
        f"Why: you said which column is what, or that it is a long table. Not as you meant it? sordino inspect {shop}"
        in (done.out)
    )
    assert "The column 'household' may tell people apart, too." in done.out
    document = json.loads(run("audit", shop, *words, "--json", "-").out)
    assert document["read_because"].startswith("Why: you said")
    assert len(document["doubts"]) == 2
