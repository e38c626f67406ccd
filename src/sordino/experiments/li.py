"""LI: Injector, mining background knowledge (2008). Its tables and figures, on Adult with occupation sensitive.

The hierarchies of the paper are not printed; rules here speak of single values, one condition each, unless a figure
says otherwise. So the number of rules is compared in size, not in value.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from sordino.audit.diversity import audit_groups
from sordino.data.table import Table
from sordino.experiments.bench import Bench
from sordino.experiments.declared import Experiment, Row, Shape, below, falling, rising
from sordino.experiments.tables import adult
from sordino.knowledge.assumed import assumed
from sordino.policy.diversity import DiversityPolicy
from sordino.protect.registry import find_method
from sordino.utility.diversity import measure_groups
from sordino.utility.reconstruction import group_shares

__all__ = ["EXPERIMENTS"]

COLUMNS = ("age", "workclass", "education", "marital-status", "race", "sex", "occupation")
QUASI = COLUMNS[:-1]
QUICK_QUASI = ("sex", "region", "education", "marital_status")
PRINTED_VALUES = {
    "age": 74,
    "workclass": 8,
    "education": 16,
    "marital-status": 7,
    "race": 5,
    "sex": 2,
    "occupation": 14,
}
PRINTED_RULES = {"0.75": 45, "0.80": 39, "0.85": 32, "0.90": 22, "0.95": 15}
METHODS = ("anatomy", "injector")


def _data(bench: Bench) -> tuple[Table, tuple[str, ...], str]:
    if bench.quick:
        return adult(bench)[0], QUICK_QUASI, "diagnosis"
    return adult(bench, COLUMNS)[0], QUASI, "occupation"


def _table3(bench: Bench) -> list[Row]:
    table, quasi, sensitive = _data(bench)
    names = (*quasi, sensitive)
    return [Row((n,), "values", float(len(np.unique(table.column(n).codes))), PRINTED_VALUES.get(n)) for n in names]


def _figure3(bench: Bench) -> list[Row]:
    table, quasi, sensitive = _data(bench)
    rows = []
    for level in bench.pick(tuple(PRINTED_RULES), ("0.75", "0.95")):
        bench.watch.tell(f"mining at {level}", 0, 0)
        resolved = DiversityPolicy(sensitive, quasi, 2, min_expectation=level).resolve(table)
        knowledge = assumed(resolved, jobs=bench.jobs)
        paper = None if bench.quick else float(PRINTED_RULES[level])
        rows.append(Row((level,), "rules", float(len(knowledge.rules.source)), paper))
    return rows


def _cell(bench: Bench, table: Table, policy: DiversityPolicy, method: str) -> dict[str, Any]:
    """Group by one method, and judge and measure the groups under the rules of the policy."""
    bench.watch.tell(f"{method}, l = {policy.l}", 0, 0)
    start = time.perf_counter()
    resolved = policy.resolve(table)
    knowledge = assumed(resolved, jobs=bench.jobs)
    mined = time.perf_counter() - start
    start = time.perf_counter()
    groups = find_method(method).load_groups()
    group = groups(resolved, knowledge.exclusion, rng=np.random.default_rng(0), watch=bench.watch)
    seconds = time.perf_counter() - start
    audit = audit_groups(resolved, knowledge, group, top=0, jobs=bench.jobs)
    cost = measure_groups(resolved, group_shares(group, resolved.value, len(resolved.names)), queries=1000)
    return {
        **cost.to_dict(),
        "vulnerable": float(audit.people_at_risk),
        "seconds": round(seconds, 4),
        "mining": round(mined, 4),
    }


def _by_l(bench: Bench, measures: dict[str, str]) -> list[Row]:
    """Both methods over l, at the default expectation of 0.9."""
    table, quasi, sensitive = _data(bench)
    rows = []
    for l in bench.pick((3, 4, 5, 6), (2, 3)):  # noqa: E741
        policy = DiversityPolicy(sensitive, quasi, l)
        for method in METHODS:
            parts = {"experiment": "groups", "data": table.fingerprint, "policy": repr(policy), "method": method}
            cell = bench.stored(parts, partial(_cell, bench, table, policy, method))
            rows += [Row((str(l), method), name, cell.get(key)) for name, key in measures.items()]
    return rows


def _figure4(bench: Bench) -> list[Row]:
    return _by_l(bench, {"vulnerable people": "vulnerable"})


def _figure5(bench: Bench) -> list[Row]:
    return _by_l(bench, {"seconds": "seconds", "seconds of mining": "mining"})


def _figure6(bench: Bench) -> list[Row]:
    return _by_l(bench, {"confidence error": "confidence_error_percent"})


def _figure7(bench: Bench) -> list[Row]:
    return _by_l(bench, {"false rules": "false_rules_percent", "missed rules": "missed_rules_percent"})


def _figure8(bench: Bench) -> list[Row]:
    return _by_l(bench, {"query error": "query_error_percent"})


PARAMETERS = {"sensitive": "occupation", "l": "3 to 6", "minExp": "0.9", "minConf": "1"}


def _declare(number: int, title: str, measures: dict[str, str], run: object, *shape: Shape) -> Experiment:
    return Experiment(
        f"li-fig{number}",
        "LI",
        f"Figure {number}",
        title,
        ("Adult train", "Adult test"),
        ("l", "method"),
        measures,
        run,  # type: ignore[arg-type]
        METHODS,
        PARAMETERS,
        shape=shape,
    )


EXPERIMENTS = (
    Experiment(
        "li-table3",
        "LI",
        "Table III",
        "The attributes of Adult",
        ("Adult train", "Adult test"),
        ("attribute",),
        {"values": "count"},
        _table3,
    ),
    Experiment(
        "li-fig3",
        "LI",
        "Figure 3",
        "Negative rules, by the expectation they need",
        ("Adult train", "Adult test"),
        ("minExp",),
        {"rules": "count"},
        _figure3,
        parameters={"minConf": "1", "conditions": "one"},
        shape=(Shape("A higher expectation leaves fewer rules.", falling("rules", 0)),),
        note="The paper's hierarchies and fuzzy sets are not printed, so the counts cannot be the same.",
    ),
    _declare(
        4,
        "People with fewer than l possible values, once the rules are known",
        {"vulnerable people": "count"},
        _figure4,
        Shape("Injector leaves nobody vulnerable; Anatomy may.", below("injector", "anatomy", "vulnerable people", 1)),
    ),
    _declare(
        5,
        "Seconds",
        {"seconds": "seconds", "seconds of mining": "seconds"},
        _figure5,
    ),
    _declare(
        6,
        "How far the confidence of rules is off (percent)",
        {"confidence error": "number"},
        _figure6,
        Shape("Injector's error is smaller.", below("injector", "anatomy", "confidence error", 1)),
        Shape("A larger l costs more.", rising("confidence error", 0)),
    ),
    _declare(
        7,
        "Rules that appear falsely, and rules that are missed (percent)",
        {"false rules": "number", "missed rules": "number"},
        _figure7,
        Shape("Injector misses fewer rules.", below("injector", "anatomy", "missed rules", 1)),
    ),
    _declare(
        8,
        "How far COUNT queries are off (percent)",
        {"query error": "number"},
        _figure8,
        Shape("Injector's error is smaller.", below("injector", "anatomy", "query error", 1)),
    ),
)
