"""A hierarchy is edited step by step, and what comes out is one."""

from __future__ import annotations

import pytest

import sordino
from sordino.errors import InputError
from sordino.studio.trees import flat_tree, tree_of


def test_from_flat_to_groups() -> None:
    tree = flat_tree(["ale", "stout", "cider", "milk"])
    beer = tree.add(tree, "beer")
    for name in ("ale", "stout"):
        tree.move(next(node for node in tree.walk() if node.name == name), beer)
    drinks = tree.add(tree, " alcohol ")
    tree.move(beer, drinks)
    tree.add(tree, "empty")
    made = tree.hierarchy()
    assert made == sordino.read_hierarchy(
        {
            "name": "ALL",
            "children": [
                {"name": "cider"},
                {"name": "milk"},
                {"name": "alcohol", "children": [{"name": "beer", "children": [{"name": "ale"}, {"name": "stout"}]}]},
            ],
        }
    )
    tree.dissolve(beer)
    assert {node.name for node in drinks.below} == {"ale", "stout"}
    tree.rename(drinks, "wet")
    assert "wet" in tree.hierarchy().names


def test_what_makes_no_tree_is_refused() -> None:
    tree = flat_tree(["a", "b"])
    a = tree.below[0]
    group = tree.add(tree, "g")
    inner = tree.add(group, "h")
    for wrong in (
        lambda: tree.move(group, inner),
        lambda: tree.move(group, group),
        lambda: tree.move(group, a),
        lambda: tree.move(tree, group),
        lambda: tree.rename(a, "c"),
        lambda: tree.rename(group, "  "),
        lambda: tree.dissolve(tree),
        lambda: tree.dissolve(a),
    ):
        with pytest.raises(InputError):
            wrong()
    assert [node.name for node in tree.walk()] == ["ALL", "a", "b", "g", "h"]


def test_there_and_back() -> None:
    hierarchy = sordino.build_hierarchy(sordino.Baskets.from_sets([{f"i{k}" for k in range(30)}]), fanout=3)
    assert tree_of(hierarchy).hierarchy() == hierarchy
    assert flat_tree(["ALL", "x"]).name == "ALL*"
