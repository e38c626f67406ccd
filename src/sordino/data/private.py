"""A folder for what must not stay behind: only its owner can read it, and it is gone at the end, whatever the end.

When the last reference to it goes, or Python ends, it is removed. If the process is killed, a guard does it: a process
of its own session that waits for the end of its standard input, which comes when we close it or die. If the guard dies
too, as in a power failure, the next run that makes such a folder removes what nobody holds a lock on any more.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has no such locks: what a power failure left stays there
    fcntl = None  # type: ignore[assignment]

__all__ = ["PrivateFolder"]

YOUNG = 60  # seconds in which a folder may not have got its lock yet
GUARD = """
import shutil, signal, sys
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    if hasattr(signal, name):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
sys.stdin.buffer.read()
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""


class PrivateFolder:
    """A new folder (mode 700) in the place for temporary files; `path` is there as long as this object is.

    `prefix` is what names of such folders begin with: by it, those are found that a power failure left.
    """

    def __init__(self, prefix: str = "sordino-parts-") -> None:
        _remove_stale(Path(tempfile.gettempdir()), prefix)
        self.path = Path(tempfile.mkdtemp(prefix=prefix))
        lock = os.open(self.path, os.O_RDONLY) if fcntl is not None else None
        if lock is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)
        guard = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", GUARD, str(self.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._end = weakref.finalize(self, _remove, str(self.path), lock, guard)

    def remove(self) -> None:
        """Remove it now."""
        self._end()


def _remove(path: str, lock: int | None, guard: Any) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if lock is not None:
        os.close(lock)
    guard.stdin.close()
    guard.wait()


def _remove_stale(place: Path, prefix: str) -> None:
    """Removes folders of ours that nobody uses any more."""
    if fcntl is None:  # pragma: no cover
        return
    for folder in place.glob(f"{prefix}*"):
        with suppress(OSError):
            held = folder.lstat()
            if held.st_uid != os.getuid() or time.time() - held.st_mtime < YOUNG or folder.is_symlink():
                continue
            handle = os.open(folder, os.O_RDONLY)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(handle)
