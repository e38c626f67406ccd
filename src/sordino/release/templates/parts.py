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
from sordino.release.arrow import parquet_bytes
from sordino.release.folder import Parts
from sordino.release.staging import Staging
from sordino.release.templates.result import TableRelease
from sordino.verify.bounded import readable_json
from sordino.verify.manifest import PUBLISH
from sordino.verify.shapes.template import TemplateManifest, absent_values

__all__ = ["template_parts"]


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
    return Parts(manifest, {name: content}, kept, read, form={"missing": data.origin.missing, "kinds": kinds})


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
