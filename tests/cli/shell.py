"""What the tests of the command line share: a small shop, and what a command leaves behind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"

# a -> x is right for 2 of 3, b -> y for 1 of 2; the rest says nothing.
SHOP = "a,x\na,x\na\nb,y\nb\n\n"


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]
Spawn = Callable[..., subprocess.CompletedProcess[str]]


def environment() -> dict[str, str]:
    """The environment for a new process that finds this source."""
    return {**os.environ, "PYTHONPATH": str(SOURCE)}


needs_terminal = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")


def on_terminal(*arguments: object) -> tuple[int, str]:
    """Runs `python ARGUMENTS` on a terminal of 100 columns; its exit code, and all it wrote there."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    env = {**environment(), "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
    env.pop("NO_COLOR", None)
    command = [sys.executable, *map(str, arguments)]
    written = b""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=env) as process:
        os.close(theirs)
        try:
            while piece := os.read(ours, 65536):
                written += piece
        except OSError:  # how Linux says that the other side is closed
            pass
        os.close(ours)
    return process.returncode, written.decode()
