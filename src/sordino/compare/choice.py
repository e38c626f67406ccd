"""Which cell of a comparison to take, and why: a rule that can be said in two sentences.

The method: the one that loses least, on average over the thresholds that it was run at (or, as preferred, the one that
is best by another measure of its kind). Methods with a weaker guarantee are taken only if there is no other. Methods
that ran without what they are for are never taken (`Cell.aside`: wider items without a real hierarchy).

The threshold: the policy's own if it was compared, else the loosest compared one that the policy allows. But if a
stricter one costs hardly more (at most a fifth, or one point in a hundred), that one: protection that is nearly free
should be taken. A threshold looser than the policy's is never recommended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any

from sordino.compare.scale import Scale
from sordino.errors import InputError, did_you_mean
from sordino.policy.threshold import show_rational

__all__ = ["Cell", "Recommendation", "check_preference", "frontier", "ranked", "recommend", "why_not"]

NEARLY_FREE = 1.2
ONE_POINT = 0.01


class Named:
    """A threshold by the names that kinds of policies have for it."""

    threshold: Fraction

    @property
    def rho(self) -> Fraction:
        """The threshold, as policies for baskets call it."""
        return self.threshold

    @property
    def at_most(self) -> Fraction:
        """The threshold, as templates call it."""
        return self.threshold

    @property
    def l(self) -> int:  # noqa: E743 - the name of the literature
        """The threshold of a policy of diversity."""
        return int(self.threshold)


@dataclass(frozen=True)
class Cell(Named):
    """One method at one threshold: what it cost, or why there is nothing.

    `threshold` is what the kind calls rho, at_most or l. `loss` is what its scale says: the share of the information,
    or of the detail, that is lost, or the average error of counts. `figures` are the other measures of the kind, which
    can be had by their names, too: `cell.kl`. `loss_is` names what the loss is where a kind has several, and these are
    not the same thing.
    """

    method: str
    threshold: Fraction
    done: bool
    reason: str = ""  # why not
    loss: float | None = None
    bound: float | None = None  # the least that can be lost, if it is known
    people_before: int | None = None
    seconds: float | None = None
    weaker: str = ""  # what its guarantee lacks
    aside: str = ""  # why it is never recommended
    loss_is: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, method: str, threshold: Fraction, found: Mapping[str, Any]) -> Cell:
        """The cell of what was measured."""
        own = {entry.name for entry in fields(cls)}
        common = {name: value for name, value in found.items() if name in own}
        more = {name: value for name, value in found.items() if name not in own}
        return cls(method, threshold, **common, figures=more)

    def __getattr__(self, name: str) -> Any:
        figures = self.__dict__.get("figures", {})
        if name in figures:
            return figures[name]
        raise AttributeError(f"this cell has no figure '{name}'")

    def value(self, key: str) -> Any:
        """A measure by its name; None if it was not taken."""
        return getattr(self, key, None)

    def cost(self, prefer: str, scale: Scale) -> float | None:
        """What is to be small."""
        preference = scale.preferences[prefer]
        value = self.value(preference.key)
        return None if value is None else 1 - value if preference.high else float(value)

    def to_dict(self, scale: Scale) -> dict[str, Any]:
        """What a comparison of this kind is about, as plain data."""
        return {
            "method": self.method,
            scale.field: self.l if scale.rising else show_rational(self.threshold),
            "done": self.done,
            "reason": self.reason,
            **{key: self.value(key) for key in scale.keys},
            "people_before": self.people_before,
            "weaker": self.weaker,
            "aside": self.aside,
            "loss_is": self.loss_is,
        }


@dataclass(frozen=True)
class Recommendation(Named):
    """The method and the threshold to take, and why."""

    method: str
    threshold: Fraction
    reason: str


def why_not(error: Exception) -> str:
    """Why a method did not finish, in one line: what happened, and what would do instead."""
    first, *rest = [" ".join(line.split()) for line in str(error).splitlines() if line.strip()]
    told = [line for line in rest if line.startswith(("template ", "The largest "))][:2]
    if not told:
        return first
    return f"{first if first.endswith((':', '.')) else first + '.'} {'; '.join(told)}"


def check_preference(prefer: str, scale: Scale) -> None:
    """An InputError if this kind of policy has no such preference."""
    if prefer not in scale.preferences:
        known = ", ".join(scale.preferences)
        raise InputError(
            f"unknown preference '{prefer}'.{did_you_mean(prefer, scale.preferences)}", hint=f"There are: {known}"
        )


def ranked(cells: Sequence[Cell], prefer: str, scale: Scale) -> list[Cell]:
    """By threshold, and within one the best first; then what has a weaker guarantee or lacks what it is for, then what
    did not finish."""

    def place(cell: Cell) -> tuple[Fraction, bool, bool, float, str]:
        cost = cell.cost(prefer, scale)
        behind = bool(cell.weaker or cell.aside)
        return cell.threshold, not cell.done, behind, float("inf") if cost is None else cost, cell.method

    return sorted(cells, key=place)


def frontier(cells: Sequence[Cell], scale: Scale) -> frozenset[tuple[str, Fraction]]:
    """The cells that no other beats: none is at least as strict and loses less, or is stricter and loses as little."""
    fair = [cell for cell in cells if cell.done and not (cell.weaker or cell.aside)]
    done = [(cell, scale.strict(cell.threshold), cell.loss) for cell in fair]
    known = [(cell, strict, loss) for cell, strict, loss in done if loss is not None]
    return frozenset(
        (cell.method, cell.threshold)
        for cell, strict, loss in known
        if not any((s <= strict and x < loss) or (s < strict and x <= loss) for _, s, x in known)
    )


def recommend(cells: Sequence[Cell], own: Fraction, prefer: str, scale: Scale) -> Recommendation | None:
    """The choice and its reason; None if nothing finished that the policy would allow."""
    check_preference(prefer, scale)
    allowed = scale.strict(own)
    usable = [
        cell
        for cell in cells
        if cell.done
        and not cell.aside
        and cell.cost(prefer, scale) is not None
        and scale.strict(cell.threshold) <= allowed
    ]
    usable = [cell for cell in usable if not cell.weaker] or usable
    if not usable:
        return None
    runs: dict[str, list[Cell]] = {}
    for cell in sorted(usable, key=lambda c: scale.strict(c.threshold)):
        runs.setdefault(cell.method, []).append(cell)
    most = max(map(len, runs.values()))
    means = {
        method: sum(_cost(cell, prefer, scale) for cell in mine) / most
        for method, mine in runs.items()
        if len(mine) == most
    }
    method = min(means, key=lambda name: (means[name], name))
    base = runs[method][-1]
    chosen = next(cell for cell in runs[method] if _nearly_free(cell, base, prefer, scale))
    reasons = _reasons(usable, runs[method], base, chosen, own, prefer, scale)
    return Recommendation(method, chosen.threshold, " ".join(reasons))


def _cost(cell: Cell, prefer: str, scale: Scale) -> float:
    return cell.cost(prefer, scale) or 0.0


def _nearly_free(cell: Cell, base: Cell, prefer: str, scale: Scale) -> bool:
    usual = _cost(base, prefer, scale)
    return _cost(cell, prefer, scale) <= max(usual * NEARLY_FREE, usual + ONE_POINT)


def _reasons(
    usable: Sequence[Cell],
    mine: Sequence[Cell],
    base: Cell,
    chosen: Cell,
    own: Fraction,
    prefer: str,
    scale: Scale,
) -> list[str]:
    """Why this method and this threshold; `mine` are the usable runs of the method, the strictest first."""

    def figure(cell: Cell) -> str:
        preference = scale.preferences[prefer]
        return preference.figure.format(cell.value(preference.key))

    at = sorted((c for c in usable if c.threshold == chosen.threshold), key=lambda c: _cost(c, prefer, scale))
    rivals = [c for c in at if c.method != chosen.method]
    words = scale.preferences[prefer].words
    said = [f"'{chosen.method}' has {words}: {figure(chosen)} at {scale.at(chosen.threshold)}"]
    said[0] += f"; the next, '{rivals[0].method}': {figure(rivals[0])}." if rivals else "."
    if chosen is not base:
        said.append(
            f"{_begin(scale.at(chosen.threshold))} is stricter than {show_rational(base.threshold)}, and costs hardly "
            f"more ({figure(chosen)} instead of {figure(base)})."
        )
    else:
        which = (
            "is your policy's own" if base.threshold == own else "is the loosest compared one that your policy allows"
        )
        said.append(f"{_begin(scale.at(base.threshold))} {which}.")
        if len(mine) > 1:
            said.append(f"At {scale.at(mine[-2].threshold)}: {figure(mine[-2])}.")
    others = sorted({c.loss_is for c in at} - {chosen.loss_is})
    if others and prefer == "loss":
        said.append(
            f"Mind that two things are compared: what '{chosen.method}' loses is {chosen.loss_is}, what others lose is "
            f"{' or '.join(others)}."
        )
    if chosen.bound is not None and prefer == "loss":
        said.append(f"No safe version made by deletion loses less than {chosen.bound:.1%}.")
    if chosen.weaker:
        said.append(f"Its guarantee is weaker: {chosen.weaker}")
    return said


def _begin(words: str) -> str:
    """The words at the beginning of a sentence; l stays small."""
    return words if words.startswith("l ") else words[:1].upper() + words[1:]
