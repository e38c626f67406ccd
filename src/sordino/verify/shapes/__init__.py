"""The shapes of release there are: what a folder of one kind states, holds and must stand up to.

Adding a shape: a subclass of `Manifest` in a module here, and a line below. A shape is named after the kind of its
policy, unless that kind has more than one shape.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import cast

from sordino.errors import InputError
from sordino.verify.manifest import Manifest

__all__ = ["SHAPES", "find_shape"]

SHAPES: Mapping[str, str] = {
    "inference": "sordino.verify.shapes.inference:InferenceManifest",
    "absence": "sordino.verify.shapes.absence:AbsenceManifest",
    "sequel": "sordino.verify.shapes.sequel:SequelManifest",
    "promised": "sordino.verify.shapes.promised:PromisedManifest",
    "template": "sordino.verify.shapes.template:TemplateManifest",
    "generalized": "sordino.verify.shapes.generalized:GeneralizedManifest",
    "generalized_absence": "sordino.verify.shapes.generalized:GeneralizedAbsenceManifest",
    "permuted": "sordino.verify.shapes.permuted:PermutedManifest",
    "diversity": "sordino.verify.shapes.diversity:DiversityManifest",
}


def find_shape(name: str) -> type[Manifest]:
    """The manifests of this shape."""
    if name not in SHAPES:
        raise InputError(f"this version knows no release of the kind {name!a}")
    module, _, called = SHAPES[name].partition(":")
    return cast(type[Manifest], getattr(importlib.import_module(module), called))
