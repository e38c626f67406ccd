"""Association rules from quasi-identifiers to the sensitive value, before and after grouping (LI, section VI.C).

A rule X => s counts if P(X and s) is at least `support` and its conviction P(X) P(not s) / P(X and not s) at least
`conviction` (infinite where nobody with X lacks s). X is a conjunction of at most `longest` values. After grouping,
P(X and s) is what the groups let one expect.

*Confidence error*: of the rules of the original, by how much their confidence is off, in percent of it, on average.
*Identification error*: rules found that the original does not have (false), and rules of the original that are not
found (missed), both in percent of the rules of the original.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.table import weighted
from sordino.utility.reconstruction import ExpectedCounts, GroupShares

__all__ = ["RuleError", "rule_error"]

Codes = npt.NDArray[np.integer]
CLOSE = 1e-9  # expected counts are sums of fractions: what is equal but for rounding counts as equal


@dataclass(frozen=True)
class RuleError:
    """How many rules there are before and after, and the errors in percent; None where there is no rule at all."""

    rules_before: int
    rules_after: int
    confidence_error: float | None
    false_rules: float | None
    missed_rules: float | None
    support: float
    conviction: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "rules_before": self.rules_before,
            "rules_after": self.rules_after,
            "confidence_error_percent": self.confidence_error,
            "false_rules_percent": self.false_rules,
            "missed_rules_percent": self.missed_rules,
            "min_support": self.support,
            "min_conviction": self.conviction,
        }


def rule_error(
    columns: Sequence[Codes],
    sizes: Sequence[int],
    value: Codes,
    values: int,
    shares: GroupShares | ExpectedCounts,
    weight: npt.NDArray[np.int64] | None = None,
    *,
    support: float = 0.005,
    conviction: float = 1.1,
    longest: int = 2,
) -> RuleError:
    """The errors of a grouping of these rows. `value` is the true sensitive value; a row is `weight` people, or one."""
    people = len(value) if weight is None else int(weight.sum())
    least = support * people * (1 - CLOSE)
    lack = people - weighted(value, weight, values)  # people without each value
    before = after = both = 0
    off = 0.0
    for length in range(1, min(longest, len(columns)) + 1):
        for chosen in combinations(range(len(columns)), length):
            classes = _classes([columns[j] for j in chosen], [sizes[j] for j in chosen])
            total = weighted(classes, weight, int(classes.max(initial=-1)) + 1)
            frequent = np.flatnonzero(total >= least)
            if not len(frequent):
                continue
            place = np.full(len(total), -1, dtype=np.int64)
            place[frequent] = np.arange(len(frequent))
            kept = place[classes]
            own = kept >= 0
            heavy = None if weight is None else weight[own]
            counted = weighted(kept[own] * values + value[own], heavy, len(frequent) * values)
            true = counted.reshape(len(frequent), values).astype(np.float64)
            seen = shares.sums(kept, len(frequent), values)
            with_x = total[frequent][:, None].astype(np.float64)
            real, found = (_convinces(counts, with_x, lack, people, least, conviction) for counts in (true, seen))
            before += int(real.sum())
            after += int(found.sum())
            both += int((real & found).sum())
            off += float((np.abs(seen - true)[real] / true[real]).sum())
    if not before:
        return RuleError(0, after, None, None, None, support, conviction)
    return RuleError(
        before,
        after,
        100 * off / before,
        100 * (after - both) / before,
        100 * (before - both) / before,
        support,
        conviction,
    )


def _convinces(
    counts: npt.NDArray[np.float64],
    with_x: npt.NDArray[np.float64],
    lack: npt.NDArray[np.integer],
    people: int,
    least: float,
    conviction: float,
) -> npt.NDArray[np.bool_]:
    chance = with_x * lack / people  # people with X and without s, if the two had nothing to do with each other
    result: npt.NDArray[np.bool_] = (counts >= least) & (chance * (1 + CLOSE) >= conviction * (with_x - counts))
    return result


def _classes(columns: Sequence[Codes], sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for column, size in zip(columns, sizes, strict=True):
        key = key * size + column
    return np.unique(key, return_inverse=True)[1].astype(np.int64)
