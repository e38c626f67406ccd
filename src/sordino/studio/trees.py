"""A hierarchy in the making: a tree of names, edited one step at a time, that becomes a Hierarchy when it is done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import sordino
from sordino.errors import InputError

__all__ = ["ALL", "Node", "flat_tree", "tree_of"]

ALL = "ALL"  # the root of a tree that has no groups yet


@dataclass(eq=False)
class Node:
    """A name, and what is below it; a leaf has nothing below it and stands for a value."""

    name: str
    below: list[Node] = field(default_factory=list)
    leaf: bool = False

    def walk(self) -> Iterator[Node]:
        """This one and all below."""
        yield self
        for node in self.below:
            yield from node.walk()

    def above(self, wanted: Node) -> Node | None:
        """The node right above another one; None above the root."""
        return next((node for node in self.walk() if wanted in node.below), None)

    def groups(self) -> list[Node]:
        """All that is no leaf."""
        return [node for node in self.walk() if not node.leaf]

    def leaves(self) -> int:
        return sum(node.leaf for node in self.walk())

    def rename(self, node: Node, name: str) -> None:
        """Another name for a group; values keep theirs."""
        if node.leaf:
            raise InputError("a value keeps its name: the data hold it")
        node.name = _named(name)

    def add(self, under: Node, name: str) -> Node:
        """A new group, still empty."""
        made = Node(_named(name))
        under.below.append(made)
        return made

    def move(self, node: Node, under: Node) -> None:
        """Put a node, with all below it, under a group."""
        if under.leaf:
            raise InputError("nothing can stand under a value")
        if under in node.walk():
            raise InputError("a group cannot stand under itself")
        above = self.above(node)
        if above is None:
            raise InputError("the root stands above all others")
        above.below.remove(node)
        under.below.append(node)

    def dissolve(self, node: Node) -> None:
        """A group goes, and what was below it stands where it stood."""
        above = self.above(node)
        if node.leaf or above is None:
            raise InputError("only a group below the root can go")
        place = above.below.index(node)
        above.below[place : place + 1] = node.below

    def plain(self) -> dict[str, Any]:
        """As `read_hierarchy` takes it; groups without values are left out."""
        below = [node.plain() for node in self.below if node.leaves()]
        return {"name": self.name, "children": below} if below else {"name": self.name}

    def hierarchy(self) -> Any:
        """The Hierarchy that this is; an InputError if it is none."""
        return sordino.read_hierarchy(self.plain())


def flat_tree(values: Iterable[str]) -> Node:
    """All values right under the root."""
    names = list(values)
    root = ALL
    while root in names:
        root += "*"
    return Node(root, [Node(name, leaf=True) for name in names])


def tree_of(hierarchy: Any) -> Node:
    """A Hierarchy, to edit."""
    return _node(hierarchy.to_dict())


def _node(plain: Mapping[str, Any]) -> Node:
    below = [_node(one) for one in plain.get("children", ())]
    return Node(str(plain["name"]), below, leaf=not below)


def _named(name: str) -> str:
    if not name.strip():
        raise InputError("a group needs a name")
    return name.strip()
