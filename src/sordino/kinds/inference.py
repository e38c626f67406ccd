"""The verbs for inference policies: baskets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sordino.audit.inference import audit_baskets
from sordino.audit.result import AuditResult
from sordino.data.baskets import Baskets
from sordino.data.read import read_baskets
from sordino.errors import InputError, PolicyError
from sordino.policy.inference import InferencePolicy
from sordino.protect.registry import default_method
from sordino.release.audit_folder import NO_ORIGINAL, audit_folder
from sordino.release.baskets.result import BasketRelease
from sordino.release.numbering import SHUFFLE
from sordino.release.protect import protect_baskets
from sordino.release.reading import coarsened_in, is_folder, read_release_or_baskets
from sordino.release.request import check_request
from sordino.utility.coarsened_cost import measure_coarsened
from sordino.utility.cost import Cost, measure_cost

__all__ = ["audit", "measure", "protect", "read"]

Progress = Callable[[str, int, int], None]


def read(data: object, **form: Any) -> Baskets:
    """Baskets from whatever `read_baskets` takes."""
    return read_baskets(data, **form)


def audit(
    data: object,
    policy: InferencePolicy,
    *,
    top: int = 10,
    time_limit: float | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    missing: str = "error",
    original: object = None,
    previous: object = None,
) -> AuditResult:
    """What can be inferred from baskets, or from a release folder of them, by its shape.

    With `previous` releases, what can be inferred from all of them together (audit/joint.py).
    """
    if previous is not None:
        if original is not None:
            raise InputError("several releases are judged as they are published: leave original out")
        from sordino.audit.joint import audit_joint
        from sordino.verify.linked import check_links, check_names, read_linked, read_previous

        releases = (*read_previous(previous), read_linked(data))
        people = [release.people for release in releases]
        check_links(people)
        if missing == "error":
            check_names(policy, [release.baskets for release in releases])
        return audit_joint(
            [release.baskets for release in releases], people, policy, top=top, time_limit=time_limit, jobs=jobs,
            progress=progress,
        )  # fmt: skip
    before = None if original is None else read_baskets(original)
    if is_folder(data):
        return audit_folder(
            str(data), policy, original=before, missing=missing, top=top, time_limit=time_limit, jobs=jobs,
            progress=progress,
        )  # fmt: skip
    _check_demands(policy)
    if before is not None and not policy.personal and policy.assurance is None:
        raise InputError(NO_ORIGINAL, hint="Leave the original data out.")
    return audit_baskets(
        read_baskets(data, expected=policy.sensitive),
        policy,
        top=top,
        time_limit=time_limit,
        jobs=jobs,
        progress=progress,
        missing=missing,
        original=before,
    )


def _check_demands(policy: InferencePolicy) -> None:
    """A PolicyError if every file would satisfy the policy: it names nothing, and nobody chose anything."""
    stated = [choices for choices in (policy.per_record, policy.except_for) if choices is not None]
    if not policy.sensitive and not any(choices.people for choices in stated):
        raise PolicyError(["the policy names nothing as sensitive, so every file would satisfy it"])


def protect(
    data: object,
    policy: InferencePolicy,
    *,
    method: str | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    ids: str | None = None,
    missing: str = "error",
    options: Mapping[str, Any] | None = None,
    previous: object = None,
    leavers: str | None = None,
) -> BasketRelease:
    """Baskets in which the policy holds; with `previous` releases, so that they go together with those."""
    _check_demands(policy)
    method, ids = method or default_method("inference", absent=policy.absent is not None), ids or SHUFFLE
    check_request(method, options or {}, seed=seed, jobs=jobs, ids=ids)
    if previous is None and leavers is not None:
        raise InputError("leavers is about people who were in previous releases", hint="State previous, too.")
    if previous is not None:
        from sordino.release.sequel.protect import protect_sequel
        from sordino.verify.linked import read_previous

        return protect_sequel(
            read_baskets(data, expected=policy.sensitive), policy, read_previous(previous), method=method, seed=seed,
            jobs=jobs, progress=progress, ids=ids, missing=missing, options=options,
            leavers="report" if leavers is None else leavers,
        )  # fmt: skip
    return protect_baskets(
        read_baskets(data, expected=policy.sensitive),
        policy,
        method=method,
        seed=seed,
        jobs=jobs,
        progress=progress,
        ids=ids,
        missing=missing,
        options=options,
    )


def measure(
    before: object,
    after: object,
    policy: InferencePolicy | None = None,
    *,
    rules: bool = True,
    bound: bool = True,
    paired: bool = True,
    jobs: int | None = None,
    progress: Progress | None = None,
    missing: str = "error",
) -> Cost:
    """What it cost to get from `before` to `after`."""
    old = read_baskets(before, expected=() if policy is None else policy.sensitive)
    grouped = coarsened_in(after, old)
    if grouped is not None:
        data, own = grouped
        resolved = (policy or own).resolve(old, missing=missing)
        return measure_coarsened(old, data, resolved, rules=rules, paired=paired, progress=progress)
    new, stated = read_release_or_baskets(after, before=old)
    policy = policy or stated
    terms = None if policy is None else policy.resolve(old, missing=missing)
    return measure_cost(old, new, policy=terms, rules=rules, bound=bound, paired=paired, jobs=jobs, progress=progress)
