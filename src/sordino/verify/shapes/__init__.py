"""The shapes of release there are: what a folder of one kind states, holds and must stand up to.

What is common to all releases (staging, checksums, the frame of manifest and README) is in the room itself. Adding a
shape: a module here with the functions of `Shape`, and a line below. A shape is named after the kind of its policy,
unless that kind has more than one shape. The modules belong to the verifier: they import neither audit nor methods.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, cast

from sordino.errors import InputError
from sordino.policy.kinds import Policy
from sordino.release.asked import Asked
from sordino.release.manifest import Manifest
from sordino.release.verdict import Verdict
from sordino.report.documents import Seen

__all__ = ["SHAPES", "Shape", "find_shape"]

SHAPES: Mapping[str, str] = {
    "inference": "sordino.release.shapes.inference",
    "absence": "sordino.release.shapes.absence",
    "sequel": "sordino.release.shapes.sequel",
    "promised": "sordino.release.shapes.promised",
    "template": "sordino.release.shapes.template",
    "generalized": "sordino.release.shapes.generalized",
    "generalized_absence": "sordino.release.shapes.generalized_absence",
    "permuted": "sordino.release.shapes.permuted",
    "diversity": "sordino.release.shapes.diversity",
}


class Shape(Protocol):
    """What the module of a shape must have. `Any` manifests and policies are those of the shape."""

    TAKES: frozenset[str]  # what may be stated beside the policy: "original", and entries of FORM

    def document(self, manifest: Any) -> dict[str, Any]:
        """The entries of the manifest that belong to the shape, "data" and "policy" among them, as plain data."""

    def read(self, document: Mapping[str, Any], common: Mapping[str, Any]) -> Manifest:
        """The manifest from such entries; `common` are the arguments that all manifests share.

        KeyError, TypeError, ValueError, AttributeError or PolicyError if they are not what they should be.
        """

    def guaranteed(self, policy: Any) -> tuple[str, ...]:
        """What holds for the published data, in sentences that follow from the policy alone."""

    def not_guaranteed(self, policy: Any) -> tuple[str, ...]:
        """Where the guarantee ends."""

    def about(self, manifest: Any) -> tuple[str, ...]:
        """For the README: what the data are, and what was done to them."""

    def about_policy(self, manifest: Any) -> str:
        """For the README: where to find what is protected."""

    def about_check(self, manifest: Any) -> tuple[str, str, str]:
        """For the README: why one need not trust, what `sordino verify` does, and what its 0 says of the promise."""

    def files(self, manifest: Any) -> frozenset[str]:
        """The names of the published files besides README and manifest."""

    def same(self, stated: Policy, published: Policy) -> bool:
        """Whether the release is about the stated policy, however that was written."""

    def different(self, stated: Policy, published: Policy) -> str | None:
        """In what it is about another policy; None if it is not."""

    def verify(self, publish: Path, manifest: Any, asked: Asked) -> tuple[Verdict, Seen]:
        """Read the published data and check them against the stated policy, or else the published one.

        Also what the report for everybody shows of them. The checksums have been checked. InputError or PolicyError if
        something is not as the manifest says, LeftOpenError if it could not be looked at; the verdict will say so.
        """

    def read_original(self, source: object, asked: Asked) -> Any:
        """The data before protection; only of shapes that take them."""

    def found(self, manifest: Any, verdict: Verdict) -> tuple[str, ...]:
        """A verdict that holds, in sentences: the first in one line, then the details; its notes are told apart."""


def find_shape(name: str) -> Shape:
    """The shape of this name."""
    if name not in SHAPES:
        raise InputError(f"this version knows no release of the kind {name!a}")
    return cast(Shape, importlib.import_module(SHAPES[name]))
