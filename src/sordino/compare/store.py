"""Results that are never computed twice: a small file each, named by everything that the result depends on.

A result holds numbers only, no item and no record. A file is there whole or not at all, so a run that was interrupted
goes on where it stopped; one that cannot be read is computed again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sordino.errors import InputError

__all__ = ["Store", "cache_folder", "write_atomically"]

Plain = dict[str, Any]


def cache_folder() -> Path:
    """$SORDINO_CACHE, or sordino's place among the caches of this user."""
    stated = os.environ.get("SORDINO_CACHE")
    if stated:
        return Path(stated)
    caches = os.environ.get("XDG_CACHE_HOME")
    return (Path(caches) if caches else Path.home() / ".cache") / "sordino"


class Store:
    """Finished results in a folder; in memory only if there is none."""

    def __init__(self, folder: Path | None, *, fresh: bool = False) -> None:
        self._folder = folder
        self._fresh = fresh
        self._memory: dict[str, Plain] = {}
        self.found = 0  # results that were there already

    def result(self, parts: Mapping[str, Any], compute: Callable[[], Plain]) -> Plain:
        """The result for these parts: the stored one, or else what `compute` returns, which is stored."""
        known = self.known(parts)
        if known is not None:
            self.found += 1
            return known
        result = compute()
        key = _key(parts)
        self._memory[key] = result
        if self._folder is not None:
            content = json.dumps({"of": parts, "result": result}, indent=1, sort_keys=True, ensure_ascii=False)
            write_atomically(self._folder / f"{key}.json", f"{content}\n".encode())
        return result

    def known(self, parts: Mapping[str, Any]) -> Plain | None:
        """The result for these parts, if it is there."""
        key = _key(parts)
        return self._memory.get(key) or (None if self._fresh else self._read(key))

    def _read(self, key: str) -> Plain | None:
        if self._folder is None:
            return None
        try:
            content = json.loads((self._folder / f"{key}.json").read_bytes())
            result = content["result"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return result if isinstance(result, dict) else None


def _key(parts: Mapping[str, Any]) -> str:
    """The name of a result: everything that it depends on, in 32 letters."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:32]


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file, and its folder, so that it is there whole or not at all."""
    part = path.with_name(f".sordino-{os.getpid()}-{secrets.token_hex(4)}.part")  # short, whatever the name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        os.replace(part, path)
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", where=str(path)) from None
    finally:
        with contextlib.suppress(OSError):  # a disk that is read-only refuses even to look whether it is there
            part.unlink(missing_ok=True)
