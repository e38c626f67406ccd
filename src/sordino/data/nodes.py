"""The values of an attribute at every level: what a condition of a rule may say about it.

A **node** is a value, or a group of values that a hierarchy names. The root says nothing and is no node; a group of
all values that occur says nothing either.

**Fuzzy nodes** (LI, section IV.B). For a numeric attribute with a hierarchy a node is an interval, and a value near it
supports it in part: the share falls in a straight line from 1 at the border to 0 at a distance of half the width of the
node above (at the top: of its own width). The paper leaves the shape open. This one gives 21-year-olds some support
from neighbours of their own five-year group, and a group always holds a value to at least the share to which a node
below it does, so that support still falls when a condition gets narrower. Shares are whole numbers of `unit`ths,
rounded down, so that supports are sums of whole numbers. Shares only count as support when rules are mined: a rule
speaks of those who lie in its nodes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sordino.data.hierarchy import Hierarchy
from sordino.errors import InputError

__all__ = ["Nodes", "nodes_of", "numbers", "with_absent"]

Int32 = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of one attribute in preorder: those below node v are v + 1 .. end[v] - 1.

    inside[v] are the codes of the values that lie in node v, parent[v] the node above it (-1 where that is the root),
    leaf[c] the lowest node that holds the value c.
    fuzzy[v], if there is any, gives to every value of the attribute its share in node v.
    """

    attribute: str
    labels: tuple[str, ...]
    texts: tuple[str, ...] = field(repr=False)  # of the values, by code
    inside: tuple[Int32, ...] = field(repr=False)
    parent: Int32 = field(repr=False)
    fuzzy: tuple[tuple[Fraction, ...], ...] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def values(self) -> int:
        return len(self.texts)

    @cached_property
    def leaf(self) -> Int32:
        leaf = np.zeros(self.values, dtype=np.int32)
        for v, held in enumerate(self.inside):  # preorder: the last that holds a value is the lowest
            leaf[held] = v
        return leaf

    @cached_property
    def end(self) -> Int32:
        end = np.arange(1, len(self) + 1, dtype=np.int32)
        for v in range(len(self) - 1, -1, -1):
            if self.parent[v] >= 0:
                end[self.parent[v]] = max(end[self.parent[v]], end[v])
        return end

    def find(self, label: str, tree: Hierarchy | None) -> int | str | None:
        """What a label of the whole hierarchy means here: a node; "nobody", if none of its values occurs; "everybody",
        if all that occur lie in it; None, if there is no such label.
        """
        if label in self.labels:
            return self.labels.index(label)
        if tree is None or label not in tree.labels:
            return None
        leaves = {tree.names[leaf] for leaf in tree.leaves_under(tree.labels.index(label))}
        inside = [code for code, text in enumerate(self.texts) if text in leaves]
        if not inside:
            return "nobody"
        if len(inside) == self.values:
            return "everybody"
        return next(v for v, held in enumerate(self.inside) if held.tolist() == inside)

    def members(self, node: int, unit: int) -> tuple[Int32, npt.NDArray[np.int64]]:
        """The values that support a node, and to how many `unit`ths each; a crisp node holds its values whole."""
        if self.fuzzy is None:
            return self.inside[node], np.ones(len(self.inside[node]), dtype=np.int64)
        shares = np.array([math.floor(share * unit) for share in self.fuzzy[node]], dtype=np.int64)
        held = np.flatnonzero(shares)
        return held.astype(np.int32), shares[held]


def numbers(values: Sequence[str]) -> tuple[Fraction, ...] | None:
    """The values as numbers, or None if one of them is not a plain decimal number."""
    found = []
    for value in values:
        text = value.strip()
        if not text.removeprefix("-").replace(".", "", 1).isdecimal() or not text.isascii():
            return None
        found.append(Fraction(text))
    return tuple(found)


