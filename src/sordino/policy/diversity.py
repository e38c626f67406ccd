"""The requirement on grouped tables: everybody keeps l possible values, whatever can be ruled out (model.md 2.2).

The adversary knows everybody's quasi-identifiers, in which group each person is, and rules "nobody who is such has that
value". A value is possible for a person if some assignment of the group's values to its people breaks no rule and
gives it to that person. Every person must have at least l different possible values: *matching l-diversity*.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sordino.data.dates import are_dates
from sordino.data.hierarchy import Hierarchy
from sordino.data.nodes import Nodes, nodes_of, numbers, with_absent
from sordino.data.table import Column, Table, weighted
from sordino.errors import InputError, PolicyError, Problem, did_you_mean, problem_with
from sordino.policy.bins import Bins, range_tree
from sordino.policy.rules import CodedRules, NegativeRule
from sordino.policy.rules_file import read_rules
from sordino.policy.threshold import Rational, read_rational, read_threshold, show_rational

__all__ = ["ABSENT", "DiversityPolicy", "ResolvedDiversity"]

ABSENT = "(missing)"  # the value of a cell without one
SHOWN = 8
MANY = 20  # numbers of a column that call for ranges


@dataclass(frozen=True)
class DiversityPolicy:
    """sensitive: the column to protect; quasi: what an adversary knows of everybody; l: how many values stay possible.

    mined: whether the adversary knows the negative rules that the data themselves teach; min_expectation: how surely
    such a rule is no chance; min_confidence: of what share of those whom it speaks of it must hold (the adversary takes
    it for certain all the same); max_conditions: how many attributes one of them combines at most (None: any number;
    see the note below); rules: further rules, or the path of a file of them; hierarchies: groups of values that rules
    may speak of; bins: numeric attributes that are cut into ranges, which are then their hierarchy (policy/bins.py;
    what is published stays as it is); fuzzy: numeric attributes with a hierarchy that count as fuzzy in mining (None:
    all).

    **Why max_conditions is 1.** Every rule is as surely no chance as min_expectation says, one by one. Combinations
    of attributes are so many that thousands of rules hold by chance at that level, and together they leave many a
    person one value only, so that no l can be had. On Adult the rules of one condition also come nearest to the
    number that the paper reports.
    """

    kind: ClassVar[str] = "diversity"
    file: ClassVar[str] = "sordino.policy.diversity_file"

    sensitive: str
    quasi: tuple[str, ...]
    l: int  # noqa: E741 - the name of the literature
    mined: bool = True
    min_expectation: Fraction = Fraction(9, 10)
    max_conditions: int | None = 1
    rules: tuple[NegativeRule, ...] = ()
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    fuzzy: tuple[str, ...] | None = None
    bins: Mapping[str, Bins] = field(default_factory=dict)
    min_confidence: Fraction = Fraction(1)

    def __init__(
        self,
        sensitive: str,
        quasi: Iterable[str],
        l: int,  # noqa: E741
        *,
        mined: bool = True,
        min_expectation: Rational = "0.9",
        max_conditions: int | None = 1,
        rules: Iterable[NegativeRule] | str | Path = (),
        hierarchies: Mapping[str, object] | None = None,
        fuzzy: Iterable[str] | None = None,
        bins: Mapping[str, object] | None = None,
        min_confidence: Rational = 1,
    ) -> None:
        problems: list[str] = []
        columns = tuple(dict.fromkeys([quasi] if isinstance(quasi, str) else map(str, quasi)))
        if not isinstance(sensitive, str) or not sensitive:
            problems.append('the sensitive column must be named: sensitive = "..."')
            sensitive = str(sensitive)
        if not columns:
            problems.append("quasi names no column")
        if sensitive in columns:
            problems.append(f"'{sensitive}' is both sensitive and a quasi-identifier")
        if isinstance(l, bool) or not isinstance(l, int) or l < 2:
            problems.append("l must be a whole number, 2 or more")
        if not isinstance(mined, bool):
            problems.append("mined must be true or false")
        expectation = Fraction(9, 10)
        try:
            expectation = read_threshold(min_expectation)
        except ValueError as error:
            problems.append(f"min_expectation: {error}")
        confidence = _read_confidence(min_confidence, problems)
        if not _is_count(max_conditions):
            problems.append(
                "max_conditions must be a whole number, 1 or more (in Python None, in a file 0: any number)"
            )
        trees = _read_trees(hierarchies, columns, problems)
        cut = _read_bins(bins, columns, trees, problems)
        given: tuple[NegativeRule, ...] = ()
        if isinstance(rules, str | Path):
            try:
                given = read_rules(rules, sensitive, columns)
            except PolicyError as error:
                problems += [f"{rules}: {problem}" for problem in error.problems]
            except InputError as error:
                problems.append(str(error))
        else:
            given = tuple(rules)
            problems += _wrong_attributes(given, columns)
        blurred = None if fuzzy is None else tuple(dict.fromkeys([fuzzy] if isinstance(fuzzy, str) else fuzzy))
        for name in blurred or ():
            if name not in trees and name not in cut:
                near = did_you_mean(name, [*trees, *cut])
                problems.append(f"'{name}' is to be fuzzy, but has no hierarchy and no bins.{near}")
        if problems:
            raise PolicyError(problems)
        for name, value in (
            ("sensitive", sensitive),
            ("quasi", columns),
            ("l", l),
            ("mined", mined),
            ("min_expectation", expectation),
            ("max_conditions", max_conditions),
            ("rules", given),
            ("hierarchies", trees),
            ("fuzzy", blurred),
            ("bins", cut),
            ("min_confidence", confidence),
        ):
            object.__setattr__(self, name, value)

    def with_bins(self, table: Table) -> DiversityPolicy:
        """The policy with the ranges of this table's numbers as hierarchies, in place of its bins."""
        problems: list[str] = []
        trees = dict(self.hierarchies)
        for name, bins in self.bins.items():
            if name not in table.names:
                continue  # `resolve` says so
            own, texts, absent = used_values(table.column(name))
            counts = weighted(own, table.weight, len(texts)).tolist()
            held = len(texts) - absent
            try:
                trees[name] = range_tree(texts[:held], counts[:held], bins)
            except ValueError as error:
                problems.append(f"[bins] '{name}': {error}")
        if problems:
            raise PolicyError(problems)
        return replace(self, hierarchies=trees, bins={}) if self.bins else self

    def resolve(self, table: Table, *, missing: str = "error") -> ResolvedDiversity:
        """The policy in the codes of a table; every problem is reported at once.

        `missing` says what becomes of a rule about a value that occurs nowhere: "error" (it may be a typing error) or
        "accept": it concerns nobody.
        """
        if self.bins:
            return self.with_bins(table).resolve(table, missing=missing)
        problems: list[str] = []
        for name in (*self.quasi, self.sensitive):
            if name not in table.names:
                problems.append(f"there is no column '{name}'.{did_you_mean(name, table.names)}")
        if problems:
            raise PolicyError(problems)
        codes, nodes = [], []
        for name in self.quasi:
            own, texts, absent = used_values(table.column(name))
            try:
                nodes.append(self._nodes(name, texts, absent))
                codes.append(own)
            except InputError as error:
                problems.append(Problem(str(error), " ".join(error.suggestions) or None))
        if problems:
            raise PolicyError(problems)
        value, names, _ = used_values(table.column(self.sensitive))
        remarks = [*_unranged(nodes, self.hierarchies)] if self.mined else []
        rules = code_rules(self.rules, nodes, self.hierarchies, names, problems, remarks, missing)
        if problems:
            more = [f"and {len(problems) - SHOWN:,} more"] if len(problems) > SHOWN else []
            raise PolicyError(problems[:SHOWN] + more)
        return ResolvedDiversity(self, tuple(codes), tuple(nodes), value, names, rules, tuple(remarks), table.weight)

    def _nodes(self, name: str, texts: Sequence[str], absent: bool) -> Nodes:
        if absent and len(texts) > 1:
            return with_absent(self._nodes(name, texts[:-1], False), texts[-1])
        if absent:  # nobody has a value
            return nodes_of(name, texts)
        tree = self.hierarchies.get(name)
        fuzzy = tree is not None and (
            numbers(texts) is not None and numbers(list(tree.leaf_of)) is not None
            if self.fuzzy is None
            else name in self.fuzzy
        )
        return nodes_of(name, texts, tree, fuzzy=fuzzy)

    def statement(self) -> dict[str, Any]:
        """What the policy demands as plain data; of hierarchies only what tells them apart."""
        return {
            "kind": self.kind,
            "sensitive": self.sensitive,
            "quasi": list(self.quasi),
            "l": self.l,
            "knowledge": {
                "mined": self.mined,
                "min_expectation": show_rational(self.min_expectation),
                **({} if self.min_confidence == 1 else {"min_confidence": show_rational(self.min_confidence)}),
                "max_conditions": self.max_conditions,
                "rules": [{"if": dict(sorted(rule.conditions)), "not": rule.excludes} for rule in self.rules],
                "fuzzy": None if self.fuzzy is None else list(self.fuzzy),
                "hierarchies": {
                    **{name: _digest(tree) for name, tree in sorted(self.hierarchies.items())},
                    # No tree has such a digest: what they come to shows in the data only.
                    **{name: f"bins {bins.stated()}" for name, bins in sorted(self.bins.items())},
                },
            },
        }


