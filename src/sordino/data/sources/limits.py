"""How many bytes packed data may unpack to, whatever they are packed in."""

from __future__ import annotations

import os

from sordino.errors import InputError

__all__ = ["AT_ONCE", "LIMIT_VARIABLE", "MOST_BYTES", "check_size", "size_limit", "too_large"]

AT_ONCE = 1 << 20  # bytes unpacked at a time
MOST_BYTES = 8_000_000_000  # unpacked, where memory allows that and nothing else is stated
LIMIT_VARIABLE = "SORDINO_MAX_BYTES"


def size_limit() -> int:
    """How many bytes packed data may unpack to: $SORDINO_MAX_BYTES, else 8 GB or an eighth of the memory if less.

    Records take several times the room of their text.
    """
    stated = os.environ.get(LIMIT_VARIABLE, "").strip()
    if stated:
        if not (stated.isascii() and stated.isdigit() and int(stated) > 0):
            raise InputError(f"{LIMIT_VARIABLE} must be a number of bytes, for example 20000000000")
        return int(stated)
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not known on this system
        return MOST_BYTES
    return min(MOST_BYTES, memory // 8) if memory > 0 else MOST_BYTES


def check_size(size: int, what: str, where: str) -> None:
    """InputError if so many bytes are more than the limit for packed data."""
    if size > size_limit():
        raise too_large(size_limit(), what, where)


def too_large(most: int, what: str, where: str, *, stated: bool = False) -> InputError:
    """The error for data that unpack to more; `stated`: the limit is not the user's to change."""
    more = f"If this is no trap and memory suffices, set {LIMIT_VARIABLE} to a larger number of bytes."
    return InputError(
        f"{what} unpacks to more than {most:,} bytes, the limit", where=where, hint=None if stated else more
    )
