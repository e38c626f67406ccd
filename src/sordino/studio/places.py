"""The files that may be opened: those of the folders named at the start, by their number in a list, never by a path."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sordino.errors import InputError

__all__ = ["DATABASE", "Place", "Places", "bare_name", "from_here"]

SUFFIXES = re.compile(
    r"\.(csv|tsv|txt|dat|fimi|basket|parquet|pq|jsonl|ndjson|json|arrow|feather|xlsx)(\.(gz|zst|bz2|xz))?$|\.zip$",
    re.IGNORECASE,
)
DATABASE = re.compile(r"\.(duckdb|ddb|sqlite|sqlite3)$", re.IGNORECASE)
DEPTH = 3  # folders below one that was named
MOST = 2000  # files that are listed
FORBIDDEN = re.compile(r"[\x00-\x1f\x7f/\\:]")


@dataclass(frozen=True)
class Place:
    """A file or release folder: where it is, and how it is shown."""

    path: Path
    name: str


def from_here(path: Path) -> str:
    """The path as one would type it here."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


class Places:
    """The folders and files named at the start."""

    def __init__(self, named: Iterable[Path]) -> None:
        self._folders: list[Path] = []
        self._files: list[Path] = []
        for one in named:
            if not one.exists():
                raise InputError("there is no such file or folder", where=str(one))
            (self._folders if one.is_dir() else self._files).append(one.resolve())

    def files(self) -> list[Place]:
        """The data files, those named by themselves first."""
        found = [Place(path, path.name) for path in self._files if not DATABASE.search(path.name)]
        for folder in self._folders:
            for path in _walk(folder, DEPTH):
                if path.is_file() and SUFFIXES.search(path.name) and len(found) < MOST:
                    found.append(Place(path, str(path.relative_to(folder.parent))))
        return found

    def databases(self) -> list[Place]:
        """The files of databases among them."""
        named = [Place(path, path.name) for path in self._files if DATABASE.search(path.name)]
        for folder in self._folders:
            below = (path for path in _walk(folder, DEPTH) if path.is_file() and DATABASE.search(path.name))
            named += [Place(path, str(path.relative_to(folder.parent))) for path in below]
        return named[:MOST]

    def releases(self, *more: Path) -> list[Place]:
        """The release folders among them, and in `more` folders."""
        found: list[Place] = []
        for folder in (*self._folders, *(one.resolve() for one in more if one.is_dir())):
            for path in (folder, *_walk(folder, DEPTH)):
                if path.is_dir() and (path / "publish" / "manifest.json").is_file() and len(found) < MOST:
                    found.append(Place(path, str(path.relative_to(folder.parent))))
        return list({place.path: place for place in found}.values())


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    """What lies in a folder and the folders below; hidden things, and links that lead out of it, are left out."""
    waiting = [(folder, 0)]
    while waiting:
        here, level = waiting.pop()
        try:
            inside = sorted(here.iterdir())
        except OSError:
            continue
        for path in inside:
            if path.name.startswith(".") or not path.resolve().is_relative_to(folder):
                continue
            yield path
            if path.is_dir() and not path.is_symlink() and level + 1 < depth:
                waiting.append((path, level + 1))


def bare_name(name: str) -> str:
    """The name of a file that somebody sends, if it may be one here; an InputError otherwise."""
    last = re.split(r"[/\\]", name)[-1].strip()
    if not last or last.startswith(".") or FORBIDDEN.search(last) or len(last.encode()) > 200:
        raise InputError("this is no name for a file", hint="Use letters and digits, and no more than 200 of them.")
    return last
