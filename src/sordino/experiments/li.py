"""LI: Injector, mining background knowledge (2008). Its tables and figures, on Adult with occupation sensitive.

Hierarchies are ARX's, which lie with the data sets; age is fuzzy. Rules have one condition each, as policies assume
unless they say otherwise.

**What the paper counted** in its Figure 3 is not printed, but can be recovered. Of the train file take the 30,718 rows
that know the seven attributes; let the self-employed be a group of their own among the work classes; count the rules of
one condition, also those that a wider one implies. At minExp 0.95 that gives the paper's 15 rules, and the paper's
shares of people to the last digit. Below that a few rules about age are more or fewer: the paper's hierarchy and fuzzy
sets of age are not known. Figure 3 is run in this reading too.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from sordino.audit.diversity import audit_groups
from sordino.data.table import Column, Table
from sordino.engine.local import Watch
from sordino.experiments.declared import Experiment, Row, Rows, Shape, below, falling, rising
from sordino.experiments.setup import Setup, mean
from sordino.experiments.tables import adult, adult_known, adult_trees
from sordino.knowledge.assumed import assumed, known_rules, mine_resolved
from sordino.policy.diversity import DiversityPolicy
from sordino.policy.threshold import show_rational
from sordino.protect.registry import find_method
from sordino.utility.conviction import rule_error
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
PRINTED_EXCLUDED = {  # percent of people for whom rules exclude 1, 2, and more values; they exclude some for everybody
    "0.75": (80.4, 15.9, 3.7),
    "0.80": (84.6, 12.2, 3.2),
    "0.85": (87.5, 9.2, 3.0),
    "0.90": (87.9, 9.2, 2.9),
    "0.95": (96.2, 1.8, 2.0),
}
EXCLUDED = ("excluding 1", "excluding 2", "excluding more")
WORK = {  # as the paper's Table III has it: three levels
    "any": {
        "private": ["Private"],
        "self-employed": ["Self-emp-not-inc", "Self-emp-inc"],
        "government": ["Federal-gov", "Local-gov", "State-gov"],
        "unpaid": ["Without-pay", "Never-worked"],
    }
}
SUPPORT, CONVICTION = 0.005, 1.05  # of rules whose errors are measured; the paper does not state its own
RUNS = 3  # of Anatomy, which is random
METHODS = ("anatomy", "injector")
SETTINGS = ((3, "0.90"), (4, "0.90"), (5, "0.90"), (6, "0.75"), (6, "0.80"), (6, "0.85"), (6, "0.90"), (6, "0.95"))
QUICK_SETTINGS = ((2, "0.90"), (3, "0.90"))
MEASURED = (
    "vulnerable",
    "seconds",
    "confidence_error_percent",
    "false_rules_percent",
    "missed_rules_percent",
    "query_error_percent",
)


def _data(setup: Setup) -> tuple[Table, tuple[str, ...], str]:
    if setup.quick:
        return adult(setup)[0], QUICK_QUASI, "diagnosis"
    return adult(setup, COLUMNS)[0], QUASI, "occupation"


def _table3(setup: Setup) -> list[Row]:
    table, quasi, sensitive = _data(setup)
    names = (*quasi, sensitive)
    return [Row((n,), "values", float(len(np.unique(table.column(n).codes))), PRINTED_VALUES.get(n)) for n in names]


def _figure3(setup: Setup) -> list[Row]:
    table, quasi, sensitive = _data(setup)
    trees: Mapping[str, object] = adult_trees(setup, QUASI)
    rows = _rules(setup, "complete rows", table, quasi, sensitive, trees, everything=False)
    if not setup.quick:
        own = {**trees, "workclass": WORK}
        rows += _rules(setup, "as the paper", adult_known(COLUMNS), quasi, sensitive, own, everything=True)
    return rows


def _rules(
    setup: Setup,
    reading: str,
    table: Table,
    quasi: tuple[str, ...],
    sensitive: str,
    trees: Mapping[str, object],
    *,
    everything: bool,
) -> list[Row]:
    """How many rules there are, and for how many people they exclude how many values; crisp if all are counted."""
    rows = []
    for level in setup.pick(tuple(PRINTED_RULES), ("0.75", "0.95")):
        setup.watch.report(f"mining at {level}", 0, 0)
        fuzzy = () if everything else None
        policy = DiversityPolicy(sensitive, quasi, 2, min_expectation=level, hierarchies=trees, fuzzy=fuzzy)
        resolved = policy.resolve(table)
        found = mine_resolved(resolved, everything=everything, jobs=setup.jobs)
        each = known_rules(resolved, found).exclusion.counts()
        share = np.bincount(np.minimum(each, 3), minlength=4) / len(each)
        printed = None if setup.quick else PRINTED_EXCLUDED[level]
        rows.append(
            Row((level, reading), "rules", float(len(found)), None if printed is None else PRINTED_RULES[level])
        )
        rows += [
            Row((level, reading), name, float(share[k + 1]), None if printed is None else printed[k] / 100)
            for k, name in enumerate(EXCLUDED)
        ]
    return rows


@cache
def _warm(method: str) -> None:
    """See to it that a method is compiled before it is timed."""
    tiny = Table((Column.of_texts("q", ("1", "2") * 4), Column.of_texts("s", ("x", "y", "z", "w") * 2)))
    tree = {"*": {"a": ["1"], "b": ["2"]}}
    resolved = DiversityPolicy("s", ["q"], 2, hierarchies={"q": tree}).resolve(tiny)
    groups = find_method(method).load_groups()
    groups(resolved, assumed(resolved).exclusion, rng=np.random.default_rng(0), watch=Watch())


def _cell(setup: Setup, table: Table, policy: DiversityPolicy, method: str) -> dict[str, Any]:
    """Group by one method, and judge and measure the groups under the rules of the policy; Anatomy's on average."""
    setup.watch.report(f"{method}, l = {policy.l}, minExp = {show_rational(policy.min_expectation)}", 0, 0)
    _warm(method)
    start = time.perf_counter()
    resolved = policy.resolve(table)
    knowledge = assumed(resolved, jobs=setup.jobs)
    mined = time.perf_counter() - start
    groups = find_method(method).load_groups()
    found: list[dict[str, Any]] = []
    for run in range(RUNS if method == "anatomy" else 1):
        start = time.perf_counter()
        group = groups(resolved, knowledge.exclusion, rng=np.random.default_rng(run), watch=setup.watch)
        seconds = time.perf_counter() - start
        audit = audit_groups(resolved, knowledge, group, top=0, jobs=setup.jobs)
        shares = group_shares(group, resolved.value, len(resolved.names))
        cost = measure_groups(resolved, shares, queries=1000).to_dict()
        sizes = [part.values for part in resolved.nodes]
        rules = rule_error(
            resolved.codes,
            sizes,
            resolved.value,
            len(resolved.names),
            shares,
            support=SUPPORT,
            conviction=CONVICTION,
            longest=3,
        )
        found.append(
            {**cost, **rules.to_dict(), "vulnerable": float(audit.people_at_risk), "seconds": round(seconds, 4)}
        )
    average = {key: mean([one.get(key) for one in found])[0] for key in MEASURED}
    return {**average, "mining": round(mined, 4) if method != "anatomy" else None}  # which knows no rules


