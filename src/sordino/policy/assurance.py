"""How sure we are: for every adversary, or, with less work, for most of them (model.md 1.1, "Sampling"; NAKA 5.2, 5.3).

A sampled assurance (epsilon, delta) up to a number m of known items is judged by drawing, for each length up to m,
n adversaries who know that many items of somebody. If none of the n can infer anything, then, with probability
1 - delta over the draw, less than a share epsilon of all such adversaries can.

The paper draws n_S = ceil(ln(1/delta) / (2 epsilon^2)) of them, by Hoeffding's inequality. A clean draw proves more: if
a share epsilon or more were unsafe, n clean draws would have a probability of at most (1 - epsilon)^n, and that is
delta for epsilon = 1 - delta^(1/n). Who draws again and again until a draw is clean spends delta each time. So round t
is judged at delta / (t (t + 1)): over all rounds together that is delta.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from sordino.errors import PolicyError
from sordino.policy.threshold import Rational, read_threshold

__all__ = ["STOPPING", "Assurance", "delta_of_round", "proven_epsilon", "sample_size"]

STOPPING = ("corrected", "paper")


@dataclass(frozen=True)
class Assurance:
    """Less than a share `epsilon` of adversaries who know up to `max_knowledge` items, but for a chance of `delta`."""

    epsilon: Fraction
    delta: Fraction
    max_knowledge: int

    def __init__(self, epsilon: Rational, delta: Rational, max_knowledge: int) -> None:
        problems = []
        values = {}
        for name, value in (("epsilon", epsilon), ("delta", delta)):
            try:
                values[name] = read_threshold(value)
            except ValueError as error:
                problems.append(f"{name} of the assurance: {error}")
        if isinstance(max_knowledge, bool) or not isinstance(max_knowledge, int) or max_knowledge < 1:
            problems.append("max_knowledge of the assurance must be a whole number of items, 1 or more")
        if problems:
            raise PolicyError(problems)
        object.__setattr__(self, "epsilon", values["epsilon"])
        object.__setattr__(self, "delta", values["delta"])
        object.__setattr__(self, "max_knowledge", max_knowledge)


def sample_size(epsilon: Fraction, delta: Fraction) -> int:
    """n_S of the paper: how many clean adversaries it asks for, at each length."""
    return math.ceil(math.log(1 / delta) / float(2 * epsilon * epsilon))


def proven_epsilon(delta: Fraction, samples: int) -> float:
    """The share that so many clean adversaries rule out, with probability 1 - delta; 1 if there were none."""
    return 1.0 if samples < 1 else -math.expm1(math.log(delta) / samples)


def delta_of_round(delta: Fraction, round_: int, stopping: str = "corrected") -> Fraction:
    """What round 1, 2, ... may spend of delta, so that all together spend no more; `paper`: all of it, every time."""
    return delta if stopping == "paper" else delta / (round_ * (round_ + 1))