@dataclass(frozen=True, eq=False)
class ResolvedDiversity:
    """The policy in the codes of one table.

    codes[j][row] is the value of attribute j, whose nodes are nodes[j]; value[row] the sensitive value, names[value]
    its text. A missing value is a value like others. `given` are the rules that the user stated.
    """

    policy: DiversityPolicy
    codes: tuple[npt.NDArray[np.int32], ...] = field(repr=False)
    nodes: tuple[Nodes, ...] = field(repr=False)
    value: npt.NDArray[np.int32] = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    given: CodedRules = field(repr=False)
    remarks: tuple[str, ...] = ()
    weight: npt.NDArray[np.int64] | None = field(default=None, repr=False)  # how many people each row is; None: one

    def __len__(self) -> int:
        return len(self.value)

    @property
    def people(self) -> int:
        """How many people the rows are."""
        return len(self) if self.weight is None else int(self.weight.sum())

    def count(self, which: npt.NDArray[np.bool_]) -> int:
        """How many people these rows are."""
        return int(np.count_nonzero(which) if self.weight is None else self.weight[which].sum())


def used_values(column: Column) -> tuple[npt.NDArray[np.int32], tuple[str, ...], bool]:
    """Codes and texts of the values that occur, and whether the last of them stands for cells without a value."""
    used = np.flatnonzero(column.counts)
    texts = [column.texts[code] for code in used.tolist()]
    place = np.full(len(column.values) + 1, -1, dtype=np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    if column.lacking:
        name = ABSENT
        while name in texts:
            name += "'"
        place[-1] = len(texts)
        texts.append(name)
    return place[column.codes], tuple(texts), column.lacking > 0


def code_rules(
    rules: Sequence[NegativeRule],
    nodes: Sequence[Nodes],
    trees: Mapping[str, Hierarchy],
    names: Sequence[str],
    problems: list[str],
    remarks: list[str],
    missing: str,
) -> CodedRules:
    """The rules in codes; what they name and the data do not have is a problem, or concerns nobody."""
    place = {part.attribute: (j, part, {text: v for v, text in enumerate(part.labels)}) for j, part in enumerate(nodes)}
    code_of = {name: code for code, name in enumerate(names)}
    coded, values, sources, idle = [], [], [], 0
    said: set[tuple[str, str]] = set()
    for rule in rules:
        pairs: list[tuple[int, int]] = []
        nobody = False
        for attribute, label in rule.conditions:
            j, part, node_of = place[attribute]
            if label in node_of:
                pairs.append((j, node_of[label]))
                continue
            found = part.find(label, trees.get(attribute))
            if found is None:
                nobody = True
                if missing == "error" and (attribute, label) not in said:
                    said.add((attribute, label))
                    held = [*part.labels, *_labels(trees.get(attribute))]
                    text = f"a rule says {attribute} = '{label}', which is no value or group there."
                    problems.append(problem_with(label, text, held))
            elif found == "nobody":
                nobody = True
            elif isinstance(found, int):
                pairs.append((j, found))
        if rule.excludes not in code_of:
            nobody = True
            if missing == "error" and ("", rule.excludes) not in said:
                said.add(("", rule.excludes))
                text = f"a rule excludes '{rule.excludes}', which nobody has."
                problems.append(problem_with(rule.excludes, text, names))
        if nobody:
            idle += 1
            continue
        coded.append(tuple(sorted(pairs)))
        values.append(code_of[rule.excludes])
        sources.append(rule)
    if idle and not problems:
        remarks.append(f"{idle:,} of the given rules {'concerns' if idle == 1 else 'concern'} nobody in these data.")
    return CodedRules() + CodedRules(tuple(coded), tuple(values), tuple(sources))


def _labels(tree: Hierarchy | None) -> Sequence[str]:
    return () if tree is None else tree.labels


def _read_confidence(value: Rational, problems: list[str]) -> Fraction:
    try:
        confidence = read_rational(value)
    except ValueError as error:
        problems.append(f"min_confidence: {error}")
        return Fraction(1)
    if not 0 < confidence <= 1 or (10_000 * confidence).denominator > 1:
        problems.append("min_confidence must be above 0 and at most 1, with at most four decimals")
    return confidence


def _is_count(value: object) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 1)


