"""One measurement in a process of its own: `python benchmarks/cell.py JSON` prints its values as one line of JSON."""

from __future__ import annotations

import gc
import importlib
import json
import resource
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.common import draw_sensitive, short_records

if TYPE_CHECKING:
    from sordino.audit.result import AuditResult
    from sordino.data.baskets import Baskets

Answer = TypeVar("Answer")
REPEATS = 5  # of what is quick; the best counts, on every side
QUICK_SECONDS = 2.0
PROMISING = 2.0  # times the shortest so far: a call within this is repeated


def best_of(work: Callable[[], Answer], repeats: int = REPEATS) -> tuple[float, Answer]:
    """The shortest of several runs, and the answer. A run of over two seconds is not repeated."""
    shortest = float("inf")
    while True:
        gc.collect()
        start = time.perf_counter()
        answer = work()
        seconds = time.perf_counter() - start
        shortest = min(shortest, seconds)
        repeats -= 1
        if repeats < 1 or seconds > QUICK_SECONDS:
            return shortest, answer


def peak_megabytes() -> float:
    """The most memory this process ever held, imports included."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def small_audits() -> float:
    """Audits of a small made table, which load every kernel; seconds of the first with all that it imports."""
    import numpy as np

    start = time.perf_counter()
    import sordino

    random = np.random.default_rng(7)
    records = [set(random.choice(12, size=int(size)).tolist()) for size in random.integers(1, 9, size=400)]
    sordino.audit(records, sordino.InferencePolicy(["1", "2", "3"], "0.4"))
    first = time.perf_counter() - start
    for rho in ("0.1", "0.95"):
        for knowledge in (None, 2):
            sordino.audit(records, sordino.InferencePolicy(["1", "2", "3"], rho, knowledge=knowledge))
    sordino.audit(long_search(), sordino.InferencePolicy(["1"], "0.5"))
    return first


def long_search() -> list[set[str]]:
    """Three long records with one alibi between them: only the search for deep antecedents finds that "a" infers 1."""
    sides = [{f"{side}{k}" for k in range(24)} for side in "lmr"]
    return [*({"a", "1", *side} for side in sides), {"a"}.union(*sides)]


def read(task: Mapping[str, Any]) -> tuple[float, Baskets]:
    import sordino

    start = time.perf_counter()
    baskets = sordino.read_baskets(task["path"])
    return time.perf_counter() - start, baskets


def timed_audit(
    baskets: Baskets, sensitive: list[str], rho: str, knowledge: int | None, repeats: int
) -> tuple[float, AuditResult]:
    """Seconds of all that happens after reading: the policy, the audit and its findings."""
    import sordino

    def work() -> AuditResult:
        # Baskets keep what they once derived (supports, codes): every run gets its own.
        return sordino.audit(replace(baskets), sordino.InferencePolicy(sensitive, rho, knowledge=knowledge))

    return best_of(work, repeats)


def whole_audit(task: Mapping[str, Any]) -> dict[str, Any]:
    """One audit of a whole file, against unlimited knowledge."""
    first = small_audits()
    reading, baskets = read(task)
    sensitive = draw_sensitive(baskets.names, task["seed"])
    processor = time.process_time()
    seconds, result = timed_audit(baskets, sensitive, task["rho"], None, 1)
    processor = time.process_time() - processor
    return {
        "first": first,
        "reading": reading,
        "seconds": seconds,
        "processor": processor,
        "megabytes": peak_megabytes(),
        "records": result.records,
        "items": result.items,
        "people": result.people_at_risk,
        "exposure": dict(result.exposure_by_knowledge),
        "proved_items": result.proved_items,
        "searched_items": result.searched_items,
        "proved": result.proved_occurrences,
        "searched": result.searched_occurrences,
        "exact": all(result.exact.values()),
    }


def short_audit(task: Mapping[str, Any]) -> dict[str, Any]:
    """The audits of the short records, two known items, for every rho."""
    small_audits()
    _, whole = read(task)
    baskets = short_records(whole, task["longest"])
    sensitive = draw_sensitive(baskets.names, task["seed"])
    cells = {}
    for rho in task["rhos"]:
        seconds, result = timed_audit(baskets, sensitive, rho, 2, REPEATS)
        by = result.exposure_by_knowledge
        cells[rho] = {"seconds": seconds, "people": result.people_at_risk, "1": by["1"], "2": by["2"]}
    return {
        "cells": cells,
        "records": len(baskets),
        "items": baskets.distinct_items,
        "sensitive": len(sensitive),
        "megabytes": peak_megabytes(),
    }


def miner(task: Mapping[str, Any]) -> dict[str, Any]:
    """The same question to one miner, for every rho."""
    from benchmarks import miners

    name = task["miner"]
    try:
        importlib.import_module(miners.MINERS[name])
    except ImportError:
        return {"reason": "not installed"}
    _, whole = read(task)
    baskets = short_records(whole, task["longest"])
    sensitive = draw_sensitive(baskets.names, task["seed"])
    resource.setrlimit(resource.RLIMIT_AS, (task["bytes"], task["bytes"]))  # rather than take the machine down
    try:
        start = time.perf_counter()
        question = miners.Question.of(baskets, sensitive)
        if name == "pyfim":
            preparing = time.perf_counter() - start
            cells = _pyfim_cells(question, task["rhos"])
        else:
            data = miners.prepare_sets(name, question)
            preparing = time.perf_counter() - start
            mining, sets = best_of(lambda: miners.mine_sets(name, data, len(baskets)), 3)
            cells = {}
            for rho in task["rhos"]:
                checking, rules = best_of(partial(miners.rules_of_sets, question, sets, Fraction(rho)), 3)
                cells[rho] = _cell(question, rules, mining + checking)
    except MemoryError:
        return {"reason": "out of memory"}
    return {"cells": cells, "preparing": preparing, "megabytes": peak_megabytes()}


def _pyfim_cells(question: Any, rhos: list[str]) -> dict[str, Any]:
    """Every call of pyfim that was ever the fastest; the fastest here stands for it."""
    from benchmarks import miners

    cells = {}
    for rho in rhos:
        calls: dict[str, float] = {}
        answers = {}
        for call, merged in product(miners.PYFIM_CALLS, (False, True)):
            work = partial(miners.rules_of_pyfim, call, merged, question, Fraction(rho))
            name = f"{call}, merged" if merged else call
            calls[name], answers[name] = best_of(work, 1)
            if calls[name] < PROMISING * min(calls.values()):  # the others cannot become the fastest by chance
                again, _ = best_of(work, REPEATS - 1)
                calls[name] = min(calls[name], again)
        fastest = min(calls, key=calls.__getitem__)
        cells[rho] = _cell(question, answers[fastest], calls[fastest])
        cells[rho] |= {"call": fastest, "calls": calls, "digests": sorted({a.digest() for a in answers.values()})}
    return cells


def _cell(question: Any, rules: Any, seconds: float) -> dict[str, Any]:
    from benchmarks import miners

    counting, people = best_of(lambda: miners.count_people(question, rules))
    return {"seconds": seconds, "counting": counting, "rules": len(rules), "digests": [rules.digest()], **people}


TASKS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "whole": whole_audit,
    "short": short_audit,
    "miner": miner,
    "first": lambda _: {"first": small_audits()},
}


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    print(json.dumps(TASKS[asked["task"]](asked)))
