"""The best part of a short record, by kernel and by trying everything in plain Python."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import sordino
from doors import door
from sordino.engine.local import Watch
from sordino.protect.kernels.common.part import best_part, make_part_room, plain_part, reach_of_part
from sordino.protect.workspace import Workspace
from tables import examples

RECORDS = st.lists(st.sets(st.sampled_from("abcdefgh"), max_size=7), min_size=2, max_size=14)


def safe(part: frozenset[str], others: list[set[str]], sensitive: set[str], rho: Fraction) -> bool:
    """Whether the leaves of `part` are safe if one record keeps just that."""
    if len(part) == 1:
        return True
    whole = 1 + sum(part <= r for r in others)
    return all(Fraction(whole, 1 + sum(part - {e} <= r for r in others)) <= rho for e in part & sensitive)


@settings(max_examples=examples(150))
@given(RECORDS, st.sampled_from(["0.3", "0.5", "0.7"]), st.integers(1, 6))
def test_best_part_is_the_largest_safe_part(records: list[set[str]], rho: str, least: int) -> None:
    sensitive = {"a", "b", "c"} & set().union(*records)
    baskets = sordino.read_baskets(records)
    policy = sordino.InferencePolicy(sorted(sensitive), rho).resolve(baskets)
    workspace = Workspace(baskets, policy, jobs=1, watch=Watch())
    room, weight = make_part_room(len(workspace.record)), np.ones(12)
    for u, number in enumerate(workspace.record):
        g = workspace.ledger
        n = int(g.length[u])
        own, others = records[number], records[:number] + records[number + 1 :]
        door(reach_of_part)(g, u, n, least, room.order)
        part = door(best_part)(g, u, n, least, weight, 0.0, room)
        names = [baskets.names[workspace.code[g.items[g.ptr[u] + k]]] for k in range(n)]
        got = frozenset(names[k] for k in range(n) if part >> k & 1)
        sizes = [
            size
            for size in range(least, n + 1)
            if any(safe(frozenset(w), others, sensitive, Fraction(rho)) for w in combinations(sorted(own), size))
        ]
        assert len(got) == max(sizes, default=0)
        assert not got or (got <= own and safe(got, others, sensitive, Fraction(rho)))
        plain = frozenset(names[k] for k in range(n) if door(plain_part)(g, u, n, weight) >> k & 1)
        assert plain == own - sensitive if own - sensitive else len(plain) == 1


def test_of_equal_parts_the_one_with_alibis_to_spare_is_taken() -> None:
    records = [{"x", "y", "s", "t"}, {"x", "y", "t"}, {"x", "y"}]
    baskets = sordino.read_baskets(records)
    workspace = Workspace(baskets, sordino.InferencePolicy(["s", "t"], "0.7").resolve(baskets), jobs=1, watch=Watch())
    g, u = workspace.ledger, int(workspace.place[0])
    room = make_part_room(len(workspace.record))
    names = [baskets.names[workspace.code[g.items[g.ptr[u] + k]]] for k in range(4)]
    door(reach_of_part)(g, u, 4, 3, room.order)
    part = door(best_part)(g, u, 4, 3, np.ones(12), 0.02, room)
    kept = {name for k, name in enumerate(names) if part >> k & 1}
    assert kept == {"x", "y", "s"}  # with t instead, the only alibi would have to do for two
