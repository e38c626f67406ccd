"""A table that was made in a cluster, verified on one machine that can hold it: by what judges local releases."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from sordino.data.sources.table_arrow import arrow_columns
from sordino.data.table import MISSING, Table
from sordino.engine.spark.place import Place
from sordino.engine.spark.table_manifest import TableManifest, check_readme, read_table_manifest
from sordino.engine.spark.verify_table import check_rules, demanded, judged
from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.policy.bins import is_binned
from sordino.policy.template import TemplatePolicy
from sordino.verify.possible_values import People
from sordino.verify.shapes.diversity import StatedDiversity
from sordino.verify.shapes.template import count_groups
from sordino.verify.verdict import Verdict

__all__ = ["verify_table_small"]

NUMBER = "record"


def verify_table_small(place: Place, policy: Any = None) -> Verdict:
    """Whether a release in a folder of this machine is whole and keeps what it promises, or what the policy demands."""
    return judged(lambda: _check(place, read_table_manifest(place), policy))


def _check(place: Place, manifest: TableManifest, policy: Any) -> tuple[Answer, str, tuple[int, int, int]]:
    stray = place.undeclared(manifest.files)
    if stray is not None:
        raise InputError(f"{stray} is not in the manifest")
    check_readme(place, manifest)
    data = _read(place.publish, manifest)
    if manifest.grouping is not None:
        return _groups(data, manifest, policy)
    required = manifest.policy if policy is None else policy
    if not isinstance(required, TemplatePolicy):
        raise InputError("the policy is about something else than what such a release can show")
    return _templates(data, required)


def _read(publish: Path, manifest: TableManifest) -> Any:
    """The rows as Arrow, in the order of their numbers, once their files are known to be those of the manifest."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    there = {str(path.relative_to(publish)) for path in (publish / "data").glob("*.parquet")}
    for name in sorted(manifest.files.keys() - there):
        raise InputError(f"{name} is missing")
    for name in sorted(there - manifest.files.keys()):
        raise InputError(f"{name} is not in the manifest")
    tables = []
    for name, (size, sha) in sorted(manifest.files.items()):
        content = (publish / name).read_bytes()
        if len(content) != size or hashlib.sha256(content).hexdigest() != sha:
            raise InputError(f"{name} was changed: its checksum is not that of the manifest")
        tables.append(pq.read_table(pa.BufferReader(content)))
    if not tables:
        raise InputError("there is nothing in data")
    rows = pa.concat_tables(tables)
    if rows.column_names != [NUMBER, *(name for name, _ in manifest.columns)]:
        raise InputError("the data have other columns than the manifest speaks of")
    if rows.num_rows != manifest.records:
        raise InputError("the number of rows is not that of the manifest")
    rows = rows.sort_by(NUMBER)
    if rows.column(NUMBER).to_pylist() != list(range(1, manifest.records + 1)):
        raise InputError("records are not numbered from 1 on, or two have the same number")
    return rows.drop_columns([NUMBER])


def _templates(data: Any, policy: TemplatePolicy) -> tuple[Answer, str, tuple[int, int, int]]:
    named = {name for template in policy.templates for name in (*template.given, template.sensitive)}
    if not named <= set(data.column_names):
        raise InputError("the policy is about a column that is not there")
    wanted = data.select([name for name in data.column_names if name in named])
    table, shown = (Table(arrow_columns(wanted, missing, None)) for missing in (MISSING, ()))
    for name in policy.bins:
        if not is_binned(table.column(name), policy.symbol):
            raise InputError(f"the column '{name}' does not show ranges, though the policy says so")
    values = combinations = 0
    asked = TemplatePolicy(policy.templates, symbol=policy.symbol)
    for number, rule in enumerate(asked.resolve(table, missing="accept").stated, start=1):
        known = [shown.column(table.names[place]).codes for place in rule.given]
        groups, broken = count_groups(known, table.columns[rule.sensitive].codes, rule)
        values, combinations = values + len(rule.codes), combinations + groups
        if broken:
            many = f"{broken:,} combinations of known values give" if broken > 1 else "1 combination gives"
            raise InputError(f"template {number} does not hold: {many} a sensitive value away")
    return Answer.HOLDS, "proved", (values, 0, combinations)


def _groups(data: Any, manifest: TableManifest, policy: Any) -> tuple[Answer, str, tuple[int, int, int]]:
    made, stated = manifest.grouping, manifest.policy
    assert made is not None
    assert manifest.knowledge is not None
    assert isinstance(stated, StatedDiversity)
    if set(data.column_names) != {*stated.quasi, stated.sensitive, made.column}:
        raise InputError("the columns of the data are not those of the policy")
    check_rules(manifest)
    number = data.column(made.column).to_numpy(zero_copy_only=False)
    if number.dtype.kind != "i" or not np.array_equal(np.unique(number), np.arange(1, made.groups + 1)):
        raise InputError("the groups are not simply numbered")
    table = Table(arrow_columns(data.drop_columns([made.column]), MISSING, None))
    people = People(table, number.astype(np.int64), stated.sensitive, stated.quasi)
    people.check_published(*manifest.knowledge)
    plain, matching, groups = people.diversity([manifest.knowledge])
    if matching < stated.l:
        raise InputError(f"somebody has only {matching} possible values, fewer than {stated.l}")
    if (plain, matching, groups) != (made.plain, made.matching, made.groups):
        raise InputError("the diversity in the manifest is not that of the data")
    known, size, left = demanded(manifest, policy)
    if known != [manifest.knowledge]:
        matching = people.diversity(known)[1]
    if matching < size:
        raise InputError(f"by the stated policy somebody has only {matching} possible values, fewer than {size}")
    values = len(table.column(stated.sensitive).values)
    return Answer.NOT_CHECKED if left else Answer.HOLDS, left or "proved", (values, 0, people.examined)
