"""Random tables with diversity policies: who has which value depends on the rest now and then, so that rules arise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fuzz.case import Cell, DiversityCase
from fuzz.draw import chance, few, one_of, options_of, steps, tree, whole
from fuzz.table_forms import FORMS
from sordino.protect.registry import METHODS, methods_for

__all__ = ["OPTIONS", "diversity_case"]

OPTIONS: dict[str, tuple[Any, ...]] = {
    "form": ("permuted", "tables"),
    "algorithm": ("ours", "paper"),
    "alike": ("yes", "no"),
    "choice": ("largest", "nit"),
}
DISEASES = ("flu", "cold", "asthma", "gout", "x y", "mumps")


def diversity_case(rng: np.random.Generator, number: int) -> DiversityCase:
    """Any case for matching l-diversity."""
    quasi = [f"q{k}" for k in range(whole(rng, 1, 3))]
    beside = ["name"] if chance(rng, 0.3) else []
    columns = [*beside, *quasi, "disease"]
    kinds = {name: [f"{name}{letter}" for letter in "abcd"[: whole(rng, 1, 4)]] for name in quasi}
    numeric = quasi[0] if chance(rng, 0.2) else None
    if numeric is not None:
        kinds[numeric] = [str(value) for value in sorted(set(rng.integers(20, 60, size=4).tolist()))]
    diseases = list(DISEASES[: whole(rng, 2, len(DISEASES))])
    never = {(one_of(rng, kinds[quasi[0]]), one_of(rng, diseases)) for _ in range(whole(rng, 0, 3))}
    trees = {name: tree(rng, kinds[name]) for name in quasi if chance(rng, 0.4)}
    rows = []
    for number_ in range(one_of(rng, (whole(rng, 1, 8), whole(rng, 6, 24), whole(rng, 15, 45)))):
        row: dict[str, Cell] = {name: one_of(rng, kinds[name]) for name in quasi}
        free = [d for d in diseases if (row[quasi[0]], d) not in never] or diseases
        row["disease"] = one_of(rng, free)
        if numeric is not None:
            row[numeric] = int(str(row[numeric]))
        if beside:
            row["name"] = f"n{number_}"
        for name in quasi:
            if name not in trees and name != numeric and chance(rng, 0.03):
                row[name] = None
        rows.append(tuple(row[name] for name in columns))
    method = one_of(rng, methods_for("diversity"))
    return DiversityCase(
        number=number,
        lot=whole(rng, 0, 2**31),
        columns=tuple(columns),
        rows=tuple(rows),
        sensitive="disease",
        quasi=tuple(quasi),
        l=one_of(rng, (2, 2, 3, 4)),
        mined=chance(rng, 0.6),
        min_expectation=one_of(rng, ("0.5", "0.7", "0.9", "0.99")),
        max_conditions=one_of(rng, (1, 1, 2, None)),
        min_confidence=one_of(rng, ("1", "1", "0.9", "0.75")),
        rules=_rules(rng, quasi, kinds, trees, diseases, columns, rows) if chance(rng, 0.4) else (),
        trees=trees,
        fuzzy=numeric in trees and chance(rng, 0.5),
        method=method,
        options=_together(options_of(rng, OPTIONS, tuple(METHODS[method].options))),
        form=one_of(rng, tuple(FORMS)),
        steps=steps(rng),
    )


def _together(options: dict[str, Any]) -> dict[str, Any]:
    """The options without those that the paper's algorithm does not have."""
    paper = options.get("algorithm") == "paper"
    return {name: value for name, value in options.items() if not (paper and name in ("alike", "choice"))}


def _rules(
    rng: np.random.Generator,
    quasi: list[str],
    kinds: Mapping[str, list[str]],
    trees: Mapping[str, Mapping[str, tuple[str, ...]]],
    diseases: list[str],
    columns: list[str],
    rows: list[tuple[Cell, ...]],
) -> tuple[tuple[Mapping[str, str], str], ...]:
    """Some rules about values and groups; as a rule they are true."""
    rules = []
    texts = [{name: str(cell) for name, cell in zip(columns, row, strict=True)} for row in rows]
    for _ in range(whole(rng, 1, 3)):
        conditions = {}
        for name in few(rng, quasi, least=1, most=2):
            groups = sorted({group for above in trees.get(name, {}).values() for group in above})
            conditions[name] = one_of(rng, [*kinds[name], *groups])
        fits = [
            row
            for row in texts
            if all(label in (row[name], *trees.get(name, {}).get(row[name], ())) for name, label in conditions.items())
        ]
        true = [disease for disease in diseases if all(row["disease"] != disease for row in fits)]
        if true or chance(rng, 0.1):
            rules.append((conditions, one_of(rng, true or diseases)))
    return tuple({(frozenset(conditions.items()), value): (conditions, value) for conditions, value in rules}.values())
