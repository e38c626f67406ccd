"""Random tables with template policies: few values, so that rows meet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fuzz.case import Cell, TemplateCase
from fuzz.draw import RHO, chance, few, one_of, options_of, steps, tree, whole
from fuzz.table_forms import FORMS
from sordino.protect.registry import METHODS, methods_for

__all__ = ["OPTIONS", "template_case"]

OPTIONS: dict[str, tuple[Any, ...]] = {"then_maximal": (True,)}
VALUES = ("a", "b", "c", "d", "e")
ODD_VALUES = ("a b", 'q"q', "x,y", "ü", "i;j", "*", "-1", "07", "Ω", "a\tb", "<b>")


def template_case(rng: np.random.Generator, number: int) -> TemplateCase:
    """Any case for templates."""
    known = [f"k{k}" for k in range(whole(rng, 1, 4))]
    secret = [f"s{k}" for k in range(whole(rng, 1, 2))]
    label = "class" if chance(rng, 0.6) else None
    columns = [*known, *secret, *([label] if label else [])]
    numeric = set(few(rng, known)) if chance(rng, 0.4) else set()
    kinds = {name: _values(rng, name in numeric) for name in columns}
    holes = {name for name in columns if chance(rng, 0.2)}
    count = one_of(rng, (whole(rng, 1, 6), whole(rng, 4, 24), whole(rng, 20, 80)))
    rows = tuple(tuple(_cell(rng, kinds[name], name in holes) for name in columns) for _ in range(count))
    templates = _templates(rng, columns, known, secret, rows)
    used = {name for template in templates for name in template["given"]}
    fixed = {template["sensitive"] for template in templates} | {label}
    free = sorted(used - fixed)
    trees = {
        name: tree(rng, [str(value) for value in kinds[name]], "*")
        for name in free
        if name not in numeric and "*" not in kinds[name] and chance(rng, 0.3)
    }
    bins = {name: _bins(rng) for name in free if name in numeric and chance(rng, 0.5)}
    method = one_of(rng, methods_for("template"))
    return TemplateCase(
        number=number,
        lot=whole(rng, 0, 2**31),
        columns=tuple(columns),
        rows=rows,
        templates=templates,
        class_column=label,
        bins={name: way for name, way in bins.items() if _has_number(rows, columns, name)},
        trees=trees,
        symbol=one_of(rng, ("*", "*", "*", "(hidden)")),
        ids_as=one_of(rng, ("keep", "shuffle")),
        method=method,
        options=options_of(rng, OPTIONS, tuple(METHODS[method].options)),
        form=one_of(rng, tuple(FORMS)),
        steps=steps(rng),
    )


def _values(rng: np.random.Generator, numeric: bool) -> tuple[Cell, ...]:
    if numeric:
        return tuple(sorted(set(rng.integers(-3, 40, size=whole(rng, 1, 6)).tolist())))
    pool = (*VALUES, *few(rng, ODD_VALUES, most=2)) if chance(rng, 0.3) else VALUES
    return tuple(few(rng, pool, least=1, most=5))


def _cell(rng: np.random.Generator, values: tuple[Cell, ...], holes: bool) -> Cell:
    return None if holes and chance(rng, 0.15) else one_of(rng, values)


def _has_number(rows: tuple[tuple[Cell, ...], ...], columns: list[str], name: str) -> bool:
    return any(row[columns.index(name)] is not None for row in rows)


def _templates(
    rng: np.random.Generator,
    columns: list[str],
    known: list[str],
    secret: list[str],
    rows: tuple[tuple[Cell, ...], ...],
) -> tuple[Mapping[str, Any], ...]:
    """Up to three; given may name any other column, also one that another template protects."""
    made: list[dict[str, Any]] = []
    for _ in range(whole(rng, 1, 3)):
        sensitive = one_of(rng, secret)
        others = [name for name in columns if name != sensitive] if chance(rng, 0.2) else known
        place = columns.index(sensitive)
        there = sorted({str(row[place]) for row in rows if row[place] is not None})
        template: dict[str, Any] = {
            "given": tuple(few(rng, others, least=1)),
            "sensitive": sensitive,
            "at_most": one_of(rng, RHO),
        }
        if there and chance(rng, 0.75):
            template["values"] = tuple(few(rng, there, least=1))
        else:
            template["rarest"] = one_of(rng, ("100%", "50%", "1/3"))
        made.append(template)
    return tuple(made)


def _bins(rng: np.random.Generator) -> dict[str, Any]:
    return one_of(
        rng,
        (
            {"width": one_of(rng, ("5", "10", "2.5"))},
            {"edges": tuple(str(edge) for edge in sorted(set(rng.integers(0, 30, size=3).tolist())))},
            {"quantile": whole(rng, 2, 4)},
        ),
    )
