"""Play the adversary: what a file tells somebody who knows a little about a person. Counting, and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Guess", "guess_group", "guess_items", "guess_value", "rule_limits", "showing"]


@dataclass(frozen=True)
class Guess:
    """How many records fit what is known; and for each name, in how many of them (on average) it is so."""

    fitting: int
    of: int
    likely: tuple[tuple[str, Fraction], ...]  # (what, how many of the fitting), the surest first
    hidden: int = 0  # how many of the fitting do not show what is known, but something wider or nothing

    def surest(self) -> Fraction:
        """How sure the surest guess is; 0 if nobody fits."""
        return Fraction(0) if not self.fitting or not self.likely else self.likely[0][1] / self.fitting


def guess_items(baskets: Any, present: Iterable[str], absent: Iterable[str], wanted: Iterable[str]) -> Guess:
    """Among the records that hold all of `present` and none of `absent`, how many hold each of `wanted`."""
    fits = np.ones(len(baskets), dtype=np.bool_)
    for name in present:
        fits &= _holding(baskets, name)
    for name in absent:
        fits &= ~_holding(baskets, name)
    counted = np.bincount(baskets.items[np.repeat(fits, baskets.lengths)], minlength=len(baskets.names))
    codes = ((name, baskets.code_of.get(name)) for name in wanted)
    likely = [(name, Fraction(0 if code is None else int(counted[code]))) for name, code in codes]
    return Guess(int(np.count_nonzero(fits)), len(baskets), _sorted(likely))


def guess_value(
    table: Any, known: Mapping[str, str], sensitive: str, wider: Mapping[str, Collection[str]] | None = None
) -> Guess:
    """Among the rows that show these values, or `wider` ones, how many show each value of the sensitive column."""
    exactly = _fitting(table, {name: (text,) for name, text in known.items()})
    fits = exactly if wider is None else _fitting(table, {name: (text, *wider[name]) for name, text in known.items()})
    column = table.column(sensitive)
    counted = np.bincount(column.codes[fits] + 1, minlength=len(column.texts) + 1)[1:]
    likely = [(name, Fraction(int(number))) for name, number in zip(column.texts, counted.tolist(), strict=True)]
    number = int(np.count_nonzero(fits))
    return Guess(number, len(table), _sorted(likely), number - int(np.count_nonzero(exactly)))


def showing(text: str, symbol: str, tree: Any) -> tuple[str, ...]:
    """What a release may show in the place of a value: the symbol, or a group of its hierarchy that it is in."""
    if tree is None or text not in tree.leaf_of:
        return (symbol,)
    above = [int(node) for node in tree.path(tree.leaf_of[text])]
    return tuple({symbol, *(tree.labels[node] for node in above), *(tree.names[node] for node in above)} - {text})


def rule_limits(table: Any, rules: Iterable[Any], sensitive: str, known: Collection[str]) -> dict[str, Fraction]:
    """How sure somebody who knows these columns may become of each value of another, by resolved templates.

    Whoever knows fewer columns than a rule names sees a union of its groups, which has no higher share than they.
    """
    place, texts = table.index(sensitive), table.column(sensitive).texts
    places = {table.index(name) for name in known}
    found: dict[str, Fraction] = {}
    for rule in rules:
        if rule.sensitive == place and places <= set(rule.given):
            for code in rule.codes.tolist():
                limit = Fraction(int(rule.num), int(rule.den))
                found[texts[code]] = min(limit, found.get(texts[code], limit))
    return found


def guess_group(table: Any, known: Mapping[str, str], sensitive: str, group: str) -> Guess:
    """The same where values are published by group: a value is as likely as it is frequent in the row's group."""
    fits = _fitting(table, {name: (text,) for name, text in known.items()})
    groups, column = table.column(group).codes, table.column(sensitive)
    likely: dict[str, Fraction] = {}
    for number, people in zip(*np.unique(groups[fits], return_counts=True), strict=True):
        inside = column.codes[groups == number]
        for code, count in zip(*np.unique(inside, return_counts=True), strict=True):
            share = Fraction(int(people) * int(count), len(inside))
            likely[column.text(int(code))] = likely.get(column.text(int(code)), Fraction(0)) + share
    return Guess(int(np.count_nonzero(fits)), len(table), _sorted(list(likely.items())))


def _holding(baskets: Any, name: str) -> npt.NDArray[np.bool_]:
    """Which records hold the item."""
    found = np.zeros(len(baskets), dtype=np.bool_)
    code = baskets.code_of.get(name)
    if code is not None:
        places = np.flatnonzero(baskets.items == code)
        found[np.searchsorted(baskets.indptr, places, side="right") - 1] = True
    return found


def _fitting(table: Any, known: Mapping[str, Collection[str]]) -> npt.NDArray[np.bool_]:
    """Which rows show, in each of these columns, one of these texts."""
    fits = np.ones(len(table), dtype=np.bool_)
    for name, texts in known.items():
        column = table.column(name)
        codes = [column.code_of[text] for text in texts if text in column.code_of]
        fits &= np.isin(column.codes, codes)
    return fits


def _sorted(likely: list[tuple[str, Fraction]]) -> tuple[tuple[str, Fraction], ...]:
    return tuple(sorted(likely, key=lambda pair: (-pair[1], pair[0])))
