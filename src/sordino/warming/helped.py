"""A run that finds no compiled kernels is helped: other processes compile beside it (engine/kernels/sharing.py).

This is for commands only, which are alone on their machine: not for what others call from Python, nor for a cluster.
Helpers are no daemons: they end with the run, however that ends. If one fails, the run compiles what it left, so
nothing but time depends on them. `SORDINO_HELPERS=0` does without.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from sordino.warming.tasks import made_up

__all__ = ["helped"]

STATED = ("knowledge", "absent")  # options of policies that ask for other kernels
RARE = ("per_record", "except_for", "assurance")  # those too, and there is nothing made up for them
MOST = 3  # helpers; there is not more to do at once


@contextlib.contextmanager
def helped(verb: str, kind: str, policy: object, method: str | None = None, jobs: int | None = None) -> Iterator[None]:
    """While this lasts, helpers compile what such work needs; unless it was done on this machine before."""
    number = min(jobs or MOST + 1, _cores(), MOST + 1) - 1  # the run itself compiles as well
    rare = any(getattr(policy, name, None) is not None for name in RARE)
    off = os.environ.get("SORDINO_HELPERS") == "0" or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
    if number < 1 or made_up(kind) is None or rare or off:
        yield
        return
    from sordino.engine.kernels.cache import cache_folder

    stated = {name: value for name in STATED if (value := getattr(policy, name, None)) is not None}
    asked = json.dumps({"verb": verb, "kind": kind, "policy": stated, "method": method}, sort_keys=True)

    kept = Path(os.environ.get("NUMBA_CACHE_DIR") or cache_folder())
    mark = kept / _mark(asked)
    if mark.exists():
        yield
        return
    try:
        folder = Path(tempfile.mkdtemp(prefix="sordino-claims-"))
    except OSError:
        yield
        return
    helpers: dict[str, subprocess.Popen[bytes]] = {}
    try:
        with contextlib.suppress(OSError):  # no room for another process: then without
            for k in range(1, number + 1):
                helpers[str(k)] = _start(folder, str(k), asked, kept)
        _share(folder, helpers)
        yield
        with contextlib.suppress(OSError):  # it has all it needed, so such a run will not have to compile again
            mark.touch()
    finally:
        _end(helpers)
        _share(None, {})
        shutil.rmtree(folder, ignore_errors=True)


def _start(folder: Path, number: str, asked: str, kept: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "sordino.warming.helper", str(folder), number, asked],
        stdin=subprocess.PIPE,  # its end tells the helper that we are gone
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"NUMBA_CACHE_DIR": str(kept), "SORDINO_HELPER": number},
    )


def _share(folder: Path | None, helpers: dict[str, subprocess.Popen[bytes]]) -> None:
    from sordino.engine.kernels.sharing import Claims, share

    def alive(whose: str) -> bool:
        return any(helper.poll() is None for number, helper in helpers.items() if whose in ("", number))

    share(None if folder is None else Claims(folder, "", alive))


def _end(helpers: dict[str, subprocess.Popen[bytes]]) -> None:
    for helper in helpers.values():
        helper.kill()
    for helper in helpers.values():
        if helper.stdin is not None:
            helper.stdin.close()
        helper.wait()


def _mark(asked: str) -> str:
    """A file that says that such work was done here, with this Python and this Numba."""
    try:
        numba = version("numba")
    except PackageNotFoundError:
        numba = "unknown"
    whole = f"{asked} {numba} {sys.implementation.cache_tag}"
    return f"done-{hashlib.sha256(whole.encode()).hexdigest()[:16]}"


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
