"""Every command says how it read the data, takes a delimiter, and refuses what may be read in another way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.shell import Run

POLICY = ("--sensitive", "hiv", "--rho", "0.5")
BASKETS = "Read as baskets: one line is one person; 4 records, 2 items, separated by semicolons, no header."
LONG = "Read as a long table: one value of the column 'Kunde' is one person, with the items in the column 'Artikel'; "


@pytest.fixture
def semicolons(tmp_path: Path) -> Path:
    """Whoever has flu has hiv."""
    path = tmp_path / "semi.csv"
    path.write_text("hiv;flu\nhiv;flu\nhiv;flu\nhiv\n")
    return path


@pytest.fixture
def kunden(tmp_path: Path) -> Path:
    path = tmp_path / "kunden.csv"
    path.write_text("Kunde,Artikel\n1,hiv\n1,flu\n2,hiv\n2,flu\n3,cold\n4,cold\n5,cold\n")
    return path


def arguments(command: str, data: Path, tmp_path: Path) -> tuple[object, ...]:
    more: dict[str, tuple[object, ...]] = {
        "protect": ("--out", tmp_path / "out"),
        "report": ("--out", tmp_path / "out.html"),
        "compare": ("--methods", "mine", "--out", tmp_path / "cells"),
        "measure": ("--no-rules",),
    }
    return (command, data, *((data,) if command == "measure" else ()), *POLICY, *more.get(command, ()))


@pytest.mark.parametrize("command", ["audit", "protect", "report", "measure", "compare"])
@pytest.mark.parametrize("stated", [(), ("--delimiter", ";")])
def test_how_baskets_were_read(
    run: Run, semicolons: Path, tmp_path: Path, command: str, stated: tuple[str, ...]
) -> None:
    done = run(*arguments(command, semicolons, tmp_path), *stated)
    assert done.code == (1 if command == "audit" else 0), done.err
    assert BASKETS in done.out


@pytest.mark.parametrize("command", ["audit", "protect", "report", "measure", "compare"])
def test_a_long_table_with_a_header_of_other_words(run: Run, kunden: Path, tmp_path: Path, command: str) -> None:
    refused = run(*arguments(command, kunden, tmp_path))
    assert (refused.code, refused.out) == (2, "")
    for part in ("--layout baskets", "--layout long --record COLUMN --item COLUMN", "header"):
        assert part in refused.err
    assert "flu" not in refused.err
    done = run(*arguments(command, kunden, tmp_path), "--record", "Kunde", "--item", "Artikel")
    assert done.code == (1 if command == "audit" else 0), done.err
    assert LONG + "5 records, 3 items, separated by commas, with a header." in done.out


def test_the_verdict_is_that_of_the_right_reading(run: Run, semicolons: Path, kunden: Path) -> None:
    assert "NOT SAFE: 3 of 4 people" in run("audit", semicolons, *POLICY).out
    assert "NOT SAFE: 2 of 5 people" in run("audit", kunden, *POLICY, "--layout", "long").out


def test_json_says_it_too(run: Run, semicolons: Path, tmp_path: Path) -> None:
    done = run("audit", semicolons, *POLICY, "--json", "-")
    assert json.loads(done.out)["read_as"] == BASKETS
    run("audit", semicolons, *POLICY, "--json", tmp_path / "audit.json")
    assert json.loads((tmp_path / "audit.json").read_text())["read_as"] == BASKETS


def test_a_table_read_as_baskets_is_not_published(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("smoker,hiv,diabetic\nyes,no,no\nno,yes,no\nno,no,no\n")
    done = run("protect", path, "--sensitive", "yes", "--rho", "0.5", "--out", tmp_path / "out")
    assert (done.code, (tmp_path / "out").exists()) == (2, False)


@pytest.mark.parametrize("mark", [";", "|", "\t", ":"])
def test_a_release_has_the_delimiter_of_its_source(run: Run, tmp_path: Path, mark: str) -> None:
    source, out = tmp_path / "data.csv", tmp_path / "out"
    source.write_text(f"a, b{mark}x\na, b{mark}x\na, b\nc{mark}x\nc\n")
    stated = ("--delimiter", "\\t" if mark == "\t" else mark)
    done = run("protect", source, "--sensitive", "x", "--rho", "0.5", "--out", out, "--ids", "keep", *stated)
    assert done.code == 0, done.err
    published = (out / "publish" / "data.csv").read_text()
    assert mark in published
    assert f"a, b{mark}x" in published  # a comma separates nothing here
    assert run("verify", out).code == 0
    measured = run("measure", source, out, "--no-rules", *stated)
    assert measured.code == 0, measured.err


def test_verifying_a_file_says_it(run: Run, tmp_path: Path) -> None:
    data, proof = tmp_path / "data.csv", tmp_path / "proof.gz"
    data.write_text("a|x\na\na|b\nb\n")
    form = ("--sensitive", "x", "--rho", "0.5", "--delimiter", "|")
    assert run("audit", data, *form, "--proof", proof).code == 0
    done = run("verify", data, "--proof", proof, *form)
    assert done.code == 0, done.err
    assert "Read as baskets: one line is one person; 4 records, 3 items, separated by bars, no header." in done.out


def test_a_hierarchy_is_built_of_what_is_said(run: Run, semicolons: Path, tmp_path: Path) -> None:
    done = run("hierarchy", "build", semicolons, "--out", tmp_path / "h.json", "--delimiter", ";")
    assert (done.code, BASKETS in done.out) == (0, True)
