"""An experiment as it is declared: which table or figure, what data and parameters, what the paper printed.

Every number of ours stands beside the paper's, where the paper printed one. What can be compared in any case is the
shape ("Mine loses least everywhere"): each such sentence is checked on our numbers, and shown as met or not. Sentences
of the paper, and claims of our own, are kept apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sordino.experiments.setup import Setup

__all__ = [
    "Experiment",
    "Row",
    "Rows",
    "Shape",
    "below",
    "cannot",
    "claim",
    "every",
    "falling",
    "flat",
    "least",
    "number",
    "only",
    "rising",
]


@dataclass(frozen=True)
class Row:
    """One number: for which data, method, threshold...; of which measure; ours, and the paper's if it printed one."""

    labels: tuple[str, ...]
    measure: str
    ours: float | None
    paper: float | None = None
    spread: float | None = None  # standard deviation over the draws

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self), "labels": list(self.labels)}


class Rows:
    """The rows of a run, to ask them questions."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = tuple(rows)

    def value(self, measure: str, *labels: str) -> float | None:
        """Ours, of the one row whose labels include these; None if there is none."""
        found = [r.ours for r in self.rows if r.measure == measure and set(labels) <= set(r.labels)]
        return found[0] if len(found) == 1 else None

    def groups(self, column: int) -> list[Rows]:
        """The rows apart by everything but one label column."""
        keys: dict[tuple[object, ...], list[Row]] = {}
        for row in self.rows:
            rest = (row.measure, *(label for k, label in enumerate(row.labels) if k != column))
            keys.setdefault(rest, []).append(row)
        return [Rows(rows) for rows in keys.values()]

    def of(self, measure: str) -> Rows:
        return Rows([row for row in self.rows if row.measure == measure])


Verdict = bool | None  # None: our rows cannot tell


@dataclass(frozen=True)
class Shape:
    """A sentence that can be checked on our numbers: what the paper found or, if `ours`, what we claim."""

    sentence: str
    check: Callable[[Rows], Verdict]
    ours: bool = False
    why: str = ""  # why our rows cannot tell, where that is known before


def claim(sentence: str, check: Callable[[Rows], Verdict]) -> Shape:
    """A claim of our own, which no paper made."""
    return Shape(sentence, check, ours=True)


def _not_told(_: Rows) -> Verdict:
    return None


def cannot(sentence: str, why: str) -> Shape:
    """What the paper found, and our numbers cannot bear out nor refute."""
    return Shape(sentence, _not_told, why=why)


@dataclass(frozen=True)
class Experiment:
    """A declared run."""

    name: str  # jia-table3
    paper: str  # JIA
    where: str  # Table 3
    title: str
    data: tuple[str, ...]
    columns: tuple[str, ...]  # what the labels of a row are
    measures: Mapping[str, str]  # measure -> percent | seconds | count | number
    run: Callable[[Setup], list[Row]]
    methods: tuple[str, ...] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)
    draws: int = 1
    shape: tuple[Shape, ...] = ()
    note: str = ""  # what differs from the paper, and why


def least(method: str, measure: str, column: int, among: Sequence[str] | None = None) -> Callable[[Rows], Verdict]:
    """Whether `method` has the least value of all, wherever it was run with others."""

    def check(rows: Rows) -> Verdict:
        seen = False
        for group in rows.of(measure).groups(column):
            values = {r.labels[column]: r.ours for r in group.rows if r.ours is not None}
            rivals = [v for name, v in values.items() if name != method and (among is None or name in among)]
            if method in values and rivals:
                seen = True
                if values[method] > min(rivals) + 1e-12:
                    return False
        return True if seen else None

    return check


def below(one: str, other: str, measure: str, column: int) -> Callable[[Rows], Verdict]:
    """Whether one label's value is at most another's, wherever both are there."""
    return least(one, measure, column, (other,))


def rising(measure: str, column: int, *, slack: float = 0.02) -> Callable[[Rows], Verdict]:
    """Whether values rise along a column of numbers: beyond a little noise somewhere, and nowhere fall by more."""
    return _along(measure, column, 1.0, slack)


def falling(measure: str, column: int, *, slack: float = 0.02) -> Callable[[Rows], Verdict]:
    """Whether values fall along a column of numbers: beyond a little noise somewhere, and nowhere rise by more."""
    return _along(measure, column, -1.0, slack)


def _along(measure: str, column: int, sign: float, slack: float) -> Callable[[Rows], Verdict]:
    def check(rows: Rows) -> Verdict:
        steps = []
        for group in rows.of(measure).groups(column):
            line = [(number(r.labels[column]), r.ours) for r in group.rows if r.ours is not None]
            line.sort()
            if len(line) > 1:
                first, last = line[0][1], line[-1][1]
                steps.append(sign * (last - first) / (max(abs(first), abs(last)) or 1))
        return min(steps) >= -slack and max(steps) > slack if steps else None

    return check


def flat(measure: str, column: int, *, share: float = 0.1, least: float = 0.01) -> Callable[[Rows], Verdict]:
    """Whether values stay within a share of the largest (a tenth), or within `least`, along a column."""

    def check(rows: Rows) -> Verdict:
        lines = [[r.ours for r in g.rows if r.ours is not None] for g in rows.of(measure).groups(column)]
        lines = [line for line in lines if len(line) > 1]
        return all(max(line) - min(line) <= max(share * max(line), least) for line in lines) if lines else None

    return check


def only(check: Callable[[Rows], Verdict], *labels: str) -> Callable[[Rows], Verdict]:
    """The same check on those rows alone that have all these labels."""
    wanted = set(labels)
    return lambda rows: check(Rows([row for row in rows.rows if wanted <= set(row.labels)]))


def every(measure: str, holds: Callable[[float], bool], *labels: str) -> Callable[[Rows], Verdict]:
    """Whether something holds of every value of a measure in the rows with these labels."""

    def check(rows: Rows) -> Verdict:
        wanted = set(labels)
        values = [r.ours for r in rows.of(measure).rows if wanted <= set(r.labels) and r.ours is not None]
        return all(holds(value) for value in values) if values else None

    return check


def number(label: str) -> float:
    """A label as a number: "0.3", "40 %", "3/5"."""
    text = label.replace("%", "").replace(",", "").strip()
    if "/" in text:
        top, _, bottom = text.partition("/")
        return float(top) / float(bottom)
    return float(text)
