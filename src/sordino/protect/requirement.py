"""A template policy and a table in the form in which methods look at them: distinct combinations, and who may not know what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sordino.data.table import Table
from sordino.protect.combinations import combine
from sordino.protect.trees import Trees

__all__ = ["Requirement", "Rule", "Summary", "summarize"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


class Requirement(NamedTuple):
    """The templates over one set of attributes (numbers of trees).

    `sort[k]` says to which of them combination k belongs: flags[flag_ptr[sort] : flag_ptr[sort + 1]]. A group of rows
    is safe if for each template t: rows in t * den[t] <= rows * num[t].
    """

    attributes: tuple[int, ...]
    sort: Int32
    flag_ptr: Int64
    flags: Int32
    num: Int64
    den: Int64


class Summary(NamedTuple):
    """The distinct combinations of masking values, template membership and class, with the number of rows of each."""

    group: Int32  # the combination of every row
    count: Int64
    leaves: tuple[Int32, ...]  # for each attribute, the leaf of every combination
    classes: Int64 | None
    requirements: tuple[Requirement, ...]


class Rule(NamedTuple):
    """One template of one value in columns of a table: rows alike in `given` have `code` in `sensitive` at most num/den."""

    given: tuple[int, ...]
    sensitive: int
    code: int
    num: int
    den: int


def summarize(table: Table, trees: Trees, rules: Sequence[Rule], class_column: int | None) -> Summary:
    """Groups the rows once. Sensitive columns count only as far as templates tell their values apart."""
    attribute_of = {column: a for a, column in enumerate(trees.columns)}
    leaves = [trees.leaf_codes(table, a) for a in range(len(trees.columns))]
    columns: list[npt.NDArray[np.integer]] = [leaves[a] - trees.first[a] for a in range(len(leaves))]
    sizes = (trees.values + 1).tolist()
    reduced = {number: _reduce(table, number, rules) for number in sorted({rule.sensitive for rule in rules})}
    for codes, members in reduced.values():
        columns.append(codes)
        sizes.append(len(members))
    if class_column is not None:
        column = table.columns[class_column]
        columns.append(column.codes.astype(np.int64) + 1)
        sizes.append(len(column.values) + 1)
    found = combine(columns, sizes, len(table))
    first = found.first
    channels: dict[tuple[int, ...], list[int]] = {}
    for number, rule in enumerate(rules):
        key = tuple(sorted(attribute_of[column] for column in rule.given))
        channels.setdefault(key, []).append(number)
    return Summary(
        group=found.group,
        count=found.count,
        leaves=tuple(leaf[first] for leaf in leaves),
        classes=None if class_column is None else columns[-1][first].astype(np.int64),
        requirements=tuple(
            _requirement(key, numbers, rules, {n: (codes[first], m) for n, (codes, m) in reduced.items()})
            for key, numbers in channels.items()
        ),
    )


def _reduce(table: Table, number: int, rules: Sequence[Rule]) -> tuple[Int32, list[tuple[int, ...]]]:
    """The rows of a sensitive column by the rules that their value belongs to; and these sets of rules."""
    column = table.columns[number]
    members: dict[int, list[int]] = {}
    for k, rule in enumerate(rules):
        if rule.sensitive == number:
            members.setdefault(rule.code, []).append(k)
    sets: dict[tuple[int, ...], int] = {(): 0}
    lookup = np.zeros(len(column.values) + 1, dtype=np.int32)  # the last place is that of code -1, no value
    for code, numbers in sorted(members.items()):
        lookup[code] = sets.setdefault(tuple(numbers), len(sets))
    return lookup[column.codes], list(sets)


def _requirement(
    attributes: tuple[int, ...],
    numbers: list[int],
    rules: Sequence[Rule],
    reduced: dict[int, tuple[Int32, list[tuple[int, ...]]]],
) -> Requirement:
    place = {number: k for k, number in enumerate(numbers)}
    columns = sorted({rules[number].sensitive for number in numbers})
    found = combine([reduced[c][0] for c in columns], [len(reduced[c][1]) for c in columns], len(reduced[columns[0]][0]))
    flags = [
        sorted(place[n] for c in columns for n in reduced[c][1][reduced[c][0][row]] if n in place)
        for row in found.first.tolist()
    ]
    return Requirement(
        attributes=attributes,
        sort=found.group,
        flag_ptr=np.cumsum([0, *map(len, flags)]).astype(np.int64),
        flags=np.array([t for listed in flags for t in listed], dtype=np.int32),
        num=np.array([rules[n].num for n in numbers], dtype=np.int64),
        den=np.array([rules[n].den for n in numbers], dtype=np.int64),
    )
