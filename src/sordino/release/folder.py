"""Writing a release folder: stage, read back, audit, prove, verify; and only then put it in place.

    OUT/publish/   data.<as the input>, README.txt, proof.json.gz, manifest.json: all that leaves the house
    OUT/keep/      changes.parquet, audit.json, policy.toml, and records.parquet where published numbers do not simply
                   count the records of the input: stays, because it would disclose what was suppressed

Whatever is computed for `publish/` is computed from the bytes of the published data file and from the policy, which is
the user's own text; `_Published` is all that those functions get to see.
"""

from __future__ import annotations

import io
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sordino.audit.inference import audit_baskets
from sordino.audit.proof import encode_proof, make_proof
from sordino.audit.result import AuditResult
from sordino.data.baskets import Baskets, Origin
from sordino.data.read import read_baskets
from sordino.data.write import encoded, file_name, written_form
from sordino.engine.local import Progress, Watch
from sordino.errors import InputError, InternalError
from sordino.policy.file import write_policy
from sordino.policy.inference import InferencePolicy, ResolvedInference
from sordino.release.check import PUBLISH, verify_folder
from sordino.release.manifest import MANIFEST, PROOF, README, Manifest, describe, encode
from sordino.release.readme import readme
from sordino.release.result import Release
from sordino.release.staging import KEEP, Staging, check_target, staged

__all__ = ["write_release"]


@dataclass(frozen=True)
class _Published:
    """The data as they are in the published file, and the policy in their terms."""

    baskets: Baskets
    resolved: ResolvedInference
    form: Origin
    name: str
    content: bytes


def write_release(
    release: Release,
    folder: str | os.PathLike[str],
    *,
    force: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Path:
    """Write the release, and return where it is. It is there whole, audited and verified, or nothing has changed."""
    watch = Watch(progress)
    target = check_target(folder, force=force, sources=(release.data.origin.path,))
    watch.tell("writing", 0, 0)
    with staged(target) as stage:
        published = _write_data(release, stage)
        audit = audit_baskets(published.baskets, published.resolved, jobs=jobs, progress=progress)
        if not audit.holds:
            raise InternalError("the audit of the written file finds that the policy does not hold")
        watch.tell("proving", 0, 0)
        proof = encode_proof(make_proof(published.baskets, published.resolved, jobs=jobs, progress=progress))
        for name, content in _published_files(published, proof, release).items():
            stage.write(f"{PUBLISH}/{name}", content)
        for name, content in _kept_files(release, audit).items():
            stage.write(f"{KEEP}/{name}", content)
        watch.tell("verifying", 0, 0)
        verdict = verify_folder(stage.new, release.policy)
        if not verdict.holds:
            raise InternalError(f"the independent verifier refuses the release: {verdict.reason}")
        stage.place(force=force)
    return target


def _write_data(release: Release, stage: Staging) -> _Published:
    """Write the data file, and return what is read from it."""
    data = release.published
    name, form = file_name(data.origin), written_form(data, data.origin)
    content = encoded(data, data.origin)
    stage.write(f"{PUBLISH}/{name}", content)
    try:
        read = read_baskets(stage.new / PUBLISH / name, layout=form.layout, record=form.record, item=form.item)
    except InputError as error:
        raise InternalError(f"the written file cannot be read back: {error.what}") from None
    if read.fingerprint != data.fingerprint:
        raise InternalError("the written file reads back as other records")
    return _Published(read, release.policy.resolve(read, missing="accept"), form, name, content)


def _published_files(published: _Published, proof: bytes, release: Release) -> dict[str, bytes]:
    """README, proof and manifest. Of the release only the names of its choices are used, never a count or an item."""
    policy: InferencePolicy = release.policy
    manifest = Manifest(
        method=release.method,
        records=len(published.baskets),
        ids=release.ids,
        file=published.name,
        form=published.form,
        policy=policy,
        thresholds=None if policy.adaptive is False else published.resolved.thresholds,
    )
    files = {README: readme(manifest).encode("utf-8", "surrogatepass"), PROOF: proof}
    entries = {name: describe(content) for name, content in {**files, published.name: published.content}.items()}
    return {**files, MANIFEST: encode(replace(manifest, files=entries))}


def _kept_files(release: Release, audit: AuditResult) -> dict[str, bytes]:
    history = {
        "method": release.method,
        "seed": release.seed,
        "options": dict(release.options),
        "ids": release.ids,
        "before": _timeless(release.audit_before.to_dict()),
        "after": _timeless(audit.to_dict()),
        "utility": _timeless(release.utility.to_dict()),
    }
    files = {
        "changes.parquet": _parquet(release.changes),
        "audit.json": (json.dumps(history, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass"),
        "policy.toml": write_policy(release.policy).encode("utf-8", "surrogatepass"),
    }
    numbers = release.numbers()
    return files if numbers is None else {**files, "records.parquet": _parquet(numbers)}


def _timeless(result: dict[str, Any]) -> dict[str, Any]:
    """The result without the time it took, so that the same run writes the same bytes."""
    return {key: value for key, value in result.items() if key != "seconds"}


def _parquet(table: Any) -> bytes:
    from pyarrow import parquet

    sink = io.BytesIO()
    parquet.write_table(table, sink, compression="snappy")
    return sink.getvalue()
