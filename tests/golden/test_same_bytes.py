"""What every method makes of made-up data, and what audits say of it, byte for byte as when the hashes were written.

A change that is meant to change nothing (a kernel moved, a loop turned round) must pass this. One that is meant to
change a method's result writes the hashes anew, `python tests/golden/test_same_bytes.py`, and says so in its commit.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sordino
from sordino.audit.inference import audit_baskets
from sordino.data.baskets import Baskets
from sordino.data.read import read_baskets
from sordino.data.read_table import read_table
from sordino.data.table import Column, Table
from sordino.engine.local import Watch
from sordino.kinds import read_policy
from sordino.knowledge.assumed import assumed
from sordino.policy.assurance import Assurance
from sordino.policy.diversity import DiversityPolicy
from sordino.policy.template import Template, TemplatePolicy
from sordino.protect.registry import METHODS

HASHES = Path(__file__).with_suffix(".json")
SAMPLE = Path(sordino.__file__).parent / "sample" / "files"
JOBS = (1, 3)

Case = tuple[str, Callable[[], str]]


def digest(*parts: Any) -> str:
    found = hashlib.sha256()
    for part in parts:
        data = part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode()
        found.update(len(data).to_bytes(8, "big") + data)
    return found.hexdigest()[:24]


# Baskets


@cache
def drawn(name: str) -> Baskets:
    """Tables that send records through every kernel: short and long ones, many that are equal, few items and many."""
    if name == "pharmacy":
        return read_baskets(SAMPLE / "pharmacy.csv", layout="baskets")
    records, items, most, twins = {
        "short": (900, 40, 5, 0.3),
        "mixed": (500, 60, 24, 0.1),
        "long": (120, 90, 45, 0.0),
        "dense": (150, 14, 12, 0.2),
        "wide": (60, 900, 560, 0.0),
    }[name]
    lots = random.Random(f"sordino {name}")
    made: list[set[str]] = []
    for _ in range(records):
        if made and lots.random() < twins:
            made.append(set(made[int(lots.random() * len(made))]))
        else:
            size = 1 + int(lots.random() ** 1.5 * most)
            made.append({f"i{int(lots.random() ** 2 * items):03}" for _ in range(size)})
    return Baskets.from_sets(made)


def secret(name: str) -> list[str]:
    if name == "pharmacy":
        return sorted((SAMPLE / "pharmacy_sensitive.txt").read_text(encoding="utf-8").split("\n")[:-1])
    names = drawn(name).names
    return [item for k, item in enumerate(names) if k % 5 == 2]


def personal_choices(name: str) -> dict[int, list[str]]:
    """What single people find sensitive: something they have, or something else."""
    lots = random.Random(f"wishes {name}")
    baskets = drawn(name)
    own: dict[int, list[str]] = {}
    for k, record in enumerate(baskets):
        held = sorted(record)
        chosen = [held[int(lots.random() * len(held))] for _ in range(2) if held and lots.random() < 0.35]
        if lots.random() < 0.1:
            chosen.append(baskets.names[int(lots.random() * len(baskets.names))])
        if chosen:
            own[k] = sorted(set(chosen))
    return own


def common(name: str, rho: str = "0.5", **more: Any) -> sordino.InferencePolicy:
    return sordino.InferencePolicy(secret(name), rho, **more)


def personal(name: str, rho: str = "0.5", **more: Any) -> sordino.InferencePolicy:
    return sordino.InferencePolicy([], rho, per_record=personal_choices(name), **more)


def told(result: Any) -> list[Any]:
    """All that a method made of baskets."""
    baskets = getattr(result, "baskets", result)
    more = [getattr(result, field, None) for field in ("group", "opened", "labels", "held")]
    return [baskets.indptr.astype(np.int64), baskets.items.astype(np.int64), baskets.names, *more]


def run(name: str, policy: sordino.InferencePolicy, method: str, options: dict[str, Any], seed: int, jobs: int) -> str:
    baskets = drawn(name)
    resolved = policy.resolve(baskets, missing="accept")
    make = METHODS[method].load()
    return digest(*told(make(baskets, resolved, seed=seed, jobs=jobs, watch=Watch(), **options)))


def look(name: str, policy: sordino.InferencePolicy, jobs: int) -> str:
    found = audit_baskets(drawn(name), policy, top=30, jobs=jobs, missing="accept")
    findings = [(f.antecedent, f.consequent, f.support, f.with_consequent, f.people) for f in found.findings]
    return digest(found.holds, found.people_at_risk, sorted(found.exposure_by_knowledge.items()), findings)


def basket_cases() -> Iterator[Case]:
    suppress: list[tuple[str, dict[str, Any]]] = [
        ("mine", {}),
        ("mine", {"again": 0}),
        ("mine", {"again": 3}),
        ("dist", {}),
        ("jia", {}),
        ("jia", {"heuristic": "dist", "b_max": 40, "t_max": 3}),
        ("global", {}),
    ]
    for name in ("short", "mixed", "long", "dense", "wide", "pharmacy"):
        for rho, known in (("0.5", None), ("1/3", 2), ("0.7", 4)):
            if name == "wide" and known == 4:
                continue
            policy = partial(common, name, rho, knowledge=known)
            yield from _audits(name, f"{rho}, {known} known", policy)
            for method, options in suppress:
                if method == "jia" and name in ("wide", "pharmacy", "long"):
                    continue
                yield from _runs(name, f"{rho}, {known} known", policy, method, options)
    for name in ("short", "dense", "pharmacy"):
        policy = partial(common, name)
        yield from _runs(name, "0.5", policy, "lgps", {})
        yield from _runs(name, "0.5", policy, "tdcontrol", {})
        yield from _runs(name, "0.5", policy, "cahd", {"reach": 2})
    yield from _runs("short", "0.4", partial(common, "short", "0.4"), "lgps", {"divide": "valid", "patience": 2})
    yield from _runs("short", "adaptive", partial(common, "short", "0.5", adaptive=True), "mine", {})
    for name in ("short", "mixed", "long", "dense"):
        for rho, known in (("0.5", None), ("0.4", 2)):
            policy = partial(personal, name, rho, knowledge=known)
            yield from _audits(name, f"own, {rho}, {known} known", policy)
            for method in ("mine", "dist", "naka"):
                yield from _runs(name, f"own, {rho}, {known} known", policy, method, {}, seeds=(0, 7))
        own = partial(personal, name, assurance=Assurance("0.2", "0.2", 3))
        yield from _audits(name, "own, sampled", own)
        for stopping in ("corrected", "paper"):
            yield from _runs(name, "own, sampled", own, "naka-sampled", {"stopping": stopping}, seeds=(0, 7))
    yield from _runs("short", "own, in parts", partial(personal, "short"), "mine", {"part_size": 300})


def _audits(name: str, label: str, policy: Callable[[], sordino.InferencePolicy]) -> Iterator[Case]:
    for jobs in JOBS:
        yield f"audit {name}; {label}; {jobs} jobs", lambda jobs=jobs: look(name, policy(), jobs)  # type: ignore[misc]


def _runs(
    name: str,
    label: str,
    policy: Callable[[], sordino.InferencePolicy],
    method: str,
    options: dict[str, Any],
    seeds: tuple[int, ...] = (0,),
) -> Iterator[Case]:
    for seed in seeds:
        for jobs in JOBS:
            yield (
                f"{method} {options or ''} {name}; {label}; seed {seed}; {jobs} jobs",
                lambda seed=seed, jobs=jobs: run(name, policy(), method, options, seed, jobs),  # type: ignore[misc]
            )


# Tables


@cache
def people(name: str) -> Table:
    if name == "patients":
        return read_table(SAMPLE / "patients.csv")
    lots = random.Random(f"people {name}")
    width = 4
    sizes = [3, 7, 4, 11]
    rows = [[f"v{int(lots.random() ** 2 * sizes[a])}" for a in range(width)] for _ in range(700)]
    ills = ["flu", "cold", "asthma", "migraine", "ulcer", "gout"]
    ill = [ills[(int(lots.random() ** 2 * 5) + (row[0] == "v1")) % 6] for row in rows]
    columns = [Column.of_texts(f"q{a}", [row[a] for row in rows]) for a in range(width)]
    return Table((*columns, Column.of_texts("ill", ill), Column.of_texts("class", [row[3] for row in rows])))


def templates(name: str) -> TemplatePolicy:
    if name == "patients":
        policy = read_policy(SAMPLE / "patients_policy.toml")
        assert isinstance(policy, TemplatePolicy)
        return policy
    given = [["q0", "q1"], ["q1", "q2", "q3"], ["q0", "q3"]]
    return TemplatePolicy(
        [Template(q, "ill", [v], "0.35") for q, v in zip(given, ("flu", "gout", "ulcer"), strict=True)],
        class_column="class",
    )


def shown(name: str, method: str, options: dict[str, Any], jobs: int) -> str:
    resolved = templates(name).resolve(people(name))
    table = METHODS[method].load_table()(resolved.table, resolved, seed=0, jobs=jobs, watch=Watch(), **options)
    return digest(table.names, [table.row(k) for k in range(len(table))])


def grouped(name: str, method: str, options: dict[str, Any], seed: int) -> str:
    if name == "patients":
        policy = DiversityPolicy("diagnosis", ["sex", "education", "region"], 3)
    else:
        policy = DiversityPolicy("ill", ["q0", "q1", "q2"], 3)
    resolved = policy.resolve(people(name), missing="accept")
    known = assumed(resolved, jobs=1, watch=Watch())
    make = METHODS[method].load_groups()
    group = make(resolved, known.exclusion, rng=np.random.Generator(np.random.PCG64(seed)), watch=Watch(), **options)
    return digest(np.asarray(group, dtype=np.int64))


def table_cases() -> Iterator[Case]:
    for name in ("patients", "people"):
        for method, options in (("disclosure", {}), ("disclosure", {"then_maximal": True}), ("disclosure-local", {})):
            for jobs in JOBS:
                yield (
                    f"{method} {options or ''} {name}; {jobs} jobs",
                    partial(shown, name, method, options, jobs),
                )
        for seed in (0, 7):
            more: list[dict[str, Any]] = [{}, {"alike": "no"}, {"choice": "nit"}]
            for options in more:
                yield f"injector {options or ''} {name}; seed {seed}", partial(grouped, name, "injector", options, seed)
            yield f"anatomy {name}; seed {seed}", partial(grouped, name, "anatomy", {}, seed)


CASES: dict[str, Callable[[], str]] = dict([*basket_cases(), *table_cases()])
KNOWN: dict[str, str] = json.loads(HASHES.read_text(encoding="utf-8")) if HASHES.is_file() else {}


@pytest.mark.parametrize("case", CASES)
def test_same_bytes(case: str) -> None:
    assert CASES[case]() == KNOWN[case]


def test_threads_change_no_byte() -> None:
    for case, found in KNOWN.items():
        assert found == KNOWN[case.replace(f"{JOBS[1]} jobs", f"{JOBS[0]} jobs")]


if __name__ == "__main__":
    import time

    made = {}
    for case, work in CASES.items():
        start = time.process_time()
        made[case] = work()
        print(f"{time.process_time() - start:6.1f} {made[case]} {case}", file=sys.stderr, flush=True)
    HASHES.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
