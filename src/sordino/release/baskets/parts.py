"""What a release of baskets puts into its folder.

keep/choices.parquet and keep/exceptions.parquet hold what people chose; of that nothing is published.
keep/records.parquet is there where published numbers do not simply count the records of the input.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import comb
from typing import Any

import numpy as np

from sordino.audit.inference import audit_baskets
from sordino.audit.proof import encode_proof, make_proof
from sordino.audit.result import AuditResult
from sordino.data.baskets import Baskets, Origin
from sordino.data.read import read_like
from sordino.data.write import encoded, file_name, written_form
from sordino.engine.local import Progress, Watch
from sordino.errors import InputError, InternalError
from sordino.policy.file import write_policy
from sordino.policy.inference import InferencePolicy, ResolvedInference
from sordino.policy.inference_file import CHOICES, EXCEPTIONS
from sordino.policy.threshold import show_rational
from sordino.release.basket_seen import seen_of
from sordino.release.check import PUBLISH
from sordino.release.folder import Parts, json_bytes, parquet_bytes, source_name, timeless
from sordino.release.numbering import reordered
from sordino.release.people import DRAWS, draws_of
from sordino.release.result import Release
from sordino.release.shapes.absence import AbsenceManifest
from sordino.release.shapes.inference import PROOF, InferenceManifest
from sordino.release.shapes.promised import PromisedManifest, published_policy
from sordino.release.staging import Staging
from sordino.release.statement import most_known

__all__ = ["basket_parts", "history_of", "kept_files", "seen_of", "stated_form"]

# Before a release is placed the independent verifier looks at no more than so many parts of records; for each item it
# goes over all who have what is beside it, so there is a limit to records times items, too.
CHECKED, CHECKED_TABLE = 50_000_000, 2_000_000_000


@dataclass(frozen=True)
class _Published:
    """The data as they are in the published file, and the policy in their terms: all that publish/ follows from."""

    baskets: Baskets
    resolved: ResolvedInference
    form: Origin
    name: str
    content: bytes


def basket_parts(release: Release, stage: Staging, *, jobs: int | None, progress: Progress | None) -> Parts:
    """Write the data, read them back, audit and prove."""
    watch = Watch(progress)
    published = _write_data(release, stage)
    if release.original is not None:
        return _promised_parts(release, release.original, published, jobs=jobs, progress=progress)
    audit = audit_baskets(published.baskets, published.resolved, jobs=jobs, progress=progress)
    if not audit.holds:
        raise InternalError("the audit of the written file finds that the policy does not hold")
    if release.policy.absent is not None:  # the file is its own proof: whoever doubts it counts
        return Parts(
            AbsenceManifest(**vars(_manifest(published, release))),
            {published.name: published.content},
            kept_files(release, history_of(release, audit)),
            seen_of(published.baskets),
            policy=release.policy,
            form=stated_form(published.form),
        )
    watch.tell("proving", 0, 0)
    proof = encode_proof(make_proof(published.baskets, published.resolved, jobs=jobs, progress=progress))
    history = history_of(release, audit)
    return Parts(
        _manifest(published, release),
        {published.name: published.content, PROOF: proof},
        kept_files(release, history),
        seen_of(published.baskets),
        policy=release.policy,
        form=stated_form(published.form),
    )


def _promised_parts(
    release: Release, original: Baskets, published: _Published, *, jobs: int | None, progress: Progress | None
) -> Parts:
    """Where the published file alone proves nothing: it is audited against what may be known, the original records."""
    back = np.empty(len(original), dtype=np.int64)  # from the order of the file to that of the original
    back[release.number - 1] = np.arange(1, len(original) + 1)
    written = replace(reordered(published.baskets, back), ids=None)
    sampling = release.audit_after.sampling
    audit = audit_baskets(
        written,
        release.policy,
        original=original,
        missing="accept",
        jobs=jobs,
        progress=progress,
        seed=release.seed,
        round_=1 if sampling is None else sampling.round,  # the same data in the same round: no new chance
    )
    if not audit.holds:
        raise InternalError("the audit of the written file finds that the policy does not hold")
    manifest = PromisedManifest(
        method=release.method,
        records=len(published.baskets),
        ids=release.ids,
        file=published.name,
        form=published.form,
        policy=published.resolved.policy,
        thresholds=None,
    )
    history = history_of(release, audit)
    checked = _can_be_checked(written, original, release.policy)
    return Parts(
        manifest,
        {published.name: published.content},
        kept_files(release, history),
        seen_of(published.baskets),
        policy=release.policy,
        original=original if checked else None,
        checked=checked,
        form=stated_form(published.form),
    )


def _can_be_checked(written: Baskets, original: Baskets, policy: InferencePolicy) -> bool:
    """Whether the independent verifier can look at all that is promised before the release is placed."""
    most = most_known(policy)
    if policy.assurance is not None:
        assert most is not None
        number, longest = draws_of(policy.assurance, most, original)
        return number * longest <= DRAWS
    return len(written) * written.distinct_items <= CHECKED_TABLE and _parts_of(written, most) <= CHECKED


def stated_form(form: Origin) -> dict[str, str]:
    """How the records lie in their file, as it is stated to whoever verifies it."""
    stated = {"layout": form.layout, "record": form.record, "item": form.item}
    return {name: value for name, value in stated.items() if value is not None}


def _parts_of(baskets: Baskets, knowledge: int | None) -> int:
    """How many parts the records have that somebody may know, all together."""
    sizes = np.bincount(baskets.lengths).tolist()
    return sum(
        n * sum(comb(size, known) for known in range(1 + min(size, size if knowledge is None else knowledge)))
        for size, n in enumerate(sizes)
    )


def _write_data(release: Release, stage: Staging) -> _Published:
    """Write the data file, and return what is read from it."""
    data = release.published
    name, form = file_name(data.origin), written_form(data, data.origin)
    content = encoded(data, data.origin)
    stage.write(f"{PUBLISH}/{name}", content)
    try:
        read = read_like(stage.new / PUBLISH / name, form)
    except InputError as error:
        raise InternalError(f"the written file cannot be read back: {error.what}") from None
    if read.fingerprint != data.fingerprint:
        raise InternalError("the written file reads back as other records")
    public = published_policy(release.policy, read.names)
    return _Published(read, public.resolve(read, missing="accept"), form, name, content)


def _manifest(published: _Published, release: Release) -> InferenceManifest:
    """Of the release only the names of its choices are used, never a count or an item."""
    return InferenceManifest(
        method=release.method,
        records=len(published.baskets),
        ids=release.ids,
        file=published.name,
        form=published.form,
        policy=published.resolved.policy,
        thresholds=None if release.policy.adaptive is False else published.resolved.thresholds,
    )


def history_of(release: Release, audit: AuditResult) -> dict[str, Any]:
    """The content of keep/audit.json."""
    origin = release.data.origin
    adaptive = {}
    if release.policy.adaptive is not False:
        sides = (("before", release.thresholds_before), ("after", release.thresholds_after))
        adaptive = {"thresholds": {side: {e: show_rational(rho) for e, rho in t.items()} for side, t in sides}}
    return {
        "data": {"file": source_name(origin.path), "sha256": origin.sha256},
        "method": release.method,
        "seed": release.seed,
        "options": dict(release.options),
        "ids": release.ids,
        "before": timeless(release.audit_before.to_dict()),
        "after": timeless(audit.to_dict()),
        "utility": timeless(release.utility.to_dict()),
        "remarks": list(release.remarks),
        **adaptive,
    }


def kept_files(release: Release, history: Mapping[str, Any]) -> dict[str, bytes]:
    files = {
        "changes.parquet": parquet_bytes(release.changes),
        "audit.json": json_bytes(history),
        "policy.toml": write_policy(release.policy).encode("utf-8", "surrogatepass"),
    }
    for name, choices in ((CHOICES, release.policy.per_record), (EXCEPTIONS, release.policy.except_for)):
        if choices is not None:
            files[name] = parquet_bytes(choices.to_arrow())
    numbers = release.numbers()
    return files if numbers is None else {**files, "records.parquet": parquet_bytes(numbers)}
