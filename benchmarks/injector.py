"""Injector and Anatomy, measured: Figures 3 to 8 of Li and Li (2008) on Adult.

    python benchmarks/injector.py [--quick] [--only PART ...] [--markdown FILE]

Parts: rules (Figure 3), attack (4), seconds (5), errors (6, 7), queries (8), million. See docs/benchmarks.md. Exit code
1 if a grouping that should be safe is not; a missed goal is shown as MISSED, but is no error.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.common import Table, data_folder, lacking, machine, markdown

FILES = ("adult_train.csv.gz", "adult_test.csv.gz", "adult_hierarchies")
QUASI = ("age", "workclass", "education", "marital-status", "race", "sex")
SENSITIVE = "occupation"
EXPECTATIONS = ("0.75", "0.80", "0.85", "0.90", "0.95")
SIZES = (3, 4, 5, 6)
DEFAULT_L, DEFAULT_EXPECTATION = 6, "0.90"
PAPER_RULES = dict(zip(EXPECTATIONS, (45, 39, 32, 22, 15), strict=True))
PAPER_EXCLUDED = {  # percent of tuples that exclude 0, 1, 2, 3, 4, 5 or more values
    "0.75": (0, 80.4, 15.9, 2.3, 1.2, 0.2),
    "0.80": (0, 84.6, 12.2, 2.1, 1.0, 0.1),
    "0.85": (0, 87.5, 9.2, 2.0, 1.0, 0),
    "0.90": (0, 87.9, 9.2, 2.5, 0.4, 0),
    "0.95": (0, 96.2, 1.8, 2.0, 0, 0),
}
GOAL_MINING, GOAL_GROUPING, GOAL_MILLION = 5.0, 1.0, 30.0
MILLION = 1_000_000
NONE = "cannot be had"
SUPPORT, CONVICTION = 0.005, 1.05  # the paper does not state its own
VARIED = ("age", "marital-status", "race")  # those about which there are hardly any rules, so that the rules stay
CHANGED = 2  # of them take random values in a variation


@dataclass(frozen=True)
class Setting:
    """How much of everything."""

    rows: int | None = None
    runs: int = 10  # of Anatomy, which is random; the paper's number
    queries: int = 1000
    million: int = MILLION


QUICK = Setting(rows=20_000, runs=2, queries=100, million=40_000)


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 190)
    if problem := lacking(FILES):
        console.print(problem, highlight=False)
        return 2
    heading = _heading()
    console.print(heading, highlight=False)
    setting = QUICK if options.quick else Setting()
    adult = load_adult(setting.rows)
    _warm_up(adult)
    tables: list[Table] = []
    unsafe: list[str] = []
    for name in options.only:
        with console.status(name):
            found = PARTS[name](adult, setting, unsafe)
        for table in found:
            table.show(console)
        tables += found
        if options.markdown:
            options.markdown.write_text(markdown(heading, tables), encoding="utf-8")
    for text in unsafe:
        console.print(f"NOT SAFE: {text}", highlight=False)
    return 1 if unsafe else 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rows, runs and queries")
    parser.add_argument("--only", nargs="+", choices=tuple(PARTS), default=tuple(PARTS), help="some parts")
    parser.add_argument("--markdown", type=Path, help="also write the tables to this file")
    return parser.parse_args(arguments)


def _heading() -> str:
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return f"benchmarks/injector.py, {machine()}{load}"


def load_adult(rows: int | None = None) -> Any:
    """The complete rows of both files (all 15 columns known), as a table of the seven columns of the paper."""
    import numpy as np

    from sordino.data.read_table import read_table
    from sordino.data.table import Column
    from sordino.data.table import Table as Data

    parts = [read_table(data_folder() / name) for name in FILES[:2]]
    columns = {
        name: Column.of_texts(name, [cell for part in parts for cell in part.column(name).cells()])
        for name in parts[0].names
    }
    whole = np.flatnonzero(np.logical_and.reduce([column.codes >= 0 for column in columns.values()]))[:rows]
    return Data(tuple(columns[name].replaced(columns[name].codes[whole]) for name in (*QUASI, SENSITIVE)))


def load_train() -> Any:
    """The rows of the train file that know the seven columns of the paper, whatever else they lack."""
    import numpy as np

    from sordino.data.read_table import read_table
    from sordino.data.table import Table as Data

    table = read_table(data_folder() / FILES[0])
    columns = [table.column(name) for name in (*QUASI, SENSITIVE)]
    whole = np.flatnonzero(np.logical_and.reduce([column.codes >= 0 for column in columns]))
    return Data(tuple(column.replaced(column.codes[whole]) for column in columns))


def policy_for(
    size: int,
    expectation: str,
    longest: int | None = 1,
    fuzzy: Sequence[str] | None = None,
    other: Mapping[str, object] | None = None,
) -> Any:
    """The policy, with the hierarchies in the data folder but for those in `other`."""
    from sordino.policy.diversity import DiversityPolicy

    folder = data_folder() / "adult_hierarchies"
    trees = {name: str(folder / f"adult_hierarchy_{name}.csv") for name in QUASI} | dict(other or {})
    return DiversityPolicy(
        SENSITIVE, QUASI, size, min_expectation=expectation, max_conditions=longest, hierarchies=trees, fuzzy=fuzzy
    )


def _warm_up(adult: Any) -> None:
    """Compiles everything once, so that no measurement waits for it."""
    resolved = policy_for(3, DEFAULT_EXPECTATION).resolve(adult)
    knowledge = _knowledge(resolved)
    for method in METHODS:
        _audit(resolved, knowledge, group(method, resolved, knowledge, 0))


def _knowledge(resolved: Any) -> Any:
    from sordino.knowledge.assumed import assumed

    return assumed(resolved)


METHODS = ("anatomy", "injector as printed", "injector")


def group(method: str, resolved: Any, knowledge: Any, seed: int) -> Any:
    """The group of every row; None if l cannot be had.

    "As printed" is the paper's Fig. 2, line by line.
    """
    import importlib

    import numpy as np

    from sordino.engine.local import Watch
    from sordino.errors import Unsatisfiable

    options = {"algorithm": "paper"} if method == "injector as printed" else {}
    module = importlib.import_module(f"sordino.protect.{method.split()[0]}")
    rng = np.random.default_rng(seed)
    try:
        return module.protect(resolved, knowledge.exclusion, rng=rng, watch=Watch(), **options)
    except Unsatisfiable:
        return None


def _audit(resolved: Any, knowledge: Any, groups: Any) -> Any:
    from sordino.audit.diversity import audit_groups

    return audit_groups(resolved, knowledge, groups, top=0)


def rules(adult: Any, setting: Setting, unsafe: list[str]) -> list[Table]:
    """Figure 3."""
    import numpy as np

    from sordino.knowledge.assumed import known_rules, mine_resolved

    del setting, unsafe
    counts = Table(
        "Figure 3: number of negative rules",
        ("min_expectation", "paper", "1 condition", "1, crisp", "1, crisp, implied too", "2 at most", "any number"),
    )
    excluded = Table(
        "Figure 3: percent of people by how many values their rules of one condition exclude (in brackets: paper)",
        ("min_expectation", "0", "1", "2", "3", "4", "5 or more"),
    )
    for expectation in EXPECTATIONS:
        resolved = policy_for(2, expectation).resolve(adult)
        found = mine_resolved(resolved)
        crisp = policy_for(2, expectation, fuzzy=()).resolve(adult)
        longer = [mine_resolved(policy_for(2, expectation, longest).resolve(adult)) for longest in (2, None)]
        counts.add(
            expectation,
            str(PAPER_RULES[expectation]),
            f"{len(found):,}",
            f"{len(mine_resolved(crisp)):,}",
            f"{len(mine_resolved(crisp, everything=True)):,}",
            *(f"{len(one):,}" for one in longer),
        )
        each = known_rules(resolved, found).exclusion.counts()
        share = 100 * np.bincount(np.minimum(each, 5), minlength=6) / len(each)
        excluded.add(
            expectation,
            *(f"{own:.1f} ({paper})" for own, paper in zip(share, PAPER_EXCLUDED[expectation], strict=True)),
        )
    counts.notes.append("Rules that a more general one implies are left out, but for one column.")
    return [counts, excluded, _as_the_paper()]


def _as_the_paper() -> Table:
    """Figure 3 counted as the paper seems to have counted."""
    import numpy as np

    from sordino.experiments.li import WORK
    from sordino.knowledge.assumed import known_rules, mine_resolved

    train = load_train()
    table = Table(
        "Figure 3 as the paper seems to have counted: rules, and percent of people by excluded values (paper)",
        ("min_expectation", "rules", "0", "1", "2", "3", "4", "5 or more"),
    )
    for expectation in EXPECTATIONS:
        resolved = policy_for(2, expectation, fuzzy=(), other={"workclass": WORK}).resolve(train)
        found = mine_resolved(resolved, everything=True)
        each = known_rules(resolved, found).exclusion.counts()
        share = 100 * np.bincount(np.minimum(each, 5), minlength=6) / len(each)
        table.add(
            expectation,
            f"{len(found):,} ({PAPER_RULES[expectation]})",
            *(f"{own:.1f} ({paper})" for own, paper in zip(share, PAPER_EXCLUDED[expectation], strict=True)),
        )
    table.notes.append(
        f"The {len(train):,} rows of the train file that know the seven columns; the self-employed are a group of "
        "their own; rules of one condition, also implied ones; age is crisp, in ARX's groups."
    )
    return table


def _cells(adult: Any) -> list[tuple[str, int, Any]]:
    """What the figures vary: l at the default expectation, then the expectation at the default l."""
    cells = [(f"l = {size}", size, policy_for(size, DEFAULT_EXPECTATION)) for size in SIZES]
    cells += [(f"min_expectation = {e}", DEFAULT_L, policy_for(DEFAULT_L, e)) for e in EXPECTATIONS]
    return [(label, size, policy.resolve(adult)) for label, size, policy in cells]


def attack(adult: Any, setting: Setting, unsafe: list[str]) -> list[Table]:
    """Figure 4."""
    table = Table(
        "Figure 4: people with fewer than l possible values, for someone who knows the mined rules",
        (f"l = {DEFAULT_L} and min_expectation = {DEFAULT_EXPECTATION} unless stated", *METHODS),
    )
    for label, _, resolved in _cells(adult):
        knowledge = _knowledge(resolved)
        row = []
        for method in METHODS:
            runs = setting.runs if method == "anatomy" else 1
            made = [group(method, resolved, knowledge, seed) for seed in range(runs)]
            if made[0] is None:
                row.append(NONE)
                continue
            found = [_audit(resolved, knowledge, one) for one in made]
            at_risk = sum(one.people_at_risk for one in found) / runs
            if method != "anatomy" and at_risk:
                unsafe.append(f"{method}, {label}: {at_risk:.0f} people")
            row.append(f"{at_risk:,.1f}" if runs > 1 else f"{at_risk:,.0f}")
        table.add(label, *row)
    table.notes.append(f"Anatomy is random: the average of {setting.runs} runs. The paper's Injector has none either.")
    return [table]


def seconds(adult: Any, setting: Setting, unsafe: list[str]) -> list[Table]:
    """Figure 5 and the goals."""
    from sordino.knowledge.assumed import mine_resolved

    del setting, unsafe
    table = Table("Figure 5: seconds, compiled code", ("step", "seconds", "CPU seconds", "goal", ""))
    resolved = policy_for(DEFAULT_L, DEFAULT_EXPECTATION).resolve(adult)
    knowledge = _knowledge(resolved)
    for label, longest in (("mining, 1 condition", 1), ("mining, any number of conditions", None)):
        ready = policy_for(DEFAULT_L, DEFAULT_EXPECTATION, longest).resolve(adult)
        _timed(table, label, partial(mine_resolved, ready), GOAL_MINING)
    for method in METHODS:
        goal = None if method == "anatomy" else GOAL_GROUPING
        _timed(table, method, partial(group, method, resolved, knowledge, 0), goal)
    groups = group("injector", resolved, knowledge, 0)
    _timed(table, "audit of the groups", lambda: _audit(resolved, knowledge, groups), None)
    table.notes.append(f"{len(adult):,} rows, l = {DEFAULT_L}, min_expectation = {DEFAULT_EXPECTATION}. Best of three.")
    return [table]


def _timed(table: Table, label: str, work: Callable[[], object], goal: float | None, times: int = 3) -> float:
    taken = []
    for _ in range(times):
        started, processor = time.perf_counter(), time.process_time()
        work()
        taken.append((time.perf_counter() - started, time.process_time() - processor))
    best, busy = min(taken)
    table.add(label, f"{best:.3f}", f"{busy:.3f}", "" if goal is None else f"< {goal:g}", _verdict(best, goal))
    return best


def _verdict(taken: float, goal: float | None) -> str:
    return "" if goal is None else "met" if taken < goal else "MISSED"


def errors(adult: Any, setting: Setting, unsafe: list[str]) -> list[Table]:
    """Figures 6 and 7."""
    del unsafe
    table = Table(
        f"Figures 6 and 7: errors in percent of the rules with support {SUPPORT} and conviction {CONVICTION}",
        ("", "rules", *(f"{what}, {method}" for what in ("confidence", "false", "missed") for method in METHODS)),
    )
    known: dict[tuple[str, int], Any] = {}  # Anatomy does not depend on the rules
    for label, size, resolved in _cells(adult):
        found = []
        for method in METHODS:
            if method != "anatomy" or (method, size) not in known:
                known[method, size] = _rule_error(resolved, method, setting)
            found.append(known[method, size])
        table.add(
            label,
            f"{max(one.rules_before for one in found):,}",
            *(
                _percent(getattr(one, what))
                for what in ("confidence_error", "false_rules", "missed_rules")
                for one in found
            ),
        )
    table.notes.append("Rules of at most 3 conditions. Of Anatomy the average of at most 3 runs.")
    return [table]


def _rule_error(resolved: Any, method: str, setting: Setting) -> Any:
    from dataclasses import replace

    from sordino.utility.conviction import RuleError, rule_error
    from sordino.utility.reconstruction import group_shares

    knowledge = _knowledge(resolved)
    sizes = [part.values for part in resolved.nodes]
    runs = min(3, setting.runs) if method == "anatomy" else 1
    found = []
    for seed in range(runs):
        made = group(method, resolved, knowledge, seed)
        if made is None:
            return RuleError(0, 0, None, None, None, SUPPORT, CONVICTION)
        shares = group_shares(made, resolved.value, len(resolved.names))
        arguments = (resolved.codes, sizes, resolved.value, len(resolved.names), shares)
        found.append(rule_error(*arguments, support=SUPPORT, conviction=CONVICTION, longest=3))
    if found[0].confidence_error is None:
        return found[0]
    average = {
        what: sum(getattr(one, what) for one in found) / runs
        for what in ("confidence_error", "false_rules", "missed_rules")
    }
    return replace(found[0], **average)


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def queries(adult: Any, setting: Setting, unsafe: list[str]) -> list[Table]:
    """Figure 8."""
    del unsafe
    table = Table(
        f"Figure 8: average relative error in percent of {setting.queries:,} COUNT queries",
        (
            f"l = {DEFAULT_L}, min_expectation = {DEFAULT_EXPECTATION}, dim = 4, selectivity = 0.5 unless stated",
            *METHODS,
        ),
    )
    known: dict[int, str] = {}  # Anatomy does not depend on the rules
    for label, size, resolved in _cells(adult):
        if size not in known:
            known[size] = _query_error(resolved, "anatomy", setting, 4, 0.5)
        table.add(label, known[size], *(_query_error(resolved, method, setting, 4, 0.5) for method in METHODS[1:]))
    resolved = policy_for(DEFAULT_L, DEFAULT_EXPECTATION).resolve(adult)
    for dim in (2, 3, 5, 6):
        table.add(f"dim = {dim}", *(_query_error(resolved, method, setting, dim, 0.5) for method in METHODS))
    for selectivity in (0.2, 0.35, 0.65, 0.8):
        row = (_query_error(resolved, method, setting, 4, selectivity) for method in METHODS)
        table.add(f"selectivity = {selectivity}", *row)
    return [table]


def _query_error(resolved: Any, method: str, setting: Setting, dim: int, selectivity: float) -> str:
    import numpy as np

    from sordino.utility.count_queries import query_error
    from sordino.utility.reconstruction import group_shares

    knowledge = _knowledge(resolved)
    made = group(method, resolved, knowledge, 0)
    if made is None:
        return NONE
    shares = group_shares(made, resolved.value, len(resolved.names))
    found = query_error(
        resolved.codes,
        [part.values for part in resolved.nodes],
        resolved.value,
        len(resolved.names),
        shares,
        rng=np.random.default_rng(1),
        dim=dim,
        selectivity=selectivity,
        queries=setting.queries,
    )
    return _percent(found.error)


def expanded(adult: Any, rows: int, seed: int = 0) -> Any:
    """Adult with variations: copies in which CHANGED of the columns VARIED take random values."""
    import numpy as np

    from sordino.data.table import Table as Data

    rng = np.random.default_rng(seed)
    source = np.concatenate([np.arange(len(adult)), rng.integers(len(adult), size=max(0, rows - len(adult)))])[:rows]
    changed = np.argsort(rng.random((len(source), len(VARIED))), axis=1) < CHANGED
    changed[: len(adult)] = False
    columns = []
    for column in adult.columns:
        codes = column.codes[source]
        if column.name in VARIED:
            other = rng.integers(len(column.values), size=len(source)).astype(np.int32)
            codes = np.where(changed[:, VARIED.index(column.name)], other, codes)
        columns.append(column.replaced(codes))
    return Data(tuple(columns))


def million(adult: Any, setting: Setting, unsafe: list[str]) -> list[Table]:
    """A million rows: every step once, and their sum."""
    from sordino.knowledge.assumed import assumed

    table = Table(
        f"{setting.million:,} rows (Adult with variations), l = {DEFAULT_L}",
        ("step", "seconds", "CPU seconds", "goal", ""),
    )
    big = expanded(adult, setting.million)
    policy = policy_for(DEFAULT_L, DEFAULT_EXPECTATION)
    kept: dict[str, Any] = {}

    busy = 0.0

    def step(label: str, name: str, work: Callable[[], Any]) -> float:
        nonlocal busy
        started, processor = time.perf_counter(), time.process_time()
        kept[name] = work()
        taken, own = time.perf_counter() - started, time.process_time() - processor
        busy += own
        table.add(label, f"{taken:.2f}", f"{own:.2f}", "", "")
        return taken

    total = step("coding", "resolved", lambda: policy.resolve(big))
    total += step("mining, and what the rules exclude", "knowledge", lambda: assumed(kept["resolved"]))
    total += step("injector", "groups", lambda: group("injector", kept["resolved"], kept["knowledge"], 0))
    total += step("audit", "audit", lambda: _audit(kept["resolved"], kept["knowledge"], kept["groups"]))
    goal = GOAL_MILLION if setting.million >= MILLION else None
    table.add("all", f"{total:.2f}", f"{busy:.2f}", "" if goal is None else f"< {goal:g}", _verdict(total, goal))
    if not kept["audit"].holds:
        unsafe.append(f"injector, {setting.million:,} rows")
    share = Fraction(kept["audit"].worst_share)
    table.notes.append(
        f"{len(kept['knowledge'].rules):,} rules, {kept['audit'].groups:,} groups; the most frequent value of a group "
        "has "
        f"{share} of it at most."
    )
    return [table]


PARTS: dict[str, Callable[[Any, Setting, list[str]], list[Table]]] = {
    "rules": rules,
    "attack": attack,
    "seconds": seconds,
    "errors": errors,
    "queries": queries,
    "million": million,
}

if __name__ == "__main__":
    sys.exit(main())
