"""A worker that is watched: it answers in time, or it is killed and another one goes on.

PYTHONPATH=src:tests python -m endings.watchdog NUMBER [SEED [SECONDS]]
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

__all__ = ["Watchdog", "findings"]

TESTS = Path(__file__).parents[1]
START = 600.0  # seconds until a worker must be ready, and for compiling


class Watchdog:
    """One worker process at a time."""

    def __init__(self, seed: int, seconds: float) -> None:
        self.seed, self.seconds = seed, seconds
        self.process: subprocess.Popen[bytes] | None = None
        self.buffer = b""

    def ask(self, number: int) -> str | None:
        """What is wrong with a case; None if nothing is. The time in which kernels are compiled does not count."""
        worker = self._worker()
        assert worker.stdin is not None
        worker.stdin.write(f"{number}\n".encode())
        worker.stdin.flush()
        spent = 0.0
        compiling = False
        while True:
            began = time.monotonic()
            message = self._hear(START if compiling else self.seconds - spent)
            if message is None:
                ended = worker.poll()
                self.end()
                return "the run does not end" if ended is None else f"the process died ({ended})"
            if not compiling:
                spent += time.monotonic() - began
            if "wrong" in message:
                wrong: str | None = message["wrong"]
                return wrong
            compiling = message.get("compiling", 0) > 0

    def end(self) -> None:
        """Kill the worker, whatever it is doing."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
        self.process, self.buffer = None, b""

    def _worker(self) -> subprocess.Popen[bytes]:
        if self.process is None:
            path = os.pathsep.join([str(TESTS.parent / "src"), str(TESTS), os.environ.get("PYTHONPATH", "")])
            self.process = subprocess.Popen(
                [sys.executable, "-m", "endings.worker", str(self.seed)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": path},
            )  # fmt: skip
            if self._hear(START) is None:
                self.end()
                raise RuntimeError("no worker could be started")
        return self.process

    def _hear(self, seconds: float) -> dict[str, Any] | None:
        """The next message; None if none comes in time, or ever."""
        assert self.process is not None
        assert self.process.stdout is not None
        until = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return None
            some = os.read(self.process.stdout.fileno(), 1 << 16)
            if not some:
                self.process.wait()
                return None
            self.buffer += some
        line, _, self.buffer = self.buffer.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message


def findings(numbers: Iterable[int], seed: int = 0, seconds: float = 20.0) -> Iterator[tuple[int, str]]:
    """The cases in which something is wrong, and what."""
    dog = Watchdog(seed, seconds)
    try:
        for number in numbers:
            wrong = dog.ask(number)
            if wrong is not None:
                yield number, wrong
    finally:
        dog.end()


if __name__ == "__main__":
    from endings.worker import case_of

    asked = [int(a) for a in sys.argv[1:3]] + [0]
    for found, what in findings(range(asked[0]), asked[1], float(sys.argv[3]) if len(sys.argv) > 3 else 20.0):
        print(f"case {found} of seed {asked[1]}: {what}\n  {case_of(asked[1], found)}", flush=True)
