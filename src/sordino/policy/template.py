"""The requirement on tables: who knows some columns of a person may not infer a value of another (model.md 2.1).

A template (given -> value, at_most) holds if among the rows that agree in all `given` columns, whatever they hold
there, at most the share `at_most` has the value. A missing or suppressed cell is a value of its own there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import ClassVar, NamedTuple

import numpy as np

from sordino.data.hierarchy import Hierarchy
from sordino.data.table import SYMBOL, Column, Int32, Table
from sordino.errors import PolicyError, did_you_mean, problem_with
from sordino.policy.bins import Bins, binned, is_binned
from sordino.policy.threshold import Rational, floor_fraction, read_rational, read_threshold

__all__ = ["ResolvedTemplate", "Rule", "Template", "TemplatePolicy", "absent_from", "implied_rules", "without_implied"]


@dataclass(frozen=True)
class Template:
    """Who knows the columns `given` may infer each of `values` of the column `sensitive` at most this surely.

    Instead of `values`, `rarest` takes that share of the column's distinct values, the least frequent ones (rounded
    down, but at least one; of equally frequent ones the first): "50%" as in the paper, "100%" for all.
    """

    given: tuple[str, ...]
    sensitive: str
    values: tuple[str, ...] = ()
    at_most: Fraction = Fraction(1, 2)
    rarest: Fraction | None = None

    def __init__(
        self,
        given: Iterable[str] | str,
        sensitive: str,
        values: Iterable[object] | str = (),
        at_most: Rational = "0.5",
        *,
        rarest: Rational | None = None,
    ) -> None:
        problems: list[str] = []
        columns = tuple(dict.fromkeys([given] if isinstance(given, str) else given))
        texts = tuple(dict.fromkeys([values] if isinstance(values, str) else map(_text, values)))
        share: Fraction | None = None
        limit = Fraction(1, 2)
        if not columns:
            problems.append("'given' names no column")
        if sensitive in columns:
            problems.append(f"the column '{sensitive}' is both given and to be inferred")
        if bool(texts) == (rarest is not None):
            problems.append("state either the values that must not be inferred, or the rarest ones")
        try:
            limit = read_threshold(at_most)
        except ValueError as error:
            problems.append(f"at_most: {error}")
        if rarest is not None:
            try:
                share = read_rational(rarest)
                if not 0 < share <= 1:
                    problems.append("rarest must be above 0 and at most 100%")
            except ValueError as error:
                problems.append(f"rarest: {error}")
        if problems:
            raise PolicyError(problems)
        for name, value in (
            ("given", columns),
            ("sensitive", sensitive),
            ("values", texts),
            ("at_most", limit),
            ("rarest", share),
        ):
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class TemplatePolicy:
    """Templates, and what goes with them.

    class_column: the column that the release should let one predict (optional). bins: numeric columns that count, and
    are published, as ranges. hierarchies: value hierarchies that a method may climb instead of suppressing. symbol:
    what stands in a suppressed cell.
    """

    kind: ClassVar[str] = "template"
    file: ClassVar[str] = "sordino.policy.template_file"

    templates: tuple[Template, ...]
    class_column: str | None = None
    bins: Mapping[str, Bins] = field(default_factory=dict)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    symbol: str = SYMBOL

    def __init__(
        self,
        templates: Iterable[Template],
        *,
        class_column: str | None = None,
        bins: Mapping[str, object] | None = None,
        hierarchies: Mapping[str, object] | None = None,
        symbol: str = SYMBOL,
    ) -> None:
        problems: list[str] = []
        stated = tuple(templates)
        if not stated:
            problems.append("the policy has no template, so everything satisfies it")
        cuts: dict[str, Bins] = {}
        for name, way in (bins or {}).items():
            try:
                cuts[name] = Bins.read(way)
            except ValueError as error:
                problems.append(f"bins of '{name}': {error}")
        trees: dict[str, Hierarchy] = {}
        if hierarchies:
            from sordino.data.read_hierarchy import read_hierarchy
            from sordino.errors import InputError

            for name, source in hierarchies.items():
                try:
                    trees[name] = read_hierarchy(source)
                except InputError as error:
                    problems.append(f"hierarchy of '{name}': {error}")
        problems += [
            f"'{name}' has both bins and a hierarchy; state one" for name in cuts if name in (hierarchies or {})
        ]
        used = {name for template in stated for name in (*template.given, template.sensitive)}
        for name in (*cuts, *(hierarchies or {})):
            if name not in used:
                problems.append(
                    f"'{name}' has bins or a hierarchy, but no template names it.{did_you_mean(name, used)}"
                )
        if not isinstance(symbol, str) or not symbol or symbol != symbol.strip() or not symbol.isprintable():
            problems.append("the suppression symbol must be a short text, for example '*'")
        if problems:
            raise PolicyError(problems)
        for name, value in (
            ("templates", stated),
            ("class_column", class_column),
            ("bins", cuts),
            ("hierarchies", trees),
            ("symbol", symbol),
        ):
            object.__setattr__(self, name, value)

    def resolve(self, table: Table, *, missing: str = "error") -> ResolvedTemplate:
        """The policy in the codes of `table`; every problem is reported at once.

        A sensitive value that occurs nowhere is a problem (a typing error is a missed disclosure), and so is a value
        that its hierarchy lacks, unless missing="accept", as for a release.
        """
        problems: list[str] = []
        remarks: list[str] = []
        known = table.names
        named = {name for t in self.templates for name in (*t.given, t.sensitive)} | set(self.bins)
        named |= set(self.hierarchies) | ({self.class_column} if self.class_column is not None else set())
        for name in sorted(named - set(known)):
            problems.append(f"there is no column '{name}'.{did_you_mean(name, known)}")
        ranges: dict[str, tuple[str, ...]] = {}
        for name in (name for name in self.bins if name in known):
            column = table.column(name)
            if is_binned(column, self.symbol):
                continue
            try:
                column, ranges[name] = binned(column, self.bins[name])
            except ValueError as error:
                problems.append(f"bins of '{name}': {error}")
                continue
            table = table.with_column(column)
        trees = self._trees(table, missing, problems, remarks)
        stated: list[Rule] = []
        for number, template in enumerate(self.templates, start=1):
            if template.sensitive not in known:
                continue
            codes = _codes(template, table.column(template.sensitive), missing, problems, remarks, number)
            if not set(template.given) <= set(known):
                continue
            limit = floor_fraction(template.at_most, max(table.people, 1))
            given = tuple(sorted(table.index(name) for name in template.given))
            stated.append(Rule(given, table.index(template.sensitive), codes, limit.numerator, limit.denominator))
        if problems:
            raise PolicyError(problems)
        label = None if self.class_column is None else table.index(self.class_column)
        fixed = {rule.sensitive for rule in stated} | ({label} if label is not None else set())
        masking = tuple(sorted({place for rule in stated for place in rule.given} - fixed))
        taken = [table.names[k] for k in masking if self.symbol in table.columns[k].code_of]
        if taken:
            remarks.append(f"'{self.symbol}' stands in {', '.join(taken)} already; it counts as suppressed.")
        return ResolvedTemplate(
            policy=self,
            table=table,
            stated=tuple(stated),
            templates=without_implied(stated),
            class_column=label,
            masking=masking,
            hierarchies={place: trees[table.names[place]] for place in masking if table.names[place] in trees},
            ranges=ranges,
            remarks=tuple(remarks),
        )

    def _trees(self, table: Table, missing: str, problems: list[str], remarks: list[str]) -> dict[str, Hierarchy]:
        """The hierarchies whose leaves are all values of their column."""
        trees: dict[str, Hierarchy] = {}
        for name, tree in self.hierarchies.items():
            if name not in table.names:
                continue
            column = table.column(name)
            held = [column.texts[code] for code in np.flatnonzero(column.counts).tolist()]
            bare = [text for text in held if text not in tree.leaf_of]
            strange = set(bare) - {self.symbol, *tree.labels, *tree.names}
            if not bare:
                trees[name] = tree
            elif strange and missing == "error":
                few = "1 value" if len(strange) == 1 else f"{len(strange):,} values"
                problems.append(f"the hierarchy of '{name}' lacks {few} of the column")
            elif missing == "error":
                remarks.append(f"'{name}' shows groups of its hierarchy already; the hierarchy is not used.")
        return trees


class Rule(NamedTuple):
    """A template in codes: each of `codes` is a consequent of its own, and may have a share of at most num / den.

    `num / den` is the largest fraction that counts of these rows can reach without exceeding the threshold, so the
    comparison count * den <= rows * num is exact.
    """

    given: tuple[int, ...]  # columns, ascending
    sensitive: int
    codes: Int32  # ascending
    num: int
    den: int


@dataclass(frozen=True, eq=False)
class ResolvedTemplate:
    """A template policy in the columns and codes of one table.

    `table` is the table as the policy sees it: binned columns hold ranges, and these are what is published. `stated`
    has a rule for every template, in order; `templates` are those that the others do not imply, which is all that must
    be made to hold. `masking` are the columns a method may change: all given ones that are neither sensitive nor the
    class. `hierarchies` are those of masking columns; every value but a missing one is a leaf there.
    """

    policy: TemplatePolicy
    table: Table
    stated: tuple[Rule, ...]
    templates: tuple[Rule, ...]
    class_column: int | None
    masking: tuple[int, ...]
    hierarchies: Mapping[int, Hierarchy] = field(default_factory=dict)
    ranges: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of binned columns, ascending
    remarks: tuple[str, ...] = ()

    @property
    def symbol(self) -> str:
        return self.policy.symbol


def without_implied(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules without the consequents that another rule takes care of, and without rules that are left empty.

    A rule with all the given columns and more, and no higher threshold, implies one for the same value: a group of rows
    that agree in few columns is a union of groups that agree in more, and a union has no higher share than its parts.
    """
    demanded = _demands(rules)
    kept = []
    for k, rule in enumerate(rules):
        codes = [code for code in rule.codes.tolist() if not _taken_care_of(demanded[rule.sensitive, code], rules, k)]
        if codes:
            kept.append(rule._replace(codes=np.array(codes, dtype=np.int32)))
    return tuple(kept)


