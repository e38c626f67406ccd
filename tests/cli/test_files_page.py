"""The page "Your file": every example on it reads as it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from cli.shell import Run

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "files.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(
    r"^File: `(?P<name>[^`]+)`\n```text\n(?P<text>.*?)```\n"
    r"```sh\n(?P<command>[^\n]+)\n```\n```text\n(?P<said>[^\n]+)\n```",
    re.MULTILINE | re.DOTALL,
)
EXAMPLES = {found["name"]: found for found in EXAMPLE.finditer(PAGE)}


def test_there_is_one_for_each_layout() -> None:
    assert len(EXAMPLES) == PAGE.count("\nFile: `") == 9
    layouts = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert set(layouts) == {"baskets", "fimi", "long", "list", "onehot"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_is_read_as_the_page_says(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    example = EXAMPLES[name]
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(example["text"])
    program, *words = shlex.split(example["command"])
    assert program == "sordino"
    done = run(*words)
    assert done.code == 0, done.err
    assert done.out.startswith(example["said"] + "\n")


def test_what_the_page_says_of_two_ids(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("households.csv").write_text(EXAMPLES["households.csv"]["text"])
    done = run("audit", "households.csv", "--sensitive", "insulin pens", "--rho", "0.4")
    assert (done.code, done.out) == (2, "")
    assert "--record household, --record customer" in done.err
    policy = ("--sensitive", "insulin pens", "--rho", "0.4", "--item", "product")
    assert run("audit", "households.csv", *policy, "--record", "household").code == 1
    assert run("audit", "households.csv", *policy, "--record", "customer").code == 0