def _by_setting(setup: Setup, measures: dict[str, str]) -> list[Row]:
    """Both methods over l at the default expectation of 0.9, and over the expectation at the default l of 6."""
    table, quasi, sensitive = _data(setup)
    trees = adult_trees(setup, QUASI)
    rows = []
    for l, level in setup.pick(SETTINGS, QUICK_SETTINGS):  # noqa: E741
        policy = DiversityPolicy(sensitive, quasi, l, min_expectation=level, hierarchies=trees)
        asked = json.dumps(policy.statement(), sort_keys=True)
        for method in METHODS:
            parts = {"experiment": "groups", "data": table.fingerprint, "policy": asked, "method": method, "runs": RUNS}
            cell = setup.stored(parts, partial(_cell, setup, table, policy, method))
            rows += [Row((str(l), level, method), name, cell.get(key)) for name, key in measures.items()]
    return rows


def _figure4(setup: Setup) -> list[Row]:
    return _by_setting(setup, {"vulnerable people": "vulnerable"})


def _figure5(setup: Setup) -> list[Row]:
    return _by_setting(setup, {"seconds": "seconds", "seconds of mining": "mining"})


def _figure6(setup: Setup) -> list[Row]:
    return _by_setting(setup, {"confidence error": "confidence_error_percent"})


