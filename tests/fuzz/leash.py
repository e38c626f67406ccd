"""A worker on a leash: it answers in time, or it is killed and another one takes its place."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz.case import Case, to_json
from fuzz.finding import Finding

__all__ = ["Leash", "Outcome"]

START = 600.0  # seconds until a worker must be ready
COMPILING = 900.0  # seconds that compiling may take in one case
TESTS = Path(__file__).parents[1]


@dataclass(frozen=True)
class Outcome:
    """What came of a case; `seconds` do not count the time spent compiling."""

    findings: tuple[Finding, ...]
    seconds: float


class Leash:
    """One worker process. Charts are left out unless they are wanted: drawing takes longer than all the rest."""

    def __init__(self, home: Path, *, charts: bool = False, sabotage: str | None = None) -> None:
        self.home, self.charts, self.sabotage = home, charts, sabotage
        self.process: subprocess.Popen[bytes] | None = None
        self.buffer = b""
        self.closed = False

    def check(self, case: Case, limit: float) -> Outcome:
        """What a worker says about the case, or that it had to be killed, or that it died."""
        self._start()
        assert self.process is not None
        assert self.process.stdin is not None
        line = json.dumps({"case": to_json(case)}) + "\n"
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(line.encode())
            self.process.stdin.flush()
        spent = compiling = 0.0
        busy = False
        while True:
            left = COMPILING - compiling if busy else limit - spent
            started = time.monotonic()
            message = self._receive(max(left, 0.0))
            passed = time.monotonic() - started
            compiling, spent = (compiling + passed, spent) if busy else (compiling, spent + passed)
            if message is None:
                dead = self.process.poll()
                self.kill()
                if dead is not None:
                    return Outcome((Finding("run", "died", f"the process ended with code {dead}"),), spent)
                return Outcome((Finding("run", "hang", "the run did not end"),), spent)
            if "compiling" in message:
                busy = message["compiling"] > 0
            else:
                return Outcome(tuple(Finding(**finding) for finding in message["findings"]), spent)

    def close(self) -> None:
        """No more cases: whoever waits for one hears of it at once."""
        self.closed = True
        process = self.process
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def kill(self) -> None:
        """End the worker and all that it started."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                with contextlib.suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]
        self.process, self.buffer = None, b""

    def _start(self) -> None:
        if self.closed:
            raise RuntimeError("there are to be no more cases")
        if self.process is not None and self.process.poll() is None:
            return
        self.kill()
        path = [str(TESTS), *([] if self.charts else [str(TESTS / "without_charts")]), str(TESTS.parent / "src")]
        if os.environ.get("PYTHONPATH"):
            path.append(os.environ["PYTHONPATH"])
        command = [sys.executable, "-m", "fuzz.worker", str(self.home), *([self.sabotage] if self.sabotage else [])]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        )
        while (message := self._receive(START)) is not None and "ready" not in message:
            pass
        if message is None:
            self.kill()
            raise RuntimeError(f"no worker could be started: {' '.join(command)}")

    def _receive(self, timeout: float) -> Mapping[str, Any] | None:
        """The next message; None if none came in time, or the worker is gone."""
        assert self.process is not None
        assert self.process.stdout is not None
        deadline = time.monotonic() + timeout
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.buffer:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    return None
                piece = os.read(self.process.stdout.fileno(), 65536)
                if not piece:
                    self.process.wait()
                    return None
                self.buffer += piece
        line, _, self.buffer = self.buffer.partition(b"\n")
        message: Mapping[str, Any] = json.loads(line)
        return message
