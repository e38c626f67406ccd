"""Who words what a release of which shape says. Adding a shape: its `Texts` in a folder here, and a line below."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import cast

from sordino.release.texts import Texts
from sordino.verify.manifest import Manifest

__all__ = ["TEXTS", "texts_of"]

TEXTS: Mapping[str, str] = {
    "inference": "sordino.release.baskets.texts:BasketTexts",
    "absence": "sordino.release.baskets.texts:AbsenceTexts",
    "promised": "sordino.release.baskets.texts:PromisedTexts",
    "sequel": "sordino.release.sequel.texts:SequelTexts",
    "generalized": "sordino.release.coarsened.texts:GeneralizedTexts",
    "generalized_absence": "sordino.release.coarsened.texts:GeneralizedAbsenceTexts",
    "permuted": "sordino.release.coarsened.texts:PermutedTexts",
    "template": "sordino.release.templates.texts:TemplateTexts",
    "diversity": "sordino.release.diversity.texts:DiversityTexts",
}


def texts_of(manifest: Manifest) -> Texts:
    """What a release of this manifest says."""
    module, _, called = TEXTS[manifest.shape].partition(":")
    return cast(type[Texts], getattr(importlib.import_module(module), called))(manifest.policy, manifest)
