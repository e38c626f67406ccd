"""Grouped tables: audit and release as the oracle has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from fuzz.check_templates import rows_of
from fuzz.finding import Complaint, demand
from fuzz.made import MadeDiversity
from fuzz.truth_tables import excluded, fitting, grouped_by_quasi, mined_rules, possible_numbers
from sordino.errors import PolicyError, Unsatisfiable

__all__ = ["audit", "audit_jobs", "groups_hold", "protect", "rules_of"]

Rules = list[tuple[Mapping[str, AbstractSet[str]], str]]


def stated_rules(made: MadeDiversity) -> Rules:
    """The rules that the policy lists."""
    return [(fitting(made.case, conditions), value) for conditions, value in made.case.rules]


def rules_of(made: MadeDiversity) -> Rules | None:
    """All that the adversary is assumed to know; None if it was mined of fuzzy groups."""
    if not made.case.mined:
        return stated_rules(made)
    return None if made.case.fuzzy else [*mined_rules(made.case), *stated_rules(made)]


def _refused(made: MadeDiversity, ask: Callable[[], Any]) -> bool:
    """Whether the policy has a rule that is wrong about the data, and that is refused, as it must be."""
    case = made.case
    cannot = excluded(made.rows, stated_rules(made))
    if not any(row[case.sensitive] in never for row, never in zip(made.rows, cannot, strict=True)):
        return False
    try:
        ask()
    except PolicyError:
        made.refused = True
        return True
    raise Complaint("unsafe", "a rule that is wrong about the data was accepted")


def audit(made: MadeDiversity) -> None:
    case = made.case
    if _refused(made, made.audit):
        return
    result = made.audit()
    demand(result.records == len(case.rows), "the audit counts other rows")
    rules = rules_of(made)
    if rules is None:
        return
    cannot = excluded(made.rows, rules)
    numbers = possible_numbers(
        grouped_by_quasi(made.rows, case.quasi), cannot, [row[case.sensitive] for row in made.rows]
    )
    at_risk = sum(number < case.l for number in numbers.values())
    said = f"the audit says {result.answer}, the oracle counts {at_risk} people at risk"
    demand(result.holds == (at_risk == 0), said, "unsafe" if result.holds else "mismatch")
    demand(result.people_at_risk == at_risk, f"people at risk: {result.people_at_risk}, the oracle counts {at_risk}")
    demand(result.matching_l == max(0, min(numbers.values())), "another matching l")
    demand(result.contradicted == sum(n < 0 for n in numbers.values()), "another number of contradicted people")
    levels = Counter(max(0, number) for number in numbers.values())
    demand({c: n for c, n in result.possible.items() if n} == dict(levels), "other numbers of possible values")


def audit_jobs(made: MadeDiversity) -> None:
    """Two threads, the same answers."""
    if made.refused:
        return
    one, two = (made.audit(jobs=jobs, top=50).to_dict() | {"seconds": 0} for jobs in (1, 2))
    demand(one == two, "two threads give other answers than one")


def protect(made: MadeDiversity) -> None:
    case = made.case
    if _refused(made, made.protect):
        return
    rules = rules_of(made)
    values = [row[case.sensitive] for row in made.rows]
    try:
        release = made.release
    except Unsatisfiable:
        made.refused = True
        if case.method == "injector" and rules is not None:
            whole = possible_numbers([list(range(len(values)))], excluded(made.rows, rules), values)
            demand(min(whole.values()) < case.l, "called unsatisfiable, though one group of all would do", "refused")
        return
    demand(release.audit_after.holds, "a release whose own audit does not hold", "unsafe")
    after = rows_of(release.data)
    wanted = {*case.quasi, case.sensitive, release.group}
    demand(set(release.data.names) == wanted, "other columns than the policy names are published", "unsafe")
    before = [made.rows[k] for k in release.row.tolist()]
    demand(sorted(release.row.tolist()) == list(range(len(values))), "rows are missing or double")
    for old, new in zip(before, after, strict=True):
        demand(all(old[name] == new[name] for name in case.quasi), "a quasi-identifier was changed")
    for members in grouped_by_quasi(after, [release.group]):
        held = Counter(after[k][case.sensitive] for k in members)
        demand(held == Counter(before[k][case.sensitive] for k in members), "a group holds values of others")
    if rules is None:
        rules = [({a: set(_meaning(release, a, v)) for a, v in r.conditions}, r.excludes) for r in release.rules]
    demand(groups_hold(made, after, release.group, rules), "the release is not safe", "unsafe")


def _meaning(release: Any, attribute: str, label: str) -> Sequence[str]:
    return tuple(release.meaning.get(attribute, {}).get(label, (label,)))


def groups_hold(made: MadeDiversity, rows: Sequence[Mapping[str, str | None]], group: str, rules: Rules) -> bool:
    """Whether everybody in every group has l possible values under these rules."""
    case = made.case
    numbers = possible_numbers(
        grouped_by_quasi(rows, [group]), excluded(rows, rules), [row[case.sensitive] for row in rows]
    )
    return min(numbers.values(), default=case.l) >= case.l
