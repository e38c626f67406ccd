"""Where compiled kernels are kept: in a folder for these very kernels, the user's own.

Numba keeps what it compiled beside the source of a function, and compiles again if that file changes. It does not ask
about functions that the function calls: after a change in another file it would go on running what was compiled from
the old one. So kernels are kept in a folder that is named after the content of all kernel files together.

The folder lies where the system keeps caches of users; `NUMBA_CACHE_DIR` puts it elsewhere. What lies in it is loaded
and run, so it must belong to the user, and nobody else may write to it. Where there is no such place (a home that
cannot be written to), a private folder serves until this process ends.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import logging
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["cache_folder", "kept_in"]

ROOM = Path(__file__).parents[2]  # the folder of sordino
KERNELS = "*/kernels/**/*.py"
UNUSED = 30 * 86400  # seconds after which the kernels of another version are removed

log = logging.getLogger("sordino")


@functools.cache
def cache_folder() -> Path:
    """The folder of these kernels, which is there and can be written to."""
    folder = _caches() / "sordino" / f"kernels-{_fingerprint()}"
    if _usable(folder):
        _remove_unused(folder)
        return folder
    private = Path(tempfile.mkdtemp(prefix="sordino-kernels-"))
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    log.warning(
        "%s cannot be used to keep compiled code, so every run compiles again; name another folder in NUMBA_CACHE_DIR.",
        folder,
    )
    return private


@contextlib.contextmanager
def kept_in() -> Iterator[None]:
    """While this lasts, functions are compiled to be kept there. What users compile themselves is kept where it was."""
    import numba

    config: Any = numba.config
    if config.CACHE_DIR:  # whoever sets it has the last word
        yield
        return
    config.CACHE_DIR = str(cache_folder())
    try:
        yield
    finally:
        config.CACHE_DIR = ""


def _caches() -> Path:
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")


def _fingerprint() -> str:
    whole = hashlib.sha256()
    for path in sorted(ROOM.glob(KERNELS)):
        content = path.read_bytes()
        whole.update(f"{path.relative_to(ROOM).as_posix()} {len(content)}\n".encode())
        whole.update(content)
    return whole.hexdigest()[:16]


def _usable(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = folder.stat()
        if hasattr(os, "getuid") and (state.st_uid != os.getuid() or state.st_mode & 0o022):
            return False
        os.utime(folder)  # it is in use
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def _remove_unused(folder: Path) -> None:
    """Remove kernels of other versions that nobody has used for long."""
    for other in folder.parent.glob("kernels-*"):
        with contextlib.suppress(OSError):
            if other != folder and time.time() - other.stat().st_mtime > UNUSED:
                shutil.rmtree(other)
