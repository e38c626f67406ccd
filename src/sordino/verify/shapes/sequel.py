"""Baskets that continue earlier releases of the same people: as the shape "inference", and safe together with those.

Its entries of the manifest are those of the shape "inference", and

    "previous": [".."]      the sha256 of the manifest.json of each earlier release, the oldest first

That nothing can be inferred from all of them together is checked by `sordino verify NEW --with OLD`, which needs the
`keep` parts: they say which rows belong to the same person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from sordino.data.baskets import Baskets
from sordino.policy.answer import Answer
from sordino.verify.asked import Asked
from sordino.verify.manifest import whole_list, whole_text
from sordino.verify.shapes.inference import InferenceManifest
from sordino.verify.verdict import Verdict

__all__ = ["SequelManifest", "valid_alone"]

ALONE = (
    "by itself it is valid; whether nothing can be inferred from it together with the earlier releases was not "
    "checked, which needs these, all with their keep parts: sordino verify NEW --with OLD"
)


@dataclass(frozen=True, kw_only=True)
class SequelManifest(InferenceManifest):
    """What the manifest says; `previous` are the sha256 of the manifests of earlier releases."""

    shape: ClassVar[str] = "sequel"

    previous: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        return {**super().document(), "previous": list(self.previous)}

    @classmethod
    def entries(cls, document: Mapping[str, Any], common: Mapping[str, Any]) -> dict[str, Any]:
        previous = tuple(map(whole_text, whole_list(document["previous"])))
        plain = super().entries(document, common)
        policy = plain["policy"]
        if (
            not previous or policy.knowledge is not None or policy.adaptive is not False
        ):  # no joint promise of that kind
            raise ValueError
        return {**plain, "previous": previous}

    def judge(self, publish: Path, asked: Asked) -> tuple[Verdict, Baskets]:
        """Check the proof of this release by itself. That is not all that it promises: the rest is in `chain`."""
        verdict, baskets = super().judge(publish, asked)
        return (replace(verdict, answer=Answer.NOT_CHECKED, reason=ALONE) if verdict.holds else verdict), baskets

    def found(self, verdict: Verdict) -> tuple[str, ...]:
        earlier = "the earlier release" if len(self.previous) == 1 else "the earlier releases"
        chain = f"It was also checked together with {earlier}: nobody who has all of them can infer more."
        return (*super().found(verdict), chain)


def valid_alone(verdict: Verdict) -> bool:
    """Whether nothing is open about a release but what holds together with earlier ones."""
    return verdict.holds or (verdict.answer is Answer.NOT_CHECKED and verdict.reason == ALONE)
