"""What a release says to people: README, promises, report. One class a shape, which words what follows from a manifest.

The texts are made from the manifest and the published data alone, so whoever verifies makes them again and compares
(`check`). Which class words which shape: `wording`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from sordino.report.documents import Seen
from sordino.verify.manifest import MANIFEST

__all__ = ["OURS", "Texts"]

# What the verifier has in common with the rest of the program, wherever that is told to those who receive a release.
OURS = (
    "that shares no code with the audit and the methods; it shares the readers and writers of files, and what a policy "
    "means"
)


class Texts(ABC):
    """The sentences of one shape. `Any` policies and manifests are those of the shape."""

    files = "the data"  # what `sordino verify` reads
    proved = "what is guaranteed was found to be true"  # what `sordino verify` tells of the promise by its 0

    def __init__(self, policy: Any, manifest: Any = None) -> None:
        self.policy, self.manifest = policy, manifest

    @abstractmethod
    def guaranteed(self) -> tuple[str, ...]:
        """What holds for the published data, in sentences that follow from the policy alone."""

    @abstractmethod
    def not_guaranteed(self) -> tuple[str, ...]:
        """Where the guarantee ends; these follow from the policy alone, too."""

    @abstractmethod
    def about(self) -> tuple[str, ...]:
        """What the data are, and what was done to them."""

    @abstractmethod
    def about_policy(self) -> str:
        """Where to find what is protected."""

    @abstractmethod
    def about_check(self) -> tuple[str, str]:
        """Why one need not trust, and what `sordino verify` does after it has compared the files and read the data."""

    def how_to_check(self) -> tuple[str, str]:
        """What to tell before the command that verifies, and after it."""
        why, what = self.about_check()
        return why, f"It compares every file with its checksum in {MANIFEST}, reads {self.files}, {what}"

    @abstractmethod
    def seen(self, data: Any) -> Seen:
        """What the report for everybody shows of the data, as judging them has read them."""