def _read_trees(
    hierarchies: Mapping[str, object] | None, columns: Sequence[str], problems: list[str]
) -> dict[str, Hierarchy]:
    trees: dict[str, Hierarchy] = {}
    if hierarchies:
        from sordino.data.read_hierarchy import read_hierarchy

        for name, source in hierarchies.items():
            if name not in columns:
                problems.append(f"'{name}' has a hierarchy, but is no quasi-identifier.{did_you_mean(name, columns)}")
                continue
            try:
                trees[name] = read_hierarchy(source)
            except InputError as error:
                problems.append(f"hierarchy of '{name}': {error}")
    return trees


def _read_bins(
    bins: Mapping[str, object] | None, columns: Sequence[str], trees: Mapping[str, Hierarchy], problems: list[str]
) -> dict[str, Bins]:
    found: dict[str, Bins] = {}
    for name, stated in (bins or {}).items():
        if name not in columns:
            problems.append(f"'{name}' has bins, but is no quasi-identifier.{did_you_mean(name, columns)}")
        elif name in trees:
            problems.append(f"'{name}' has a hierarchy and bins; leave one of them out")
        else:
            try:
                found[name] = Bins.read(stated)
            except ValueError as error:
                problems.append(f"[bins] '{name}': {error}")
    return found


def _unranged(nodes: Iterable[Nodes], trees: Mapping[str, Hierarchy]) -> Iterator[str]:
    """What to say of numbers that rules know one by one only."""
    for part in nodes:
        if part.attribute in trees or part.values <= MANY:
            continue
        if numbers(part.texts) is not None:
            what, way = "numbers", "{ quantile = 5 }"
        elif are_dates(part.texts):
            what, way = "dates", '{ by = "year" }'
        else:
            continue
        yield (
            f"'{part.attribute}' has {part.values:,} different {what} and neither bins nor a hierarchy: rules "
            f"were looked for about single {what} only, which understates who thinks in ranges. For example: "
            f"[bins] {part.attribute} = {way}"
        )


def _wrong_attributes(rules: Iterable[NegativeRule], columns: Sequence[str]) -> list[str]:
    wrong = dict.fromkeys(name for rule in rules for name, _ in rule.conditions if name not in columns)
    return [f"a rule names '{name}', which is no quasi-identifier.{did_you_mean(name, columns)}" for name in wrong]


def _digest(tree: Hierarchy) -> str:
    return hashlib.sha256(repr(sorted(tree.paths())).encode("utf-8", "surrogatepass")).hexdigest()
