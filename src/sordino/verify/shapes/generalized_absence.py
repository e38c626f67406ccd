"""Baskets of which items are shown as wider ones, under an inference policy with absent = "any". No proof is needed.

Its entries of the manifest and its files are those of the shape "generalized", without the proof; its policy also says
"absent": "any".

**What is checked.** Every record shows only sensitive items and nodes of the cut of its group; and in every group by
itself, records are counted as in the shape "absence". **Why this suffices.** Whatever somebody knows about a person's
other items, in each group it is something about the nodes that show them there. So in each group the share of the
sensitive item, among the records that agree, is at most its threshold, hence in all of them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from sordino.policy.answer import Answer
from sordino.policy.inference import InferencePolicy
from sordino.release.asked import Asked
from sordino.release.basket_seen import seen_of
from sordino.release.groups_file import GROUPS, HIERARCHY
from sordino.release.manifest import MANIFEST
from sordino.release.shapes import absence, generalized, inference
from sordino.release.shapes.absence import count_twins
from sordino.release.shapes.generalized import GeneralizedManifest
from sordino.release.verdict import Verdict
from sordino.report.documents import Seen

__all__ = [
    "TAKES",
    "GeneralizedAbsenceManifest",
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
    "verify",
]

TAKES = generalized.TAKES
document, about, about_policy = absence.document, generalized.about, generalized.about_policy
different, same, not_guaranteed = generalized.different, generalized.same, generalized.not_guaranteed


@dataclass(frozen=True, kw_only=True)
class GeneralizedAbsenceManifest(GeneralizedManifest):
    """What the manifest says; its policy has absent = "any"."""

    shape: ClassVar[str] = "generalized_absence"


def read(document: Mapping[str, Any], common: Mapping[str, Any]) -> GeneralizedAbsenceManifest:
    """The manifest from its entries."""
    return GeneralizedAbsenceManifest(**vars(absence.read(document, common)))


def guaranteed(policy: InferencePolicy) -> tuple[str, ...]:
    """What holds for the published data."""
    first, _, exact = absence.guaranteed(policy)
    return (
        first,
        "Confidence means: among all records that agree with what that someone knows, the share of those that also "
        "hold the sensitive item. A record agrees if the nodes by which its group shows items do.",
        "It holds for each group of records by itself, and therefore for all of them together.",
        exact,
    )


def about_check(manifest: GeneralizedAbsenceManifest) -> tuple[str, str, str]:
    """Why one need not trust, what verifying does, and what it then says of the promise."""
    why, _, counted = absence.about_check(manifest)
    return (
        why,
        f"It compares every file with its checksum in {MANIFEST}, reads the data, checks that every group shows items "
        f"as {GROUPS} says, and counts, group by group: for each record with a sensitive item, how many are equal to "
        "it, and how many are equal but for that item.",
        counted,
    )


def files(manifest: GeneralizedAbsenceManifest) -> frozenset[str]:
    """Data, groups and hierarchy; there is no proof beside them."""
    return frozenset({manifest.file, GROUPS, HIERARCHY})


def verify(publish: Path, manifest: GeneralizedAbsenceManifest, asked: Asked) -> tuple[Verdict, Seen]:
    """Check groups and hierarchy, and count the records of each group."""
    started = time.perf_counter()
    data, policy, note = generalized.checked_groups(publish, manifest, asked)
    resolved = policy.resolve(data.baskets, missing="accept")
    inference.check_thresholds(manifest, resolved.thresholds)
    table, item_of = generalized.tagged(data)
    thresholds = {name: resolved.thresholds[item] for name, item in item_of.items() if item in resolved.thresholds}
    pairs, reason = count_twins(table, thresholds, item_of)
    notes = (*inference.absent(policy, data.baskets), *note)
    seconds = time.perf_counter() - started
    answer = Answer.FAILS if reason else Answer.HOLDS
    verdict = Verdict(answer, reason or "counted", len(resolved.thresholds), pairs, 0, seconds, notes)
    return verdict, seen_of(data.baskets)


def found(manifest: GeneralizedAbsenceManifest, verdict: Verdict) -> tuple[str, ...]:
    """A verdict that holds, in sentences."""
    first, second, third = absence.found(manifest, verdict)
    return first, second + " That someone is taken to know how each group shows an item.", third
