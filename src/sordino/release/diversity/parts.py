"""What a release of a grouped table puts into its folder.

keep/changes.parquet leads back: published row (from 1), record (row of the input, from 0), group, the true value, and
the value that stands in the row.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np

from sordino.audit.diversity import audit_groups, audit_pieces
from sordino.audit.diversity_result import DiversityResult
from sordino.data.grouped import Grouped, read_groups
from sordino.data.grouped_file import GroupedFile, open_groups
from sordino.data.read_table import read_table
from sordino.data.table import INTEGER, Column, Table, TableOrigin
from sordino.data.write_hierarchy import encoded_hierarchy
from sordino.data.write_table import encoded_table, table_file_name, table_format
from sordino.engine.local import Progress, Watch
from sordino.errors import InputError, InternalError, PolicyError
from sordino.knowledge.assumed import Knowledge, known_rules
from sordino.policy.diversity import DiversityPolicy, ResolvedDiversity, code_rules
from sordino.policy.diversity_file import write as write_policy
from sordino.policy.rules import NegativeRule
from sordino.policy.rules_file import encoded_rules
from sordino.release.arrow import parquet_bytes
from sordino.release.diversity.result import DiversityRelease, StreamedGroups
from sordino.release.folder import Parts
from sordino.release.staging import Staging
from sordino.verify.bounded import readable_json
from sordino.verify.knowledge_file import KNOWLEDGE
from sordino.verify.manifest import KEEP, PUBLISH
from sordino.verify.shapes.diversity import DiversityManifest, StatedDiversity

__all__ = ["audit_published", "diversity_parts", "streamed_parts"]

COUNT = "Count"
SHOWN = 8
IN_PIECES = "The groups were read in pieces: who is at risk is counted, and examples are not told."
REFUSED = "the audit of the written files finds that the policy does not hold"


def diversity_parts(release: DiversityRelease, stage: Staging, jobs: int | None, progress: Progress | None) -> Parts:
    """Write the data, read them back, audit."""
    grouped, files, names = _write_data(release, stage)
    policy = release.policy
    audit = audit_published(grouped, policy, release.rules, jobs=jobs, watch=Watch(progress))
    if not audit.holds:
        raise InternalError(REFUSED)
    changes = parquet_bytes(_changes(release))
    return _parts(release, audit, files, names, {"changes.parquet": changes, **_kept(release, audit)})


def streamed_parts(release: StreamedGroups, stage: Staging, jobs: int | None, progress: Progress | None) -> Parts:
    """The same, a piece at a time."""
    watch = Watch(progress)
    return watch.aside(lambda: _streamed(release, stage, jobs, watch))


def _streamed(release: StreamedGroups, stage: Staging, jobs: int | None, watch: Watch) -> Parts:
    shown, policy, missing = release.shown, release.policy, release.data.origin.missing
    names = ("data.parquet", None if release.form == "permuted" else "values.parquet")
    paths = {name: stage.new / PUBLISH / name for name in names if name is not None}
    with ExitStack() as stack:
        sinks = [stack.enter_context(stage.opened(f"{PUBLISH}/{name}")) for name in paths]
        shown.write(sinks[0], sinks[1] if len(sinks) > 1 else None, watch)
    shown.compare(list(paths.values()), watch)
    file = open_groups(
        paths[names[0]], release.group, policy.quasi, policy.sensitive, paths.get(names[1] or ""), missing
    )
    audit = _audit_file(file, policy, release.rules, jobs=jobs, watch=watch)
    if not audit.holds:
        raise InternalError(REFUSED)
    record = shown.records(watch)
    with stage.opened(f"{KEEP}/changes.parquet") as sink:
        shown.write_changes(sink, record, watch)
    return _parts(release, audit, dict(paths), names, _kept(release, audit))


def _audit_file(
    file: GroupedFile, policy: DiversityPolicy, rules: Any, *, jobs: int | None, watch: Watch
) -> DiversityResult:
    """The audit of a published grouping that is read in pieces (see `audit_published`)."""
    resolved, knowledge = _known(policy, file.joined(policy.sensitive), rules, watch)
    kind, names = knowledge.exclusion.kind_of, len(file.distinct.column(policy.sensitive).values)
    pieces = ((one.group, np.where(one.value < 0, names, one.value), kind[one.row]) for one in file.pieces())
    return audit_pieces(resolved, knowledge, pieces, jobs=jobs, watch=watch, grouping=f"the column {file.group}")


def _parts(
    release: DiversityRelease,
    audit: DiversityResult,
    files: dict[str, Any],
    names: tuple[str, str | None],
    kept: dict[str, bytes],
) -> Parts:
    """The folder, with these files of the data."""
    files[KNOWLEDGE] = readable_json(
        {
            "groups": {a: {label: list(held) for label, held in one.items()} for a, one in release.meaning.items()},
            "rules": [{"if": dict(rule.conditions), "not": rule.excludes} for rule in release.rules],
        }
    )
    form, policy = release.data.origin, release.policy
    manifest = DiversityManifest(
        method=release.method,
        records=audit.records,
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
    return Parts(manifest, files, kept, form={"missing": form.missing})


def _applied(release: DiversityRelease) -> tuple[NegativeRule, ...]:
    """The given rules that concern somebody: others, about values nobody has, say nothing about these data."""
    known = set(release.rules)
    return tuple(rule for rule in release.policy.rules if rule in known)


def audit_published(
    grouped: Grouped, policy: DiversityPolicy, rules: Any, *, top: int = 0, jobs: int | None, watch: Watch
) -> DiversityResult:
    """The audit of a published grouping by someone who knows these rules, and those that the policy states."""
    if isinstance(grouped, GroupedFile):
        found = watch.aside(lambda: _audit_file(grouped, policy, rules, jobs=jobs, watch=watch))
        return replace(found, remarks=(*found.remarks, IN_PIECES))
    resolved, knowledge = _known(policy, grouped.joined(policy.sensitive), rules, watch)
    group, labels = grouped.groups()
    return audit_groups(
        resolved, knowledge, group, labels, top=top, jobs=jobs, watch=watch, grouping=f"the column {grouped.group}"
    )


def _known(policy: DiversityPolicy, table: Table, rules: Any, watch: Watch) -> tuple[ResolvedDiversity, Knowledge]:
    """The policy in the terms of a published table, and what someone knows who knows these rules."""
    resolved = policy.resolve(table, missing="accept")
    problems: list[str] = []
    coded = code_rules(tuple(rules), resolved.nodes, resolved.policy.hierarchies, resolved.names, problems, [], "error")
    if problems:  # a rule that cannot be read would be a disclosure that is not seen
        raise PolicyError(problems[:SHOWN])
    return resolved, known_rules(resolved, resolved.given + coded, watch)


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
    pairs, count = np.unique(group.codes.astype(np.int64) * width + codes, return_counts=True)
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


def _changes(release: DiversityRelease) -> Any:
    import pyarrow as pa

    shown = release.data.column(release.policy.sensitive)
    return pa.table(
        {
            "published": pa.array(np.arange(1, len(release.data) + 1)),
            "record": pa.array(release.row),
            "group": pa.array(release.data.column(release.group).codes + 1),
            "from": pa.array(release.true_value, type=pa.string()),
            "to": pa.array(list(shown.cells()), type=pa.string()),
        }
    )


def _kept(release: DiversityRelease, audit: DiversityResult) -> dict[str, bytes]:
    policy = release.policy
    trees = {name: f"hierarchy-{k}.json" for k, name in enumerate(policy.hierarchies, start=1)}
    files = {
        "audit.json": readable_json(release.history(audit)),
        "rules.csv": encoded_rules(release.rules, policy.sensitive, policy.quasi),
        "policy.toml": write_policy(policy, trees, "given-rules.csv" if policy.rules else None).encode(),
    }
    for name, file in trees.items():
        files[file] = encoded_hierarchy(policy.hierarchies[name], file)
    if policy.rules:
        files["given-rules.csv"] = encoded_rules(policy.rules, policy.sensitive, policy.quasi)
    return files
