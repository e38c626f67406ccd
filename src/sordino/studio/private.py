"""A folder for uploads that only its owner can read, and that is gone at the end, however the end comes."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["private_folder"]

# A process of its own session: it waits for the end of its standard input, which comes when we close it or die.
GUARD = """
import shutil, signal, sys
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    if hasattr(signal, name):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
sys.stdin.buffer.read()
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""


@contextmanager
def private_folder() -> Iterator[Path]:
    """A new folder (mode 700); what libraries put into temporary files meanwhile goes there, too."""
    folder = Path(tempfile.mkdtemp(prefix="sordino-studio-"))
    guard = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", GUARD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    usual = tempfile.tempdir
    tempfile.tempdir = str(folder)
    try:
        yield folder
    finally:
        tempfile.tempdir = usual
        shutil.rmtree(folder, ignore_errors=True)
        if guard.stdin is not None:
            guard.stdin.close()
        guard.wait()
