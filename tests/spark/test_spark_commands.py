"""`--engine spark` on the command line, with the session that is there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from test_protect import POLICY, RECORDS, SENSITIVE, people
from typer.testing import CliRunner

import sordino
import sordino.spark
from sordino.cli import app
from sordino.cli.spark import _address
from sordino.errors import InputError

WORDS = ("--engine", "spark", "--sensitive", ",".join(SENSITIVE), "--rho", "1/2")


@pytest.fixture(scope="module")
def source(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("parquet") / "people"
    people(spark).write.parquet(str(folder))
    return str(folder)


def run(*words: str) -> Any:
    return CliRunner().invoke(app, list(words))


def test_audit_of_a_folder_and_of_a_table(spark: Any, source: str) -> None:
    local = sordino.audit(RECORDS, POLICY)
    done = run("audit", source, *WORDS, "--record", "person", "--json", "-")
    assert done.exit_code == 1, done.output
    told = json.loads(done.stdout)
    assert told["people_at_risk"] == local.people_at_risk
    people(spark).createOrReplaceTempView("visits")
    page = run("audit", "visits", *WORDS, "--record", "person", "--top", "1")
    assert page.exit_code == 1, page.output
    assert f"{local.people_at_risk:,}" in page.stdout


def test_protect_writes_a_release(spark: Any, source: str, tmp_path: Path) -> None:
    del spark
    out = tmp_path / "out"
    words = ("--record", "person", "--out", str(out), "--seed", "3", "--parts", "2", "--option", "mode=parts")
    done = run("protect", source, *WORDS, *words)
    assert done.exit_code == 0, done.output
    assert "records are safe to publish" in done.stdout
    assert sordino.spark.verify(out).holds
    again = run("protect", source, *WORDS, *words)
    assert isinstance(again.exception, InputError), again.output  # which ends the command with 2
    assert "something already" in str(again.exception)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("audit", "nowhere", *WORDS), "no table of this name"),
        (("audit", "{source}", *WORDS, "--jobs", "1"), "--jobs"),
        (("audit", "{source}", *WORDS, "--item", "person"), "whose it is"),
        (("protect", "{source}", *WORDS, "--out", "{out}", "--option", "swiftness=1"), "no option here"),
        (("audit", "{source}", "--engine", "spark"), "there is no policy"),
    ],
)
def test_what_is_wrong_is_said(spark: Any, source: str, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    del spark
    filled = [word.format(source=source, out=tmp_path / "new") for word in words]
    done = run(*filled)
    assert done.exit_code != 0
    assert said in f"{done.output} {done.exception}"


def test_addresses_keep_their_slashes() -> None:
    assert _address(Path("s3a://bucket/out")) == "s3a://bucket/out"
    assert _address(Path("/data/out")) == "/data/out"
