"""Baskets without their sensitive items, which are told by group of records.

The entries of the manifest are those of the shape "inference". Beside the data lies groups.json.gz (see `groups_file`),
which is also the proof: in each group, of n records of which c have e, c/n <= rho_e is checked.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.policy.inference import InferencePolicy
from sordino.release import statement
from sordino.release.asked import Asked
from sordino.release.basket_seen import seen_of
from sordino.release.groups_file import GROUPS, read_permuted
from sordino.release.manifest import MANIFEST
from sordino.release.shapes import inference
from sordino.release.shapes.inference import InferenceManifest
from sordino.release.verdict import Verdict
from sordino.report.documents import Seen

__all__ = [
    "TAKES",
    "PermutedManifest",
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

TAKES = inference.TAKES
document, about_policy = inference.document, inference.about_policy
different, same = inference.different, inference.same


class PermutedManifest(InferenceManifest):
    """What the manifest of permuted baskets says."""

    shape: ClassVar[str] = "permuted"


def read(document: Mapping[str, Any], common: Mapping[str, Any]) -> PermutedManifest:
    """The manifest from its entries."""
    return PermutedManifest(**vars(inference.read(document, common)))


def guaranteed(policy: InferencePolicy) -> tuple[str, ...]:
    """What holds for the published data."""
    return (
        "Someone who knows any NON-SENSITIVE items of a person cannot infer from this folder that the person also has "
        f"{statement.which(policy)} with a confidence above {statement.allowed(policy)}.",
        "Confidence means: the mean, over all records that hold what that someone knows, of the share of records in "
        "the record's group that have the sensitive item.",
        f"This is exact, without rounding or sampling, for every group; {GROUPS} is the evidence.",
    )


def not_guaranteed(policy: InferencePolicy) -> tuple[str, ...]:
    """Where the guarantee ends."""
    limits = statement.not_guaranteed(policy)
    return (
        "Against someone who knows a SENSITIVE item of a person nothing is promised: other sensitive items of the same "
        "group may then become likelier than the threshold. This is weaker than what sordino's other methods promise.",
        *(limits[1:] if policy.knowledge is not None else limits),  # any number of items may be known here
    )


def about(manifest: PermutedManifest) -> tuple[str, ...]:
    """What the data are, and what was done to them."""
    (text,) = inference.about(manifest)
    told = text.replace(
        "items were deleted wherever they would have allowed someone to infer a sensitive item; nothing was added or "
        "invented.",
        "the sensitive items were taken out of the records.",
    )
    return (
        told,
        f"{GROUPS} says which records belong together, and how many records of each group have which sensitive items, "
        "but not which records these are.",
    )


def about_check(manifest: PermutedManifest) -> tuple[str, str, str]:
    """Why one need not trust, what verifying does, and what it then says of the promise."""
    why, _, proved = inference.about_check(manifest)
    return (
        why.replace("the proof can be checked", "the groups can be checked"),
        f"It compares every file with its checksum in {MANIFEST}, reads the data, and checks every group of {GROUPS} "
        "against the policy.",
        proved,
    )


def files(manifest: PermutedManifest) -> frozenset[str]:
    """Data and groups."""
    return frozenset({manifest.file, GROUPS})


def verify(publish: Path, manifest: PermutedManifest, asked: Asked) -> tuple[Verdict, Seen]:
    """Check every group."""
    started = time.perf_counter()
    baskets, note = inference.checked_data(publish, manifest, asked)
    policy = manifest.policy if asked.policy is None else inference.demanded(asked.policy)
    data = read_permuted(publish, baskets, checked=True)
    secret = frozenset(policy.sensitive)
    if not secret.isdisjoint(baskets.names):
        raise InputError("a record of the data holds a sensitive item")
    total: dict[str, int] = {}
    size = [0] * len(data.held)
    for g in data.group.tolist():
        size[g] += 1
    for told in data.held:
        for name, count in told.items():
            if name not in secret:
                raise InputError(f"{GROUPS} tells of an item that is not sensitive in the policy")
            total[name] = total.get(name, 0) + count
    thresholds = policy.thresholds_of(total, len(baskets))
    inference.check_thresholds(manifest, thresholds)
    checked = 0
    for g, told in enumerate(data.held):
        for name, count in told.items():
            checked += 1
            if count > thresholds[name] * size[g]:
                raise InputError(f"in group {g}, {count} of {size[g]} records have '{name}', which is too many")
    gone = len(secret - total.keys())
    if gone:
        what = "1 sensitive item of the policy is" if gone == 1 else f"{gone:,} sensitive items of the policy are"
        note = (f"{what} in no group, so nothing can be inferred about it", *note)
    answer, reason = Answer.HOLDS, "proved"
    if asked.policy is not None:  # its own promise goes no further, and says so; a stated policy does
        answer, reason = Answer.NOT_CHECKED, ONLY_SO_FAR
    verdict = Verdict(answer, reason, len(total), 0, checked, time.perf_counter() - started, note)
    return verdict, seen_of(baskets)


ONLY_SO_FAR = (
    "against someone who knows only non-sensitive items the stated policy holds; what someone could infer who knows a "
    "sensitive item of the person was not checked, and permuted data promise nothing about it"
)


def found(manifest: PermutedManifest, verdict: Verdict) -> tuple[str, ...]:
    """A verdict that holds, in sentences."""
    records = f"{manifest.records:,} record{'' if manifest.records == 1 else 's'}"
    items = f"{verdict.items:,} sensitive item{'' if verdict.items == 1 else 's'}"
    return (
        "who knows only non-sensitive items cannot infer a sensitive one above its threshold.",
        f"{records}, {items}. Nothing is promised against someone who knows a sensitive item of the person.",
        f"{inference.read_as(manifest)} All {verdict.searched:,} numbers of sensitive items in groups were checked. It "
        f"took {verdict.seconds:.1f} s.",
    )
