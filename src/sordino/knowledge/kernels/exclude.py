"""Which sensitive values the rules exclude for which rows."""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import kernel
from sordino.engine.kernels.flag import raised


@kernel
def mark_excluded(low, high, leaf, post_ptr, post, rule_ptr, rule_node, rule_attr, rule_value, mask, stop):  # type: ignore[no-untyped-def]
    """Sets bit rule_value[i] of mask[r] for every row r that fits all nodes of rule i.

    leaf[j, r] is the leaf node of row r in attribute j; it lies in node v if low[v] <= leaf < high[v]. The rows with
    leaf node x are post[post_ptr[x] : post_ptr[x + 1]]. Only the rows of a rule's rarest node are looked at. Ends
    early once the flag `stop` is up.
    """
    for i in range(len(rule_value)):
        if raised(stop):
            break
        best = rule_ptr[i]
        for k in range(rule_ptr[i] + 1, rule_ptr[i + 1]):
            here = post_ptr[high[rule_node[k]]] - post_ptr[low[rule_node[k]]]
            if here < post_ptr[high[rule_node[best]]] - post_ptr[low[rule_node[best]]]:
                best = k
        word = rule_value[i] >> 6
        bit = np.uint64(1) << np.uint64(rule_value[i] & 63)
        v = rule_node[best]
        for p in range(post_ptr[low[v]], post_ptr[high[v]]):
            r = post[p]
            fits = True
            for k in range(rule_ptr[i], rule_ptr[i + 1]):
                x = leaf[rule_attr[k], r]
                fits &= low[rule_node[k]] <= x and x < high[rule_node[k]]
            if fits:
                mask[r, word] |= bit
