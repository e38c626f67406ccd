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

from sordino.policy.answer import Answer
from sordino.policy.inference import InferencePolicy
from sordino.release import statement
from sordino.release.asked import Asked
from sordino.release.manifest import MANIFEST, whole_text
from sordino.release.shapes import inference
from sordino.release.shapes.inference import (
    TAKES,
    InferenceManifest,
    about_policy,
    different,
    files,
    same,
)
from sordino.release.statement import allowed, which
from sordino.release.verdict import Verdict
from sordino.report.documents import Seen

__all__ = [
    "TAKES",
    "SequelManifest",
    "about",
    "about_check",
    "about_policy",
    "different",
    "document",
    "files",
    "found",
    "guaranteed",
    "not_guaranteed",
    "read",
    "same",
    "valid_alone",
    "verify",
]

ALONE = (
    "by itself it is valid; whether nothing can be inferred from it together with the earlier releases was not "
    "checked, which needs these, all with their keep parts: sordino verify NEW --with OLD"
)
OTHER = "Other sources:"  # how the sentence begins that says what other releases may tell


@dataclass(frozen=True, kw_only=True)
class SequelManifest(InferenceManifest):
    """What the manifest says; `previous` are the sha256 of the manifests of earlier releases."""

    shape: ClassVar[str] = "sequel"

    previous: tuple[str, ...]


def document(manifest: SequelManifest) -> dict[str, Any]:
    """The entries of the manifest."""
    return {**inference.document(manifest), "previous": list(manifest.previous)}


def read(document: Mapping[str, Any], common: Mapping[str, Any]) -> SequelManifest:
    """The manifest from its entries."""
    previous = document["previous"]
    if not isinstance(previous, list) or not previous:
        raise TypeError
    plain = inference.read(document, common)
    if plain.policy.knowledge is not None or plain.policy.adaptive is not False:  # no joint promise of that kind
        raise ValueError
    return SequelManifest(**vars(plain), previous=tuple(map(whole_text, previous)))


def about(manifest: SequelManifest) -> tuple[str, ...]:
    """What the data are, and what was done to them."""
    earlier = "an earlier release" if len(manifest.previous) == 1 else f"{len(manifest.previous)} earlier releases"
    return (
        *inference.about(manifest),
        f'It continues {earlier} of the same people ({MANIFEST} says which, under "previous"). Of people who were in '
        "those it shows what was published then, and additions that tell nothing sensitive.",
    )


def guaranteed(policy: InferencePolicy) -> tuple[str, ...]:
    """What holds for the published file, and for all releases together."""
    return (
        *statement.guaranteed(policy),
        'The same holds for this file together with the earlier releases that the manifest names under "previous": '
        "someone who has all of them, knows which rows belong to the same person, in which releases the person is, and "
        f"any items that they show of the person at any time, cannot infer that one of them shows {which(policy)} with "
        f"a confidence above {allowed(policy)}, among all people who are in the same releases.",
    )


def not_guaranteed(policy: InferencePolicy) -> tuple[str, ...]:
    """Where the guarantee ends."""
    return tuple(
        "Other sources: linking this file with other data about the same people, or with releases that are not named "
        'under "previous", may tell more.'
        if sentence.startswith(OTHER)
        else sentence
        for sentence in statement.not_guaranteed(policy)
    )


def about_check(manifest: SequelManifest) -> tuple[str, str, str]:
    """Why one need not trust, what verifying does, and what it then says of the promise."""
    why, how, proved = inference.about_check(manifest)
    return (
        why,
        f"{how} That is about this file by itself, and ends with exit code 3. Whoever has the earlier releases and all "
        "`keep` parts can have everything checked: sordino verify NEW --with OLD",
        proved,
    )


def verify(publish: Path, manifest: SequelManifest, asked: Asked) -> tuple[Verdict, Seen]:
    """Check the proof of this release by itself. That is not all that it promises: the rest is in release/chain.py."""
    verdict, seen = inference.verify(publish, manifest, asked)
    return (replace(verdict, answer=Answer.NOT_CHECKED, reason=ALONE) if verdict.holds else verdict), seen


def valid_alone(verdict: Verdict) -> bool:
    """Whether nothing is open about a release but what holds together with earlier ones."""
    return verdict.holds or (verdict.answer is Answer.NOT_CHECKED and verdict.reason == ALONE)


def found(manifest: SequelManifest, verdict: Verdict) -> tuple[str, ...]:
    """A verdict that holds, in sentences."""
    earlier = "the earlier release" if len(manifest.previous) == 1 else "the earlier releases"
    chain = f"It was also checked together with {earlier}: nobody who has all of them can infer more."
    return (*inference.found(manifest, verdict), chain)
