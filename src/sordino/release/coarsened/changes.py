"""What a method that generalizes or permutes changed, and whether it was allowed to."""

from __future__ import annotations

from typing import Any

import numpy as np

from sordino.data.baskets import Baskets, Int64
from sordino.data.generalized import Generalized
from sordino.data.permuted import Permuted
from sordino.errors import InputError, InternalError
from sordino.policy.inference import ResolvedInference
from sordino.utility.ncp import shown_occurrences

__all__ = ["coarsened_changes"]


def coarsened_changes(before: Baskets, data: Generalized | Permuted, policy: ResolvedInference, number: Int64) -> Any:
    """The change log; an InternalError if a record shows what nothing in the original stands behind."""
    import pyarrow as pa

    owner = np.repeat(np.arange(len(before), dtype=np.int64), before.lengths)
    names = np.array([*before.names, ""], dtype=object)[:-1]
    item = names[before.items] if len(before.items) else np.empty(0, dtype=object)
    to = np.full(len(item), None, dtype=object)
    if isinstance(data, Generalized):
        try:
            shown = shown_occurrences(before, data, policy.sensitive)
        except InputError as error:
            raise InternalError(f"the method broke the data: {error.what}") from None
        labels = np.array([*data.labels, ""], dtype=object)
        plain = shown.left & (shown.node >= 0)
        to[plain] = labels[shown.node[plain]]
        secret = shown.left & (shown.node < 0)
        to[secret] = item[secret]
    else:
        plain = ~policy.sensitive[before.items]
        if [set(record) for record in data.baskets] != _without(before, plain):
            raise InternalError("the method changed items that are not sensitive")
        to[plain] = item[plain]
        left = [dict(held) for held in data.held]
        for k in np.flatnonzero(~plain).tolist():
            g = int(data.group[owner[k]])
            if left[g].get(item[k], 0):
                left[g][item[k]] -= 1
                to[k] = f"group {g}"
        if any(count for held in left for count in held.values()):
            raise InternalError("the method made up sensitive items")
    changed = np.flatnonzero(to != item)
    record = pa.array(owner[changed]) if before.ids is None else pa.array(before.ids).take(pa.array(owner[changed]))
    return pa.table(
        {
            "record": record,
            "published": pa.array(number[owner[changed]]),
            "item": pa.array(item[changed].tolist(), type=pa.string()),
            "from": pa.array(item[changed].tolist(), type=pa.string()),
            "to": pa.array(to[changed].tolist(), type=pa.string()),
        }
    )


def _without(before: Baskets, kept: Any) -> list[set[str]]:
    """The records of the chosen occurrences."""
    indptr = np.concatenate([[0], np.cumsum(kept)])[before.indptr]
    part = Baskets(indptr, before.items[kept], before.names)
    return [set(record) for record in part]
