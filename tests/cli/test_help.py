"""Help by groups, and completion for shells."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import typer.main

from cli.shell import Run
from sordino.cli import app
from sordino.cli.grouped import GROUPS


def test_commands_are_grouped_and_none_is_left_out(run: Run) -> None:
    text = run("--help").out
    root = typer.main.get_command(app)
    for name, command in root.commands.items():  # type: ignore[attr-defined]
        assert (f"\n  {name} " in text) is not command.hidden
    assert [text.index(f"\n{title}:\n") for title, _ in GROUPS] == sorted(text.index(f"\n{t}:\n") for t, _ in GROUPS)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("aud", {"audit"}),
        ("audit --kno", {"--knowledge"}),
        ("hierarchy b", {"build"}),
        ("protect --pre", {"--previous"}),
    ],
)
def test_shells_complete_commands_and_options(typed: str, expected: set[str]) -> None:
    words = f"sordino {typed}"
    asked = {"_SORDINO_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    done = subprocess.run(
        [sys.executable, "-m", "sordino"], env={**os.environ, **asked}, capture_output=True, text=True, check=False
    )
    assert set(done.stdout.split()) == expected