def nodes_of(attribute: str, values: Sequence[str], tree: Hierarchy | None = None, *, fuzzy: bool = False) -> Nodes:
    """The nodes of an attribute with these values (by code), under a hierarchy if there is one.

    An InputError if the hierarchy lacks a value, or if fuzzy nodes are wanted of values that are not numbers.
    """
    if tree is None:
        inside = tuple(np.array([code], dtype=np.int32) for code in range(len(values)))
        return Nodes(attribute, tuple(values), tuple(values), inside, np.full(len(values), -1, dtype=np.int32))
    tree.covers(values, where=f"the hierarchy of '{attribute}'")
    used = tree.restricted(values)
    code = {value: k for k, value in enumerate(values)}
    code_of_leaf = {int(leaf): code[used.names[leaf]] for leaf in used.leaves}
    # A chain of nodes with the same values is one node: its lowest name says most.
    names = _labels(tree, used)
    kept: list[int] = []
    place = np.full(len(used), -1, dtype=np.int32)
    parent: list[int] = []
    for v in range(1, len(used)):
        count = int(used.leaf_counts[v])
        if count == len(values):
            continue
        if int(used.size[v]) > 1 and int(used.leaf_counts[v + 1]) == count:
            place[v] = place[used.parent[v]]  # its only child stands for it
            continue
        place[v] = len(kept)
        parent.append(int(place[used.parent[v]]))
        kept.append(v)
    if len(values) == 1:  # one value says nothing either, but a rule may still name it
        kept, parent = [len(used) - 1], [-1]
    inside = tuple(
        np.array(sorted(code_of_leaf[int(leaf)] for leaf in used.leaves_under(v)), dtype=np.int32) for v in kept
    )
    shares = _shares(attribute, tree, used, kept, parent, values) if fuzzy else None
    return Nodes(
        attribute, tuple(names[v] for v in kept), tuple(values), inside, np.array(parent, dtype=np.int32), shares
    )


def with_absent(nodes: Nodes, text: str) -> Nodes:
    """The nodes with one more value, after all others and in no group: what a cell without a value holds."""
    shares = nodes.fuzzy
    if shares is not None:
        none = Fraction(0)
        shares = (*((*share, none) for share in shares), (*(none for _ in nodes.texts), Fraction(1)))
    return Nodes(
        nodes.attribute,
        (*nodes.labels, text),
        (*nodes.texts, text),
        (*nodes.inside, np.array([nodes.values], dtype=np.int32)),
        np.append(nodes.parent, -1).astype(np.int32),
        shares,
    )


def _labels(tree: Hierarchy, used: Hierarchy) -> tuple[str, ...]:
    """The labels of the whole tree for the nodes of a part of it, so that a label never depends on the data."""
    label = {(int(tree.depth[v]), tree.names[v]): tree.labels[v] for v in range(len(tree))}
    return tuple(label[int(used.depth[v]), used.names[v]] for v in range(len(used)))


def _shares(
    attribute: str, tree: Hierarchy, used: Hierarchy, kept: list[int], parent: list[int], values: Sequence[str]
) -> tuple[tuple[Fraction, ...], ...]:
    own = numbers(values)
    every = numbers([tree.names[leaf] for leaf in tree.leaves])
    if own is None or every is None:
        raise InputError(f"'{attribute}' cannot be fuzzy: not all its values are numbers")
    place = {(int(tree.depth[v]), tree.names[v]): v for v in range(len(tree))}
    number_of = dict(zip(tree.leaves.tolist(), every, strict=True))
    step = min((b - a for a, b in zip(sorted(set(every)), sorted(set(every))[1:], strict=False)), default=Fraction(1))
    border: list[tuple[Fraction, Fraction]] = []
    for v in kept:  # the interval is that of the hierarchy, whether or not its ends occur
        under = [number_of[int(leaf)] for leaf in tree.leaves_under(place[int(used.depth[v]), used.names[v]])]
        border.append((min(under), max(under)))
    shares = []
    for k, (low, high) in enumerate(border):
        above = parent[k]
        reach = high - low + step if above < 0 else (border[above][1] - border[above][0] + step) / 2
        reach = max(reach, (high - low + step) / 2)
        distance = [max(low - x, x - high, Fraction(0)) for x in own]
        shares.append(tuple(max(Fraction(0), 1 - gap / reach) for gap in distance))
    return tuple(shares)
