"""Cases of tables: templates and diversity, with every method and option; and their judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import oracle_disclosure
import oracle_diversity
import sordino
from endings.draw import Lots
from sordino.data.hierarchy import Hierarchy, hierarchy_of
from sordino.data.table import Column, Table
from sordino.errors import Unsatisfiable
from sordino.knowledge.assumed import assumed
from sordino.policy.diversity import DiversityPolicy
from sordino.policy.template import Template, TemplatePolicy
from sordino.protect.registry import methods_for

__all__ = ["OPTIONS", "TableCase", "diversity_case", "judge_diversity", "judge_templates", "template_case"]

LIMITS = ("1/2", "0.3", "2/3", "0.7", "1/4", "0.95", "1/3")
VALUES = ("a", "b", "c", "d")
PATHS = (
    [("a", "A", "*"), ("b", "A", "*"), ("c", "B", "*"), ("d", "B", "*")],
    [("a", "A", "AB", "*"), ("b", "A", "AB", "*"), ("c", "B", "AB", "*"), ("d", "D", "D2", "*")],
)
OPTIONS: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "disclosure": {"then_maximal": (None, True, False)},
    "disclosure-local": {},
    "injector": {
        "form": (None, "permuted", "tables"),
        "algorithm": (None, "ours", "paper"),
        "alike": (None, True, False),
        "choice": (None, "largest", "nit"),
    },
    "anatomy": {"form": (None, "permuted", "tables")},
}

Row = dict[str, str | None]


@dataclass(frozen=True)
class TableCase:
    rows: list[Row]
    policy: Any
    method: str
    options: dict[str, Any]
    seed: int
    jobs: int

    def __str__(self) -> str:
        return f"{self.method} {self.options} seed={self.seed} jobs={self.jobs}\n  {self.policy}\n  {self.rows}"

    @property
    def table(self) -> Table:
        return Table(tuple(Column.of_texts(name, [row[name] for row in self.rows]) for name in self.rows[0]))

    def protect(self) -> Any:
        return sordino.protect(
            self.table, self.policy, method=self.method, seed=self.seed, jobs=self.jobs, **self.options
        )


def _asked(lots: Lots, kind: str) -> tuple[str, dict[str, Any], int, int]:
    method = lots.one(methods_for(kind))
    options = {name: value for name, some in OPTIONS[method].items() if (value := lots.one(some)) is not None}
    if options.get("algorithm") == "paper":  # which has no others
        options = {name: value for name, value in options.items() if name not in ("alike", "choice")}
    return method, options, lots.number(0, 5), lots.one((1, 1, 2, 3))


def _tree(paths: list[tuple[str, ...]]) -> Hierarchy:
    parent = {name: above for path in paths for name, above in pairwise(path)}
    names = [paths[0][-1], *parent]
    return hierarchy_of(names, [-1, *(names.index(parent[name]) for name in names[1:])])


def template_case(lots: Lots) -> TableCase:
    """Up to three columns to know, one or two to be inferred, perhaps a class."""
    known = [f"k{k}" for k in range(lots.number(1, 3))]
    secret = [f"s{k}" for k in range(lots.number(1, 2))]
    label = lots.one((None, "class", "class"))
    columns = [*known, *secret, *([label] if label else [])]
    cells = (*VALUES[: lots.number(2, 4)], None) if lots.chance(0.5) else VALUES[:3]
    rows: list[Row] = [{name: lots.one(cells) for name in columns} for _ in range(lots.one((1, 3, 8, 20, 60)))]
    templates = []
    for _ in range(lots.number(1, 3)):
        sensitive = lots.one(secret)
        others = [name for name in columns if name != sensitive] if lots.chance(0.25) else known
        there = sorted({row[sensitive] for row in rows if row[sensitive] is not None} | {"a"})
        given = lots.some(others, 0.6) or others[:1]
        templates.append(Template(given, sensitive, lots.some(there, 0.6) or there[:1], lots.one(LIMITS)))
    fixed = {t.sensitive for t in templates} | {label}
    masking = sorted({name for t in templates for name in t.given} - fixed)
    trees = {name: _tree(lots.one(PATHS)) for name in masking if lots.chance(0.4)}
    return TableCase(rows, TemplatePolicy(templates, class_column=label, hierarchies=trees), *_asked(lots, "template"))


def judge_templates(case: TableCase) -> str | None:
    """What is wrong with the release, by the oracle; None if nothing is."""
    stated = [
        oracle_disclosure.Template(t.given, t.sensitive, value, t.at_most)
        for t in case.policy.templates
        for value in t.values
    ]
    fixed = {t.sensitive for t in case.policy.templates} | {case.policy.class_column}
    masking = sorted({name for t in case.policy.templates for name in t.given} - fixed)
    possible = oracle_disclosure.holds(oracle_disclosure.suppressed(case.rows, masking), stated)
    try:
        release = sordino.protect(
            case.table, case.policy, method=case.method, seed=case.seed, jobs=case.jobs, missing="accept",
            **case.options,
        )  # fmt: skip
    except Unsatisfiable:
        return "a policy that can hold is called impossible" if possible else None
    if not possible:
        return "a policy that cannot hold is said to"
    data = release.data
    after = [dict(zip(data.names, data.row(k), strict=True)) for k in range(len(data))]
    if len(after) != len(case.rows):
        return "the rows are not as many"
    return None if oracle_disclosure.holds(after, stated) else "the oracle finds a disclosure"


def diversity_case(lots: Lots) -> TableCase:
    """Few values, some of which some people cannot have."""
    width = lots.number(2, 5)
    values = VALUES[:width] if width < 5 else (*VALUES, "e")
    rows: list[Row] = []
    for _ in range(lots.one((2, 5, 12, 20, 30))):
        sex, town = lots.one(("F", "M")), lots.one(("x", "y", "z"))
        free = [v for v in values if not (sex == "F" and v == "a") and not (town == "x" and v == "b" and width > 3)]
        rows.append({"sex": sex, "town": town, "S": lots.one(free[: max(1, len(free) - lots.number(0, 1))])})
    policy = DiversityPolicy(
        "S", ["sex", "town"], lots.number(2, 3), mined=lots.chance(0.7),
        min_expectation=lots.one(("0.5", "0.9")), max_conditions=lots.one((1, 1, 2, None)),
        min_confidence=lots.one(("1", "1", "0.9", "0.75")),
    )  # fmt: skip
    return TableCase(rows, policy, *_asked(lots, "diversity"))


def judge_diversity(case: TableCase) -> str | None:
    """What is wrong with the groups, by the oracle; None if nothing is."""
    resolved = case.policy.resolve(case.table)
    knowledge = assumed(resolved, jobs=1)  # mining is compared with the oracle elsewhere
    cannot = [
        {name for v, name in enumerate(resolved.names) if knowledge.exclusion.excludes(v)[k]}
        for k in range(len(case.rows))
    ]
    own = [str(row["S"]) for row in case.rows]
    whole = oracle_diversity.possible_by_pairs(cannot, own)
    possible = whole is not None and min(map(len, whole)) >= case.policy.l
    try:
        release = case.protect()
    except Unsatisfiable:  # anatomy knows no rules, and may fail where injector does not
        return "l that can be had is called impossible" if possible and case.method == "injector" else None
    if not possible:
        return "l that cannot be had is said to"
    groups: dict[str | None, list[int]] = {}
    for k, name in enumerate(release.data.column(release.group).codes.tolist()):
        groups.setdefault(str(name), []).append(int(release.row[k]))
    if sorted(k for members in groups.values() for k in members) != list(range(len(case.rows))):
        return "the rows are not those of the table"
    for members in groups.values():
        have = oracle_diversity.possible_by_pairs([cannot[k] for k in members], [own[k] for k in members])
        if have is None or min(map(len, have)) < case.policy.l:
            return "the oracle finds somebody with fewer values"
    return None
