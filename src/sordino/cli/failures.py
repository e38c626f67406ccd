"""What the user sees when a command cannot do its work: one message on stderr, without record contents.

Names that the data hold are shown as suggestions, and only if stderr is a terminal: messages may go into logs.
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path

import sordino
from sordino.cli.page import clean
from sordino.errors import InternalError, SordinoError

__all__ = ["tell_failure"]

SHOWN = 200  # letters of a name in a message
BAD = 2  # the exit code for whatever is neither "holds" nor "does not hold"


def tell_failure(error: Exception) -> int:
    """Print what went wrong, and return the exit code."""
    if os.environ.get("SORDINO_DEBUG"):
        traceback.print_exception(error)
    elif isinstance(error, InternalError):
        _print(f"this is a bug in sordino: {error}\n  Please report it. Nothing was written.")
    elif isinstance(error, SordinoError):
        _print(str(error) + _suggested(error))
    elif isinstance(error, MemoryError):
        _print("there is not enough memory for this file")
    elif isinstance(error, OSError) and error.strerror:  # a place that the user named: a disk, a file, a folder
        place = "" if error.filename is None else f"{str(error.filename)[:SHOWN]}: "
        _print(f"{place}cannot be read or written ({error.strerror})\n  Choose another place or name.")
    else:  # the text of a foreign exception may quote a record: only its type and place are told
        _print(
            f"this is a bug in sordino: {type(error).__name__} at {_place(error)}\n"
            "  Please report it, with this line. SORDINO_DEBUG=1 shows the whole traceback, which may quote your data."
        )
    return BAD


def _suggested(error: SordinoError) -> str:
    """What an error suggests, on a terminal; elsewhere, what is printed may be kept, and the data stay unnamed."""
    if not error.suggestions:
        return ""
    if sys.stderr.isatty():
        return "".join(f"\n  {clean(suggestion)}" for suggestion in error.suggestions)
    return "\n  On a terminal, this message also names what the data hold instead."


def _print(message: str) -> None:
    print(f"Error: {message}", file=sys.stderr)


def _place(error: Exception) -> str:
    """File and line of the innermost frame that is ours."""
    home = Path(sordino.__file__).parent
    place = "an unknown place"
    for frame in traceback.extract_tb(error.__traceback__):
        file = Path(frame.filename)
        if file.is_relative_to(home):
            place = f"{file.relative_to(home.parent)}:{frame.lineno}"
    return place
