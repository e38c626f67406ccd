"""What a release of a grouped table puts into its folder.

keep/changes.parquet leads back: published row (from 1), record (row of the input, from 0), group, the true value, and
the value that stands in the row.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sordino.audit.diversity import audit_groups
from sordino.audit.diversity_result import DiversityResult
from sordino.data.grouped import Grouped, read_groups
from sordino.data.read_table import read_table
from sordino.data.table import INTEGER, Column, Table, TableOrigin
from sordino.data.write_hierarchy import encoded_hierarchy
from sordino.data.write_table import encoded_table, table_file_name, table_format
from sordino.engine.local import Progress, Watch
from sordino.errors import InputError, InternalError, PolicyError
from sordino.knowledge.assumed import known_rules
from sordino.policy.diversity import DiversityPolicy, code_rules
from sordino.policy.diversity_file import write as write_policy
from sordino.policy.rules import NegativeRule
from sordino.policy.rules_file import encoded_rules
from sordino.release.arrow import parquet_bytes
from sordino.release.diversity.result import DiversityRelease
from sordino.release.folder import Parts
from sordino.release.staging import Staging
from sordino.verify.bounded import readable_json
from sordino.verify.knowledge_file import KNOWLEDGE
from sordino.verify.manifest import PUBLISH
from sordino.verify.shapes.diversity import DiversityManifest, StatedDiversity

__all__ = ["audit_published", "diversity_parts"]

COUNT = "Count"
SHOWN = 8


def diversity_parts(release: DiversityRelease, stage: Staging, jobs: int | None, progress: Progress | None) -> Parts:
    """Write the data, read them back, audit."""
    grouped, files, names = _write_data(release, stage)
    policy = release.policy
    audit = audit_published(grouped, policy, release.rules, jobs=jobs, watch=Watch(progress))
    if not audit.holds:
        raise InternalError("the audit of the written files finds that the policy does not hold")
    files[KNOWLEDGE] = readable_json(
        {
            "groups": {a: {label: list(held) for label, held in one.items()} for a, one in release.meaning.items()},
            "rules": [{"if": dict(rule.conditions), "not": rule.excludes} for rule in release.rules],
        }
    )
    form = release.data.origin
    manifest = DiversityManifest(
        method=release.method,
        records=len(grouped),
        file=names[0],
        policy=StatedDiversity(replace(policy, rules=_applied(release)).statement()),
        delimiter=form.delimiter,
        missing=form.missing,
        layout=release.form,
        group=release.group,
        values=names[1],
        groups=audit.groups,
        plain=audit.plain_l,
        matching=audit.matching_l,
        rules=len(release.rules),
    )
    return Parts(manifest, files, _kept(release, audit), form={"missing": form.missing})


def _applied(release: DiversityRelease) -> tuple[NegativeRule, ...]:
    """The given rules that concern somebody: others, about values nobody has, say nothing about these data."""
    known = set(release.rules)
    return tuple(rule for rule in release.policy.rules if rule in known)


def audit_published(
    grouped: Grouped, policy: DiversityPolicy, rules: Any, *, top: int = 0, jobs: int | None, watch: Watch
) -> DiversityResult:
    """The audit of a published grouping by someone who knows these rules, and those that the policy states."""
    resolved = policy.resolve(grouped.joined(policy.sensitive), missing="accept")
    problems: list[str] = []
    coded = code_rules(tuple(rules), resolved.nodes, resolved.policy.hierarchies, resolved.names, problems, [], "error")
    if problems:  # a rule that cannot be read would be a disclosure that is not seen
        raise PolicyError(problems[:SHOWN])
    knowledge = known_rules(resolved, resolved.given + coded, watch)
    group, labels = grouped.groups()
    return audit_groups(
        resolved, knowledge, group, labels, top=top, jobs=jobs, watch=watch, grouping=f"the column {grouped.group}"
    )


def _write_data(release: DiversityRelease, stage: Staging) -> tuple[Grouped, dict[str, bytes], tuple[str, str | None]]:
    """Write the files of the data, and return what is read from them."""
    form, sensitive = release.data.origin, release.policy.sensitive
    name = table_file_name(form)
    if release.form == "permuted":
        tables: dict[str, Table] = {name: release.data}
        values = None
    else:
        values = name.replace("data.", "values.", 1)
        kept = tuple(column for column in release.data.columns if column.name != sensitive)
        tables = {name: replace(release.data, columns=kept), values: _values(release)}
    files = {}
    read = {}
    for file, table in tables.items():
        files[file] = encoded_table(table, form)
        stage.write(f"{PUBLISH}/{file}", files[file])
        delimiter = form.delimiter if table_format(form) == "csv" else None
        try:
            read[file] = read_table(stage.new / PUBLISH / file, delimiter=delimiter, missing=form.missing)
        except InputError as error:
            raise InternalError(f"the written file cannot be read back: {error.what}") from None
        if read[file].fingerprint != table.fingerprint:
            raise InternalError("the written file reads back as other rows")
    held = None if values is None else read[values]
    return read_groups(read[name], release.group, held), files, (name, values)


def _values(release: DiversityRelease) -> Table:
    """How many people of each group have each value; by group and value, so that nothing of the order shows."""
    column, group = release.data.column(release.policy.sensitive), release.data.column(release.group)
    codes = column.codes.astype(np.int64)
    codes[codes < 0] = len(column.values)
    width = len(column.values) + 1
    pairs, count = np.unique(group.codes * width + codes, return_counts=True)
    cells = (pairs % width).astype(np.int32)
    numbers, place = np.unique(count, return_inverse=True)
    name = COUNT
    while name in (release.group, column.name):
        name += "_"
    return Table(
        (
            Column(group.name, (pairs // width).astype(np.int32), group.values, INTEGER),
            replace(column, codes=np.where(cells == len(column.values), -1, cells).astype(np.int32)),
            Column(name, place.astype(np.int32), numbers, INTEGER),
        ),
        TableOrigin(
            format=release.data.origin.format,
            delimiter=release.data.origin.delimiter,
            missing=release.data.origin.missing,
            gzipped=release.data.origin.gzipped,
            crlf=release.data.origin.crlf,
        ),
    )


def _kept(release: DiversityRelease, audit: DiversityResult) -> dict[str, bytes]:
    import pyarrow as pa

    policy = release.policy
    shown = release.data.column(policy.sensitive)
    changes = pa.table(
        {
            "published": pa.array(np.arange(1, len(release.data) + 1)),
            "record": pa.array(release.row),
            "group": pa.array(release.data.column(release.group).codes + 1),
            "from": pa.array(release.true_value, type=pa.string()),
            "to": pa.array(list(shown.cells()), type=pa.string()),
        }
    )
    trees = {name: f"hierarchy-{k}.json" for k, name in enumerate(policy.hierarchies, start=1)}
    files = {
        "changes.parquet": parquet_bytes(changes),
        "audit.json": readable_json(release.history(audit)),
        "rules.csv": encoded_rules(release.rules, policy.sensitive, policy.quasi),
        "policy.toml": write_policy(policy, trees, "given-rules.csv" if policy.rules else None).encode(),
    }
    for name, file in trees.items():
        files[file] = encoded_hierarchy(policy.hierarchies[name], file)
    if policy.rules:
        files["given-rules.csv"] = encoded_rules(policy.rules, policy.sensitive, policy.quasi)
    return files
