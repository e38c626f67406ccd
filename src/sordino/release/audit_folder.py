"""The audit of a release folder of baskets, by its shape, and beside the original records where these matter."""

from __future__ import annotations

import os
from collections.abc import Set
from dataclasses import replace
from pathlib import Path

from sordino.audit.inference import audit_baskets
from sordino.audit.result import AuditResult
from sordino.data.aligned import align
from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.data.permuted import Permuted
from sordino.engine.local import Progress
from sordino.errors import InputError, PolicyError
from sordino.policy.choices import Choices, unknown_records
from sordino.policy.inference import InferencePolicy, ResolvedInference
from sordino.release.coarsened.audit import audit_coarsened
from sordino.release.reading import read_folder
from sordino.verify.folder import published_part
from sordino.verify.keep import as_in_source, beside_original, house_policy
from sordino.verify.manifest_file import read_manifest
from sordino.verify.shapes.inference import InferenceManifest
from sordino.verify.shapes.permuted import ONLY_SO_FAR
from sordino.verify.shapes.promised import AS_PUBLISHED, NO_CHOICES, OTHER_NAMES

__all__ = ["NO_ORIGINAL", "audit_folder"]

SHOWN = 5  # names in a message
NO_ORIGINAL = (
    "original data are of use only where people chose for themselves, or under a sampled assurance: under this policy "
    "what is published decides alone"
)


