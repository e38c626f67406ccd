"""What a release of a table under templates puts into its folder.

keep/hierarchy_<n>.csv are the hierarchies that keep/policy.toml names; keep/records.parquet leads from shuffled rows
back to those of the input.
"""

from __future__ import annotations

import csv
import io
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

from sordino.audit.template import audit_table
from sordino.audit.template_result import TemplateAudit
from sordino.data.hierarchy import Hierarchy
from sordino.data.read_counted import read_again
from sordino.data.read_table import read_table
from sordino.data.table import Column, Table
from sordino.data.write_table import encoded_table, table_file_name, table_format
from sordino.engine.local import Progress, Watch
from sordino.errors import InputError, InternalError
from sordino.policy.template_file import write
from sordino.release.arrow import parquet_bytes
from sordino.release.folder import Parts
from sordino.release.numbering import SHUFFLE
from sordino.release.staging import Staging
from sordino.release.templates.result import StreamedRelease, TableRelease
from sordino.release.templates.streamed import checksum, rewrite
from sordino.verify.bounded import readable_json
from sordino.verify.manifest import KEEP, PUBLISH
from sordino.verify.shapes.template import TemplateManifest, absent_values

__all__ = ["streamed_parts", "template_parts"]

REFUSED = "the audit of the written file finds that the policy does not hold"


def template_parts(release: TableRelease, stage: Staging, jobs: int | None, progress: Progress | None) -> Parts:
    """Write the data, read them back and audit what was read; the changes are encoded meanwhile, on a thread."""
    del jobs  # counting takes one thread
    with ThreadPoolExecutor(1) as pool:
        changes = pool.submit(parquet_bytes, release.changes)
        return _parts(release, stage, changes, progress)


def _parts(release: TableRelease, stage: Staging, changes: Future[bytes], progress: Progress | None) -> Parts:
    data, policy = release.published, release.policy
    name, form = table_file_name(data.origin), table_format(data.origin)
    content = encoded_table(data)
    stage.write(f"{PUBLISH}/{name}", content)
    kinds = {n: kind for n, kind in data.origin.kinds if n in data.names and data.column(n).kind == kind}
    try:
        read = read_table(
            stage.new / PUBLISH / name,
            delimiter=data.origin.delimiter if form == "csv" else None,
            missing=data.origin.missing,
            kinds=kinds or None,
        )
    except InputError as error:
        raise InternalError(f"the written file cannot be read back: {error.what}") from None
    if not read.same_cells(data):
        raise InternalError("the written file reads back as another table")
    audit = audit_table(read, policy, progress=progress, missing="accept")
    if not audit.holds:
        raise InternalError(REFUSED)
    manifest = TemplateManifest(
        method=release.method,
        records=len(read),
        file=name,
        ids=release.ids,
        policy=policy,
        format=form,
        delimiter=data.origin.delimiter,
        missing=data.origin.missing,
        kinds=kinds,
        columns=read.names,
        absent=absent_values(policy, read),
    )
    kept = _kept_files(release, audit, changes.result())
    return Parts(manifest, {name: content}, kept, read, form={"missing": data.origin.missing, "kinds": kinds})


def streamed_parts(release: StreamedRelease, stage: Staging, jobs: int | None, progress: Progress | None) -> Parts:
    """Rewrite the rows of the source, read back what was written, and audit it."""
    del jobs
    watch = Watch(progress)
    return watch.aside(lambda: _streamed(release, stage, watch))


def _streamed(release: StreamedRelease, stage: Staging, watch: Watch) -> Parts:
    source, policy = release.source, release.policy
    name, missing = "data.parquet", source.origin.missing
    seed = release.seed if release.ids == SHUFFLE else None
    watch.report("writing rows", 0, 0)
    with ExitStack() as stack:
        data = stack.enter_context(stage.opened(f"{PUBLISH}/{name}"))
        numbers = None if seed is None else stack.enter_context(stage.opened(f"{KEEP}/records.parquet"))
        written = rewrite(source, release.data, seed, data, numbers)
    watch.report("reading back", 0, 0)
    path = stage.new / PUBLISH / name
    read = read_again(path, source.names, missing)
    if read.all_names != source.all_names or checksum(read) != written:
        raise InternalError("the written file reads back as another table")
    if not _same_counts(read, release.data):
        raise InputError("the source changed while it was read", where=source.origin.path)
    audit = audit_table(read, policy, progress=watch.progress, missing="accept")
    if not audit.holds:
        raise InternalError(REFUSED)
    manifest = TemplateManifest(
        method=release.method,
        records=read.people,
        file=name,
        ids=release.ids,
        policy=policy,
        format="parquet",
        delimiter=",",
        missing=missing,
        kinds={},
        columns=read.all_names,
        absent=absent_values(policy, read),
    )
    kept = _kept_files(release, audit, parquet_bytes(release.changes))
    return Parts(manifest, {name: path}, kept, read, form={"missing": missing})


def _same_counts(one: Table, other: Table) -> bool:
    """Whether every column shows the same texts in as many rows."""

    def shown(column: Column) -> dict[str | None, int]:
        counts: dict[str | None, int] = {t: n for t, n in zip(column.texts, column.counts.tolist(), strict=True) if n}
        return {**counts, None: column.lacking}

    return one.people == other.people and all(
        shown(one.column(name)) == shown(other.column(name)) for name in one.names
    )


def _kept_files(release: TableRelease, audit: TemplateAudit, changes: bytes) -> dict[str, bytes]:
    history = {"kind": "template", **release.history(audit), "ids": release.ids}
    trees = {name: f"hierarchy_{k}.csv" for k, name in enumerate(release.policy.hierarchies, start=1)}
    numbers = release.numbers()
    return {
        "changes.parquet": changes,
        **({} if numbers is None else {"records.parquet": parquet_bytes(numbers)}),
        "audit.json": readable_json(history),
        "policy.toml": write(release.policy, trees).encode("utf-8", "surrogatepass"),
        **{file: _paths(release.policy.hierarchies[name]) for name, file in trees.items()},
    }


def _paths(tree: Hierarchy) -> bytes:
    """A hierarchy as value;group;..;root, a line a leaf; short paths repeat their leaf."""
    sink = io.StringIO()
    writer = csv.writer(sink, delimiter=";", lineterminator="\n")
    height = tree.height + 1
    for path in tree.paths():
        writer.writerow([*[path[0]] * (height - len(path)), *path])
    return sink.getvalue().encode("utf-8", "surrogatepass")
