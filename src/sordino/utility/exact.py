"""The least possible loss of a small table, by a solver of mixed-integer programs (HiGHS, which SciPy brings).

For each class of equal records, how many of them show each part W is a whole number; they add up to the class. Every
rule q -> e inside these parts is a row: den * (shown with q and e) <= num * (shown with q). Most items are to be shown.
Where few records can show q and e, the row is tightened to what this means for whole numbers (`_tightened`).

Parts that cannot be in any safe release need no number: against unlimited knowledge those which `is_possible` of
kernels/possible.py excludes (here in plain Python, so that each checks the other); and what is excluded is nobody's
alibi, so the rest is looked at again until nothing more falls. Of parts without anything sensitive only the largest is
of use: showing more harmless items adds antecedents only.

Where people chose for themselves, the rule q -> e is asked about if somebody who has q and finds e sensitive is there.

If a safe table is known already, the solver need only look for one that loses less (`fewer_than`): where there is none,
which it often sees long before it finds the best, the known one is the best.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.errors import MissingExtra
from sordino.policy.inference import ResolvedInference

__all__ = ["Solved", "solve"]

LONGEST = 12  # items of a record, at most
MANY = 5_000  # records, at most
PARTS = 1_000_000  # inside what records may show, in sum, at most
ENTRIES = 3_000_000  # numbers in the rows of the program, at most
INFEASIBLE = 2  # what the solver says if no table is as asked
SLACK = 1e-6  # by which the solver's numbers may miss a whole one

Part = tuple[int, ...]  # codes, ascending
Asks = Callable[[Part, int], bool]


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


def solve(
    before: Baskets,
    policy: ResolvedInference,
    *,
    seconds: float,
    only_sensitive: bool = False,
    fewer_than: int | None = None,
) -> Solved:
    """The safe table with the fewest deletions, as far as the solver gets in so many seconds.

    Of a table that is too large for it nothing is found. With `fewer_than` only tables with fewer deletions are looked
    for: if there is none, nothing is found, and that number is the least.
    """
    try:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array
    except ImportError:
        raise MissingExtra("SciPy", "exact", "An exact answer") from None
    unknown = Solved(None, before.occurrences, 0)
    if before.lengths.max(initial=0) > LONGEST or len(before) > MANY:
        return unknown
    classes = Counter(tuple(before.items[a:b].tolist()) for a, b in _bounds(before))
    asks = _asks(before, policy)
    choices = _choices(classes, policy, asks, only_sensitive)
    columns = [(record, part) for record, parts in choices.items() for part in parts]
    if sum(1 << len(part) for _, part in columns) > PARTS:
        return unknown
    rows = _rules([part for _, part in columns], policy, asks)
    entries = _entries(columns, rows, classes, policy)
    if entries is None:
        return unknown
    order = {record: row for row, record in enumerate(classes)}
    ones = [(len(rows) + order[record], k, 1) for k, (record, _) in enumerate(columns)]
    sizes = np.array([len(part) for _, part in columns], dtype=np.float64)
    numbers = np.array([classes[record] for record in order], dtype=np.float64)
    low = np.concatenate([np.full(len(rows), -np.inf), numbers])
    high = np.concatenate([np.zeros(len(rows)), numbers])
    if fewer_than is not None:
        ones += [(len(low), k, len(part)) for k, (_, part) in enumerate(columns)]
        low = np.append(low, before.occurrences - fewer_than + 1)
        high = np.append(high, np.inf)
    where = np.concatenate([entries, np.array(ones, dtype=np.int64).reshape(-1, 3)])
    matrix = csr_array((where[:, 2].astype(np.float64), (where[:, 0], where[:, 1])), shape=(len(low), len(columns)))
    result = milp(
        -sizes,
        integrality=np.ones(len(columns)),
        bounds=Bounds(0, np.array([classes[record] for record, _ in columns], dtype=np.float64)),
        constraints=LinearConstraint(matrix, low, high),
        options={"time_limit": seconds, "mip_rel_gap": 0.0},
    )
    if result.status == INFEASIBLE and fewer_than is not None:
        return Solved(None, before.occurrences, fewer_than)
    bound = result.mip_dual_bound
    least = 0 if bound is None or not np.isfinite(bound) else max(0, before.occurrences - int(-bound + SLACK))
    if fewer_than is not None:
        least = min(least, fewer_than)
    if result.x is None:
        return Solved(None, before.occurrences, least)
    table = _table(before, columns, np.rint(result.x).astype(np.int64))
    deletions = before.occurrences - table.occurrences
    return Solved(table, deletions, min(least, deletions))


def _asks(before: Baskets, policy: ResolvedInference) -> Asks:
    """Whether anybody can ask about the rule from these items to that one."""
    if policy.personal is None:
        return lambda _, e: bool(policy.sensitive[e])
    chosen = np.stack([policy.personal.chosen_by(code) for code in range(len(before.names))])
    minded: dict[Part, set[int]] = {}
    for u, (a, b) in enumerate(_bounds(before)):
        own = np.flatnonzero(chosen[:, u]).tolist()
        record = tuple(before.items[a:b].tolist())
        for part in _parts(record, len(record)):
            minded.setdefault(part, set()).update(own)
    return lambda part, e: e in minded.get(part, ())


def _entries(
    columns: list[tuple[Part, Part]],
    rows: list[tuple[Part, Part, int]],
    classes: Counter[Part],
    policy: ResolvedInference,
) -> npt.NDArray[np.int64] | None:
    """The numbers in the rows of the rules: row, column, number. None if they are too many."""
    holders: dict[Part, list[int]] = {}
    for k, (_, part) in enumerate(columns):
        for inner in _parts(part, len(part)):
            holders.setdefault(inner, []).append(k)
    if sum(len(holders[antecedent]) for antecedent, _, _ in rows) > ENTRIES:
        return None
    found = [np.empty((0, 3), dtype=np.int64)]
    arrays = {part: np.array(places, dtype=np.int64) for part, places in holders.items()}
    for row, (antecedent, whole, e) in enumerate(rows):
        able = {columns[k][0] for k in holders[whole]}
        with_it, without = _tightened(int(policy.num[e]), int(policy.den[e]), sum(classes[record] for record in able))
        places = arrays[antecedent]
        number = np.where(np.isin(places, arrays[whole], assume_unique=True), with_it, -without)
        found.append(np.stack([np.full(len(places), row), places, number], axis=1))
    return np.concatenate(found)


def _bounds(baskets: Baskets) -> Iterator[tuple[int, int]]:
    return pairwise(baskets.indptr.tolist())


def _parts(record: Part, most: int) -> Iterator[Part]:
    """All parts of 1 to `most` items."""
    for size in range(1, min(len(record), most) + 1):
        yield from combinations(record, size)


def _tightened(num: int, den: int, most: int) -> tuple[int, int]:
    """The strictest numbers x, y for which x * (with) <= y * (without) holds whenever at most `most` are with.

    `without` is whole: it is at least (den - num) * (with) / num rounded up, of which the least share counts.
    """
    best = (den - num, num)
    if num and most < num:
        needed = [(-(-(den - num) * s // num), s) for s in range(1, most + 1)]
        best = min(needed, key=lambda pair: Fraction(*pair))
    return best


def _choices(
    classes: Counter[Part], policy: ResolvedInference, asks: Asks, only_sensitive: bool
) -> dict[Part, list[Part]]:
    """By record, what it may show in a safe release."""
    fine = {record: list(_parts(record, len(record))) for record in classes}
    before = -1
    while before != (before := sum(map(len, fine.values()))):
        support: Counter[Part] = Counter()
        for record, number in classes.items():
            for part in fine[record]:
                support[part] += number
        fine = {record: _fine(fine[record], support, policy, asks) for record in classes}
    found = {}
    for record, parts in fine.items():
        plain = tuple(x for x in record if not policy.sensitive[x])
        telling = [part for part in parts if any(policy.sensitive[x] for x in part)]
        found[record] = [plain, *(part for part in telling if not only_sensitive or {*plain} <= {*part})]
    return found


def _fine(parts: list[Part], support: Counter[Part], policy: ResolvedInference, asks: Asks) -> list[Part]:
    """Which of a record's parts, shorter ones first, it may show if so many records may show each."""
    fine: dict[Part, None] = {(): None}
    for part in parts:
        asked = policy.knowledge is None or len(part) <= policy.knowledge + 1
        if all(less in fine for less in combinations(part, len(part) - 1)) and (
            len(part) == 1 or not asked or _possible(part, support, policy, asks)
        ):
            fine[part] = None
    return list(fine)[1:]


def _possible(part: Part, support: Counter[Part], policy: ResolvedInference, asks: Asks) -> bool:
    """Whether other records can be alibis enough for each sensitive item of the part."""
    others = support[part] - 1
    lacking = 0
    for k, e in enumerate(part):
        if asks(part[:k] + part[k + 1 :], e):
            if policy.num[e] == 0:
                return False
            need = -(-int(policy.den[e]) // int(policy.num[e])) - 1
            lacking += max(0, need - (support[part[:k] + part[k + 1 :]] - support[part]))
    return lacking <= others


def _rules(shown: list[Part], policy: ResolvedInference, asks: Asks) -> list[tuple[Part, Part, int]]:
    """The rules inside parts that may be shown: antecedent, antecedent and consequent, consequent."""
    most = None if policy.knowledge is None else policy.knowledge + 1
    inside = {inner for part in shown for inner in _parts(part, len(part) if most is None else most)}
    return [
        (part[:k] + part[k + 1 :], part, e)
        for part in sorted(inside)
        if len(part) > 1
        for k, e in enumerate(part)
        if asks(part[:k] + part[k + 1 :], e)
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
