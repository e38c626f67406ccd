"""What a manifest says, and what follows from it for whoever checks the release.

Each shape of release has a class of its own (verify/shapes): what its manifest states, which files lie beside it, and
how the data are judged. How a manifest is written in its file: `manifest_file`.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

from sordino.errors import InternalError
from sordino.policy.kinds import Policy
from sordino.verify.asked import Asked
from sordino.verify.verdict import Verdict

__all__ = [
    "IDS",
    "KEEP",
    "MANIFEST",
    "PAGE",
    "PUBLISH",
    "README",
    "REPORT",
    "FileEntry",
    "Manifest",
    "describe",
    "whole_list",
    "whole_number",
    "whole_text",
]

PUBLISH, KEEP = "publish", "keep"  # the parts of a release folder: what leaves the house, and what stays
MANIFEST, README, REPORT, PAGE = "manifest.json", "README.txt", "report.html", "check.html"
IDS = ("keep", "renumber", "shuffle")  # what became of the order and the ids of records


@dataclass(frozen=True)
class FileEntry:
    """Size and sha256 of a published file."""

    bytes: int
    sha256: str


def describe(content: bytes | Path) -> FileEntry:
    """The entry for a file of this content, or at this path."""
    if isinstance(content, Path):
        with open(content, "rb") as file:
            return FileEntry(content.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())
    return FileEntry(len(content), hashlib.sha256(content).hexdigest())


@dataclass(frozen=True, kw_only=True)
class Manifest(ABC):
    """What every manifest says, as far as it matters for checking. Shapes add fields of their own."""

    shape: ClassVar[str]
    takes: ClassVar[frozenset[str]]  # what may be stated beside the policy: "original", and entries of FORM

    method: str
    records: int
    file: str  # the name of the data file
    policy: Policy
    files: Mapping[str, FileEntry] = field(default_factory=dict)
    version: str = ""  # of the program that wrote it

    @abstractmethod
    def document(self) -> dict[str, Any]:
        """The entries that belong to the shape, "data" and "policy" among them, as plain data."""

    @classmethod
    @abstractmethod
    def read(cls, document: Mapping[str, Any], common: Mapping[str, Any]) -> Self:
        """The manifest from such entries; `common` are the arguments that all manifests share.

        KeyError, TypeError, ValueError, AttributeError or PolicyError if they are not what they should be.
        """

    @abstractmethod
    def needed(self) -> frozenset[str]:
        """The names of the published files besides README, report, page and manifest."""

    @abstractmethod
    def different(self, stated: Policy) -> str | None:
        """In what the release is about another policy than the stated one, however that was written; None if in
        nothing."""

    @abstractmethod
    def judge(self, publish: Path, asked: Asked) -> tuple[Verdict, Any]:
        """Read the published data and check them against the stated policy, or else the published one.

        Also the data, for whoever compares the texts with them. The checksums have been checked. InputError or
        PolicyError if something is not as the manifest says, LeftOpenError if it could not be looked at; the verdict
        will say so.
        """

    @abstractmethod
    def found(self, verdict: Verdict) -> tuple[str, ...]:
        """A verdict that holds, in sentences: the first in one line, then the details; its notes are told apart."""

    def read_original(self, source: object, asked: Asked) -> Any:
        """The data before protection. Only shapes that take them have a reading of their own; others are not asked."""
        del source, asked
        raise InternalError(f"releases of the shape '{self.shape}' are checked without the original data")


def whole_text(value: object) -> str:
    """The value if it is a text; a TypeError otherwise."""
    if not isinstance(value, str):
        raise TypeError
    return value


def whole_number(value: object) -> int:
    """The value if it is a whole number, 0 or more; a TypeError otherwise."""
    if type(value) is not int or value < 0:
        raise TypeError
    return value


def whole_list(value: object) -> list[Any]:
    """The value if it is a list; a TypeError otherwise."""
    if not isinstance(value, list):
        raise TypeError
    return value
