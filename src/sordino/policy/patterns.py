"""Sensitive items told by patterns (hiv*) or by groups of a hierarchy, instead of one by one.

Such a policy stands for another one, in which every item has its name. Which that is, the data say that it is first
held against: `named` gives it, and whatever is audited, protected or published knows names only. So no pattern is ever
published, and none is matched against what is left of the data.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from sordino.data.hierarchy import Hierarchy
from sordino.errors import PolicyError, problem_with
from sordino.policy.assurance import Assurance
from sordino.policy.choices import Choices
from sordino.policy.inference import InferencePolicy

__all__ = ["PatternPolicy", "group_problems", "matching"]


@dataclass(frozen=True)
class PatternPolicy:
    """An inference policy that is not by name yet: `names` besides `patterns` and `nodes` of the `hierarchy`.

    `base` has all else that it demands. It has no attribute `sensitive`: whoever needs that must name it first.
    """

    kind: ClassVar[str] = "inference"
    file: ClassVar[str] = "sordino.policy.inference_file"

    base: InferencePolicy
    names: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    hierarchy: Hierarchy | None = None

    @property
    def rho(self) -> Fraction:
        return self.base.rho

    @property
    def adaptive(self) -> bool | Fraction | Mapping[str, Fraction]:
        return self.base.adaptive

    @property
    def knowledge(self) -> int | None:
        return self.base.knowledge

    @property
    def absent(self) -> str | None:
        return self.base.absent

    @property
    def assurance(self) -> Assurance | None:
        return self.base.assurance

    @property
    def per_record(self) -> Choices | None:
        return self.base.per_record

    @property
    def except_for(self) -> Choices | None:
        return self.base.except_for

    @property
    def personal(self) -> bool:
        return self.base.personal

    def with_choices(self, choices: Any) -> PatternPolicy:
        """The policy with these choices of single persons."""
        return replace(self, base=self.base.with_choices(choices))

    def named(self, items: Iterable[str], *, missing: str = "error") -> InferencePolicy:
        """The policy by name, for data with these items.

        A pattern or group that stands for none of them is a problem, as a name that occurs nowhere is, unless
        missing="accept".
        """
        held = list(dict.fromkeys(items))
        problems: list[str] = []
        found: dict[str, None] = dict.fromkeys(self.names)
        for pattern in self.patterns:
            matched = matching(pattern, held)
            if not matched and missing == "error":
                bare = re.sub(r"[*?\[\]]", "", pattern)
                problems.append(problem_with(bare, f"the pattern '{pattern}' matches no item", held))
            found.update(dict.fromkeys(matched))
        here = set(held)
        for node in self.nodes:
            leaves = [name for name in _leaves(self.hierarchy, node) if name in here]
            if not leaves and missing == "error":
                problems.append(f"no record holds an item of the group '{node}'")
            found.update(dict.fromkeys(leaves))
        if problems:
            raise PolicyError(problems)
        if not found and missing == "error":
            raise PolicyError(["the policy names nothing as sensitive, so every file would satisfy it"])
        return replace(self.base, sensitive=tuple(found))

    def outside(self, items: Iterable[str]) -> int:
        """How many of these items no group of the hierarchy holds, so that none of `nodes` can stand for them."""
        if not self.nodes or self.hierarchy is None:
            return 0
        return len(set(items).difference(self.hierarchy.names, self.names))


def matching(pattern: str, names: Iterable[str]) -> list[str]:
    """The names that a pattern matches: * any letters, ? one, [ab] one of these; capital letters do not matter."""
    fits = re.compile(fnmatch.translate(pattern.casefold())).match
    return [name for name in names if fits(name.casefold())]


def group_problems(nodes: Iterable[str], hierarchy: Hierarchy) -> list[str]:
    """What is wrong with groups that the hierarchy does not have."""
    known = set(hierarchy.names)
    return [problem_with(node, f"the hierarchy has no group '{node}'", known) for node in nodes if node not in known]


def _leaves(tree: Hierarchy | None, name: str) -> list[str]:
    """The items under every group of this name."""
    assert tree is not None
    places = [v for v, known in enumerate(tree.names) if known == name]
    found = [leaf for v in places for leaf in np.asarray(tree.leaves_under(v)).tolist()]
    return list(dict.fromkeys(tree.names[leaf] for leaf in found))
