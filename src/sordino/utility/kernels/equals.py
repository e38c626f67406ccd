"""One step of the thorough bound where somebody also knows what people lack (docs/notes/bound.md).

As prices.py, but what counts is who shows *just* a set: the rule q -> e demands x * (just q + e) <= y * (just q).
Showing W is worth |W| * SCALE + gain - pay of W alone. So all that matters can be tried of longer records, too.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.engine.kernels.bits import ones
from sordino.engine.kernels.compiled import kernel
from sordino.engine.kernels.flag import raised
from sordino.utility.kernels.lattice import IMPOSSIBLE
from sordino.utility.kernels.prices import SCALE

# Classes that are no units: class k shows most[k] items at most, or just a node of list[begin[k]:begin[k + 1]]
Others = namedtuple("Others", "most weight begin list")


@kernel
def refuse_larger(units, kept):  # type: ignore[no-untyped-def]
    """A part of more items than a record of the class can keep is impossible."""
    for k in range(len(units.of)):
        for w in range(units.at[k + 1] - units.at[k]):
            if ones(np.uint64(w)) > kept[units.of[k]]:
                units.state[units.at[k] + w] = IMPOSSIBLE


@kernel
def sizes_of_nodes(units, node, size):  # type: ignore[no-untyped-def]
    """How many items each node has."""
    for k in range(len(units.of)):
        for w in range(units.at[k + 1] - units.at[k]):
            if node[units.at[k] + w] > 0:
                size[node[units.at[k] + w]] = ones(np.uint64(w))


@kernel
def choose_one(lo, hi, units, node, gain, pay, value, chosen, stop):  # type: ignore[no-untyped-def]
    """What is best for each unit in lo..hi, and what it is worth."""
    for k in range(lo, hi):
        if raised(stop):
            return
        base = units.at[k]
        best, what = np.int64(0), np.int64(0)
        for w in range(1, units.at[k + 1] - base):
            if units.state[base + w] != IMPOSSIBLE:
                q = node[base + w]
                here = SCALE * ones(np.uint64(w)) + gain[q] - pay[q]
                if here > best:
                    best, what = here, np.int64(w)
        value[k], chosen[k] = best, what


@kernel
def settle_equals(units, node, weight, others, size, gain, pay, has, value, chosen, stop):  # type: ignore[no-untyped-def]
    """The sum of what all show and are paid for it; counts who shows just each node."""
    total = np.int64(0)
    for q in range(len(has)):
        has[q] = 0
    for k in range(len(others.weight)):
        if raised(stop):
            return total
        best, what = SCALE * others.most[k], np.int64(0)
        for p in range(others.begin[k], others.begin[k + 1]):
            q = others.list[p]
            here = SCALE * size[q] + gain[q] - pay[q]
            if here > best or (here == best and what == 0):  # as somebody's twin, if it costs nothing
                best, what = here, np.int64(q)
        total += best * others.weight[k]
        has[what] += others.weight[k]
    for k in range(len(chosen)):
        number = weight[units.of[k]]
        total += value[k] * number
        has[node[units.at[k] + chosen[k]]] += number
    has[0] = 0
    return total
