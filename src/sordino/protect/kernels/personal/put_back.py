"""Items that records get back once all others are safe (state.py).

*Argument.* An item x put back into record R raises the support of parts of R + x only. Of rules q -> e, those with q in
R + x and e outside it become safer, all others outside R + x stay as they are. So what is put back is safe exactly if
no part of R + x discloses anything, which one table over all its parts shows; nobody else need be looked at again.
Looks at several records go on at once. What they found for R stands as long as no record that grew meanwhile has two
items of R + x: then no support of a rule inside R + x rose but that of an antecedent of one item, which is safer.
"""

from __future__ import annotations

import numpy as np

from sordino.audit.kernels.personal import SHORT, bad_parts, project
from sordino.audit.kernels.supersets import add_supersets, unite_supersets
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.personal.state import best_part
from sordino.protect.kernels.store import keep_weight, put_in


@inner
def candidates(state, u, at):  # type: ignore[no-untyped-def]
    """Writes to `at` the places of what the record has, and of the most frequent items it lost, SHORT in all, by item.

    Returns how many there are.
    """
    store = state.store
    items, support = store.items, store.support
    base = store.ptr[u]
    n = store.length[u]
    for k in range(n):
        at[k] = base + k
    for k in range(base + n, store.ptr[u + 1]):
        if n < SHORT:
            at[n] = k
            n += 1
            continue
        worst = store.length[u]
        for j in range(worst + 1, n):
            if (support[items[at[j]]], -items[at[j]]) < (support[items[at[worst]]], -items[at[worst]]):
                worst = j
        if (support[items[k]], -items[k]) > (support[items[at[worst]]], -items[at[worst]]):
            at[worst] = k
    for j in range(1, n):
        k = at[j]
        i = j
        while i > 0 and items[at[i - 1]] > items[k]:
            at[i] = at[i - 1]
            i -= 1
        at[i] = k
    return n


@kernel
def look_for_more(state, records, most, even, room, back):  # type: ignore[no-untyped-def]
    """Sets back[place] for the best of what each record lost that it could have again. Nothing is changed."""
    store, s, stop = state.store, room.scratch, state.stop
    here = np.empty(SHORT, dtype=np.int32)
    at = np.empty(SHORT, dtype=np.int64)
    no_length = np.empty(0, dtype=np.int64)
    for u in records:
        if raised(stop):
            return
        end = store.ptr[u] + store.length[u]
        if end == store.ptr[u + 1] or store.length[u] >= SHORT:
            continue
        n = candidates(state, u, at)
        must = np.int64(0)
        for k in range(n):
            here[k] = store.items[at[k]]
            if at[k] < end:
                must |= np.int64(1) << k
        kept = (np.int64(1) << n) - 1
        if project(store, state.owners, here, np.int64(0), n, s, no_length) >= 0:
            if must:
                s.sup[must] -= 1  # as if the record had all of it
            s.sup[kept] += 1
            add_supersets(s.sup, n)
            unite_supersets(s.avail, n)
            if bad_parts(store, here, np.int64(0), n, most, s) > 0:
                for k in range(n):
                    room.worth[np.int64(1) << k] = keep_weight(store.support[here[k]], state.original[here[k]], even)
                kept = best_part(s, n, room.worth, must) | must
        for k in range(n):
            back[at[k]] = at[k] >= end and kept >> k & 1


@inner
def shares_two(store, v, wanted, n):  # type: ignore[no-untyped-def]
    """Whether record v has two of wanted[:n]."""
    common = 0
    for k in range(store.ptr[v], store.ptr[v] + store.length[v]):
        for j in range(n):
            common += store.items[k] == wanted[j]
    return common > 1


@kernel
def put_back(state, records, most, even, room, back):  # type: ignore[no-untyped-def]
    """Gives each record what the look for more found; where that may not stand any more, after another look.

    Returns how many occurrences came back.
    """
    store = state.store
    grew = np.empty(len(records), dtype=np.int64)
    grown = 0
    gained = 0
    wanted = np.empty(SHORT, dtype=np.int64)
    for i in range(len(records)):
        u = records[i]
        for look in range(2):
            n = store.length[u]
            more = 0
            for k in range(store.ptr[u] + n, store.ptr[u + 1]):
                if back[k]:
                    wanted[more] = store.items[k]
                    back[k] = False
                    more += 1
            if more == 0 or look == 1:
                break
            for k in range(n):
                wanted[more + k] = store.items[store.ptr[u] + k]
            stands = True
            for j in range(grown):
                stands = stands and not shares_two(store, grew[j], wanted, more + n)
            if stands:
                break
            look_for_more(state, records[i : i + 1], most, even, room, back)
        for j in range(more):
            at = store.ptr[u] + store.length[u]
            while store.items[at] != wanted[j]:
                at += 1
            put_in(store, u, at)
        if more:
            grew[grown] = u
            grown += 1
            gained += more
    return gained
