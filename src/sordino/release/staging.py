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
puts `old` back if the target is gone). If the guard dies too, as in a power failure, the next run that writes beside it
removes the folder: the lock on it, which the system drops with its holder, tells that nobody uses it any more.

**Who may read.** The hidden folder is its owner's alone from the moment it is made, whatever the umask; so nobody else
can read what is in the making, nor what a dead run left. So is `keep`, for good, and every file in it. `publish` has
the ordinary permissions.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import re
import secrets
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from sordino.data.databases.address import is_address
from sordino.errors import InputError
from sordino.verify.manifest import KEEP, MANIFEST, PUBLISH
from sordino.verify.signature import SIGNATURE

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has no such locks: what a power failure left stays there
    fcntl = None  # type: ignore[assignment]

__all__ = ["Staging", "check_target", "remove_stale", "staged"]

KEPT = re.compile(  # what a release puts into `keep`, and what file managers leave everywhere
    r"(audit\.json|joint\.json\.gz|report\.html|policy\.toml|(changes|records|choices|exceptions|links)\.parquet|(given-)?rules\.csv"
    r"|hierarchy[-_]?\d*\.(json|csv)|\.DS_Store|Thumbs\.db)"
)
LEFT = (".DS_Store", "Thumbs.db")
OWNER_FOLDER, OWNER_FILE = 0o700, 0o600
TARGET = "target"  # the file in a staging folder that holds the name of its target
STAGE = re.compile(r"\.(?P<name>.+)\.sordino-[0-9a-f]{12}", re.DOTALL)
LONGEST = 200  # bytes of the target's name in that of the staging folder; file systems allow 255
TRIES = 20
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
    try:
        target = Path(os.path.realpath(where))
        os.lstat(target)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or "no name for a folder"
        raise InputError(f"the release cannot be written there ({reason})", where=ascii(where)[1:-1]) from None
    if not os.path.isdir(target.parent):
        raise InputError(
            "there is no such folder to write into", where=where, hint=f"Make it first: mkdir -p {target.parent}"
        )
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(f"no permission to write into {target.parent}", where=where)
    for source in sources:
        if source is not None and not is_address(source) and Path(os.path.realpath(source)).is_relative_to(target):
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
    if not _is_ours(target):
        raise InputError(
            "this folder is not a release, or holds more than one; it is not replaced",
            where=where,
            hint="Choose another folder, or move away what is in it.",
        )
    return target


def _is_ours(target: Path) -> bool:
    """Whether a folder is empty, or holds a release and nothing that we did not write: that could not be made again."""
    inside = set(os.listdir(target))
    if not inside:
        return True
    if not inside <= {PUBLISH, KEEP} or PUBLISH not in inside:
        return False
    try:
        manifest = json.loads((target / PUBLISH / MANIFEST).read_bytes())
        listed = {MANIFEST, SIGNATURE, *LEFT, *manifest["files"]}
        ours = manifest["sordino"] is not None and set(os.listdir(target / PUBLISH)) <= listed
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False
    return ours and (KEEP not in inside or all(map(KEPT.fullmatch, os.listdir(target / KEEP))))


class Staging:
    """A folder in the making. Files are written by `write`; `place` moves it to its target."""

    def __init__(self, stage: Path, target: Path) -> None:
        self._stage = stage
        self.target = target
        self.new = stage / "new"

    def write(self, name: str, content: bytes) -> None:
        """Write the file `name` ("publish/README.txt") and bring it to the disk. What is kept is the owner's alone."""
        with self.opened(name) as file:
            file.write(content)

    @contextmanager
    def opened(self, name: str) -> Iterator[IO[bytes]]:
        """The same for a file that is written piece by piece."""
        part, _, _ = name.partition("/")
        private = part == KEEP
        _make_folder(self.new / part, private=private)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        handle = os.open(self.new / name, flags, OWNER_FILE if private else 0o666)
        with open(handle, "wb") as file:
            if private:
                os.chmod(self.new / name, OWNER_FILE)  # the umask may take more away, a default ACL give more
            yield file
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
        remove_stale(target.parent)
        with contextlib.ExitStack() as stack:
            yield Staging(_opened(target, stack), target)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(
            f"the release cannot be written ({reason}); nothing was changed",
            where=str(target),
            hint="Make room or choose another folder, and run again.",
        ) from None


