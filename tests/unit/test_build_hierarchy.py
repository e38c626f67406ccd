"""Hierarchies that are built from the data."""

from __future__ import annotations

import numpy as np
import pytest

import sordino
from sordino.data.baskets import Baskets
from sordino.data.build_hierarchy import WAYS, build_hierarchy
from sordino.errors import InputError


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("fanout", [2, 3, 7])
@pytest.mark.parametrize("items", [1, 2, 3, 7, 8, 50])
def test_shape(by: str, fanout: int, items: int) -> None:
    rng = np.random.default_rng(items)
    records = [[str(k)] for k in range(items)] + [rng.choice(items, size=2).tolist() for _ in range(30)]
    baskets = Baskets.from_sets([{str(k) for k in record} for record in records])
    tree = build_hierarchy(baskets, by=by, fanout=fanout)
    assert tree.leaf_of.keys() == set(baskets.names)
    assert max(len(tree.children(v)) for v in range(len(tree))) <= fanout
    assert len(set(tree.depth[tree.leaves].tolist())) == 1
    assert fanout ** (tree.height - 1) < items or tree.height == 1
    assert len(set(tree.labels)) == len(tree)


def test_orders() -> None:
    table = [{"a", "z"}] * 5 + [{"b", "y"}] * 3 + [{"c"}] * 7 + [{"a"}, {"y"}]
    by_name = sordino.build_hierarchy(table, fanout=2)
    assert [path[0] for path in by_name.paths()] == ["a", "b", "c", "y", "z"]
    by_frequency = sordino.build_hierarchy(table, by="frequency", fanout=2)
    assert [path[0] for path in by_frequency.paths()] == ["c", "a", "z", "y", "b"]
    together = sordino.build_hierarchy(table, by="cooccurrence", fanout=2)
    order = [path[0] for path in together.paths()]
    assert abs(order.index("a") - order.index("z")) == 1
    assert abs(order.index("b") - order.index("y")) == 1


def test_rare_items_are_put_beside_the_one_they_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sordino.data.build_hierarchy.CLUSTERED", 3)
    table = [{"a"}] * 9 + [{"b"}] * 8 + [{"c"}] * 7 + [{"d", "b"}] * 2 + [{"e"}]
    order = [path[0] for path in sordino.build_hierarchy(table, by="cooccurrence").paths()]
    assert order.index("d") == order.index("b") + 1
    assert order[-1] == "e"


def test_what_cannot_be_built() -> None:
    with pytest.raises(InputError, match=r"by 'balance'.*'balanced'"):
        sordino.build_hierarchy([{"a"}], by="balance")
    with pytest.raises(InputError, match="fanout"):
        sordino.build_hierarchy([{"a"}], fanout=1)
    with pytest.raises(InputError, match="no items"):
        sordino.build_hierarchy([set()])
