"""What the verifier lets a folder cost it: bytes, unzipped bytes and steps; and how it reads what others wrote.

A publisher may want the check to run on for ever, or to fill the memory. So nothing is read, unzipped or searched
beyond a limit. Giving up is no verdict against the release: it raises LeftOpenError, and the answer is "not checked".
"""

from __future__ import annotations

import functools
import hashlib
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sordino.errors import InputError

__all__ = [
    "Effort",
    "LeftOpenError",
    "digest",
    "read_bytes",
    "readable_json",
    "strict_json",
    "unzipped",
    "unzipped_pieces",
]

CHUNK = 1 << 20
GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00"  # one bare member: no name, no comment, no time


class LeftOpenError(InputError):
    """Something was not looked at; the text says what, and what would be needed."""


class _TwiceError(ValueError):
    """Two values under one name in a JSON object."""


class Effort:
    """A number of steps that may be spent; about a second for every hundred million."""

    def __init__(self, limit: int, what: str) -> None:
        self.left, self._what = limit, what

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise LeftOpenError(f"{self._what} would take too long, and was given up")


def read_bytes(path: Path, limit: int) -> bytes:
    """The content of a file, if it is not larger than the limit."""
    try:
        if path.stat().st_size <= limit:
            return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path.name} cannot be read ({error.strerror})") from None
    raise LeftOpenError(f"{path.name} is larger than {size(limit)}, which is too much to be read")


def digest(path: Path, expected: int) -> str | None:
    """The sha256 of a file of the expected size; None if it has another."""
    try:
        if path.stat().st_size != expected:
            return None
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path.name} cannot be read ({error.strerror})") from None


def unzipped(raw: bytes, name: str, limit: int, *, bare: bool = True) -> bytes:
    """What the gzip bytes hold, if that is not more than the limit.

    bare: an InputError if there is anything beside it: a name, a comment or a time in the head, a second part, bytes
    at the end.
    """
    return b"".join(unzipped_pieces(raw, name, limit, bare=bare))


def unzipped_pieces(raw: bytes, name: str, limit: int, *, bare: bool = True) -> Iterator[bytes]:
    """The same, piece by piece."""
    if bare and not raw.startswith(GZIP_HEADER):
        raise InputError(f"{name}: not plain gzip, its head holds a name, a comment or a time")
    room = limit
    while raw:
        unzip = zlib.decompressobj(wbits=31)
        while raw and not unzip.eof:
            try:
                part = unzip.decompress(raw, min(room + 1, CHUNK))
            except zlib.error:
                raise InputError(f"{name}: the gzip data are damaged") from None
            room -= len(part)
            if room < 0:
                raise LeftOpenError(f"{name}: more than {size(limit)} when unzipped, which is too much")
            yield part
            raw = unzip.unconsumed_tail if not unzip.eof else b""
        if not unzip.eof:
            raise InputError(f"{name}: the gzip data are damaged")
        raw = unzip.unused_data
        if raw and bare:
            raise InputError(f"{name}: something stands after the end of the gzip data")


def strict_json(content: bytes | str, name: str) -> Any:
    """The JSON content; an InputError if it is damaged, or says something twice in one object."""
    try:
        text = content if isinstance(content, str) else content.decode("utf-8")  # Python would take UTF-16, too
        return json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)
    except _TwiceError:
        raise InputError(f"{name} says something twice") from None
    except (ValueError, RecursionError):
        raise InputError(f"{name} is not valid JSON") from None


def readable_json(content: Any) -> bytes:
    """The one way in which a readable JSON file is written."""
    return (_readable(content, "\n") + "\n").encode("utf-8", "surrogatepass")


def _readable(value: Any, line: str) -> str:
    """What `json.dumps(value, indent=2, ensure_ascii=False)` makes, on a line that begins so.

    Python's own indents with an encoder in Python, which takes six times as long; here that in C writes what holds
    nothing that has to be indented again.
    """
    inner = f"{line}  "
    if isinstance(value, dict) and value:
        if not any(isinstance(part, _DEEPER) and part for part in value.values()):
            return f"{{{inner}{_flat(inner).encode(value)[1:-1]}{line}}}"
        parts = (f"{_name(name)}: {_readable(part, inner)}" for name, part in value.items())
        return f"{{{inner}{f',{inner}'.join(parts)}{line}}}"
    if isinstance(value, list | tuple) and value:
        if not any(isinstance(part, _DEEPER) and part for part in value):
            return f"[{inner}{_flat(inner).encode(value)[1:-1]}{line}]"
        return f"[{inner}{f',{inner}'.join(_readable(part, inner) for part in value)}{line}]"
    return _flat(inner).encode(value)


_DEEPER = (dict, list, tuple)


def _name(name: Any) -> str:
    """A name in an object as JSON has it, which of a number is a text, too."""
    return _flat("").encode({name: 0})[1 : -len(": 0}")]


@functools.cache
def _flat(line: str) -> json.JSONEncoder:
    return json.JSONEncoder(ensure_ascii=False, separators=(f",{line}", ": "))


def size(number: int) -> str:
    """A number of bytes in words."""
    for unit, step in (("GiB", 1 << 30), ("MiB", 1 << 20)):
        if number >= step:
            return f"{number / step:,.3g} {unit}"
    return f"{number:,} bytes"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise _TwiceError
    return content


def _refuse(constant: str) -> Any:
    raise ValueError(constant)
