"""What the adversary of a diversity policy knows: rules given, rules mined, and what they exclude for whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from sordino.engine.local import Watch, raise_if_stopped
from sordino.engine.sorted import order_of
from sordino.errors import PolicyError
from sordino.knowledge.exclusion import Exclusion, excluded_sets
from sordino.knowledge.mine import mine_codes
from sordino.policy.diversity import ResolvedDiversity
from sordino.policy.rules import CodedRules

__all__ = ["Knowledge", "assumed", "known_rules", "mine_resolved"]


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Rules in the codes of a table, and what they exclude for each of its rows."""

    rules: CodedRules = field(repr=False)
    exclusion: Exclusion = field(repr=False)
    mined: int = 0  # how many of the rules were mined


def mine_resolved(
    resolved: ResolvedDiversity,
    *,
    min_confidence: Fraction | None = None,
    everything: bool = False,
    jobs: int | None = None,
    watch: Watch | None = None,
) -> CodedRules:
    """The rules that the table teaches, as the policy says how; with another confidence, if one is given."""
    policy = resolved.policy
    return mine_codes(
        resolved.codes,
        resolved.nodes,
        resolved.value,
        resolved.names,
        min_expectation=policy.min_expectation,
        min_confidence=policy.min_confidence if min_confidence is None else min_confidence,
        everything=everything,
        longest=policy.max_conditions,
        weight=resolved.weight,
        jobs=jobs,
        watch=watch,
    )


def assumed(resolved: ResolvedDiversity, *, jobs: int | None = None, watch: Watch | None = None) -> Knowledge:
    """What the adversary knows about the original table.

    A given rule that the table contradicts is a problem: who believes it is wrong about somebody, and what such a
    belief excludes says nothing about what is possible.
    """
    watch = watch or Watch()
    return watch.aside(lambda: _assumed(resolved, jobs, watch))


def _assumed(resolved: ResolvedDiversity, jobs: int | None, watch: Watch) -> Knowledge:
    knowledge = known_rules(resolved, resolved.given, watch)
    wrong = _contradicted(resolved, knowledge, watch)
    if wrong:
        raise PolicyError(wrong)
    if not resolved.policy.mined:
        return knowledge
    mined = mine_resolved(resolved, jobs=jobs, watch=watch)
    both = known_rules(resolved, resolved.given + mined, watch)
    return Knowledge(both.rules, both.exclusion, len(both.rules) - len(resolved.given))


def known_rules(resolved: ResolvedDiversity, rules: CodedRules, watch: Watch | None = None) -> Knowledge:
    """What these rules exclude for the people of the table."""
    return Knowledge(rules, excluded_sets(resolved.codes, resolved.nodes, rules, len(resolved.names), watch))


def _contradicted(resolved: ResolvedDiversity, knowledge: Knowledge, watch: Watch) -> list[str]:
    against = sum(
        int(np.count_nonzero(knowledge.exclusion.excludes(v)[resolved.value == v])) for v in set(knowledge.rules.value)
    )
    if not against:
        return []
    order = order_of(resolved.value, stop=watch.stop)
    bounds = np.searchsorted(resolved.value[order], np.arange(len(resolved.names) + 1))
    problems = []
    for conditions, value, rule in zip(
        knowledge.rules.conditions, knowledge.rules.value, knowledge.rules.source, strict=True
    ):
        raise_if_stopped(watch.stop)
        rows = order[bounds[value] : bounds[value + 1]]  # who has what the rule excludes, and fits it
        for j, node in conditions:
            leaf = resolved.nodes[j].leaf[resolved.codes[j][rows]]
            rows = rows[(leaf >= node) & (leaf < resolved.nodes[j].end[node])]
        people = len(rows) if resolved.weight is None else int(resolved.weight[rows].sum())
        if people:
            who = "1 person" if people == 1 else f"{people:,} people"
            problems.append(f"the rule {rule.knowledge()} => not {rule.excludes} is wrong about {who} in the data")
        if len(problems) == 8:
            break
    return problems
