"""`sordino sample`, `sordino demo`, `--version` and `--help`."""

from __future__ import annotations

import shlex
from pathlib import Path

import sordino
from cli.shell import Run
from sordino import sample


def test_sample_lists_every_file_with_a_description(run: Run) -> None:
    done = run("sample")
    assert (done.code, done.err) == (0, "")
    rows = {line.split()[0]: line.split()[1:] for line in done.out.splitlines() if line.strip()}
    for name in sample.names():
        assert rows[name]


def test_sample_copies_and_never_overwrites_unasked(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    assert run("sample", folder).code == 0
    assert sorted(p.name for p in folder.iterdir()) == list(sample.names())
    mine = folder / "pharmacy_policy.toml"
    mine.write_text("mine")
    refused = run("sample", folder)
    assert (refused.code, refused.out) == (2, "")
    assert "--force" in refused.err
    assert mine.read_text() == "mine"
    assert run("sample", folder, "--force").code == 0
    assert mine.read_bytes() == sample.path("pharmacy_policy.toml").read_bytes()
    assert run("sample", mine).code == 2


def test_the_copied_sample_can_be_audited_as_suggested(run: Run, tmp_path: Path) -> None:
    done = run("sample", tmp_path / "a folder")
    commands = [line for line in done.out.splitlines() if line.strip().startswith("sordino audit")]
    assert len(commands) == 2  # baskets and table
    for command in commands:
        assert run(*shlex.split(command)[1:], "--quiet").code == 1


def test_demo_ends_with_the_path_of_its_report(run: Run, tmp_path: Path) -> None:
    done = run("demo", "--out", tmp_path / "demo")
    assert done.code == 0
    report = Path(done.out.splitlines()[-1].strip())
    assert report == tmp_path / "demo" / "keep" / "report.html"
    assert "SAFE now: 1,288 of 5,000 people (25.8%) were at risk before, nobody is now." in report.read_text()


def test_demo_exits_0_and_says_what_it_found(run: Run) -> None:
    done = run("demo")
    assert (done.code, done.err) == (0, "")
    result = sordino.audit(sample.path("pharmacy.csv"), sordino.read_policy(sample.path("pharmacy_policy.toml")), top=5)
    assert f"NOT SAFE: {result.people_at_risk:,} of 5,000 people" in done.out
    assert len(result.findings) == 5
    for finding in result.findings:
        assert finding.sentence() in done.out
    command = next(line for line in done.out.splitlines() if " audit " in line and "pharmacy.csv" in line)
    words = shlex.split(command)
    assert run(*words[words.index("audit") :], "--quiet").code == 1


def test_version_and_help(run: Run) -> None:
    assert run("--version").out == f"sordino {sordino.__version__}\n"
    for command in ((), ("audit",), ("verify",), ("sample",), ("demo",)):
        done = run(*command, "--help")
        assert (done.code, done.err) == (0, "")
        assert "rho-uncertainty" not in done.out


def test_demo_of_a_table(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "release"
    done = run("demo", "--table", "--out", out)
    assert (done.code, done.err) == (0, "")
    result = sordino.audit(sample.path("patients.csv"), sordino.read_policy(sample.path("patients_policy.toml")))
    assert f"NOT SAFE: {result.people_at_risk:,} of 2,000 people" in done.out
    assert result.findings[0].sentence() in done.out
    assert "VERIFIED: an independent check finds the release safe." in done.out
    assert sordino.verify(out).holds
    assert run("demo", "--table", "--out", out).code == 0, "an earlier demo is replaced, here as for baskets"
    assert run("demo", "--out", out).code == 2
