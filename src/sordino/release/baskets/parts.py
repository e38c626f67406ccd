"""What a release of baskets puts into its folder.

keep/choices.parquet and keep/exceptions.parquet hold what people chose; of that nothing is published.
keep/records.parquet is there where published numbers do not simply count the records of the input.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from sordino.audit.by_parts import audit_by_parts
from sordino.audit.inference import audit_baskets
from sordino.audit.inquiry import Inquiry
from sordino.audit.proof import encode_proof, make_proof
from sordino.audit.result import AuditResult
from sordino.data.aligned import reordered
from sordino.data.baskets import Baskets, Origin
from sordino.data.read import read_like
from sordino.data.write import encoded, file_name, written_form
from sordino.engine.local import Progress, Watch, thread_count
from sordino.errors import InputError, InternalError
from sordino.policy.file import write_policy
from sordino.policy.inference import InferencePolicy, ResolvedInference
from sordino.policy.inference_file import CHOICES, EXCEPTIONS
from sordino.policy.promise import most_known
from sordino.policy.threshold import show_rational
from sordino.release.arrow import parquet_bytes
from sordino.release.baskets.large import is_large
from sordino.release.baskets.result import BasketRelease
from sordino.release.folder import Parts
from sordino.release.staging import Staging
from sordino.verify.bounded import readable_json
from sordino.verify.manifest import PUBLISH
from sordino.verify.people import DRAWS, draws_of
from sordino.verify.shapes.absence import AbsenceManifest
from sordino.verify.shapes.inference import PROOF, InferenceManifest
from sordino.verify.shapes.promised import PromisedManifest, published_policy

__all__ = ["Written", "basket_parts", "parts_of", "write_records"]

# Before a release is placed the independent verifier looks at no more than so many parts of records; for each item it
# goes over all who have what is beside it, so there is a limit to records times items, too.
CHECKED, CHECKED_TABLE = 50_000_000, 2_000_000_000
UNSAFE = "the audit of the written file finds that the policy does not hold"


@dataclass(frozen=True)
class Written:
    """The records as they are in the published file: all that publish/ follows from, beside the policy."""

    baskets: Baskets
    form: Origin
    name: str
    content: bytes


def basket_parts(release: BasketRelease, stage: Staging, jobs: int | None, progress: Progress | None) -> Parts:
    """Write the data, read them back, audit and prove."""
    written = write_records(release, stage)
    public = published_policy(release.policy, written.baskets.names)
    if release.original is not None:
        return _promised_parts(release, release.original, written, public, jobs, progress)
    resolved = public.resolve(written.baskets, missing="accept")
    if is_large(written.baskets, release.policy, release.options):
        by_parts = _proved_parts(release, written, resolved, jobs, progress)
        if by_parts is not None:
            audit, proof = by_parts
            release.audited(audit)
            return parts_of(release, written, InferenceManifest, public, resolved.thresholds, audit, proof)
    kept: list[Inquiry] = []  # what the audit found, for the proof
    audit = audit_baskets(written.baskets, resolved, jobs=jobs, progress=progress, keep=kept.append)
    if not audit.holds:
        raise InternalError(UNSAFE)
    release.audited(audit)
    made: type[InferenceManifest] = AbsenceManifest
    proof = {}  # the file is its own proof: whoever doubts it counts
    if release.policy.absent is None:
        watch = Watch(progress)
        watch.step("proof")
        watch.report("proving", 0, 0)
        made = InferenceManifest
        found = kept[0] if kept else None
        document = make_proof(written.baskets, resolved, jobs=jobs, progress=progress, inquiry=found)
        proof = {PROOF: encode_proof(document)}
    return parts_of(release, written, made, public, resolved.thresholds, audit, proof)


def _proved_parts(
    release: BasketRelease,
    written: Written,
    resolved: ResolvedInference,
    jobs: int | None,
    progress: Progress | None,
) -> tuple[AuditResult, dict[str, bytes]] | None:
    """The audit of the written file part by part, and its proof; None if that does not do."""
    watch, number = Watch(progress), int(str(release.options["parts"]))

    def work() -> tuple[AuditResult, dict[str, bytes]] | None:
        found = audit_by_parts(written.baskets, resolved, number, jobs=thread_count(jobs), watch=watch)
        if found is None:
            return None
        watch.step("proof")
        watch.report("proving", 0, 0)
        return found[0], {PROOF: found[1].encoded(written.baskets, resolved)}

    return watch.aside(work)


def _promised_parts(
    release: BasketRelease,
    original: Baskets,
    written: Written,
    public: InferencePolicy,
    jobs: int | None,
    progress: Progress | None,
) -> Parts:
    """Where the published file alone proves nothing: it is audited against what may be known, the original records."""
    back = np.empty(len(original), dtype=np.int64)  # from the order of the file to that of the original
    back[release.number - 1] = np.arange(1, len(original) + 1)
    judged = replace(reordered(written.baskets, back), ids=None)
    sampling = release.audit_after.sampling
    audit = audit_baskets(
        judged,
        release.policy,
        original=original,
        missing="accept",
        jobs=jobs,
        progress=progress,
        seed=release.seed,
        round_=1 if sampling is None else sampling.round,  # the same data in the same round: no new chance
    )
    if not audit.holds:
        raise InternalError(UNSAFE)
    checked = _can_be_checked(judged, original, release.policy)
    parts = parts_of(release, written, PromisedManifest, public, None, audit)
    return replace(parts, original=original if checked else None, checked=checked)


def _can_be_checked(written: Baskets, original: Baskets, policy: InferencePolicy) -> bool:
    """Whether the independent verifier can look at all that is promised before the release is placed."""
    most = most_known(policy)
    if policy.assurance is not None:
        assert most is not None
        number, longest = draws_of(policy.assurance, most, original)
        return number * longest <= DRAWS
    return len(written) * written.distinct_items <= CHECKED_TABLE and _parts_of(written, most) <= CHECKED


def _parts_of(baskets: Baskets, knowledge: int | None) -> int:
    """How many parts the records have that somebody may know, all together."""
    sizes = np.bincount(baskets.lengths).tolist()
    return sum(
        n * sum(comb(size, known) for known in range(1 + min(size, size if knowledge is None else knowledge)))
        for size, n in enumerate(sizes)
    )


def write_records(release: BasketRelease, stage: Staging) -> Written:
    """Write the data file, and return what is read from it."""
    data = release.published
    name, form = file_name(data.origin), written_form(data, data.origin)
    content = encoded(data, data.origin)
    stage.write(f"{PUBLISH}/{name}", content)
    try:
        read = read_like(stage.new / PUBLISH / name, form)
    except InputError as error:
        raise InternalError(f"the written file cannot be read back: {error.what}") from None
    if not _same_records(read, data):
        raise InternalError("the written file reads back as other records")
    return Written(read, form, name, content)


def _same_records(one: Baskets, other: Baskets) -> bool:
    """Whether the records are the same, in the same order; found out without hashing, where the codes agree."""
    alike = np.array_equal(one.indptr, other.indptr) and np.array_equal(one.items, other.items)
    return (alike and one.names == other.names) or one.fingerprint == other.fingerprint


def parts_of(
    release: BasketRelease,
    written: Written,
    made: type[InferenceManifest],
    public: InferencePolicy,
    thresholds: Mapping[str, Fraction] | None,
    audit: AuditResult,
    files: Mapping[str, bytes] | None = None,
) -> Parts:
    """The parts of a release with a manifest of this shape; `files`: what is published beside the data.

    Of the release the manifest takes only the names of its choices, never a count or an item.
    """
    form = written.form
    manifest = made(
        method=release.method,
        records=len(written.baskets),
        ids=release.ids,
        file=written.name,
        form=form,
        policy=public,
        thresholds=None if release.policy.adaptive is False else thresholds,
    )
    stated = {"layout": form.layout, "record": form.record, "item": form.item}
    return Parts(
        manifest,
        {written.name: written.content, **(files or {})},
        _kept_files(release, audit),
        written.baskets,
        policy=release.policy,
        form={name: value for name, value in stated.items() if value is not None},
    )


def _kept_files(release: BasketRelease, audit: AuditResult) -> dict[str, bytes]:
    history: dict[str, Any] = {**release.history(audit), "ids": release.ids, "remarks": list(release.remarks)}
    if release.policy.adaptive is not False:
        sides = (("before", release.thresholds_before), ("after", release.thresholds_after))
        history["thresholds"] = {side: {e: show_rational(rho) for e, rho in t.items()} for side, t in sides}
    files = {
        "changes.parquet": parquet_bytes(release.changes),
        "audit.json": readable_json(history),
        "policy.toml": write_policy(release.policy).encode("utf-8", "surrogatepass"),
    }
    for name, choices in ((CHOICES, release.policy.per_record), (EXCEPTIONS, release.policy.except_for)):
        if choices is not None:
            files[name] = parquet_bytes(choices.to_arrow())
    numbers = release.numbers()
    return files if numbers is None else {**files, "records.parquet": parquet_bytes(numbers)}
