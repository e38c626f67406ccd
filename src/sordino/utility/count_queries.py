"""COUNT queries on the original and on the groups (LI, section VI.D).

    SELECT COUNT(*) WHERE a1 IN V1 AND ... AND a_dim IN V_dim AND s IN V

The attributes are drawn at random; of each domain, also the sensitive one, between 1 and `selectivity` of the values.
The paper also draws empty sets, and divides by a count that may be 0; queries that nobody answers are drawn anew here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.utility.reconstruction import ExpectedCounts, GroupShares

__all__ = ["QueryError", "query_error"]

Codes = npt.NDArray[np.integer]
ATTEMPTS = 50  # draws for each query wanted, at most


@dataclass(frozen=True)
class QueryError:
    """The average relative error of the queries in percent; None if no query that anybody answers was drawn."""

    error: float | None
    queries: int
    dim: int
    selectivity: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "query_error_percent": self.error,
            "queries": self.queries,
            "dim": self.dim,
            "selectivity": self.selectivity,
        }


def query_error(
    columns: Sequence[Codes],
    sizes: Sequence[int],
    value: Codes,
    values: int,
    shares: GroupShares | ExpectedCounts,
    weight: npt.NDArray[np.int64] | None = None,
    *,
    rng: np.random.Generator,
    dim: int = 2,
    selectivity: float = 0.5,
    queries: int = 1000,
) -> QueryError:
    """The error over random queries. `value` is the true sensitive value of each row, of `weight` people or one."""
    dim = min(dim, len(columns))
    total, asked = 0.0, 0
    for _ in range(queries * ATTEMPTS):
        if asked == queries:
            break
        fits = np.ones(len(value), dtype=np.bool_)
        for j in sorted(rng.choice(len(columns), size=dim, replace=False).tolist()):
            fits &= _drawn(sizes[j], selectivity, rng)[columns[j]]
        wanted = _drawn(values, selectivity, rng)
        real = fits & wanted[value]
        true = int(np.count_nonzero(real) if weight is None else weight[real].sum())
        if not true:
            continue
        total += abs(shares.expected(fits, wanted) - true) / true
        asked += 1
    return QueryError(100 * total / asked if asked else None, asked, dim, selectivity)


def _drawn(size: int, selectivity: float, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Between 1 and `selectivity` of `size` values, at random."""
    count = int(rng.integers(1, max(1, int(selectivity * size)) + 1))
    chosen = np.zeros(size, dtype=np.bool_)
    chosen[rng.choice(size, size=count, replace=False)] = True
    return chosen
