"""The least possible loss of a small table, by a solver of mixed-integer programs (HiGHS, which SciPy brings).

For each class of equal records, how many of them show each part W is a whole number; they add up to the class. Every
rule q -> e inside these parts is a row: den * (shown with q and e) <= num * (shown with q). Most items are to be shown.

Parts that cannot be in any safe release need no number: against unlimited knowledge those which `is_possible` of
kernels/possible.py excludes (here in plain Python, so that each checks the other). Of parts without anything sensitive
only the largest is of use: showing more harmless items adds antecedents only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.errors import MissingExtra
from sordino.policy.inference import ResolvedInference

__all__ = ["Solved", "solve"]

LONGEST = 12  # items of a record, at most
MANY = 5_000  # records, at most
RULES = 500_000  # rows, at most
SLACK = 1e-6  # by which the solver's numbers may miss a whole one

Part = tuple[int, ...]  # codes, ascending


@dataclass(frozen=True)
class Solved:
    """What a solver found: the safe table with the fewest deletions that it knows, and how few there can be.

    `kept` is None if it found none in time. The least possible loss is proved if both numbers are the same.
    """

    kept: Baskets | None
    deletions: int
    least: int

    @property
    def proved(self) -> bool:
        return self.kept is not None and self.deletions == self.least


def solve(before: Baskets, policy: ResolvedInference, *, seconds: float, only_sensitive: bool = False) -> Solved:
    """The safe table with the fewest deletions, as far as the solver gets in so many seconds.

    Of a table that is too large for it nothing is found.
    """
    try:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array
    except ImportError:
        raise MissingExtra("SciPy", "exact", "An exact answer") from None
    if before.lengths.max(initial=0) > LONGEST or len(before) > MANY:
        return Solved(None, before.occurrences, 0)
    classes = Counter(tuple(before.items[a:b].tolist()) for a, b in _bounds(before))
    support: Counter[Part] = Counter()
    for record, number in classes.items():
        for part in _parts(record, len(record)):
            support[part] += number
    columns = [(c, part) for c in classes for part in _choices(c, support, policy, only_sensitive)]
    rows = _rules([part for _, part in columns], policy)
    if len(rows) > RULES:
        return Solved(None, before.occurrences, 0)
    holders: dict[Part, list[int]] = {}
    for k, (_, part) in enumerate(columns):
        for inner in _parts(part, len(part)):
            holders.setdefault(inner, []).append(k)
    entries: list[tuple[int, int, int]] = []
    for row, (antecedent, whole, e) in enumerate(rows):
        num, den = int(policy.num[e]), int(policy.den[e])
        having = set(holders[whole])
        entries += [(row, k, den - num if k in having else -num) for k in holders[antecedent]]
    order = {record: row for row, record in enumerate(classes)}
    ones = [(len(rows) + order[record], k, 1) for k, (record, _) in enumerate(columns)]
    where = np.array(entries + ones, dtype=np.int64).reshape(-1, 3)
    matrix = csr_array(
        (where[:, 2].astype(np.float64), (where[:, 0], where[:, 1])), shape=(len(rows) + len(order), len(columns))
    )
    numbers = np.array([classes[record] for record in order], dtype=np.float64)
    sizes = np.array([len(part) for _, part in columns], dtype=np.float64)
    result = milp(
        -sizes,
        integrality=np.ones(len(columns)),
        bounds=Bounds(0, np.array([classes[record] for record, _ in columns], dtype=np.float64)),
        constraints=LinearConstraint(
            matrix,
            np.concatenate([np.full(len(rows), -np.inf), numbers]),
            np.concatenate([np.zeros(len(rows)), numbers]),
        ),
        options={"time_limit": seconds, "mip_rel_gap": 0.0},
    )
    bound = result.mip_dual_bound
    least = 0 if bound is None or not np.isfinite(bound) else max(0, before.occurrences - int(-bound + SLACK))
    if result.x is None:
        return Solved(None, before.occurrences, least)
    table = _table(before, columns, np.rint(result.x).astype(np.int64))
    deletions = before.occurrences - table.occurrences
    return Solved(table, deletions, min(least, deletions))


def _bounds(baskets: Baskets) -> Iterator[tuple[int, int]]:
    return pairwise(baskets.indptr.tolist())


def _parts(record: Part, most: int) -> Iterator[Part]:
    """All parts of 1 to `most` items."""
    for size in range(1, min(len(record), most) + 1):
        yield from combinations(record, size)


def _choices(record: Part, support: Counter[Part], policy: ResolvedInference, only_sensitive: bool) -> list[Part]:
    """What a record may show in a safe release."""
    plain = tuple(x for x in record if not policy.sensitive[x])
    most = len(record) if policy.knowledge is None else policy.knowledge + 1
    ruled_out: set[Part] = set()
    found = [plain]
    for part in _parts(record, len(record)):
        bare = any(inner in ruled_out for inner in combinations(part, len(part) - 1))
        if bare or (1 < len(part) <= most and not _possible(part, support, policy)):
            ruled_out.add(part)
        elif len(part) > sum(not policy.sensitive[x] for x in part) and (not only_sensitive or {*plain} <= {*part}):
            found.append(part)
    return found


def _possible(part: Part, support: Counter[Part], policy: ResolvedInference) -> bool:
    """Whether other records can be alibis enough for each sensitive item of the part."""
    others = support[part] - 1
    lacking = 0
    for k, e in enumerate(part):
        if policy.sensitive[e]:
            if policy.num[e] == 0:
                return False
            need = -(-int(policy.den[e]) // int(policy.num[e])) - 1
            lacking += max(0, need - (support[part[:k] + part[k + 1 :]] - support[part]))
    return lacking <= others


def _rules(shown: list[Part], policy: ResolvedInference) -> list[tuple[Part, Part, int]]:
    """The rules inside parts that may be shown: antecedent, antecedent and consequent, consequent."""
    most = None if policy.knowledge is None else policy.knowledge + 1
    inside = {inner for part in shown for inner in _parts(part, len(part) if most is None else most)}
    return [
        (part[:k] + part[k + 1 :], part, e)
        for part in sorted(inside)
        if len(part) > 1
        for k, e in enumerate(part)
        if policy.sensitive[e]
    ]


def _table(before: Baskets, columns: list[tuple[Part, Part]], number: npt.NDArray[np.int64]) -> Baskets:
    """The table in which so many records of each class show each part; the first of a class show its longest ones."""
    shown: dict[Part, list[Part]] = {}
    for (record, part), times in zip(columns, number.tolist(), strict=True):
        shown.setdefault(record, []).extend([part] * times)
    for parts in shown.values():
        parts.sort(key=lambda part: (len(part), part))
    rows = [shown[tuple(before.items[a:b].tolist())].pop() if b > a else () for a, b in _bounds(before)]
    ptr = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=ptr[1:])
    items = np.array([x for row in rows for x in row], dtype=np.int32)
    return Baskets(ptr, items, before.names, before.ids, 0, before.origin)
