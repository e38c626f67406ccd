"""Whether a template policy can hold at all: it does, if and only if it does with everything suppressed (model.md 2.1).

Suppressing merges groups of rows that agreed before, and a union of groups has no higher share of a value than the
group with the highest. So nothing is safer than all masking columns suppressed. What may not be changed (sensitive
columns, the class) still tells rows apart where a template names it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from sordino.audit.combinations import combine
from sordino.data.table import weighted
from sordino.errors import Unsatisfiable
from sordino.policy.template import ResolvedTemplate, Rule
from sordino.policy.threshold import show_rational

__all__ = ["Impossible", "find_impossible", "require_possible"]

SHOWN = 5


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
    table = policy.table
    fixed = [table.columns[place] for place in rule.given if place not in policy.masking]
    sensitive = table.columns[rule.sensitive]
    if not fixed:
        most = int(sensitive.counts[rule.codes].max(initial=0))
        return Fraction(most, table.people) if len(table) else Fraction(0)
    sizes = [len(column.values) + 1 for column in fixed]
    groups = combine([column.codes.astype(np.int64) + 1 for column in fixed], sizes, len(table), weight=table.weight)
    width = len(sensitive.values)
    there = sensitive.codes >= 0
    keys = groups.group[there].astype(np.int64) * width + sensitive.codes[there]
    weight = None if table.weight is None else table.weight[there]
    held = weighted(keys, weight, len(groups.rows) * width).reshape(len(groups.rows), width)[:, rule.codes]
    shares = [
        Fraction(int(part), int(rows))
        for part, rows in zip(held.max(axis=1, initial=0).tolist(), groups.rows.tolist(), strict=True)
    ]
    return max(shares, default=Fraction(0))


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
        remedy = f"at_most must be {show_rational(lowest)} or more" if lowest < 1 else "no threshold below 1 would do"
        lines.append(
            f"  template {number + 1} ({given} -> {names[rule.sensitive]}) can never hold: with everything suppressed "
            f"a value still has a share of {float(lowest):.2%}; {remedy}"
        )
    if len(impossible) > SHOWN:
        lines.append(f"  and {len(impossible) - SHOWN:,} more")
    raise Unsatisfiable("no suppression can make the policy hold:\n" + "\n".join(lines))