class _TakenError(Exception):
    """Somebody who clears away came between making the folder and locking it."""


def _opened(target: Path, stack: contextlib.ExitStack) -> Path:
    """A new staging folder; leaving the stack removes it."""
    for _ in range(TRIES):
        short = os.fsencode(target.name)[:LONGEST].decode("utf-8", "ignore")
        stage = target.with_name(f".{short}.sordino-{secrets.token_hex(6)}")
        with contextlib.ExitStack() as own, contextlib.suppress(_TakenError):
            own.enter_context(_guarded(stage, target))
            own.enter_context(_made(stage, target))
            stack.push(own.pop_all())
            return stage
    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))


def _make_folder(path: Path, *, private: bool) -> None:
    """Make a folder, unless it is there; a private one is its owner's alone, whatever the umask."""
    try:
        path.mkdir(mode=OWNER_FOLDER if private else 0o777)
    except FileExistsError:
        return
    if private:
        os.chmod(path, OWNER_FOLDER)


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
        _make_folder(stage, private=True)
        lock = _lock(stage)
        if not _is(lock, stage):
            raise _TakenError
        (stage / TARGET).write_bytes(os.fsencode(target.name))
        (stage / "new").mkdir()
        yield
    finally:
        _clear(stage, target)
        if lock is not None:
            os.close(lock)


def _clear(stage: Path, target: Path) -> None:
    """Remove a staging folder; the old release goes back if its place is empty. The guard does the same."""
    if (stage / "old").is_dir() and not os.path.lexists(target):
        try:
            os.rename(stage / "old", target)
        except OSError as error:
            raise InputError(
                f"the old release could not be put back ({error.strerror})",
                where=str(target),
                hint=f"It is whole, and lies in {stage / 'old'}: move it back.",
            ) from None
    shutil.rmtree(stage, ignore_errors=True)


def _lock(stage: Path) -> int | None:
    """A lock on the folder that ends with this process, or None if there are no locks here.

    _TakenError if somebody else has it, or the folder is gone.
    """
    if fcntl is None:
        return None
    try:
        handle = os.open(stage, os.O_RDONLY)
    except FileNotFoundError:
        raise _TakenError from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise _TakenError from None
    except OSError:
        os.close(handle)
        return None
    return handle


def _is(lock: int | None, stage: Path) -> bool:
    """Whether the folder of this name is still the one that was locked."""
    if lock is None:
        return True
    try:
        there, held = os.stat(stage), os.fstat(lock)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino)


def remove_stale(folder: Path) -> None:
    """Remove what dead runs left in a folder; put back an old release if one died between two renames.

    Those of other users are left alone, and so are those of living runs, which hold their locks.
    """
    try:
        entries = [entry for entry in os.scandir(folder) if STAGE.fullmatch(entry.name)]
    except OSError:  # a folder may be written into, but not be listed
        return
    for entry in entries:
        with contextlib.suppress(_TakenError, OSError):
            about = entry.stat(follow_symlinks=False)
            if not stat.S_ISDIR(about.st_mode) or (hasattr(os, "geteuid") and about.st_uid != os.geteuid()):
                continue
            stage = Path(entry.path)
            lock = _lock(stage)
            if lock is None:  # without locks nobody can tell whether the run lives
                continue
            try:
                if _is(lock, stage):
                    _clear(stage, stage.with_name(_target_name(stage)))
            finally:
                os.close(lock)


def _target_name(stage: Path) -> str:
    """The name of the target of a staging folder."""
    try:
        name = os.fsdecode((stage / TARGET).read_bytes())
    except FileNotFoundError:
        name = ""
    found = STAGE.fullmatch(stage.name)
    return name or (found["name"] if found else stage.name)


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
    """Bring the names in a folder to the disk, where the system can. Where it cannot, the files are synced all the
    same; a release that is in place must not be reported as failed because of it."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
