"""What grouping cost: how well rules and counts can be computed from the groups (model.md 2.2)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.errors import InputError
from sordino.policy.diversity import ResolvedDiversity
from sordino.utility.conviction import RuleError, rule_error
from sordino.utility.count_queries import QueryError, query_error
from sordino.utility.reconstruction import ExpectedCounts, GroupShares, group_shares
from sordino.words.diversity import sentences

__all__ = ["DiversityCost", "measure_groups", "paired_shares"]

SEED = 0  # of the queries, so that two releases are asked the same


@dataclass(frozen=True)
class DiversityCost:
    """How many groups of which size, and the errors of what is computed from them."""

    records: int
    groups: int
    largest_group: int
    average_group: float
    rules: RuleError
    queries: QueryError
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "records": self.records,
            "groups": self.groups,
            "largest_group": self.largest_group,
            "average_group": self.average_group,
            **self.rules.to_dict(),
            **self.queries.to_dict(),
            "seconds": round(self.seconds, 3),
        }

    def summary(self) -> str:
        """The cost in plain words."""
        return " ".join(sentences(self.to_dict()))

    def __str__(self) -> str:
        from sordino.report.notebook import cost_text

        return cost_text(self.to_dict(), "diversity")

    def _repr_html_(self) -> str:
        from sordino.report.notebook import cost_html

        return cost_html(self.to_dict(), "diversity")


def measure_groups(
    resolved: ResolvedDiversity, shares: GroupShares | ExpectedCounts, *, queries: int = 1000
) -> DiversityCost:
    """What a grouping of the rows of `resolved`, which has the true values, cost."""
    started = time.perf_counter()
    sizes = [part.values for part in resolved.nodes]
    arguments = (resolved.codes, sizes, resolved.value, len(resolved.names), shares, resolved.weight)
    return DiversityCost(
        records=resolved.people,
        groups=len(shares.size),
        largest_group=int(shares.size.max(initial=0)),
        average_group=round(resolved.people / max(len(shares.size), 1), 3),
        rules=rule_error(*arguments),
        queries=query_error(*arguments, rng=np.random.default_rng(SEED), queries=queries),
        seconds=time.perf_counter() - started,
    )


def paired_shares(before: ResolvedDiversity, after: ResolvedDiversity, group: npt.NDArray[np.integer]) -> GroupShares:
    """The shares of a published grouping, for the rows of the original.

    Rows are paired by their quasi-identifiers: who is who among equal rows makes no difference to any measure. An
    InputError if the published rows are not those of the original.
    """
    moved = [
        _recoded(codes, part.texts, own.texts)
        for codes, part, own in zip(after.codes, after.nodes, before.nodes, strict=True)
    ]
    value = _recoded(after.value, after.names, before.names)
    if len(before) != len(after) or any((codes < 0).any() for codes in [*moved, value]):
        raise InputError("the published rows are not those of the original")
    old, new = np.lexsort(before.codes), np.lexsort(moved)
    if not all(np.array_equal(a[old], b[new]) for a, b in zip(before.codes, moved, strict=True)):
        raise InputError("the published rows are not those of the original")
    shares = group_shares(group, value, len(before.names))
    paired = np.empty(len(before), dtype=np.int64)
    paired[old] = shares.group_of[new]
    return replace(shares, group_of=paired)


def _recoded(codes: npt.NDArray[np.integer], texts: Sequence[str], wanted: Sequence[str]) -> npt.NDArray[np.int64]:
    place = {text: code for code, text in enumerate(wanted)}
    table = np.array([place.get(text, -1) for text in texts], dtype=np.int64)
    moved: npt.NDArray[np.int64] = table[codes]
    return moved
