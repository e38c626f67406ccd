"""Putting a folder in place whole or not at all, and leaving nothing behind, whenever the process dies.

Everything is prepared in a hidden folder beside the target, `.NAME.sordino-<random>/new`, on the same file system.
What is in it is on the disk (fsync) before it moves. Then:

- **The target is not there**, or is an empty folder: one rename. It is there whole, or not.
- **The target is an older release**: one exchange of the two names (renameat2, RENAME_EXCHANGE; Linux). At every
  moment the target is the old release or the new one. Afterwards the old one is what lies in the hidden folder, and
  goes with it.
- **No exchange on this system**: the target moves to `old` in the hidden folder, and `new` moves to the target.
  Between the two renames the target has no name, but the old release is whole, and if the process dies there it is put
  back: by the guard if only the process died, by the next run if the machine did. So it ends with the old release or
  with the new one.

The hidden folder itself must not stay behind either, and a process that is killed (kill -9) cannot clean up. So a
guard, a very small process of its own session, is started before the folder is made. It waits for the end of its
standard input, which comes when this process closes the pipe or dies, however it dies; then it removes the folder (and
puts `old` back if the target is gone). If the guard dies too, as in a power failure, the next run with the same target
removes the folder: the lock on it, which the system drops with its holder, tells that nobody uses it any more.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sordino.errors import InputError
from sordino.release.manifest import MANIFEST

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has no such locks: what a power failure left stays there
    fcntl = None  # type: ignore[assignment]

__all__ = ["Staging", "check_target", "staged"]

KEEP, PUBLISH = "keep", "publish"
GRACE = 60  # seconds: a folder that was made just now may not be locked yet
AT_FDCWD, RENAME_EXCHANGE = -100, 2

GUARD = """
import os, shutil, signal, sys
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    if hasattr(signal, name):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
stage, target = sys.argv[1:]
sys.stdin.buffer.read()
old = os.path.join(stage, "old")
if os.path.isdir(old) and not os.path.lexists(target):
    os.rename(old, target)
shutil.rmtree(stage, ignore_errors=True)
"""


def check_target(folder: str | os.PathLike[str], *, force: bool, sources: tuple[str | None, ...] = ()) -> Path:
    """The folder (links followed) if a release may be put there; an InputError otherwise. Nothing is changed."""
    where = os.fspath(folder)
    target = Path(os.path.realpath(where))
    if not target.parent.is_dir():
        raise InputError(
            "there is no such folder to write into", where=where, hint=f"Make it first: mkdir -p {target.parent}"
        )
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(f"no permission to write into {target.parent}", where=where)
    for source in sources:
        if source is not None and Path(os.path.realpath(source)).is_relative_to(target):
            raise InputError("the release would replace its own input", where=where, hint="Choose another folder.")
    if not os.path.lexists(target):
        return target
    if not target.is_dir():
        raise InputError("there is already a file of this name", where=where, hint="Choose another folder.")
    if not force:
        raise InputError(
            "this folder is already there; nothing was written",
            where=where,
            hint="Choose another folder, or replace the release in it with --force (in Python force=True).",
        )
    inside = set(os.listdir(target))
    if inside and not ((target / PUBLISH / MANIFEST).is_file() and inside <= {PUBLISH, KEEP}):
        raise InputError(
            "this folder is not a release, or holds more than one; it is not replaced",
            where=where,
            hint="Choose another folder, or move away what is in it.",
        )
    return target


class Staging:
    """A folder in the making. Files are written by `write`; `place` moves it to its target."""

    def __init__(self, stage: Path, target: Path) -> None:
        self._stage = stage
        self.target = target
        self.new = stage / "new"

    def write(self, name: str, content: bytes) -> None:
        """Write the file `name` ("publish/README.txt") and bring it to the disk."""
        path = self.new / name
        path.parent.mkdir(exist_ok=True, parents=True)
        with open(path, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())

    def place(self, *, force: bool) -> None:
        """Move the folder to its target; see above why nothing can be lost."""
        for folder in [*(path for path in self.new.iterdir() if path.is_dir()), self.new, self._stage]:
            _sync_folder(folder)
        check_target(self.target, force=force)  # it may have appeared in the meantime
        if self.target.is_dir() and os.listdir(self.target):
            if not exchange(self.new, self.target):
                os.rename(self.target, self._stage / "old")
                os.rename(self.new, self.target)
        else:
            os.rename(self.new, self.target)
        _sync_folder(self.target.parent)


@contextmanager
def staged(target: Path) -> Iterator[Staging]:
    """A staging folder for `target`, which is gone afterwards, whatever happens; OSErrors become InputErrors."""
    try:
        _remove_stale(target)
        stage = target.with_name(f"{_prefix(target)}{secrets.token_hex(6)}")
        with _guarded(stage, target), _made(stage, target):
            yield Staging(stage, target)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(
            f"the release cannot be written ({reason}); nothing was changed",
            where=str(target),
            hint="Make room or choose another folder, and run again.",
        ) from None


def _prefix(target: Path) -> str:
    return f".{target.name}.sordino-"


@contextmanager
def _guarded(stage: Path, target: Path) -> Iterator[None]:
    """Within, a guard watches over the folder. Without a guard (no processes allowed) the next run has to clean up."""
    guard: subprocess.Popen[bytes] | None = None
    try:
        with contextlib.suppress(OSError, TypeError):  # no more processes, or no known Python to run
            guard = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", GUARD, str(stage), str(target)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/" if os.name == "posix" else None,
                start_new_session=True,  # so that Ctrl-C does not reach it
            )
        yield
    finally:
        if guard is not None and guard.stdin is not None:
            guard.stdin.close()
            guard.wait()


@contextmanager
def _made(stage: Path, target: Path) -> Iterator[None]:
    lock = None
    try:
        stage.mkdir(mode=0o700)
        lock = _lock(stage)
        (stage / "new").mkdir()
        yield
    finally:
        _clear(stage, target)
        if lock is not None:
            os.close(lock)


def _clear(stage: Path, target: Path) -> None:
    """Remove a staging folder; the old release goes back if its place is empty. The guard does the same."""
    if (stage / "old").is_dir() and not os.path.lexists(target):
        os.rename(stage / "old", target)
    shutil.rmtree(stage, ignore_errors=True)


def _lock(stage: Path) -> int | None:
    """A lock on the folder that ends with this process, or None if somebody else has it or there are no locks."""
    if fcntl is None:
        return None
    handle = os.open(stage, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _remove_stale(target: Path) -> None:
    """Remove what a dead run with the same target left; put back the old release if it died between two renames."""
    for entry in os.scandir(target.parent):
        if not entry.name.startswith(_prefix(target)) or not entry.is_dir(follow_symlinks=False):
            continue
        if time.time() - entry.stat(follow_symlinks=False).st_mtime < GRACE:
            continue
        stage = Path(entry.path)
        lock = _lock(stage)
        if lock is None:
            continue
        try:
            _clear(stage, target)
        finally:
            os.close(lock)


def exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step; False if this system cannot, and then nothing has happened."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):
        return False
    rename.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    result: int = rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE)
    return result == 0


def _sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some file systems cannot sync a folder; the files are synced all the same
        pass
    finally:
        os.close(handle)
