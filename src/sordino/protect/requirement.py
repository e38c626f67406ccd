"""A template policy on its table as methods look at it: distinct combinations, and what groups of them must satisfy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sordino.audit.combinations import combine
from sordino.data.table import Column, Table, weighted
from sordino.policy.template import ResolvedTemplate, Rule
from sordino.protect.trees import Trees

__all__ = ["Requirement", "Summary", "over_all_columns", "summarize"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


class Requirement(NamedTuple):
    """The templates over one set of columns: masking attributes (numbers of trees), and columns that stay as they are.

    `fixed[k]` tells apart what combination k has in the latter. `sort[k]` says to which templates it belongs:
    flags[flag_ptr[sort] : flag_ptr[sort + 1]]. A group of rows is safe if for each template t:
    rows in t * den[t] <= rows * num[t].
    """

    attributes: tuple[int, ...]
    fixed: Int32
    sort: Int32
    flag_ptr: Int64
    flags: Int32
    num: Int64
    den: Int64


class Summary(NamedTuple):
    """The distinct combinations of masking values, fixed ones and template membership, and their weights."""

    group: Int32  # the combination of every row
    rows: Int64
    leaves: tuple[Int32, ...]  # for each attribute, the leaf of every combination
    of_class: Int64  # [node, class]: the rows of each class under a node; one class if the policy names none
    requirements: tuple[Requirement, ...]


class Reduced(NamedTuple):
    """A sensitive column as far as templates tell its values apart: the set of templates of every row."""

    codes: Int32
    sets: list[tuple[int, ...]]


class Single(NamedTuple):
    """A template of one value."""

    rule: Rule
    code: int


def summarize(policy: ResolvedTemplate, trees: Trees, templates: Sequence[Rule] | None = None) -> Summary:
    """Groups the rows once, for the templates of the policy or for others in its place."""
    rules = policy.templates if templates is None else templates
    table, label = policy.table, policy.class_column
    singles = [Single(rule, code) for rule in rules for code in rule.codes.tolist()]
    fixed = sorted({place for rule in rules for place in rule.given} - set(policy.masking))
    reduced = [_reduce(table, place, singles) for place in sorted({rule.sensitive for rule in rules})]
    leaves = [trees.leaf_codes(table, a) for a in range(len(trees.columns))]
    columns: list[npt.NDArray[np.integer]] = [leaf - np.int32(trees.first[a]) for a, leaf in enumerate(leaves)]
    sizes: list[int] = (trees.values + 1).tolist()
    columns += [part.codes for part in reduced]
    sizes += [len(part.sets) for part in reduced]
    columns += [table.columns[place].codes + np.int32(1) for place in fixed]
    sizes += [len(table.columns[place].values) + 1 for place in fixed]
    found = combine(columns, sizes, len(table), weight=table.weight)
    kept = {place: table.columns[place].codes[found.first] + np.int32(1) for place in fixed}
    width = {place: len(table.columns[place].values) + 1 for place in fixed}
    reduced = [part._replace(codes=part.codes[found.first]) for part in reduced]
    channels: dict[tuple[int, ...], list[int]] = {}
    for number, single in enumerate(singles):
        channels.setdefault(single.rule.given, []).append(number)
    requirements = []
    for given, numbers in channels.items():
        stay = [place for place in given if place in width]
        apart = combine([kept[place] for place in stay], [width[place] for place in stay], len(found.first))
        attributes = tuple(trees.columns.index(place) for place in given if place in trees.columns)
        requirements.append(_requirement(attributes, apart.group, numbers, singles, reduced))
    return Summary(
        group=found.group,
        rows=found.rows,
        leaves=tuple(leaf[found.first] for leaf in leaves),
        of_class=_class_counts(trees, leaves, None if label is None else table.columns[label], table.weight),
        requirements=tuple(requirements),
    )


def _class_counts(trees: Trees, leaves: Sequence[Int32], label: Column | None, weight: Int64 | None) -> Int64:
    width = 1 if label is None else len(label.values) + 1
    counts = np.zeros((len(trees), width), dtype=np.int64)
    for leaf in leaves:
        key = leaf if label is None else leaf * np.int64(width) + (label.codes + 1)
        counts += weighted(key, weight, counts.size).reshape(-1, width)
    for depth in range(int(trees.depth.max(initial=0)), 0, -1):
        nodes = np.flatnonzero(trees.depth == depth)
        np.add.at(counts, trees.parent[nodes], counts[nodes])
    return counts


def over_all_columns(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Templates that imply all these: each value once, at its lowest threshold, given all columns that any names."""
    given = tuple(sorted({place for rule in rules for place in rule.given}))
    lowest: dict[tuple[int, int], Rule] = {}
    for rule in rules:
        for code in rule.codes.tolist():
            known = lowest.get((rule.sensitive, code))
            if known is None or rule.num * known.den < known.num * rule.den:
                lowest[rule.sensitive, code] = rule._replace(given=given, codes=np.array([code], dtype=np.int32))
    return tuple(lowest[key] for key in sorted(lowest))


def _reduce(table: Table, place: int, singles: Sequence[Single]) -> Reduced:
    column = table.columns[place]
    members: dict[int, list[int]] = {}
    for number, single in enumerate(singles):
        if single.rule.sensitive == place:
            members.setdefault(single.code, []).append(number)
    sets: dict[tuple[int, ...], int] = {(): 0}
    lookup = np.zeros(len(column.values) + 1, dtype=np.int32)  # the last place is that of code -1, no value
    for code, numbers in sorted(members.items()):
        lookup[code] = sets.setdefault(tuple(numbers), len(sets))
    return Reduced(lookup[column.codes], list(sets))


def _requirement(
    attributes: tuple[int, ...], fixed: Int32, numbers: list[int], singles: Sequence[Single], reduced: list[Reduced]
) -> Requirement:
    place = {number: k for k, number in enumerate(numbers)}
    mine: list[tuple[Int32, list[list[int]]]] = []
    for part in reduced:  # sets of this channel's templates only, each once
        sets = [[place[number] for number in members if number in place] for members in part.sets]
        if any(sets):
            mine.append((part.codes, sets))
    found = combine([codes for codes, _ in mine], [len(sets) for _, sets in mine], len(fixed))
    flags = [[t for codes, sets in mine for t in sets[codes[row]]] for row in found.first.tolist()]
    return Requirement(
        attributes=attributes,
        fixed=fixed,
        sort=found.group,
        flag_ptr=np.cumsum([0, *map(len, flags)]).astype(np.int64),
        flags=np.array([t for listed in flags for t in listed], dtype=np.int32),
        num=np.array([singles[number].rule.num for number in numbers], dtype=np.int64),
        den=np.array([singles[number].rule.den for number in numbers], dtype=np.int64),
    )
