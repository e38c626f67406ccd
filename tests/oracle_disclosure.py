"""An independent brute force for templates on tables (model.md 2.1): plain rows, sets, fractions, nothing of sordino.

A row is a mapping from column to text (None: no value). A tree is given by the paths of its leaves: from the leaf's
text up to the root's, which is the suppression symbol.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

Row = Mapping[str, str | None]
Paths = Mapping[str | None, Sequence[str | None]]  # of one column


class Template(NamedTuple):
    given: tuple[str, ...]
    sensitive: str
    value: str
    limit: Fraction


def worst(rows: Sequence[Row], template: Template) -> Fraction:
    """The highest confidence with which somebody who knows all of `given` infers the value."""
    groups: dict[tuple[str | None, ...], list[str | None]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in template.given)].append(row[template.sensitive])
    shares = [Fraction(values.count(template.value), len(values)) for values in groups.values()]
    return max(shares, default=Fraction(0))


def holds(rows: Sequence[Row], templates: Collection[Template]) -> bool:
    return all(worst(rows, template) <= template.limit for template in templates)


def people_at_risk(rows: Sequence[Row], templates: Collection[Template]) -> set[int]:
    """Whose own sensitive value somebody infers too surely who knows all of `given`."""
    found = set()
    for given, sensitive, value, limit in templates:
        for k, row in enumerate(rows):
            alike = [other for other in rows if all(other[name] == row[name] for name in given)]
            share = Fraction(sum(other[sensitive] == value for other in alike), len(alike))
            if row[sensitive] == value and share > limit:
                found.add(k)
    return found


def suppressed(rows: Sequence[Row], masking: Collection[str], symbol: str = "*") -> list[dict[str, str | None]]:
    """The rows with everything suppressed."""
    return [{name: symbol if name in masking else text for name, text in row.items()} for row in rows]


def worst_by_leaves(
    before: Sequence[Row], after: Sequence[Row], template: Template, paths: Mapping[str, Paths]
) -> Fraction:
    """The highest confidence of anybody who knows original values of some person, in any part of `given`.

    Such a person is left with the rows of `after` whose cells admit the values: a cell admits a value if it shows it or
    a node above it. Columns without paths show what they are.
    """
    found = Fraction(0)
    for number in range(len(template.given) + 1):
        for known in combinations(template.given, number):
            for person in {tuple(row[name] for name in known) for row in before}:
                admits = [
                    row
                    for row in after
                    if all(
                        row[name] in (paths[name][value] if name in paths else (value,))
                        for name, value in zip(known, person, strict=True)
                    )
                ]
                if admits:
                    held = sum(row[template.sensitive] == template.value for row in admits)
                    found = max(found, Fraction(held, len(admits)))
    return found


# Progressive disclosure, step by step


class Step(NamedTuple):
    column: str
    path: tuple[str | None, ...]  # from the node that is disclosed up to the root


class Twin:
    """A naive run of the algorithm: every score from the rows, every time."""

    def __init__(
        self, rows: Sequence[Row], templates: Sequence[Template], paths: Mapping[str, Paths], label: str | None
    ) -> None:
        self.rows, self.templates, self.paths, self.label = rows, templates, paths, label
        self.disclosed = {column: {(self.root(column),)} for column in paths}

    def root(self, column: str) -> str | None:
        return next(iter(self.paths[column].values()))[-1]

    def shown(self, column: str, value: str | None, more: Collection[Step] = ()) -> tuple[str | None, ...]:
        """The path of the deepest disclosed node above a value."""
        path = tuple(self.paths[column][value])
        open_ = self.disclosed[column] | {step.path for step in more if step.column == column}
        return next(path[k:] for k in range(len(path)) if path[k:] in open_)

    def release(self, more: Collection[Step] = ()) -> list[dict[str, object]]:
        return [
            {name: self.shown(name, text, more) if name in self.paths else text for name, text in row.items()}
            for row in self.rows
        ]

    def candidates(self) -> Iterator[Step]:
        for column, paths in self.paths.items():
            seen = set()
            for row in self.rows:
                path = tuple(paths[row[column]])
                now = self.shown(column, row[column])
                if len(now) < len(path):
                    seen.add(path[len(path) - len(now) - 1 :])
            yield from (Step(column, path) for path in sorted(seen, key=str))

    def is_valid(self, step: Step) -> bool:
        return holds(self.release([step]), self.templates)  # type: ignore[arg-type]

    def classes(self, step: Step) -> tuple[Counter[str | None], Counter[str | None]]:
        """The classes of the rows that show the parent, and of those that would show the node."""
        assert self.label is not None
        around = [row for row in self.rows if self.shown(step.column, row[step.column]) == step.path[1:]]
        inside = [row for row in around if self.shown(step.column, row[step.column], [step]) == step.path]
        return Counter(row[self.label] for row in around), Counter(row[self.label] for row in inside)

    def is_beneficial(self, step: Step) -> bool:
        return self.label is not None and len(self.classes(step)[0]) > 1

    def score(self, step: Step) -> float:
        around, inside = self.classes(step)
        rest = around - inside
        parts = sum(part.total() * entropy(part) for part in (inside, rest))
        gain = entropy(around) - parts / around.total()
        now, then = self.release(), self.release([step])
        rises = [
            worst(then, t) - worst(now, t)  # type: ignore[arg-type]
            for t in self.templates
            if step.column in t.given
        ]
        return gain / (float(sum(rises, Fraction(0)) / len(rises)) + 1)

    def support(self, step: Step) -> int:
        return sum(self.shown(step.column, row[step.column], [step]) == step.path for row in self.rows)


def entropy(counts: Counter[str | None]) -> float:
    total = counts.total()
    return -sum(n / total * math.log2(n / total) for n in counts.values() if n)
