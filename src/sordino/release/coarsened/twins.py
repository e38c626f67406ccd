"""Generalized data under knowledge of absence: in every group, twins at the symbols that the group shows.

A method that generalizes chooses groups and cuts. Then each group, with all that its records hold shown at its cut,
gets what `twins` does: equals but for each sensitive item. Who knows what a person has and lacks knows, in each group,
something about the symbols that show it; so every group by itself is safe, and the sum is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sordino.audit.generalization import tagged_policy
from sordino.data.baskets import Baskets, vocabulary_order
from sordino.data.generalized import Generalized
from sordino.engine.local import Watch
from sordino.policy.inference import ResolvedInference
from sordino.protect.registry import find_method
from sordino.utility.ncp import shown_occurrences

__all__ = ["with_twins"]


def with_twins(
    before: Baskets, data: Generalized, policy: ResolvedInference, *, seed: int, jobs: int, watch: Watch
) -> Generalized:
    """The same groups and cuts, with as much of the records of `before` as twins allow."""
    whole = replace(data, baskets=_undeleted(before, data, policy))
    tagged = whole.tagged()
    protect = find_method("twins").load()
    kept = protect(tagged, tagged_policy(tagged, policy), seed=seed, jobs=jobs, watch=watch)
    shown = [name.partition(":")[2] for name in kept.names]
    names = vocabulary_order(list(set(shown)))
    rank = {name: code for code, name in enumerate(names)}
    code = np.array([rank[name] for name in shown], dtype=np.int64)
    owner = np.repeat(np.arange(len(kept), dtype=np.int64), kept.lengths)
    items = code[kept.items] if len(kept.items) else np.empty(0, dtype=np.int64)
    baskets = Baskets.from_pairs(owner, items, names, len(kept), ids=before.ids, origin=before.origin)
    return replace(data, baskets=baskets)


def _undeleted(before: Baskets, data: Generalized, policy: ResolvedInference) -> Baskets:
    """The records with every item at the node that shows it in its group, as if nothing had been deleted."""
    node = shown_occurrences(before, data, policy.sensitive).node
    secret = policy.sensitive[before.items]
    names = vocabulary_order(list({*data.labels, *policy.policy.sensitive}))
    rank = {name: code for code, name in enumerate(names)}
    of_node = np.array([rank[label] for label in data.labels], dtype=np.int64)
    of_item = np.array([rank.get(name, -1) for name in before.names], dtype=np.int64)
    there = secret | (node >= 0)
    codes = np.where(secret, of_item[before.items], of_node[np.maximum(node, 0)])[there]
    owner = np.repeat(np.arange(len(before), dtype=np.int64), before.lengths)[there]
    return Baskets.from_pairs(owner, codes, names, len(before))