def implied_rules(rules: Sequence[Rule]) -> tuple[bool, ...]:
    """For each rule whether others take care of all that it demands."""
    demanded = _demands(rules)
    return tuple(
        len(rule.codes) > 0
        and all(_taken_care_of(demanded[rule.sensitive, code], rules, k) for code in rule.codes.tolist())
        for k, rule in enumerate(rules)
    )


def _demands(rules: Sequence[Rule]) -> Mapping[tuple[int, int], list[int]]:
    """Which rules are about each value."""
    demanded: dict[tuple[int, int], list[int]] = {}
    for k, rule in enumerate(rules):
        for code in rule.codes.tolist():
            demanded.setdefault((rule.sensitive, code), []).append(k)
    return demanded


def _taken_care_of(about: Sequence[int], rules: Sequence[Rule], k: int) -> bool:
    """Whether one of the rules about a value implies rule k for it."""
    return any(_implies(rules, j, k) for j in about if j != k)


def _implies(rules: Sequence[Rule], j: int, k: int) -> bool:
    one, other = rules[j], rules[k]
    lower = one.num * other.den - other.num * one.den
    if lower > 0 or not set(one.given) >= set(other.given):
        return False
    return lower < 0 or len(one.given) > len(other.given) or j < k


def _codes(
    template: Template, column: Column, missing: str, problems: list[str], remarks: list[str], number: int
) -> Int32:
    """The codes of a template's values, ascending."""
    counts = column.counts
    if template.rarest is not None:
        there = np.flatnonzero(counts)
        order = there[np.argsort(counts[there], kind="stable")]
        chosen = order[: max(1, floor(len(order) * template.rarest))]
        return np.sort(chosen).astype(np.int32)
    absent = absent_from(column, template.values)
    codes = {_code(column, text) for text in template.values if text not in absent}
    held = [column.texts[code] for code in np.flatnonzero(counts).tolist()] if absent else []
    for text in absent:
        if missing == "error":
            what = f"template {number}: '{text}' does not occur in the column '{column.name}'."
            problems.append(problem_with(text, what, held))
        else:
            remarks.append(f"'{text}' does not occur in the column '{column.name}', so there is nothing to infer.")
    return np.array(sorted(code for code in codes if code is not None), dtype=np.int32)


def absent_from(column: Column, values: Iterable[str]) -> tuple[str, ...]:
    """The values that no row has."""
    codes = {text: _code(column, text) for text in values}
    return tuple(text for text, code in codes.items() if code is None or not column.counts[code])


def _code(column: Column, text: str) -> int | None:
    """The code of the value that a text of the policy means."""
    if text in column.code_of:
        return column.code_of[text]
    if column.numeric and not isinstance(column.values, tuple):
        try:
            number = float(text)
        except ValueError:
            return None
        found = np.flatnonzero(column.values == number)
        return int(found[0]) if len(found) == 1 else None
    return None


def _text(value: object) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
