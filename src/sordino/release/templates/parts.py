"""What a release of a table under templates puts into its folder.

keep/hierarchy_<n>.csv are the hierarchies that keep/policy.toml names; keep/records.parquet leads from shuffled rows
back to those of the input.
"""

from __future__ import annotations

import csv
import io
from concurrent.futures import Future, ThreadPoolExecutor

from sordino.audit.template import audit_table
from sordino.audit.template_result import TemplateAudit
from sordino.data.hierarchy import Hierarchy
from sordino.data.read_table import read_table
from sordino.data.write_table import encoded_table, table_file_name, table_format
from sordino.engine.local import Progress
from sordino.errors import InputError, InternalError
from sordino.policy.template_file import write
from sordino.release.check import PUBLISH
from sordino.release.folder import Parts, json_bytes, parquet_bytes, source_name, timeless
from sordino.release.shapes.template import TemplateManifest, absent_values
from sordino.release.staging import Staging
from sordino.release.table_result import TableRelease
from sordino.release.table_seen import seen_in_table

__all__ = ["template_parts"]


def template_parts(release: TableRelease, stage: Staging, *, progress: Progress | None) -> Parts:
    """Write the data, read them back and audit what was read; the changes are encoded meanwhile, on a thread."""
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
        raise InternalError("the audit of the written file finds that the policy does not hold")
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
    seen = seen_in_table(read, policy.symbol)
    return Parts(manifest, {name: content}, kept, seen, form={"missing": data.origin.missing, "kinds": kinds})


def _kept_files(release: TableRelease, audit: TemplateAudit, changes: bytes) -> dict[str, bytes]:
    history = {
        "kind": "template",
        "data": {"file": source_name(release.data.origin.path), "sha256": release.data.origin.sha256},
        "method": release.method,
        "seed": release.seed,
        "ids": release.ids,
        "options": dict(release.options),
        "before": timeless(release.audit_before.to_dict()),
        "after": timeless(audit.to_dict()),
        "utility": timeless(release.utility.to_dict()),
    }
    trees = {name: f"hierarchy_{k}.csv" for k, name in enumerate(release.policy.hierarchies, start=1)}
    numbers = release.numbers()
    return {
        "changes.parquet": changes,
        **({} if numbers is None else {"records.parquet": parquet_bytes(numbers)}),
        "audit.json": json_bytes(history),
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
