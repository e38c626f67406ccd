"""Baskets of which items are shown as wider ones, differently in each group of records.

The entries of the manifest are those of the shape "inference". Beside the data lie hierarchy.json, groups.json.gz (see
`groups_file`) and the proof.

**What is checked.** Every record shows only sensitive items and nodes of the cut of its group. Then every name is led
by the number of its group, so that no two groups share one, and the proof is checked against that table: so each group
by itself is safe. **Why this suffices:** somebody who knows items of a person finds, in each group, the records that
hold the nodes by which the group shows these items. In every group sup(q + e) <= rho_e sup(q), hence in the sum.

**With absent = "any"** (the shape "generalized_absence") the policy says so, and there is no proof: in every group by
itself, records are counted as in the shape "absence". Whatever somebody knows about a person's other items, in each
group it is something about the nodes that show them there. So in each group the share of the sensitive item, among the
records that agree, is at most its threshold, hence in all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.errors import InputError
from sordino.policy.inference import InferencePolicy
from sordino.verify.groups_file import GROUPS, HIERARCHY, read_generalized
from sordino.verify.shapes.absence import AbsenceManifest
from sordino.verify.shapes.inference import InferenceManifest
from sordino.verify.verdict import Verdict

__all__ = ["GeneralizedAbsenceManifest", "GeneralizedManifest", "check_cuts"]


@dataclass(frozen=True, kw_only=True)
class GeneralizedManifest(InferenceManifest):
    """What the manifest of generalized baskets says."""

    shape: ClassVar[str] = "generalized"

    def needed(self) -> frozenset[str]:
        """Besides, groups and hierarchy."""
        return super().needed() | {GROUPS, HIERARCHY}

    def told_apart(
        self, publish: Path, baskets: Baskets, policy: InferencePolicy
    ) -> tuple[Baskets, Mapping[str, str] | None]:
        """The records with every name led by the number of its group, once they show items as their groups should."""
        data = read_generalized(publish, baskets, self.policy.sensitive, checked=True)
        check_cuts(data, frozenset(policy.sensitive))
        records = [
            {f"{g}:{name}": name for name in record} for record, g in zip(baskets, data.group.tolist(), strict=True)
        ]
        names: dict[str, str] = {}
        for record in records:
            names.update(record)
        return Baskets.from_sets(records), names

    def found(self, verdict: Verdict) -> tuple[str, ...]:
        first, second, third = super().found(verdict)
        return first, second + " That someone is taken to know how each group shows an item.", third


@dataclass(frozen=True, kw_only=True)
class GeneralizedAbsenceManifest(GeneralizedManifest, AbsenceManifest):
    """What the manifest says; its policy has absent = "any"."""

    shape: ClassVar[str] = "generalized_absence"


def check_cuts(data: Generalized, sensitive: frozenset[str]) -> None:
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
