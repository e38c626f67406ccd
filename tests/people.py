"""Random tables with template policies, for property tests: few values, so that rows meet."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from hypothesis import strategies as st

from oracle_disclosure import Row, Template
from sordino.data.hierarchy import Hierarchy, hierarchy_of
from sordino.data.table import Column, Table
from sordino.policy import template as policies

LIMITS = ("1/2", "0.3", "2/3", "0.7", "1/4", "0.95", "1/3", "0.123456789012345678")
VALUES = ("a", "b", "c", "d")
TREES: dict[str, list[tuple[str, ...]]] = {  # some shapes: deep, uneven, a chain
    "two": [("a", "A", "*"), ("b", "A", "*"), ("c", "B", "*"), ("d", "B", "*")],
    "deep": [("a", "A", "AB", "*"), ("b", "A", "AB", "*"), ("c", "B", "AB", "*"), ("d", "D", "D2", "*")],
}


class People(NamedTuple):
    rows: list[Row]
    policy: policies.TemplatePolicy
    templates: list[Template]
    paths: dict[str, dict[str | None, tuple[str | None, ...]]]  # of the masking columns
    label: str | None

    @property
    def table(self) -> Table:
        return Table(tuple(Column.of_texts(name, [row[name] for row in self.rows]) for name in self.rows[0]))


@st.composite
def peoples(draw: st.DrawFn, *, most: int = 24, trees: bool = True) -> People:
    """Up to four columns to know, one or two to be inferred, perhaps a class; given may name any of them."""
    known = [f"k{k}" for k in range(draw(st.integers(1, 3)))]
    secret = [f"s{k}" for k in range(draw(st.integers(1, 2)))]
    label = draw(st.sampled_from((None, "class", "class")))
    columns = [*known, *secret, *([label] if label else [])]
    cell = st.sampled_from((*VALUES[: draw(st.integers(2, 4))], None) if draw(st.booleans()) else VALUES[:3])
    rows: list[Row] = draw(st.lists(st.fixed_dictionaries(dict.fromkeys(columns, cell)), min_size=1, max_size=most))
    stated: list[policies.Template] = []
    templates: list[Template] = []
    for _ in range(draw(st.integers(1, 3))):
        sensitive = draw(st.sampled_from(secret))
        others = [name for name in columns if name != sensitive] if draw(st.integers(0, 3)) == 0 else known
        given = draw(st.lists(st.sampled_from(others), min_size=1, unique=True))
        there = sorted({row[sensitive] for row in rows} - {None})
        if not there:
            continue
        values = draw(st.lists(st.sampled_from(there), min_size=1, unique=True))
        limit = draw(st.sampled_from(LIMITS))
        stated.append(policies.Template(given, sensitive, values, limit))
        templates += [Template(tuple(given), sensitive, value, Fraction(limit)) for value in values]
    if not stated:
        return draw(peoples(most=most, trees=trees))
    fixed = {t.sensitive for t in templates} | {label}
    masking = sorted({name for t in templates for name in t.given if name not in fixed})
    paths: dict[str, dict[str | None, tuple[str | None, ...]]] = {}
    hierarchies: dict[str, Hierarchy] = {}
    for name in masking:
        paths[name] = {value: (value, "*") for value in (*VALUES, None)}
        if trees and draw(st.booleans()):
            chosen = TREES[draw(st.sampled_from(sorted(TREES)))]
            hierarchies[name] = tree_of(chosen)
            paths[name] |= {path[0]: path for path in chosen}
    policy = policies.TemplatePolicy(stated, class_column=label, hierarchies=hierarchies)
    return People(rows, policy, templates, paths, label)


def tree_of(paths: list[tuple[str, ...]]) -> Hierarchy:
    """The hierarchy with these paths from leaf to root, in which every name is one node."""
    parent = {name: above for path in paths for name, above in pairwise(path)}
    names = [paths[0][-1], *parent]
    return hierarchy_of(names, [-1, *(names.index(parent[name]) for name in names[1:])])