def audit_folder(
    folder: str | os.PathLike[str],
    policy: InferencePolicy | None = None,
    *,
    choices: Choices | None = None,
    original: Baskets | None = None,
    missing: str = "error",
    top: int = 10,
    time_limit: float | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> AuditResult:
    """The audit of a release, against its own policy or another one: at leaf knowledge if it is generalized, and for
    the weaker promise if it is permuted.

    The release's own policy is the one in `keep`, with what people chose, if the folder has that part; else the one
    that was published. `choices` are added to it, or to the policy that is stated. Sensitive items of its own that are
    gone from the release are nothing to complain of; of a stated policy they are, unless missing="accept". What cannot
    be looked at, because the choices or the original records are not there, gives the answer "not checked".
    """
    data, published = read_folder(folder)
    stated = policy is not None
    manifest = read_manifest(published_part(folder))
    own = house_policy(folder, manifest)
    assert isinstance(own, InferencePolicy)
    remarks = []
    if policy is None and choices is None:
        missing = "accept"  # what it lacks, it lacks on purpose
    if policy is None:
        policy = own
        if own is not manifest.policy:
            told = ", with what people chose" if own.personal else ""
            remarks.append(f"The policy is the one in keep/policy.toml{told}.")
    else:
        policy.check_stated()
    if stated and missing == "error":
        _check_names(policy, data, {*own.sensitive, *published.sensitive})
    if choices is not None:
        policy = replace(policy, per_record=choices)
    if isinstance(data, Baskets):
        result = _audit_records(
            published_part(folder), data, policy, original, missing, top=top, time_limit=time_limit, jobs=jobs,
            progress=progress,
        )  # fmt: skip
    else:
        _check_groups(policy, data, os.fspath(folder))
        if original is not None:
            raise InputError(NO_ORIGINAL, hint="Leave the original data out.")
        result = audit_coarsened(data, policy, top=top, time_limit=time_limit, jobs=jobs, progress=progress)
        if stated and result.reach and result.holds:
            result = replace(result, holds=False, unchecked=(_sentence(ONLY_SO_FAR),))
    return replace(result, remarks=(*remarks, *result.remarks))


def _audit_records(
    publish: Path,
    data: Baskets,
    policy: InferencePolicy,
    original: Baskets | None,
    missing: str,
    *,
    top: int,
    time_limit: float | None,
    jobs: int | None,
    progress: Progress | None,
) -> AuditResult:
    """The audit of published records, beside the original ones where these matter."""
    manifest = read_manifest(publish)
    assert isinstance(manifest, InferenceManifest)
    known = policy.only(data.names)  # what else it names was looked for, and is gone
    if not policy.personal and policy.assurance is None:
        if original is not None:
            raise InputError(NO_ORIGINAL, hint="Leave the original data out.")
        return audit_baskets(data, known, top=top, time_limit=time_limit, jobs=jobs, progress=progress, surest=True)
    if _untold(policy):
        return _unchecked(data, policy, _sentence(NO_CHOICES))
    named = as_in_source(publish, data, manifest.ids)
    if original is None:
        if named is None and policy.personal:
            return _unchecked(data, policy, _sentence(OTHER_NAMES))
        judged = named or data
        resolved = _resolved(known, judged, missing)
        result = audit_baskets(judged, resolved, top=top, time_limit=time_limit, jobs=jobs, progress=progress)
        bounds = dict.fromkeys(result.exact, False)  # who had what was deleted may be at risk, too
        return replace(result, holds=False, unchecked=(*result.unchecked, _sentence(AS_PUBLISHED)), exact=bounds)
    judged, same_order = beside_original(named, data, original, manifest.ids)
    if same_order:
        judged = align(judged, original)
    resolved = _resolved(known, judged, missing)
    return audit_baskets(
        judged, resolved, top=top, time_limit=time_limit, jobs=jobs, progress=progress, original=original,
        same_order=False,
    )  # fmt: skip


def _sentence(reason: str) -> str:
    """A reason of the verifier, as an audit tells it."""
    return f"{reason[0].upper()}{reason[1:]}."


def _resolved(policy: InferencePolicy, baskets: Baskets, missing: str) -> ResolvedInference:
    """The policy in the terms of published records: chosen items may have gone, people may not, unless accepted."""
    if missing == "error":
        problems = unknown_records(baskets, policy.per_record, policy.except_for)
        if problems:
            raise PolicyError(problems)
    return policy.resolve(baskets, missing="accept")


def _untold(policy: InferencePolicy) -> bool:
    """Whether the policy says that people chose, but not who or what."""
    stated = [choices for choices in (policy.per_record, policy.except_for) if choices is not None]
    return policy.personal and not any(choices.people for choices in stated)


def _unchecked(data: Baskets, policy: InferencePolicy, why: str) -> AuditResult:
    """The result where nothing could be looked at."""
    sizes = ("1", "2", "3", "more")
    return AuditResult(
        holds=False,
        records=len(data),
        items=data.distinct_items,
        people_at_risk=0,
        exposure_by_knowledge=dict.fromkeys(sizes, 0),
        findings=(),
        proved_items=0,
        searched_items=0,
        seconds=0.0,
        knowledge=policy.knowledge,
        sensitive_items=len(policy.sensitive),
        exact=dict.fromkeys(("people_at_risk", *sizes), False),
        personal=policy.personal,
        unchecked=(why,),
    )


def _check_names(policy: InferencePolicy, data: Baskets | Generalized | Permuted, own: Set[str]) -> None:
    """A PolicyError if the policy names sensitive items of which neither the data nor the release's policy know."""
    baskets = data if isinstance(data, Baskets) else data.baskets
    here = {name for name, n in zip(baskets.names, baskets.supports.tolist(), strict=True) if n} | own
    if isinstance(data, Permuted):
        here |= data.supports().keys()
    if isinstance(data, Generalized):
        here |= data.hierarchy.leaf_of.keys()
    absent = [name for name in policy.sensitive if name not in here]
    problems = [f"sensitive item '{name}' occurs neither in the release nor in its policy" for name in absent[:SHOWN]]
    if len(absent) > SHOWN:
        problems.append(f"so it is with {len(absent) - SHOWN:,} more of {len(policy.sensitive):,} sensitive items")
    if problems:
        raise PolicyError(problems)


def _check_groups(policy: InferencePolicy, data: Generalized | Permuted, where: str) -> None:
    """An InputError if a release in groups cannot be judged by this policy."""
    if policy.personal or policy.assurance is not None:
        raise InputError(
            "a release in groups can be judged only by a policy that is the same for all people, and is not sampled",
            where=where,
        )
    named = set(policy.sensitive)
    if isinstance(data, Generalized) and not named.isdisjoint(data.hierarchy.leaf_of):
        raise InputError("the release generalizes an item that this policy calls sensitive", where=where)
    if isinstance(data, Permuted):
        supports = data.baskets.supports.tolist()
        shown = {name for name, n in zip(data.baskets.names, supports, strict=True) if n}
        if not named.isdisjoint(shown):
            raise InputError("the release shows whose an item is that this policy calls sensitive", where=where)
