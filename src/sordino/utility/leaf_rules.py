"""Which association rules survived generalization, compared at leaf level (model.md 1.5, JIA 4.1).

A rule of generalized items stands for every rule of items under them: {dairy -> grain} for milk -> rice, cheese -> rice
and so on, one item for each node. A rule of the original is kept if the release has one that stands for it; all other
rules that the release's rules stand for are pseudo-rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.utility.rules import (
    CONFIDENCES,
    CUTOFF,
    SUPPORT,
    FrequentSets,
    RuleChange,
    RuleComparison,
    Supports,
    frequent_sets,
)

__all__ = ["compare_leaf_rules"]

Rule = tuple[frozenset[str], str]


def compare_leaf_rules(
    before: Baskets,
    data: Generalized,
    sensitive: npt.NDArray[np.bool_],
    *,
    cutoff: int | None = CUTOFF,
    support: Fraction = SUPPORT,
    confidences: Sequence[Fraction] = CONFIDENCES,
    mined: FrequentSets | None = None,
) -> RuleComparison:
    """The non-sensitive rules before, and those that the rules of the release stand for.

    Where groups show an item at different nodes, rules of the release can stand for the same rule of items. It is
    counted once if the original has it, and otherwise as often as it occurs.
    """
    chosen = before.lengths <= (before.lengths.max(initial=0) if cutoff is None else cutoff)
    records = int(np.count_nonzero(chosen))
    least = max(1, -(-records * support.numerator // support.denominator))
    secret = {before.names[code] for code in np.flatnonzero(sensitive).tolist()}
    old = frequent_sets(before, chosen, least) if mined is None else mined.of(before, chosen, least)
    new = frequent_sets(data.baskets, chosen, least)
    tree = data.hierarchy
    under = {label: int(tree.leaf_counts[v]) for label, v in data.node_of.items()}
    above = {name: [data.labels[v] for v in tree.path(leaf)] for name, leaf in tree.leaf_of.items()}
    changes = []
    for confidence in confidences:
        original = set(_rules(old, before.names, secret, confidence))
        found = set(_rules(new, data.baskets.names, secret, confidence))
        kept, standing = 0, 0
        for known, y in original:
            images = [
                [(frozenset(q), z) for q in product(*(above.get(x, [x]) for x in known))] for z in above.get(y, [y])
            ]
            hits = sum(rule in found for some in images for rule in some if len(rule[0]) == len(known))
            kept += hits > 0
            standing += hits
        total = sum(under.get(y, 1) * prod(under.get(x, 1) for x in known) for known, y in found)
        changes.append(RuleChange(confidence, len(original), total - standing + kept, kept))
    return RuleComparison(records, cutoff, least, tuple(changes))


def _rules(sets: Supports, names: Sequence[str], secret: set[str], confidence: Fraction) -> Iterator[Rule]:
    """The rules of at least this confidence with a non-sensitive consequent."""
    for items, count in sets.items():
        if len(items) == 1:
            continue
        for y in items:
            if names[y] not in secret:
                known = items - {y}
                if count * confidence.denominator >= sets[known] * confidence.numerator:
                    yield frozenset(names[x] for x in known), names[y]
