"""Whether a template policy can hold at all: it does, if and only if it does with everything suppressed (model.md 2.1).

Suppressing merges groups of rows that agreed before, and a union of groups has no higher share of a value than the
group with the highest. So nothing is safer than all masking columns suppressed. What may not be changed (sensitive
columns, the class) still tells rows apart where a template names it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sordino.audit.combinations import combine
from sordino.data.table import weighted
from sordino.errors import Unsatisfiable
from sordino.policy.template import ResolvedTemplate, Rule
from sordino.policy.threshold import show_rational

__all__ = ["Impossible", "find_impossible", "lowest_threshold", "remedies", "require_possible"]

SHOWN = 5

Int64 = npt.NDArray[np.int64]


class Impossible(NamedTuple):
    """A template (from 0, as stated) that no suppression can make hold, and the lowest threshold at which one could."""

    template: int
    lowest: Fraction


def find_impossible(policy: ResolvedTemplate) -> tuple[Impossible, ...]:
    """The templates that can never hold on this table."""
    found = []
    for number, rule in enumerate(policy.stated):
        lowest = lowest_threshold(policy, rule)
        if lowest.numerator * rule.den > rule.num * lowest.denominator:
            found.append(Impossible(number, lowest))
    return tuple(found)


def lowest_threshold(policy: ResolvedTemplate, rule: Rule) -> Fraction:
    """The highest share of one of the rule's values with everything suppressed."""
    held, rows = _suppressed(policy, rule)
    most = held.max(axis=1, initial=0)
    return max((Fraction(int(a), int(b)) for a, b in zip(most, rows, strict=True)), default=Fraction(0))


def _suppressed(policy: ResolvedTemplate, rule: Rule) -> tuple[Int64, Int64]:
    """With everything suppressed: how many of each group of rows have each of the rule's values, and how many rows."""
    table = policy.table
    fixed = [table.columns[place] for place in rule.given if place not in policy.masking]
    sensitive = table.columns[rule.sensitive]
    if not len(table):
        return np.zeros((0, len(rule.codes)), dtype=np.int64), np.zeros(0, dtype=np.int64)
    if not fixed:
        return sensitive.counts[rule.codes][None, :].astype(np.int64), np.array([table.people])
    sizes = [len(column.values) + 1 for column in fixed]
    groups = combine([column.codes.astype(np.int64) + 1 for column in fixed], sizes, len(table), weight=table.weight)
    width = len(sensitive.values)
    there = sensitive.codes >= 0
    keys = groups.group[there].astype(np.int64) * width + sensitive.codes[there]
    weight = None if table.weight is None else table.weight[there]
    held = weighted(keys, weight, len(groups.rows) * width).reshape(len(groups.rows), width)[:, rule.codes]
    return held, groups.rows


def remedies(policy: ResolvedTemplate, rule: Rule) -> tuple[str, ...]:
    """What would let a template that can never hold be met, each by itself; only what is true of this table."""
    found = []
    lowest = lowest_threshold(policy, rule)
    if lowest < 1:
        found.append(f"at_most must be {show_rational(lowest)} or more")
    allowed = Fraction(rule.num, rule.den)
    names = policy.table.names
    for place in rule.given:
        rest = tuple(other for other in rule.given if other != place)
        if rest and place not in policy.masking and lowest_threshold(policy, rule._replace(given=rest)) <= allowed:
            why = "it is the class" if place == policy.class_column else "another template is about it"
            found.append(f"leave '{names[place]}' out of given, which may not be suppressed because {why}")
    held, rows = _suppressed(policy, rule)
    able = int(np.count_nonzero((held * rule.den <= rows[:, None] * rule.num).all(axis=0)))
    if 0 < able < len(rule.codes):
        many = len(rule.codes)
        found.append(f"leave out the {many - able:,} of its {many:,} values that are too frequent")
    return tuple(found)


def require_possible(policy: ResolvedTemplate) -> None:
    """Raises Unsatisfiable, with the thresholds that would do, if some template can never hold."""
    impossible = find_impossible(policy)
    if not impossible:
        return
    names = policy.table.names
    lines = []
    for number, lowest in impossible[:SHOWN]:
        rule = policy.stated[number]
        given = ", ".join(names[place] for place in rule.given)
        helps = "; or ".join(remedies(policy, rule)) or "leave the template out"
        remedy = helps if lowest < 1 else f"no threshold below 1 would do: {helps}"
        lines.append(
            f"  template {number + 1} ({given} -> {names[rule.sensitive]}) can never hold: with everything suppressed "
            f"a value still has a share of {float(lowest):.2%}; {remedy}"
        )
    if len(impossible) > SHOWN:
        lines.append(f"  and {len(impossible) - SHOWN:,} more")
    raise Unsatisfiable("no suppression can make the policy hold:\n" + "\n".join(lines))
