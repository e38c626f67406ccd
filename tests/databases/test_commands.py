"""The commands with databases: what they take, what they write, and that no password is seen anywhere."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import sordino
from cli.shell import Outcome, environment
from server import SECRET, Server
from sordino.cli import main

Run = Callable[..., Outcome]
ASKED = ("--sensitive", "x", "--rho", "0.3")
LEAKS = (SECRET, "S3cr%40t", "w%3Frd", "wrong-word")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in this process, and sees that it tells no password."""

    def call(*words: object) -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        code = main([str(word) for word in words])
        seen = capsys.readouterr()
        for leak in LEAKS:
            assert leak not in seen.out + seen.err
        return Outcome(code, seen.out, seen.err)

    return call


def no_password_in(folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    for path in files:
        content = path.read_bytes()
        assert not any(leak.encode() in content for leak in LEAKS), path


def test_every_verb_takes_a_database(server: Server, run: Run, tmp_path: Path) -> None:
    uri, shown = server.uri(), server.uri(password=None)
    visits = (uri, "--table", "visits")
    audit = run("audit", *visits, *ASKED, "--json", tmp_path / "audit.json")
    assert audit.code == 1
    assert f"{shown}: 60 records" in audit.out
    assert f"sordino protect {shown} --sensitive x --rho 0.3 --table visits" in audit.out, "what next, as it can be run"
    safe = (uri, "--query", "SELECT n AS record, unnest(CASE WHEN n % 3 = 0 THEN ARRAY['a', 'x'] ELSE ARRAY['a'] END) "
            "AS item FROM generate_series(1, 30) n", "--sensitive", "x", "--rho", "0.5")  # fmt: skip
    proof = ("--proof", tmp_path / "proof.gz")
    assert run("audit", *safe, *proof).code == 0
    proved = run("verify", *safe, *proof)
    assert (proved.code, "The proof is valid" in proved.out) == (0, True)
    out = tmp_path / "out"
    assert run("protect", *visits, *ASKED, "--out", out, "--ids", "keep").code == 0
    assert (out / "publish" / "data.parquet").is_file()
    assert run("measure", *visits, out).code == 0
    assert run("compare", *visits, "--sensitive", "x", "--rho", "0.3", "--out", tmp_path / "compared").code == 0
    assert run("report", *visits, *ASKED, "--out", tmp_path / "report.html").code == 0
    server.sql("CREATE TABLE people AS SELECT chr(65 + n % 2) AS job, CASE WHEN n % 2 = 0 THEN 'flu' ELSE 'pox' END "
               "AS ill FROM generate_series(1, 40) n")  # fmt: skip
    rules = run("rules", uri, "--table", "people", "--sensitive", "ill", "--quasi", "job", "--out", tmp_path / "r.csv")
    assert rules.code == 0, rules
    no_password_in(tmp_path)


def test_protect_into_the_database(server: Server, run: Run, tmp_path: Path) -> None:
    uri, out = server.uri(), tmp_path / "out"
    first = run("protect", uri, "--table", "visits", *ASKED, "--out", out, "--to", uri, "--to-table", "clean")
    assert first.code == 0, first
    assert "The published data are in the table clean of PostgreSQL" in first.out
    check = f"sordino verify {out} --database {server.uri(password=None)} --table clean"
    assert check in " ".join(first.out.split())
    good = run("verify", out, "--database", uri, "--table", "clean")
    assert good.code == 0
    assert "the table 'clean' of PostgreSQL holds just the published data" in good.out
    server.sql("DELETE FROM clean WHERE ctid = '(0,1)'")
    bad = run("verify", out, "--database", f"{uri}?table=clean")
    assert (bad.code, "NOT valid: the table 'clean' is not what is published" in bad.out) == (1, True)
    again = ("protect", uri, "--table", "visits", *ASKED, "--out", out, "--to", f"{uri}?table=clean")
    assert run(*again).code == 2
    assert run(*again, "--force", "--quiet") == Outcome(0, "", "")
    assert run("verify", out, "--database", uri, "--table", "clean").code == 0
    assert run("audit", uri, "--table", "clean", *ASKED, "--quiet").code == 0, "what is in the table is safe"
    no_password_in(tmp_path)


def test_a_file_into_the_database_as_it_is_mostly_written(server: Server, run: Run, tmp_path: Path) -> None:
    data = tmp_path / "visits.csv"
    data.write_text("id,item\n" + "".join(f"{n},{item}\n" for n in range(9) for item in "ab" + "x" * (n % 2)))
    words = ("protect", data, *ASKED, "--out", tmp_path / "out", "--to", server.uri(), "--table", "clean", "--quiet")
    assert run(*words) == Outcome(0, "", "")
    assert len(sordino.read_baskets(server.uri(), table="clean")) == 9


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--table", "visits", "--to", "{uri}"), "which table of the database?"),
        (("--table", "visits", "--to", "{uri}", "--to-table", "visits", "--force"), "would replace its own input"),
        (("--table", "visits", "--to-table", "clean"), "--to-table names a table of a database, and none is stated"),
        (("--table", "visits", "--to", "clean.csv", "--to-table", "a"), "this is no database to write into"),
        (("--table", "visits", "--to", "{uri}", "--to-table", "clean", "--method", "cahd"), "a release in groups"),
        (("--table", "visits", "--to", "{wrong}", "--to-table", "clean"), "password authentication failed"),
        (("--table", "visits", "--query", "SELECT 1"), "a table or a query is stated once"),
        (("--table", "visits", "--delimiter", ";"), "a delimiter is for text files only"),
        (("--table", "visits", "--layout", "fimi"), "the layout 'fimi' is for text files only"),
        (("--query", "DELETE FROM visits"), "the query must be a single SELECT that only reads"),
        ((), "The tables are: visits."),
    ],
)
def test_what_is_refused(server: Server, run: Run, tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    filled = [word.format(uri=server.uri(), wrong=server.uri(password="wrong-word")) for word in words]
    done = run("protect", server.uri(), *ASKED, "--out", tmp_path / "out", *filled)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert not (tmp_path / "out").exists()
    assert server.sql("SELECT count(*) FROM visits") == [(321,)]


def test_two_databases_are_measured_by_their_addresses(server: Server, run: Run) -> None:
    server.sql("CREATE TABLE fewer AS SELECT * FROM visits WHERE product <> 'x'")
    uri = server.uri()
    done = run("measure", f"{uri}?table=visits", f"{uri}?table=fewer", "--no-rules")
    assert done.code == 0, done
    refused = run("measure", uri, uri, "--table", "visits")
    assert "about one database, and here are two" in refused.err
    stated = run("measure", f"{uri}?table=visits", uri, "--table", "fewer", "--no-rules")
    assert stated.out == done.out.replace("?table=fewer", "")


def test_verify_says_what_it_needs(server: Server, run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("protect", server.uri(), "--table", "visits", *ASKED, "--out", out, "--quiet").code == 0
    for words, told in (
        ((out, "--table", "clean"), "--table names a table of a database, and none is stated"),
        ((out, "--database", server.uri()), "which table of the database?"),
        ((out, "--database", server.uri(), "--table", "clean"), "there is no table 'clean'"),
        ((server.uri(),), "to verify a file of records, --proof is needed"),
    ):
        done = run("verify", *words)
        assert done.code == 2, done
        assert told in done.err


def test_a_missing_driver_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql", None)
    done = run("audit", "postgresql://h/d", "--table", "t", *ASKED)
    assert done.code == 2
    assert "PostgreSQL needs adbc-driver-postgresql.\n  Install it with: pip install 'sordino[sql]'" in done.err


@pytest.mark.slow
def test_the_nightly_job_of_the_documentation(server: Server, tmp_path: Path) -> None:
    """As it stands there: it makes the table, exchanges it the next night, and leaves it if something is wrong."""
    page = (Path(__file__).parents[2] / "docs" / "howto" / "databases.md").read_text()
    script = re.search(r"```bash\n(#!/usr/bin/env bash\n.*?)```", page, re.DOTALL)
    assert script is not None
    (tmp_path / "nightly.sh").write_text(script[1])
    (tmp_path / "policy.toml").write_text('kind = "inference"\n[sensitive]\nitems = ["x"]\n[threshold]\nrho = "0.3"\n')
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "sordino"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m sordino "$@"\n')
    command.chmod(0o755)
    (tmp_path / "pass").write_text(f"*:*:*:owner:{SECRET}\n")
    (tmp_path / "pass").chmod(0o600)
    address = server.uri(password=None)
    env = {**environment(), "PGPASSFILE": str(tmp_path / "pass"), "SOURCE": address, "TARGET": address}
    env["PATH"] = f"{tmp_path / 'bin'}:{env['PATH']}"

    def night() -> int:
        return subprocess.run(["bash", "nightly.sh"], cwd=tmp_path, env=env, check=False, timeout=300).returncode

    assert night() == 0, (tmp_path / "nightly.log").read_text()
    assert (tmp_path / "report.html").is_file()
    (verdict,) = (tmp_path / "releases").glob("*.txt")
    assert "holds just the published data" in verdict.read_text()
    before = server.sql("SELECT count(*), count(DISTINCT customer), 'clean'::regclass::oid::bigint AS oid FROM clean")
    server.sql("INSERT INTO visits VALUES ('p-new', 'a')")
    assert night() == 0
    after = server.sql("SELECT count(*), count(DISTINCT customer), 'clean'::regclass::oid::bigint AS oid FROM clean")
    assert (after[0][1], after[0][2] != before[0][2]) == (61, True)
    server.sql("ALTER TABLE visits RENAME COLUMN product TO products")
    assert night() == 2
    log = (tmp_path / "nightly.log").read_text()
    assert 'column "product" does not exist' in log
    assert "exit code 2" in log
    assert SECRET not in log
    left = server.sql("SELECT count(*), count(DISTINCT customer), 'clean'::regclass::oid::bigint AS oid FROM clean")
    assert left == after, "yesterday's table stays"
    no_password_in(tmp_path / "releases")


def test_what_is_looked_at_before_may_be_a_database(server: Server, run: Run, tmp_path: Path) -> None:
    looked = run("inspect", server.uri(), "--table", "visits")
    assert looked.code == 0, looked
    assert "from a PostgreSQL result" in looked.out
    policy = tmp_path / "policy.toml"
    words = ("--sensitive", "x", "--rho", "0.3", "--out", policy)
    assert run("init", server.uri(), "--table", "visits", *words).code == 0
    assert run("audit", server.uri(), "--table", "visits", "--policy", policy).code == 1
    no_password_in(tmp_path)
