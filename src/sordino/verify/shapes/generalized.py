"""Baskets of which items are shown as wider ones, differently in each group of records; with alibis as proof.

The entries of the manifest are those of the shape "inference". Beside the data lie hierarchy.json, groups.json.gz (see
`groups_file`) and the proof.

**What is checked.** Every record shows only sensitive items and nodes of the cut of its group. Then every name is led
by the number of its group, so that no two groups share one, and the proof is checked against that table: so each group
by itself is safe. **Why this suffices:** somebody who knows items of a person finds, in each group, the records that
hold the nodes by which the group shows these items. In every group sup(q + e) <= rho_e sup(q), hence in the sum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.errors import InputError
from sordino.policy.inference import InferencePolicy
from sordino.release import statement
from sordino.release.asked import Asked
from sordino.release.basket_seen import seen_of
from sordino.release.groups_file import GROUPS, HIERARCHY, read_generalized
from sordino.release.manifest import MANIFEST
from sordino.release.shapes import inference
from sordino.release.shapes.inference import PROOF, InferenceManifest
from sordino.release.verdict import Verdict
from sordino.release.verify import verify_baskets
from sordino.report.documents import Seen

__all__ = [
    "TAKES",
    "GeneralizedManifest",
    "about",
    "about_check",
    "about_policy",
    "checked_groups",
    "different",
    "document",
    "files",
    "found",
    "guaranteed",
    "not_guaranteed",
    "read",
    "same",
    "tagged",
    "verify",
]

TAKES = inference.TAKES
document, about_policy = inference.document, inference.about_policy
different, same = inference.different, inference.same


class GeneralizedManifest(InferenceManifest):
    """What the manifest of generalized baskets says."""

    shape: ClassVar[str] = "generalized"


def read(document: Mapping[str, Any], common: Mapping[str, Any]) -> GeneralizedManifest:
    """The manifest from its entries."""
    return GeneralizedManifest(**vars(inference.read(document, common)))


def guaranteed(policy: InferencePolicy) -> tuple[str, ...]:
    """What holds for the published data."""
    first, _, exact = statement.guaranteed(policy)
    return (
        first,
        "Confidence means: among all records that fit what that someone knows, the share of those that also hold the "
        "sensitive item. A record fits if it holds, for each known item, the node by which its group shows that item.",
        "It holds for each group of records by itself, and therefore for all of them together.",
        exact,
    )


def not_guaranteed(policy: InferencePolicy) -> tuple[str, ...]:
    """Where the guarantee ends."""
    return (
        *statement.not_guaranteed(policy),
        f"{HIERARCHY} lists the items that the data show, as themselves or as wider ones. If it is part of one that "
        "was given, and that had been made from the data, the names of wider items may tell more of them.",
    )


def about(manifest: GeneralizedManifest) -> tuple[str, ...]:
    """What the data are, and what was done to them."""
    (text,) = inference.about(manifest)
    told = text.replace(
        "items were deleted wherever they would have allowed someone to infer a sensitive item; nothing was added or "
        "invented.",
        "items were replaced by wider ones, and some were deleted, wherever they would have allowed someone to infer a "
        "sensitive item; nothing was invented.",
    )
    return (
        told,
        f"{HIERARCHY} says which items a wider one stands for. {GROUPS} says which records belong together, and for "
        "each group which nodes of the hierarchy it opens: an item is shown as the first node above it that is not "
        "open. In a name like fruit@1 the number after @ is the level of the node, where the name alone would not do.",
    )


def about_check(manifest: GeneralizedManifest) -> tuple[str, str, str]:
    """Why one need not trust, what verifying does, and what it then says of the promise."""
    why, _, proved = inference.about_check(manifest)
    return (
        why,
        f"It compares every file with its checksum in {MANIFEST}, reads the data, checks that every group shows items "
        f"as {GROUPS} says, and checks {PROOF} against the policy, group by group.",
        proved,
    )


def files(manifest: GeneralizedManifest) -> frozenset[str]:
    """Data, proof, groups and hierarchy."""
    return frozenset({manifest.file, PROOF, GROUPS, HIERARCHY})


def verify(publish: Path, manifest: GeneralizedManifest, asked: Asked) -> tuple[Verdict, Seen]:
    """Check groups and hierarchy, and the proof of each group."""
    data, policy, note = checked_groups(publish, manifest, asked)
    baskets = data.baskets
    resolved = policy.resolve(baskets, missing="accept")
    inference.check_thresholds(manifest, resolved.thresholds)
    table, group_of = tagged(data)
    thresholds: dict[str, Fraction] = {}
    for name, item in group_of.items():
        if item in resolved.comparison:
            thresholds[name] = resolved.comparison[item]
    verdict = verify_baskets(table, thresholds, policy.knowledge, publish / PROOF, bare=True)
    notes = (*inference.absent(policy, baskets), *note)
    return replace(verdict, items=len(resolved.thresholds), notes=notes), seen_of(baskets)


def checked_groups(
    publish: Path, manifest: GeneralizedManifest, asked: Asked
) -> tuple[Generalized, InferencePolicy, tuple[str, ...]]:
    """The published groups, once they are known to show items as they should; what is demanded; and notes."""
    baskets, note = inference.checked_data(publish, manifest, asked)
    policy = manifest.policy if asked.policy is None else inference.demanded(asked.policy)
    data = read_generalized(publish, baskets, manifest.policy.sensitive, checked=True)
    _check_cuts(data, frozenset(policy.sensitive))
    return data, policy, note


def _check_cuts(data: Generalized, sensitive: frozenset[str]) -> None:
    """The opened nodes make a cut, and every record of the group shows only nodes of it, and sensitive items."""
    tree = data.hierarchy
    if not sensitive.isdisjoint(tree.leaf_of) or not sensitive.isdisjoint(data.labels):
        raise InputError(f"{HIERARCHY} holds a sensitive item: wider items would stand for it")
    parent = tree.parent.tolist()
    opened = [frozenset(nodes) for nodes in data.opened]
    for number, inside in enumerate(opened):
        if any(tree.size[v] == 1 or (v != 0 and parent[v] not in inside) for v in inside):
            raise InputError(f"{GROUPS} opens nodes in group {number} that make no cut of the hierarchy")
    node_of = data.node_of
    for u, (record, g) in enumerate(zip(data.baskets, data.group.tolist(), strict=True)):
        for name in record - sensitive:
            v = node_of.get(name)
            if v is None or v in opened[g] or (parent[v] not in opened[g] if v else bool(opened[g])):
                raise InputError(f"record {u} shows something that its group does not")


def tagged(data: Generalized) -> tuple[Baskets, dict[str, str]]:
    """The records with every name led by the number of its group; and the item behind each of these names."""
    records = [
        {f"{g}:{name}": name for name in record} for record, g in zip(data.baskets, data.group.tolist(), strict=True)
    ]
    names: dict[str, str] = {}
    for record in records:
        names.update(record)
    return Baskets.from_sets(records), names


def found(manifest: GeneralizedManifest, verdict: Verdict) -> tuple[str, ...]:
    """A verdict that holds, in sentences."""
    first, second, third = inference.found(manifest, verdict)
    return (
        first,
        second + " That someone is taken to know how each group shows an item.",
        third,
    )
