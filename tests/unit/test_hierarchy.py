"""Hierarchies: the tree itself, every form it is read from, and the ways in which these can be broken."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sordino
from sordino.data.hierarchy import Hierarchy, hierarchy_of
from sordino.data.read_hierarchy import read_hierarchy
from sordino.data.write_hierarchy import write_hierarchy
from sordino.errors import InputError

NESTED = {"ALL": {"A": ["a", "b"], "B": {"c": {}, "d": None}}}
FORMS = {
    "arx": "a;A;ALL\nb;A;ALL\nc;B;ALL\nd;B;ALL\n",
    "columns": "item,level1\na,A\nb,A\nc,B\nd,B\n",
    "coarse-first": "level1,item\nA,a\nA,b\nB,c\nB,d\n",
    "quoted": '"a","A","ALL"\n"b","A","ALL"\nc,B,ALL\nd,B,ALL\n',
    "tab": "a\tA\tALL\r\nb\tA\tALL\r\nc\tB\tALL\r\nd\tB\tALL\r\n",
    "parent-child": "child,parent\nA,ALL\nB,ALL\na,A\nb,A\nc,B\nd,B\n",
    "parent-child-turned": "parent,child\nALL,A\nALL,B\nA,a\nA,b\nB,c\nB,d\n",
    "parent-child-bare": "A;ALL\nB;ALL\na;A\nb;A\nc;B\nd;B\nALL;\n",
    "json": json.dumps(NESTED),
    "json-nodes": json.dumps(
        {
            "name": "ALL",
            "children": [{"name": n, "children": [{"name": c} for c in n2]} for n, n2 in (("A", "ab"), ("B", "cd"))],
        }
    ),
    "json-no-root": json.dumps(NESTED["ALL"]),
    "json-with-sizes": json.dumps(  # as drawing libraries have it
        {
            "name": "ALL",
            "id": 7,
            "children": [
                {"name": n, "children": [{"name": c, "size": 3} for c in n2]} for n, n2 in (("A", "ab"), ("B", "cd"))
            ],
        }
    ),
    "ids": "id,parent_id\nA,ALL\nB,ALL\na,A\nb,A\nc,B\nd,B\n",
    "skus": "sku,department\na,A\nb,A\nc,B\nd,B\n",
    "doubled": "a;A;ALL\na;A;ALL\nb;A;ALL\nc;B;ALL\nc;B;ALL\nd;B;ALL\n",
    "bom-crlf-blanks": "\ufeffitem , level1\r\n a , A\r\nb,A \r\n\r\nc,B\r\nd, B\r\n",
}


@pytest.fixture
def tree() -> Hierarchy:
    return read_hierarchy(NESTED)


def test_the_tree(tree: Hierarchy) -> None:
    assert tree.names == ("ALL", "A", "a", "b", "B", "c", "d")
    assert tree.parent.tolist() == [-1, 0, 1, 1, 0, 4, 4]
    assert tree.depth.tolist() == [0, 1, 2, 2, 1, 2, 2]
    assert tree.leaf_counts.tolist() == [4, 2, 1, 1, 2, 1, 1]
    assert tree.leaf_of == {"a": 2, "b": 3, "c": 5, "d": 6}
    assert tree.children(0).tolist() == [1, 4]
    assert tree.children(2).tolist() == []
    assert tree.path(5) == (5, 4, 0)
    assert tree.leaves_under(4).tolist() == [5, 6]
    assert [tree.node_at(5, d) for d in range(4)] == [0, 4, 5, 5]
    assert tree.ancestors_at(1).tolist() == [0, 1, 1, 1, 4, 4, 4]
    assert tree.is_under(5, 4)
    assert tree.is_under(4, 4)
    assert not tree.is_under(3, 4)
    assert tree.node("B", 1) == 4
    assert tree.height == 2
    assert next(tree.paths()) == ("a", "A", "ALL")


def test_cuts(tree: Hierarchy) -> None:
    assert tree.cut([0]).tolist() == [0] * 7
    assert tree.cut([1, 5, 6]).tolist() == [-1, 1, 1, 1, -1, 5, 6]
    with pytest.raises(InputError, match="does not show 'a'"):
        tree.cut([4])
    with pytest.raises(InputError, match="shows 'c' twice"):
        tree.cut([1, 4, 5])
    with pytest.raises(InputError, match="not there"):
        tree.cut([7])


def test_restricted(tree: Hierarchy) -> None:
    small = tree.restricted(["a", "c"])
    assert small.names == ("ALL", "A", "a", "B", "c")
    assert small.parent.tolist() == [-1, 0, 1, 0, 3]
    assert tree.restricted(["d"]).names == ("ALL", "B", "d")
    assert tree.restricted("abcd") == tree
    with pytest.raises(InputError, match="does not cover 1 name"):
        tree.restricted(["x"])
    with pytest.raises(InputError, match="at least one"):
        tree.restricted([])


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_tree(tmp_path: Path, form: str, tree: Hierarchy) -> None:
    for name, data in (("h.txt", FORMS[form].encode()), ("h.gz", gzip.compress(FORMS[form].encode()))):
        path = tmp_path / name
        path.write_bytes(data)
        assert read_hierarchy(path) == tree


def test_objects_of_python(tree: Hierarchy) -> None:
    assert read_hierarchy(tree) is tree
    assert read_hierarchy({"A": "ALL", "a": "A", "b": "A", "B": "ALL", "c": "B", "d": "B"}) == tree
    assert read_hierarchy({"a": ("A", "ALL"), "b": ("A", "ALL"), "c": ("B", "ALL"), "d": ("B", "ALL")}) == tree
    assert read_hierarchy(pd.DataFrame({"item": list("abcd"), "level1": list("AABB")})) == tree
    pairs = pd.DataFrame({"child": list("ABabcd"), "parent": ["ALL", "ALL", *"AABB"]})
    assert read_hierarchy(pairs) == tree
    assert sordino.read_hierarchy is read_hierarchy
    assert read_hierarchy({"ALL": [1, 2]}).names == ("ALL", "1", "2")
    with pytest.raises(InputError, match="type int"):
        read_hierarchy(3)
    with pytest.raises(InputError, match="type float"):
        read_hierarchy({"ALL": [0.5]})


def test_names_may_repeat_on_another_level() -> None:
    tree = read_hierarchy({"food": {"sausage": ["sausage", "ham"], "food": ["bread"]}})
    assert tree.leaf("sausage") == 2
    assert tree.labels == ("food@0", "sausage@1", "sausage", "ham", "food@1", "bread")


def test_labels_never_clash() -> None:
    tree = read_hierarchy({"ALL": {"x": ["x", "x@1"]}})
    assert tree.labels == ("ALL", "x@1'", "x", "x@1")
    assert tree.labels_beside(["ALL", "ALL@0"]) == ("ALL@0'", "x@1'", "x", "x@1")


@pytest.mark.parametrize("name", ["h.csv", "h.json", "h.csv.gz", "h.json.gz"])
def test_writing_and_reading_back(tmp_path: Path, tree: Hierarchy, name: str) -> None:
    write_hierarchy(tree, tmp_path / name)
    assert read_hierarchy(tmp_path / name) == tree
    odd = read_hierarchy({"ALL": {'A;"1"': ["17", "a,b"], "B": ["c d"]}})
    write_hierarchy(odd, tmp_path / name)
    assert read_hierarchy(tmp_path / name) == odd


def test_what_looks_like_something_else_is_read_back(tmp_path: Path) -> None:
    """Other delimiters and brackets in names; an item and a group that are called like the head of a column."""
    for names in (["x,1,2", "y,3,4"], ["a|b|c", "d|e|f"], ["{a", "[b"], ["l1", "l2"], ['"a"', "b\nc"]):
        for tree in (read_hierarchy({"ALL": names}), read_hierarchy({"ALL": {"group-1": names[:1], "B": names[1:]}})):
            write_hierarchy(tree, tmp_path / "h.csv")
            assert read_hierarchy(tmp_path / "h.csv") == tree


@pytest.mark.parametrize("name", [" a", "a\t", "a\rb"], ids=["blank", "tab", "return"])
def test_what_csv_would_change_is_not_written_as_csv(tmp_path: Path, name: str) -> None:
    tree = read_hierarchy({"ALL": [name, "b"]})
    with pytest.raises(InputError, match=r"CSV would change"):
        write_hierarchy(tree, tmp_path / "h.csv")
    write_hierarchy(tree, tmp_path / "h.json")
    assert read_hierarchy(tmp_path / "h.json") == tree


def test_an_item_may_be_called_name() -> None:
    assert read_hierarchy({"name": "A", "b": "A"}).leaf_of.keys() == {"name", "b"}
    assert read_hierarchy({"A": {"name": None, "b": None}}).leaf_of.keys() == {"name", "b"}


def test_uneven_trees_are_written_as_json_only(tmp_path: Path) -> None:
    tree = read_hierarchy({"ALL": {"A": ["a"], "b": None}})
    write_hierarchy(tree, tmp_path / "h.json")
    assert read_hierarchy(tmp_path / "h.json") == tree
    with pytest.raises(InputError, match="different depths"):
        write_hierarchy(tree, tmp_path / "h.csv")


BROKEN = {
    "empty": ("", "empty"),
    "blank": (" \n\n", "empty"),
    "one-column": ("a\nb\n", "two columns"),
    "ragged": ("a;A;*\nb;*\n", "line 2.*wrong columns"),
    "two-parents": ("a;A;*\na;B;*\n", "line 2.*'a' has two parents: 'A' and 'B'"),
    "same-level-twice": ("a;o;A;*\nb;o;B;*\n", "'o' has two parents"),
    "two-roots": ("a;A;*\nb;B;+\n", "line 2.*more than one root: 'b' ends in '\\+'"),
    "nameless": ("a;A;*\n;A;*\n", "line 2.*an item has no name"),
    "own-parent": ("child,parent\nA,A\nb,A\n", "circle at 'A'"),
    "gap": ("a;;*\nb;B;*\n", "line 1.*a level of 'a' is empty"),
    "pair-roots": ("child,parent\na,A\nb,B\n", "more than one root: 'A', 'B'"),
    "cycle": ("child,parent\nA,ALL\na,b\nb,a\n", "circle at '[ab]'"),
    "all-cycle": ("child,parent\na,b\nb,a\n", "circle at '[ab]'"),
    "pair-twice": ("child,parent\na,A\na,B\nA,B\n", "'a' has two parents"),
    "header-only": ("item,level1\n", "only a header"),
    "quotes": ('"a;A;*\nb;A;*\n', "quotes"),
    "nul": ("a\0;A;*\n", "NUL"),
    "json-broken": ('{"ALL": [', "not valid JSON"),
    "json-double": ('{"ALL": ["a"], "ALL": ["b"]}', "'ALL' stands twice"),
    "json-twice": ('{"ALL": {"A": ["a"], "B": ["a"]}}', "'a' stands twice on level 2.*under 'A', 'B'"),
    "json-leaf-twice": ('{"ALL": {"A": ["a"], "a": null}}', "item 'a' stands twice"),
    "json-type": ('{"ALL": [true]}', "type bool"),
    "json-empty": ("{}", "empty"),
    "json-nameless": ('{"ALL": [""]}', "no name"),
    "json-deep": ("[" * 100_000, "deep|not valid JSON"),
    "json-deep-objects": ('{"a":' * 900 + "1" + "}" * 900, "deep"),
    "json-number": ("{" + '"a": ' + "9" * 5000 + "}", "not valid JSON|digits"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_hierarchies_are_refused_with_a_reason(tmp_path: Path, case: str) -> None:
    text, reason = BROKEN[case]
    path = tmp_path / "h.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=reason) as caught:
        read_hierarchy(path)
    assert "h.txt" in str(caught.value)


def test_layout_can_be_stated(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("item;level1\nx;y\n")
    assert read_hierarchy(path).leaf_of.keys() == {"x"}
    assert read_hierarchy(path, layout="paths").leaf_of.keys() == {"item", "x"}
    path.write_text("a;b\nb;*\n")
    assert read_hierarchy(path).names == ("*", "b", "a")  # a parent that is a child: pairs
    with pytest.raises(InputError, match="more than one root"):
        read_hierarchy(path, layout="paths")
    path.write_text("a;A;*\nb;A;*\n")
    with pytest.raises(InputError, match=r"two columns; there are 3"):
        read_hierarchy(path, layout="parent-child")
    with pytest.raises(InputError, match=r"no layout 'path'.*'paths'"):
        read_hierarchy(path, layout="path")


def test_every_item_must_be_covered(tree: Hierarchy) -> None:
    tree.covers(["a", "d"])
    with pytest.raises(InputError, match="does not cover 2 names") as caught:
        read_hierarchy(tree, items=["a", "x", "A"])
    assert caught.value.suggestions == ("It lacks 'x', 'A'.",)
    with pytest.raises(InputError, match="does not cover 8 names") as caught:
        tree.covers(map(str, range(8)))
    assert "and 3 more" in caught.value.suggestions[0]


def test_an_order_in_which_children_come_first() -> None:
    tree = hierarchy_of(["b", "A", "a", "ALL"], [1, 3, 1, -1])
    assert tree.names == ("ALL", "A", "b", "a")
    assert np.all(tree.parent[1:] < np.arange(1, 4))


@pytest.mark.parametrize(
    ("name", "leaves", "nodes"),
    [
        ("groceries_hierarchy.csv.gz", 169, 169 + 55 + 10 + 1),
        ("adult_hierarchies/adult_hierarchy_age.csv", 100, None),
        ("adult_hierarchies/adult_hierarchy_education.csv", 16, None),
    ],
)
def test_real_files(data_folder: Path, name: str, leaves: int, nodes: int | None) -> None:
    path = data_folder / name
    if not path.is_file():
        pytest.skip("the benchmark data are not here")
    tree = read_hierarchy(path)
    assert len(tree.leaves) == leaves
    assert nodes is None or len(tree) == nodes
    assert len(set(tree.labels)) == len(tree)
