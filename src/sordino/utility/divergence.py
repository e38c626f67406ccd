"""How far the distribution of items moved (model.md 1.3, 1.4).

P is the distribution before, Q the one after: an item's share among all occurrences. Natural logarithm; what does not
occur contributes nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets

__all__ = ["Divergence", "divergence_of_shown", "measure_divergence"]

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Divergence:
    """KL(Q||P), and the symmetric form 1/2 KL(P||M) + 1/2 KL(Q||M) with M = (P + Q) / 2, which is at most ln 2.

    If nothing is left there is no Q. That is as bad as can be, so both have their largest values, infinity and ln 2; so
    it is, too, if there was nothing before. KL is also infinite if an item occurs after but not before, which deletion
    cannot cause. If there is nothing before and after, both are 0.
    """

    kl: float
    symmetric: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data; JSON has no infinity, so that is None."""
        return {"kl": self.kl if math.isfinite(self.kl) else None, "symmetric_kl": self.symmetric}


def measure_divergence(before: Baskets, after: Baskets) -> Divergence:
    """The divergence of item shares; `after` must be in the codes of `before`, perhaps with further ones behind."""
    old = np.zeros(len(after.names), dtype=np.int64)
    old[: len(before.names)] = before.supports
    new = after.supports
    if not old.any() or not new.any():
        same = old.any() == new.any()
        return Divergence(0.0 if same else math.inf, 0.0 if same else math.log(2))
    middle = old * int(new.sum()) + new * int(old.sum())  # proportional to M, in whole numbers
    return Divergence(_kl(new, old), (_kl(old, middle) + _kl(new, middle)) / 2)


def divergence_of_shown(before: Baskets, after: Baskets) -> tuple[float, float]:
    """The sum of P(i) log(P(i) / Q(i)) over items that are still shown as themselves, and P of those that are not.

    CHEN prints KL in this direction (formula 6), in which it is infinite as soon as an item is gone; how items that are
    gone were counted there is not said. So the finite part is told, and beside it how much it leaves out.
    """
    name_of = dict(zip(after.names, after.supports.tolist(), strict=True))
    old = before.supports.astype(np.int64)
    new = np.array([name_of.get(name, 0) for name in before.names], dtype=np.int64)
    here = (old > 0) & (new > 0)
    total = max(int(old.sum()), 1)
    p, q = old[here] / total, new[here] / max(int(after.supports.sum()), 1)
    return float(math.fsum(p * np.log(p / q))), float(old[~here].sum() / total)


def _kl(q: Counts, p: Counts) -> float:
    """KL(Q||P) of the distributions that counts stand for. The ratio of equal shares is exactly 1."""
    here = q > 0
    if bool(np.any(p[here] == 0)):
        return math.inf
    total_q, total_p = float(q.sum()), float(p.sum())
    mine, theirs = q[here].astype(np.float64), p[here].astype(np.float64)
    return max(0.0, math.fsum(mine / total_q * np.log((mine * total_p) / (theirs * total_q))))