def _figure7(setup: Setup) -> list[Row]:
    return _by_setting(setup, {"false rules": "false_rules_percent", "missed rules": "missed_rules_percent"})


def _figure8(setup: Setup) -> list[Row]:
    return _by_setting(setup, {"query error": "query_error_percent"})


def _everybody(rows: Rows) -> bool | None:
    levels = {row.labels for row in rows.rows}
    sums = [sum(rows.value(name, *labels) or 0.0 for name in EXCLUDED) for labels in levels]
    return all(total > 0.999 for total in sums) if sums else None


def _fifteen(rows: Rows) -> bool | None:
    found = rows.value("rules", "0.95", "as the paper")
    return None if found is None else found == PRINTED_RULES["0.95"]


PARAMETERS = {
    "sensitive": "occupation",
    "l": "3 to 6, at minExp 0.9",
    "minExp": "0.75 to 0.95, at l = 6",
    "minConf": "1",
    "hierarchies": "ARX's; age is fuzzy",
    "conditions": "one",
    "association rules": f"support {SUPPORT}, conviction {CONVICTION}, at most 3 conditions",
    "anatomy": f"the average of {RUNS} runs",
}


def _declare(number: int, title: str, measures: dict[str, str], run: object, *shape: Shape) -> Experiment:
    return Experiment(
        f"li-fig{number}",
        "LI",
        f"Figure {number}",
        title,
        ("Adult train", "Adult test"),
        ("l", "minExp", "method"),
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
        note="Never-worked, the eighth work class, has no occupation, so no complete row has it.",
    ),
    Experiment(
        "li-fig3",
        "LI",
        "Figure 3",
        "Negative rules, by the expectation they need",
        ("Adult train", "Adult test"),
        ("minExp", "reading"),
        {"rules": "count", **dict.fromkeys(EXCLUDED, "percent")},
        _figure3,
        parameters={
            "minConf": "1",
            "conditions": "one",
            "complete rows": "both files, ARX's hierarchies, age fuzzy, rules that no wider one implies",
            "as the paper": "rows of the train file that know the seven attributes, the self-employed a group of their "
            "own, age crisp, implied rules counted too",
        },
        shape=(
            Shape("A higher expectation leaves fewer rules.", falling("rules", 0)),
            Shape("The rules exclude a value for everybody (99.9 %).", _everybody),
            Shape("Counted as the paper counted, 0.95 leaves its 15 rules.", _fifteen),
        ),
        note="Below 0.95 some rules are about age, whose hierarchy and fuzzy sets the paper does not print.",
    ),
    _declare(
        4,
        "People with fewer than l possible values, once the rules are known",
        {"vulnerable people": "count"},
        _figure4,
        Shape("Injector leaves nobody vulnerable; Anatomy may.", below("injector", "anatomy", "vulnerable people", 2)),
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
        Shape("Injector's error is smaller.", below("injector", "anatomy", "confidence error", 2)),
        Shape("A larger l costs more.", rising("confidence error", 0)),
    ),
    _declare(
        7,
        "Rules that appear falsely, and rules that are missed (percent)",
        {"false rules": "number", "missed rules": "number"},
        _figure7,
        Shape("Injector misses fewer rules.", below("injector", "anatomy", "missed rules", 2)),
    ),
    _declare(
        8,
        "How far COUNT queries are off (percent)",
        {"query error": "number"},
        _figure8,
        Shape("Injector's error is smaller.", below("injector", "anatomy", "query error", 2)),
    ),
)
