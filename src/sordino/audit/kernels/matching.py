"""Which values are possible for whom in a group: one assignment and the strongly connected components (model.md 2.2).

People with the same excluded set are one *kind*, equal values one value with a count. An assignment is a flow from
kinds to values. Given one, a kind can take a value in some assignment exactly if it does in this one, or if the two
lie in one strongly connected component of the graph with an edge kind -> value where the kind may take the value, and
value -> kind where it does take it: an exchange along a cycle leads from one assignment to any other.
"""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised


@inner
def _augment(source, kinds, values, may, flow, lack, queue, before):  # type: ignore[no-untyped-def]
    """Gives one more value to kind `source`, exchanging values of others on the way; False if that is impossible."""
    for x in range(kinds + values):
        before[x] = -1
    queue[0] = source
    before[source] = source
    head, tail = 0, 1
    while head < tail:
        x = queue[head]
        head += 1
        if x < kinds:
            for v in range(values):
                if may[x, v] and before[kinds + v] < 0:
                    before[kinds + v] = x
                    queue[tail] = kinds + v
                    tail += 1
        else:
            v = x - kinds
            if lack[v] > 0:
                lack[v] -= 1
                while True:
                    t = before[x]
                    flow[t, x - kinds] += 1
                    if t == source:
                        return True
                    x = before[t]
                    flow[t, x - kinds] -= 1
            for t in range(kinds):
                if flow[t, v] > 0 and before[t] < 0:
                    before[t] = x
                    queue[tail] = t
                    tail += 1
    return False


@inner
def _components(kinds, values, may, flow, component, index, lowest, stack, path, edge):  # type: ignore[no-untyped-def]
    """Tarjan's strongly connected components, without recursion."""
    total = kinds + values
    for x in range(total):
        index[x] = -1
        component[x] = -1
    clock = 0
    names = 0
    held = 0
    for root in range(total):
        if index[root] >= 0:
            continue
        depth = 0
        path[0] = root
        edge[root] = 0
        index[root] = lowest[root] = clock
        clock += 1
        stack[held] = root
        held += 1
        while depth >= 0:
            x = path[depth]
            out = values if x < kinds else kinds
            if edge[x] < out:
                k = edge[x]
                edge[x] += 1
                if x < kinds:
                    if not may[x, k]:
                        continue
                    y = kinds + k
                else:
                    if flow[k, x - kinds] <= 0:
                        continue
                    y = k
                if index[y] < 0:
                    index[y] = lowest[y] = clock
                    clock += 1
                    stack[held] = y
                    held += 1
                    edge[y] = 0
                    depth += 1
                    path[depth] = y
                elif component[y] < 0:
                    lowest[x] = min(lowest[x], index[y])
                continue
            if lowest[x] == index[x]:
                while True:
                    held -= 1
                    component[stack[held]] = names
                    if stack[held] == x:
                        break
                names += 1
            depth -= 1
            if depth >= 0:
                lowest[path[depth]] = min(lowest[path[depth]], lowest[x])


@kernel
def possible_values(start, kind, value, sets, most_kinds, most_values, lo, hi, possible, bits, stop=None):  # type: ignore[no-untyped-def]
    """For the groups lo .. hi: how many different values each person may have.

    The people of group g are start[g] .. start[g + 1]: kind[p] is the excluded set (a row of sets) of person p,
    value[p] the value that stands at the place p of the group, whosoever it is. possible[p] becomes -1 for a whole
    group in which no assignment agrees with the sets. most_kinds and most_values bound what one group holds. If `bits`
    has a row for each person, it gets the possible values themselves. Ends early once the flag `stop` is up.
    """
    width = most_kinds + most_values
    may = np.zeros((most_kinds, most_values), dtype=np.bool_)
    flow = np.zeros((most_kinds, most_values), dtype=np.int64)
    local_kind = np.full(len(sets), -1, dtype=np.int64)
    local_value = np.full(64 * sets.shape[1], -1, dtype=np.int64)
    kind_of = np.empty(most_kinds, dtype=np.int64)
    value_of = np.empty(most_values, dtype=np.int64)
    rest = np.empty(most_kinds, dtype=np.int64)
    lack = np.empty(most_values, dtype=np.int64)
    count = np.empty(most_kinds, dtype=np.int64)
    component = np.empty(width, dtype=np.int64)
    index = np.empty(width, dtype=np.int64)
    lowest = np.empty(width, dtype=np.int64)
    stack = np.empty(width, dtype=np.int64)
    path = np.empty(width, dtype=np.int64)
    edge = np.empty(width, dtype=np.int64)
    for g in range(lo, hi):
        if raised(stop):
            return
        kinds = np.int64(0)
        values = np.int64(0)
        for p in range(start[g], start[g + 1]):
            if local_kind[kind[p]] < 0:
                local_kind[kind[p]] = kinds
                kind_of[kinds] = kind[p]
                rest[kinds] = 0
                kinds += 1
            if local_value[value[p]] < 0:
                local_value[value[p]] = values
                value_of[values] = value[p]
                lack[values] = 0
                values += 1
        for t in range(kinds):
            for v in range(values):
                word = sets[kind_of[t], value_of[v] >> 6] >> np.uint64(value_of[v] & 63)
                may[t, v] = (word & np.uint64(1)) == np.uint64(0)
                flow[t, v] = 0
        for p in range(start[g], start[g + 1]):  # what stands beside a person is as good a first guess as any
            t = local_kind[kind[p]]
            v = local_value[value[p]]
            if may[t, v]:
                flow[t, v] += 1
            else:
                rest[t] += 1
                lack[v] += 1
        whole = True
        for t in range(kinds):
            while whole and rest[t] > 0 and not raised(stop):
                whole = _augment(t, kinds, values, may, flow, lack, stack, path)
                rest[t] -= 1
        if whole:
            _components(kinds, values, may, flow, component, index, lowest, stack, path, edge)
        for t in range(kinds):
            count[t] = 0 if whole else -1
            for v in range(values):
                fits = whole and may[t, v] and (flow[t, v] > 0 or component[t] == component[kinds + v])
                may[t, v] = fits
                count[t] += fits
        for p in range(start[g], start[g + 1]):
            t = local_kind[kind[p]]
            possible[p] = count[t]
            if len(bits) > 0:
                for v in range(values):
                    if may[t, v]:
                        bits[p, value_of[v] >> 6] |= np.uint64(1) << np.uint64(value_of[v] & 63)
        for t in range(kinds):
            local_kind[kind_of[t]] = -1
        for v in range(values):
            local_value[value_of[v]] = -1
