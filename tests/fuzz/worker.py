"""The process that checks cases: one JSON line in, JSON lines out. It is killed if a case does not end.

In: {"case": {..}}. Out: {"ready": true} once; {"compiling": n} while n kernels are being compiled, which is no fault of
the case; {"findings": [..], "seconds": s} when a case is done.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

__all__ = ["main"]


class Teller:
    """Lines to the driver. Standard output is not used for them: commands that are checked write there."""

    def __init__(self, out: TextIO) -> None:
        self.out, self.lock = out, threading.Lock()

    def tell(self, **message: Any) -> None:
        with self.lock:
            self.out.write(json.dumps(message) + "\n")
            self.out.flush()


def _tell_compiling(teller: Teller) -> None:
    """Have Numba say when it compiles; that can take longer than any case."""
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc]
        running = 0

        def on_start(self, _: Any) -> None:
            self.running += 1
            teller.tell(compiling=self.running)

        def on_end(self, _: Any) -> None:
            self.running -= 1
            teller.tell(compiling=self.running)

    event.register("numba:compile", Listener())


def _end_with(parent: int) -> None:
    """A worker whose driver is gone ends, whatever it is doing."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def main(home: Path, sabotage: str | None = None) -> None:
    """Check cases until there are no more. `sabotage` names a module that breaks something first, to try the fuzzer."""
    _end_with(os.getppid())
    teller = Teller(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - open to the end
    os.dup2(sys.stdout.fileno(), 1)
    tempfile.tempdir = str(home)
    from fuzz.case import from_json
    from fuzz.examine import examine

    _tell_compiling(teller)
    if sabotage is not None:
        import importlib

        importlib.import_module(sabotage)
    teller.tell(ready=True)
    for line in sys.stdin:
        case = from_json(json.loads(line)["case"])
        started = time.perf_counter()
        with tempfile.TemporaryDirectory(dir=home) as folder:
            findings = examine(case, Path(folder))
        teller.tell(findings=[asdict(finding) for finding in findings], seconds=time.perf_counter() - started)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
