"""Running a command the way the shell does, in this process or in a new one."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from cli.shell import SHOP, Outcome, Run, Spawn, environment
from sordino.cli import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `sordino ARGUMENTS` in this process, with the given bytes on standard input."""

    def call(*arguments: object, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call


@pytest.fixture
def spawn() -> Spawn:
    """Runs `python ARGUMENTS` in a new process that finds this source."""

    def call(*arguments: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env={**environment(), **(env or {})},
        )

    return call


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Six records in a CSV file."""
    path = tmp_path / "shop.csv"
    path.write_text(SHOP)
    return path


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """x and y may be inferred with at most one half, which x breaks in the shop."""
    path = tmp_path / "policy.toml"
    path.write_text('kind = "inference"\n[sensitive]\nitems = ["x", "y"]\n[threshold]\nrho = "0.5"\n')
    return path
