"""Which cell of a comparison to take, and why: a rule that can be said in two sentences.

The method: the one that loses least, on average over the thresholds that it was run at (or, as preferred, the one that
moves the distribution least, or keeps most rules). Methods with a weaker guarantee are taken only if there is no other.

The threshold: the policy's own if it was compared, else the loosest compared one that the policy allows. But if a
stricter one costs hardly more (at most a fifth, or one point in a hundred), that one: protection that is nearly free
should be taken. A threshold looser than the policy's is never recommended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sordino.errors import InputError, did_you_mean
from sordino.policy.threshold import show_rational

__all__ = ["PREFERENCES", "Cell", "Recommendation", "frontier", "ranked", "recommend"]

PREFERENCES = {
    "loss": "the least loss",
    "distribution": "the distribution that moves least",
    "rules": "the most association rules kept",
}
NEARLY_FREE = 1.2
ONE_POINT = 0.01


@dataclass(frozen=True)
class Cell:
    """One method at one threshold: what it cost, or why there is nothing."""

    method: str
    rho: Fraction
    done: bool
    reason: str = ""  # why not
    loss: float | None = None  # share of the information lost
    kl: float | None = None
    symmetric_kl: float | None = None
    jaccard: float | None = None  # of rules of the lower confidence
    bound: float | None = None  # the least that any suppressor loses
    people_before: int | None = None
    seconds: float | None = None
    weaker: str = ""  # what its guarantee lacks

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self), "rho": show_rational(self.rho)}

    def cost(self, prefer: str) -> float | None:
        """What is to be small."""
        if prefer == "loss":
            return self.loss
        if prefer == "distribution":
            return self.symmetric_kl
        return None if self.jaccard is None else 1 - self.jaccard


@dataclass(frozen=True)
class Recommendation:
    method: str
    rho: Fraction
    reason: str


def check_preference(prefer: str) -> None:
    if prefer not in PREFERENCES:
        known = ", ".join(PREFERENCES)
        raise InputError(
            f"unknown preference '{prefer}'.{did_you_mean(prefer, PREFERENCES)}", hint=f"There are: {known}"
        )


def ranked(cells: Sequence[Cell], prefer: str = "loss") -> list[Cell]:
    """By threshold, and within one the best first; then what has a weaker guarantee, then what did not finish."""

    def place(cell: Cell) -> tuple[Fraction, bool, bool, float, str]:
        cost = cell.cost(prefer)
        return cell.rho, not cell.done, bool(cell.weaker), float("inf") if cost is None else cost, cell.method

    return sorted(cells, key=place)


def frontier(cells: Sequence[Cell]) -> frozenset[tuple[str, Fraction]]:
    """The cells that no other beats: none is at least as strict and loses less, or is stricter and loses as little."""
    best: set[tuple[str, Fraction]] = set()
    done = [cell for cell in cells if cell.done and cell.loss is not None and not cell.weaker]
    for cell in done:
        beaten = any(
            (other.rho <= cell.rho and other.loss < cell.loss) or (other.rho < cell.rho and other.loss <= cell.loss)
            for other in done
            if other.loss is not None and cell.loss is not None
        )
        if not beaten:
            best.add((cell.method, cell.rho))
    return frozenset(best)


def recommend(cells: Sequence[Cell], own: Fraction, prefer: str = "loss") -> Recommendation | None:
    """The choice and its reason; None if nothing finished that the policy would allow."""
    check_preference(prefer)
    usable = [cell for cell in cells if cell.done and cell.cost(prefer) is not None and cell.rho <= own]
    usable = [cell for cell in usable if not cell.weaker] or usable
    if not usable:
        return None
    methods = sorted({cell.method for cell in usable})
    means = {method: _mean([c for c in usable if c.method == method], prefer) for method in methods}
    most = max(len([c for c in usable if c.method == method]) for method in methods)
    complete = [m for m in methods if len([c for c in usable if c.method == m]) == most]
    method = min(complete, key=lambda name: (means[name], name))
    mine = sorted((cell for cell in usable if cell.method == method), key=lambda cell: cell.rho)
    base = mine[-1]
    chosen = next(cell for cell in mine if _nearly_free(cell, base, prefer))
    return Recommendation(method, chosen.rho, " ".join(_reasons(usable, method, base, chosen, own, prefer)))


def _nearly_free(cell: Cell, base: Cell, prefer: str) -> bool:
    cost, usual = cell.cost(prefer) or 0.0, base.cost(prefer) or 0.0
    return cost <= max(usual * NEARLY_FREE, usual + ONE_POINT)


def _mean(cells: Sequence[Cell], prefer: str) -> float:
    return sum(cell.cost(prefer) or 0.0 for cell in cells) / len(cells)


def _reasons(usable: Sequence[Cell], method: str, base: Cell, chosen: Cell, own: Fraction, prefer: str) -> list[str]:
    at = sorted((c for c in usable if c.rho == chosen.rho), key=lambda c: c.cost(prefer) or 0.0)
    rivals = [c for c in at if c.method != method]
    figure = _figure(chosen, prefer)
    said = [f"'{method}' has {PREFERENCES[prefer]}: {figure} at the threshold {show_rational(chosen.rho)}"]
    said[0] += f"; the next, '{rivals[0].method}', {_figure(rivals[0], prefer)}." if rivals else "."
    if chosen.rho < base.rho:
        said.append(
            f"The threshold {show_rational(chosen.rho)} is stricter than {show_rational(base.rho)}, and costs hardly "
            f"more ({figure} instead of {_figure(base, prefer)})."
        )
    else:
        which = "is your policy's own" if base.rho == own else "is the loosest compared one that your policy allows"
        said.append(f"The threshold {show_rational(base.rho)} {which}.")
        stricter = sorted((c for c in usable if c.method == method and c.rho < base.rho), key=lambda c: c.rho)
        if stricter:
            said.append(f"{show_rational(stricter[-1].rho)} would cost {_figure(stricter[-1], prefer)}.")
    if chosen.bound is not None and prefer == "loss":
        said.append(f"No safe version made by deletion loses less than {chosen.bound:.1%}.")
    if chosen.weaker:
        said.append(f"Its guarantee is weaker: {chosen.weaker}")
    return said


def _figure(cell: Cell, prefer: str) -> str:
    if prefer == "loss":
        return f"{cell.loss:.1%} lost"
    if prefer == "distribution":
        return f"moved by {cell.symmetric_kl:.4g}"
    return f"{cell.jaccard:.1%} of the rules the same"
