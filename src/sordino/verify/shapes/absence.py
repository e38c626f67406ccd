"""Baskets from which items were deleted, under an inference policy with absent = "any". The file is its own proof.

The entries of the manifest are those of the shape "inference"; its policy also says "absent": "any".

**What is checked.** Equal records are counted. For every record that holds a sensitive item e, and something beside it:
if w records are equal to it, and v are equal to it but for e, then w / (w + v) must not exceed the threshold of e.
**Why this suffices.** Whether a record agrees with what somebody knows about a person's other items does not depend on
e. So the records that agree are a union of such pairs, and in each of them, hence in all, the share of e is small.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

from sordino.data.baskets import Baskets
from sordino.policy.answer import Answer
from sordino.policy.inference import InferencePolicy
from sordino.release.asked import Asked
from sordino.release.basket_seen import seen_of
from sordino.release.manifest import MANIFEST
from sordino.release.shapes import inference
from sordino.release.shapes.inference import (
    TAKES,
    InferenceManifest,
    about,
    about_policy,
    different,
    read_as,
    same,
)
from sordino.release.statement import OURS, adversary, allowed, not_guaranteed, which
from sordino.release.verdict import Verdict
from sordino.report.documents import Seen

__all__ = [
    "TAKES",
    "AbsenceManifest",
    "about",
    "about_check",
    "about_policy",
    "count_twins",
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


@dataclass(frozen=True, kw_only=True)
class AbsenceManifest(InferenceManifest):
    """What the manifest says; its policy has absent = "any"."""

    shape: ClassVar[str] = "absence"


def document(manifest: InferenceManifest) -> dict[str, Any]:
    """The entries of the manifest."""
    entries = inference.document(manifest)
    return {**entries, "policy": {**entries["policy"], "absent": manifest.policy.absent}}


def read(document: Mapping[str, Any], common: Mapping[str, Any]) -> AbsenceManifest:
    """The manifest from its entries."""
    plain = inference.read(document, common)
    policy = plain.policy
    with_absence = InferencePolicy(
        policy.sensitive,
        policy.rho,
        rho_of=policy.rho_of,
        adaptive=policy.adaptive,
        knowledge=policy.knowledge,
        absent=document["policy"]["absent"],
    )
    if with_absence.absent is None:
        raise ValueError
    return AbsenceManifest(**{**vars(plain), "policy": with_absence})


def guaranteed(policy: InferencePolicy) -> tuple[str, ...]:
    """What holds for the published file."""
    return (
        f"Someone who knows {adversary(policy)} cannot infer from this file that the person also has {which(policy)} "
        f"with a confidence above {allowed(policy)}. It makes no difference what is known about the person's other "
        "items: that some are present, that some are absent, or any combination of both (one or the other, three of "
        "these five, not both).",
        "Confidence means: among all records of this file that agree with what that someone knows, the share of those "
        "that also hold the sensitive item.",
        "This is exact, without rounding or sampling, for every person in the file. The file is its own proof: whoever "
        "doubts it counts equal records.",
    )


def about_check(manifest: InferenceManifest) -> tuple[str, str, str]:
    """Why one need not trust, what verifying does, and what it then says of the promise."""
    del manifest
    return (
        f"You need not trust whoever made this folder: the records can be counted anew by a part of sordino {OURS}. In "
        "this folder, run",
        f"It compares every file with its checksum in {MANIFEST}, reads the data, and counts: for each record with a "
        "sensitive item, how many are equal to it, and how many are equal but for that item.",
        "what is guaranteed was found to be true",
    )


def files(manifest: AbsenceManifest) -> frozenset[str]:
    """The data; there is no proof beside them."""
    return frozenset({manifest.file})


def verify(publish: Path, manifest: AbsenceManifest, asked: Asked) -> tuple[Verdict, Seen]:
    """Count the published records."""
    started = time.perf_counter()
    baskets, note = inference.checked_data(publish, manifest, asked)
    policy = manifest.policy if asked.policy is None else inference.demanded(asked.policy)
    resolved = policy.resolve(baskets, missing="accept")  # suppression may have removed an item wholly
    inference.check_thresholds(manifest, resolved.thresholds)
    pairs, reason = count_twins(baskets, resolved.thresholds)
    notes = (*inference.absent(policy, baskets), *note)
    answer = Answer.FAILS if reason else Answer.HOLDS
    seconds = time.perf_counter() - started
    return Verdict(answer, reason or "counted", len(resolved.thresholds), pairs, 0, seconds, notes), seen_of(baskets)


def count_twins(
    baskets: Baskets, thresholds: Mapping[str, Fraction], called: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """How many different records with a sensitive item were compared with their twins; and what is wrong, or nothing.

    The reason names a record by its number, from 0, and a sensitive item, as it is `called`.
    """
    number: dict[frozenset[str], int] = {}
    equal: Counter[frozenset[str]] = Counter()
    for u, record in enumerate(baskets):
        equal[record] += 1
        number.setdefault(record, u)
    pairs = 0
    for record, with_item in equal.items():
        for item in record & thresholds.keys():
            rho, rest = thresholds[item], record - {item}
            if not rest:
                continue
            pairs += 1
            if with_item * (rho.denominator - rho.numerator) > equal[rest] * rho.numerator:
                name = item if called is None else called[item]
                return pairs, f"record {number[record]} has too few twins without '{name}'"
    return pairs, ""


def found(manifest: InferenceManifest, verdict: Verdict) -> tuple[str, ...]:
    """A verdict that holds, in sentences."""
    records = f"{manifest.records:,} record{'' if manifest.records == 1 else 's'}"
    items = f"{verdict.items:,} sensitive item{'' if verdict.items == 1 else 's'}"
    items = items if verdict.items else "no sensitive item is left"
    return (
        "no sensitive item can be inferred above its threshold, whatever is known of a person's other items.",
        f"{records}, {items}; someone who knows {adversary(manifest.policy)} cannot infer one with more than "
        f"{allowed(manifest.policy)} confidence.",
        f"{read_as(manifest)} {verdict.served:,} entries (equal records taken once) were compared with their twins, "
        f"the records that are equal but for the sensitive item. It took {verdict.seconds:.1f} s.",
    )
