"""What the oracles say about tables under templates, and about groups: nothing of sordino is imported here."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from math import floor
from typing import Any

import oracle_diversity
from fuzz.case import DiversityCase, TemplateCase
from fuzz.table_forms import texts
from oracle_disclosure import Template

__all__ = [
    "binned",
    "excluded",
    "fitting",
    "grouped_by_quasi",
    "masking",
    "mined_rules",
    "possible_numbers",
    "template_paths",
    "templates_of",
]

Row = Mapping[str, str | None]
ABSENT = "(missing)"


# Templates


def binned(case: TemplateCase, *, known: bool = True) -> list[dict[str, str | None]] | None:
    """The rows as the policy sees them: numbers with bins as the number of their range; None if quantiles decide.

    Not `known`: only sensitive numbers are, and what may be known is what the file shows.
    """
    rows = texts(case.columns, case.rows)
    sensitive = {template["sensitive"] for template in case.templates}
    for name, way in case.bins.items():
        if not known and name not in sensitive:
            continue
        if "quantile" in way:
            return None
        for row in rows:
            cell = row[name]
            if cell is not None:
                row[name] = f"range {_range(Fraction(cell), way)}"
    return rows


def _range(number: Fraction, way: Mapping[str, Any]) -> int:
    if "width" in way:
        return floor(number / Fraction(way["width"]))
    return sum(Fraction(edge) <= number for edge in way["edges"])


def templates_of(case: TemplateCase, rows: Sequence[Row]) -> list[list[Template]]:
    """For every template that is stated one for each of its values; which are the rarest, the rows tell."""
    found = []
    for stated in case.templates:
        values = stated.get("values")
        if values is None:
            counts = Counter(text for row in rows if (text := row[stated["sensitive"]]) is not None)
            order = sorted(counts, key=lambda text: (counts[text], text))
            values = order[: max(1, floor(len(order) * _share(stated["rarest"])))]
        limit = Fraction(stated["at_most"])
        found.append([Template(stated["given"], stated["sensitive"], value, limit) for value in values])
    return found


def _share(text: str) -> Fraction:
    return Fraction(text.removesuffix("%")) / 100 if text.endswith("%") else Fraction(text)


def masking(case: TemplateCase) -> list[str]:
    """The columns that a method may change."""
    fixed = {stated["sensitive"] for stated in case.templates} | {case.class_column}
    return sorted({name for stated in case.templates for name in stated["given"]} - fixed)


def template_paths(case: TemplateCase, rows: Sequence[Row]) -> dict[str, dict[str | None, tuple[str | None, ...]]]:
    """What a cell of a column that may be changed can be shown as: itself, the groups above it, the symbol."""
    paths: dict[str, dict[str | None, tuple[str | None, ...]]] = {}
    for name in masking(case):
        above = case.trees.get(name, {})
        paths[name] = {row[name]: (row[name], *above.get(row[name] or "", ()), case.symbol) for row in rows}
    return paths


# Groups


def grouped_by_quasi(rows: Sequence[Row], quasi: Sequence[str]) -> list[list[int]]:
    """People with equal quasi-identifiers together."""
    groups: dict[tuple[str | None, ...], list[int]] = defaultdict(list)
    for k, row in enumerate(rows):
        groups[tuple(row[name] for name in quasi)].append(k)
    return list(groups.values())


def mined_rules(case: DiversityCase) -> list[tuple[dict[str, AbstractSet[str]], str]]:
    """The rules that the data teach, with the values that fit each condition; crisp ones only."""
    rows = [_plain(row) for row in texts(case.columns, case.rows)]
    groups = {name: _labels(case, name, {row[name] for row in rows}) for name in case.quasi}
    found = oracle_diversity.negative_rules(
        rows,
        groups,
        case.sensitive,
        Fraction(case.min_expectation),
        Fraction(case.min_confidence),
        longest=case.max_conditions,
    )
    return [({a: groups[a][label].keys() for a, label in conditions}, s) for conditions, s in found]


def _labels(case: DiversityCase, name: str, occurs: AbstractSet[str]) -> dict[str, dict[str, Fraction]]:
    """Groups of the values that occur; those of equal values once, all values never, unless there is but one."""
    sets = {frozenset([value]): value for value in sorted(occurs)}
    above = case.trees.get(name, {})
    for group in sorted({group for value in occurs for group in above.get(value, ())}):
        inside = frozenset(value for value in occurs if group in above.get(value, ()))
        if inside != occurs:
            sets.setdefault(inside, group)
    if len(occurs) > 1:
        sets.pop(frozenset(occurs), None)
    return {label: dict.fromkeys(inside, Fraction(1)) for inside, label in sets.items()}


def fitting(case: DiversityCase, conditions: Mapping[str, str]) -> dict[str, AbstractSet[str]]:
    """The values that fit each condition of a rule that was stated."""
    found: dict[str, AbstractSet[str]] = {}
    for name, label in conditions.items():
        above = case.trees.get(name, {})
        values = {value for value, groups in above.items() if label in groups}
        found[name] = {label} if label in above or not values else values
    return found


def excluded(
    rows: Sequence[Row], rules: Sequence[tuple[Mapping[str, AbstractSet[str]], str]]
) -> list[AbstractSet[str]]:
    """What each row cannot have."""
    return [oracle_diversity.excluded(_plain(row), rules) for row in rows]


def possible_numbers(
    groups: Sequence[Sequence[int]], cannot: Sequence[AbstractSet[str]], values: Sequence[str | None]
) -> dict[int, int]:
    """For every row how many values it may have; -1 where no assignment fits its group."""
    found: dict[int, int] = {}
    for members in groups:
        held = [ABSENT if values[k] is None else str(values[k]) for k in members]
        possible = oracle_diversity.possible_by_pairs([cannot[k] for k in members], held)
        for place, k in enumerate(members):
            found[k] = -1 if possible is None else len(possible[place])
    return found


def _plain(row: Row) -> dict[str, str]:
    return {name: ABSENT if text is None else text for name, text in row.items()}
