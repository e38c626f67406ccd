"""`sordino init`: a policy by options or by asking, held against the data before it is written."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from cli.shell import Run, environment, needs_terminal

SHOP = "water,HIV test\nwater,hiv drug\nwine,bread\nwater\nwine\nbread,hiv drug,water\n"
PEOPLE = "id,age,sex,diagnosis\n" + "".join(
    f"{k},{20 + k},{'mf'[k % 2]},{['flu', 'cold', 'hiv'][k % 3]}\n" for k in range(60)
)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.csv"
    path.write_text(SHOP)
    return path


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


def test_baskets_by_options(run: Run, shop: Path, tmp_path: Path) -> None:
    out = tmp_path / "policy.toml"
    (tmp_path / "tree.csv").write_text("item,group\nHIV test,tests\nhiv drug,drugs\nwater,x\nwine,x\nbread,x\n")
    words = ("--pattern", "hiv*", "--node", "tests", "--hierarchy", tmp_path / "tree.csv", "--rho", "3 of 10")
    done = run("init", shop, "--out", out, "--sensitive", "wine", *words, "--knowledge", "2")
    assert done.code == 0, done.err
    assert tomllib.loads(out.read_text()) == {
        "kind": "inference",
        "sensitive": {"items": ["wine"], "patterns": ["hiv*"], "nodes": ["tests"], "hierarchy": "tree.csv"},
        "threshold": {"rho": "3/10"},
        "knowledge": {"items": 2},
    }
    assert f"sordino audit {shop} --policy {out}" in done.out
    assert run("audit", shop, "--policy", out).code == 1


def test_tables_by_options(run: Run, people: Path, tmp_path: Path) -> None:
    out = tmp_path / "policy.toml"
    assert run("init", people, "--sensitive", "diagnosis", "--value", "hiv", "--out", out).code == 0
    assert tomllib.loads(out.read_text()) == {
        "kind": "template",
        "template": [{"given": ["age", "sex"], "values": {"diagnosis": ["hiv"]}, "at_most": "0.5"}],
        "bins": {"age": {"quantile": 4}},
    }
    assert "# Not among what may be known, because they look like ids: id.\n" in out.read_text()
    assert run("audit", people, "--policy", out).code in (0, 1)
    assert run("init", people, "--sensitive", "diagnosis", "--l", "2", "--out", out, "--force").code == 0
    assert tomllib.loads(out.read_text())["kind"] == "diversity"
    assert tomllib.loads(out.read_text())["bins"] == {"age": {"quantile": 4}}
    told = run("audit", people, "--policy", out)
    assert told.code in (0, 1)
    assert "neither bins nor a hierarchy" not in told.out


def test_dates_are_known_of_people_and_get_periods(run: Run, tmp_path: Path) -> None:
    """A date of birth never recurs in a small table: it is no id, and the first thing that somebody knows."""
    table, out = tmp_path / "born.csv", tmp_path / "policy.toml"
    rows = [
        f"{1930 + k}-0{k % 9 + 1}-1{k % 9},2024-{k % 12 + 1:02}-{k % 28 + 1:02},{'mf'[k % 2]},{k % 3}"
        for k in range(40)
    ]
    table.write_text("born,seen,sex,diagnosis\n" + "".join(f"{row}\n" for row in rows))
    for words in ((), ("--kind", "diversity")):
        assert run("init", table, "--sensitive", "diagnosis", "--out", out, "--force", *words).code == 0
        written = tomllib.loads(out.read_text())
        known = written["quasi"] if words else written["template"][0]["given"]
        assert known == ["born", "seen", "sex"]
        assert written["bins"] == {"born": {"by": "year"}, "seen": {"by": "month"}}
        assert run("audit", table, "--policy", out).code in (0, 1)
    plain = tmp_path / "plain.toml"
    plain.write_text(out.read_text().partition("[bins]")[0])
    assert (
        "'born' has 40 different dates and neither bins nor a hierarchy" in run("audit", table, "--policy", plain).out
    )


def test_a_pattern_among_the_sensitive_names_is_a_pattern(run: Run, shop: Path, tmp_path: Path) -> None:
    out = tmp_path / "policy.toml"
    assert run("init", shop, "--sensitive", "wine,hiv*", "--out", out).code == 0
    assert tomllib.loads(out.read_text())["sensitive"] == {"items": ["wine"], "patterns": ["hiv*"]}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "it is not said what is sensitive"),
        (("--sensitive", "hvi test"), "occurs in no record"),
        (("--pattern", "zzz*"), "matches no item"),
        (("--sensitive", "wine", "--rho", "12 of 10"), "not between 0 and 1"),
        (("--sensitive", "wine", "--kind", "template"), "wrong columns"),
        (("--sensitive", "wine", "--given", "a"), "--given is of no use here"),
        (("--node", "x"), "nodes need the hierarchy"),
    ],
)
def test_without_a_terminal_nothing_is_asked(
    run: Run, shop: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = run("init", shop, "--out", tmp_path / "policy.toml", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "hiv drug" not in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["shop.csv"]


def test_a_file_that_is_there_stays(run: Run, shop: Path, tmp_path: Path) -> None:
    out = tmp_path / "policy.toml"
    out.write_text("mine")
    assert run("init", shop, "--sensitive", "wine", "--out", out).code == 2
    assert out.read_text() == "mine"


def test_the_schema_beside_it(run: Run, shop: Path, tmp_path: Path) -> None:
    out = tmp_path / "policy.toml"
    assert run("init", shop, "--sensitive", "wine", "--out", out, "--schema").code == 0
    assert out.read_text().startswith("#:schema ./policy.schema.json\n")
    assert (tmp_path / "policy.schema.json").read_text() == run("schema").out


def talk(words: list[str], answers: list[str]) -> tuple[int, str]:
    """Runs a command on a terminal, with these answers to what it asks."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "sordino", *words]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment()) as process:
        os.close(theirs)
        os.write(ours, "".join(f"{answer}\n" for answer in answers).encode())
        said = b""
        try:
            while piece := os.read(ours, 65536):
                said += piece
        except OSError:  # how Linux says that the other side is closed
            pass
        os.close(ours)
    return process.returncode, said.decode()


@needs_terminal
def test_asking(shop: Path, tmp_path: Path) -> None:
    out = tmp_path / "policy.toml"
    code, said = talk(["init", str(shop), "--out", str(out)], ["hvi*", "hiv*, wine", "11", "3", "2"])
    assert code == 0, said
    assert "these may be sensitive: HIV test, hiv drug" in said
    assert "There is no 'hvi*'." in said
    assert "hiv* stands for 2: HIV test, hiv drug" in said
    assert tomllib.loads(out.read_text()) == {
        "kind": "inference",
        "sensitive": {"items": ["wine"], "patterns": ["hiv*"]},
        "threshold": {"rho": "3/10"},
        "knowledge": {"items": 2},
    }


@needs_terminal
def test_asking_about_a_table_and_stopping(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "policy.toml"
    code, said = talk(["init", str(people), "--out", str(out)], ["", "", "age,sex", "4 of 10"])
    assert code == 0, said
    assert tomllib.loads(out.read_text())["template"] == [
        {"given": ["age", "sex"], "rarest": {"diagnosis": "100%"}, "at_most": "4/10"}
    ]
    out.unlink()
    code, said = talk(["init", str(people), "--out", str(out)], ["\x04"])
    assert (code, out.exists()) == (2, False), said
