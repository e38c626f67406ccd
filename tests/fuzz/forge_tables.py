"""Forgeries of releases of tables, and whether a policy holds in what they publish."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import oracle_disclosure as oracle
from fuzz import table_forms
from fuzz.case import TemplateCase
from fuzz.check_diversity import groups_hold, rules_of, stated_rules
from fuzz.check_folder import data_file
from fuzz.draw import RHO, chance, few, one_of, whole
from fuzz.forge import manifest_of, read_json, reseal, write_json
from fuzz.made import MadeDiversity, MadeTemplate
from fuzz.truth_tables import excluded, grouped_by_quasi, masking, possible_numbers, templates_of
from sordino.data.table import Column
from sordino.data.write_table import encoded_table

__all__ = ["DIVERSITY", "TEMPLATES", "diversity_may_hold", "template_may_hold"]

Rows = list[dict[str, str | None]]
KNOWLEDGE = "knowledge.json"


# Templates


def _cells(made: MadeTemplate, publish: Path, rows: Rows) -> None:
    """Put these rows in the place of the published ones."""
    table = made.release.data
    names = [name for name in table.names if name in masking(made.case)]
    for name in names:
        table = table.with_column(Column.of_texts(name, [row[name] for row in rows]))
    data_file(publish).write_bytes(encoded_table(table))
    reseal(publish)


def original_cells(made: MadeTemplate, publish: Path) -> None:
    """Show what was suppressed, in all rows or some."""
    shown = [dict(zip(made.release.data.names, made.release.data.row(k), strict=True)) for k in range(len(made.rows))]
    everywhere = chance(made.rng, 0.5)
    pairs = zip(made.rows, shown, strict=True)
    rows = [{**new, **old} if everywhere or chance(made.rng, 0.5) else new for old, new in pairs]
    _cells(made, publish, rows)


def other_templates(made: MadeTemplate, publish: Path) -> None:
    """Claim other thresholds, or other values."""
    manifest = manifest_of(publish)
    for template in manifest["policy"]["templates"]:
        if chance(made.rng, 0.5):
            template["at_most"] = one_of(made.rng, RHO)
        elif template["values"]:
            template["values"] = few(made.rng, template["values"], least=1)
    reseal(publish, manifest)


def called_missing(made: MadeTemplate, publish: Path) -> None:
    """Unprotected rows, and a manifest that calls some values missing."""
    original_cells(made, publish)
    manifest = manifest_of(publish)
    values = sorted({str(cell) for row in made.rows for cell in row.values() if cell is not None})
    manifest["data"]["missing"] = [*manifest["data"]["missing"], *few(made.rng, values, least=1)]
    reseal(publish, manifest)


def other_absent(made: MadeTemplate, publish: Path) -> None:
    """Unprotected rows, and a manifest that says that values do not occur."""
    original_cells(made, publish)
    manifest = manifest_of(publish)
    manifest["absent"] = [[k + 1, v] for k, t in enumerate(made.case.templates) for v in t.get("values", ())]
    reseal(publish, manifest)


TEMPLATES: Mapping[str, Callable[[MadeTemplate, Path], None]] = {
    "the original cells": original_cells,
    "other templates": other_templates,
    "values called missing": called_missing,
    "values called absent": other_absent,
}


def template_may_hold(made: MadeTemplate, publish: Path, *, own: bool) -> bool | None:
    """Whether the policy of the case, or the one that the folder claims, holds there; None if that is not decided."""
    rows = table_forms.load(data_file(publish), made.case.form)
    case: TemplateCase = made.case
    if own:
        manifest = manifest_of(publish)
        if set(manifest["data"]["missing"]) - {"", "?", "NA", "null"}:
            return None
        stated = [
            {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items() if value}
            for entry in manifest["policy"]["templates"]
        ]
        case = replace(case, templates=tuple(stated))
    each = templates_of(case, rows)
    return oracle.holds(rows, [template for templates in each for template in templates])


# Diversity


def no_rules(made: MadeDiversity, publish: Path) -> None:
    """Say that nothing is known, with figures that fit."""
    _known(made, publish, {"groups": {}, "rules": []})


def no_groups(made: MadeDiversity, publish: Path) -> None:
    """Say that the names of groups of values mean nothing."""
    known = read_json(publish / KNOWLEDGE)
    known["groups"] = {name: {label: [] for label in labels} for name, labels in known["groups"].items()}
    _known(made, publish, known)


def fewer_rules(made: MadeDiversity, publish: Path) -> None:
    """Leave some rules out."""
    known = read_json(publish / KNOWLEDGE)
    known["rules"] = few(made.rng, known["rules"])
    _known(made, publish, known)


def other_l(made: MadeDiversity, publish: Path) -> None:
    """Claim another l."""
    manifest = manifest_of(publish)
    manifest["policy"]["l"] = whole(made.rng, 2, 5)
    reseal(publish, manifest)


def other_people(made: MadeDiversity, publish: Path) -> None:
    """Put people into other groups, with figures that fit."""
    table = made.release.data
    group = made.release.group
    column = table.column(group)
    codes = column.codes.copy()
    if chance(made.rng, 0.5):
        codes = made.rng.permutation(codes)
    else:
        for place in few(made.rng, range(len(codes)), least=1, most=4):
            codes[place] = one_of(made.rng, codes.tolist())
    if made.release.form == "permuted":
        data_file(publish).write_bytes(encoded_table(table.with_column(column.replaced(codes))))
    _known(made, publish, read_json(publish / KNOWLEDGE))


DIVERSITY: Mapping[str, Callable[[MadeDiversity, Path], None]] = {
    "no rules": no_rules,
    "groups of nothing": no_groups,
    "fewer rules": fewer_rules,
    "another l": other_l,
    "people in other groups": other_people,
}


def _known(made: MadeDiversity, publish: Path, known: dict[str, Any]) -> None:
    """State this knowledge, and in the manifest what follows from it."""
    write_json(publish / KNOWLEDGE, known)
    manifest = manifest_of(publish)
    rows, group = _published(made, publish)
    groups = grouped_by_quasi(rows, [group])
    values = [row[made.case.sensitive] for row in rows]
    numbers = possible_numbers(groups, excluded(rows, _own_rules(publish)), values)
    manifest["diversity"] = {
        "groups": len(groups),
        "plain": min(len({values[k] for k in members}) for members in groups),
        "matching": max(0, min(numbers.values())),
        "rules": len(known["rules"]),
    }
    reseal(publish, manifest)


def _published(made: MadeDiversity, publish: Path) -> tuple[Rows, str]:
    """The rows with a value of their group each, in any order within the group."""
    manifest = manifest_of(publish)
    group, sensitive = manifest["data"]["group"], made.case.sensitive
    rows = table_forms.load(data_file(publish), made.case.form)
    if manifest["data"]["values"] is None:
        return rows, group
    held: dict[str | None, list[str | None]] = {}
    for row in table_forms.load(publish / manifest["data"]["values"], made.case.form):
        (count,) = (cell for name, cell in row.items() if name not in (group, sensitive))
        held.setdefault(row[group], []).extend([row[sensitive]] * int(str(count)))
    return [{**row, sensitive: held[row[group]].pop()} for row in rows], group


def _own_rules(publish: Path) -> list[tuple[dict[str, set[str]], str]]:
    known = read_json(publish / KNOWLEDGE)
    return [
        ({a: set(known["groups"].get(a, {}).get(label, [label])) for a, label in rule["if"].items()}, rule["not"])
        for rule in known["rules"]
    ]


def diversity_may_hold(made: MadeDiversity, publish: Path, *, own: bool) -> bool | None:
    """Whether the policy of the case holds there, or what the folder claims."""
    rows, group = _published(made, publish)
    if own:
        size = manifest_of(publish)["policy"]["l"]
        claimed = MadeDiversity(replace(made.case, l=size), made.home)
        return groups_hold(claimed, rows, group, list(_own_rules(publish)))
    rules = rules_of(made)
    return groups_hold(made, rows, group, stated_rules(made) if rules is None else rules)
