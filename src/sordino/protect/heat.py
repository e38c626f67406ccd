"""How sweeps that improve a table (improve.py, twins.py) draw: how many there are, and how hot each is.

What is one entry larger is drawn exp(1 / temperature) times as often. The temperature falls from HOT to COLD, and the
last sweeps take only what is best; so do all, if they are few.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sordino.errors import InputError

__all__ = ["sweeps", "weights"]

HOT, COLD = 0.15, 0.08
MOST = 12  # entries that one may gain or lose at once; more counts as so many
BEST = 0.05  # share of the sweeps, the last ones, that draw only what is best
FEW = 10  # with fewer sweeps than this, there is no time for detours


def sweeps(value: object) -> int:
    """The number that the option `improve` states."""
    try:
        number = int(str(value))
    except ValueError:
        number = -1
    if number < 0:
        raise InputError("improve must be a whole number of sweeps, 0 or more")
    return number


def weights(k: int, number: int, *, never_less: bool = False, unit: int = 1) -> npt.NDArray[np.float64]:
    """How often something is drawn in sweep k of so many, by what it is worth more than now; empty: only the best is.

    An entry is worth `unit`. Rounded, as not every machine has the same last digit. The first number is for all that is
    worth so much less, or even less: with `never_less`, it is 0.
    """
    last = number - max(1, round(BEST * number))
    if number < FEW or k >= last:
        return np.empty(0)
    heat = HOT * (COLD / HOT) ** (k / max(1, last - 1))
    found = np.array([float(f"{math.exp(more / (unit * heat)):.9e}") for more in range(-MOST * unit, MOST * unit + 1)])
    if never_less:
        found[0] = 0.0
    return found
