"""Standard output that survives a closed pipe and a narrow encoding, and output files that are whole or not there."""

from __future__ import annotations

import contextlib
import io
import os
import secrets
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from sordino.errors import InputError

__all__ = ["check_targets", "close_quietly", "prepare", "say", "write_whole"]

SHOWN = 200  # letters of a name in a message


def prepare() -> None:
    """Names that the terminal's encoding lacks are shown escaped instead of ending the run.

    Streams that are closed, as some services start their programs, lead nowhere.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say(text: str) -> None:
    """Write text to standard output. That nobody reads on (`| head`) is no failure, and leaves the exit code alone."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
    except OSError as error:
        _discard_output()
        raise InputError(f"cannot write to standard output: {error.strerror}") from None


def close_quietly() -> None:
    """Flush what is left, so that the interpreter finds nothing to complain about when it ends."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        _discard_output()


def _discard_output() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def check_targets(targets: dict[str, Path | None], sources: Sequence[str | Path | None]) -> None:
    """Refuse, before any work, output files (option -> path) that cannot be written or would overwrite an input."""
    taken = {Path(source).resolve(): "an input of this command" for source in sources if source is not None}
    for option, path in targets.items():
        if path is None:
            continue
        where = f"{option} {path}"
        with _told(where):
            folder, exists = path.resolve().parent, os.path.lexists(path)
            if path.is_dir():
                raise InputError("this is a folder, not a file", where=where)
            if exists and not path.is_file():
                raise InputError("this is not a regular file", where=where)
            if not folder.is_dir():
                raise InputError("there is no such folder to write into", where=where)
            if not os.access(folder, os.W_OK | os.X_OK):
                raise InputError(f"{folder} cannot be written into", where=where, hint="Choose another folder.")
            if path.resolve() in taken:
                raise InputError(f"this file is {taken[path.resolve()]}", where=where, hint="Give it another name.")
            taken[path.resolve()] = f"also the target of {option}"


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    with _told(str(path)):
        path = path.resolve()  # a link keeps pointing where it points
        part = path.with_name(f".sordino-{os.getpid()}-{secrets.token_hex(4)}.part")  # short, whatever the name
        try:
            part.write_bytes(content)
            os.replace(part, path)
        finally:
            with contextlib.suppress(OSError):  # a disk that is read-only refuses even to look whether it is there
                part.unlink(missing_ok=True)


@contextlib.contextmanager
def _told(where: str) -> Iterator[None]:
    """What the system refuses is told as an InputError."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"cannot be written or read ({error.strerror})",
            where=where if len(where) <= SHOWN else f"{where[:SHOWN]}...",
            hint="Choose another place or name.",
        ) from None
