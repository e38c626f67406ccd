"""The verbs for inference policies: baskets."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sordino.audit.cautions import cautions
from sordino.audit.in_groups import audit_in_groups, check_parts, needs_all
from sordino.audit.inference import audit_baskets
from sordino.audit.result import AuditResult
from sordino.audit.spilled import audit_spilled
from sordino.data.aligned import align
from sordino.data.baskets import Baskets
from sordino.data.databases.read import in_database
from sordino.data.read import read_baskets
from sordino.data.read_spilled import LARGE, read_spilled
from sordino.data.spilled import Spilled
from sordino.engine.local import Watch, deadline_after, thread_count
from sordino.errors import InputError, PolicyError
from sordino.kinds.naming import expected_in
from sordino.kinds.source import Source, is_folder
from sordino.policy.choices import Choices, read_choices
from sordino.policy.inference import InferencePolicy, ResolvedInference
from sordino.policy.patterns import PatternPolicy
from sordino.protect.registry import Method
from sordino.release.audit_folder import NO_ORIGINAL, audit_folder
from sordino.release.baskets.result import BasketRelease
from sordino.release.numbering import SHUFFLE
from sordino.release.protect import protect_baskets
from sordino.release.reading import coarsened_in, read_release_or_baskets
from sordino.utility.bound import QUICK
from sordino.utility.coarsened_cost import measure_coarsened
from sordino.utility.cost import Cost, measure_cost
from sordino.verify.linked import check_links, check_names, policy_of_all, read_linked, read_previous

__all__ = ["audit", "in_terms", "measure", "protect", "prove", "read"]

Progress = Callable[[str, int, int], None]


def read(
    data: object,
    policy: InferencePolicy | PatternPolicy | None = None,
    *,
    original: object = None,
    choices: Choices | str | os.PathLike[str] | None = None,
    previous: object = None,
    layout: str | None = None,
    record: str | None = None,
    item: str | None = None,
    delimiter: str | None = None,
    missing: Sequence[str] | None = None,
    parts: int | None = None,
    may_spill: bool | None = None,
) -> Source:
    """Baskets from whatever `read_baskets` takes. A release folder is read by its shape, when it is known for what.

    `parts`: they are to be audited in so many groups, one at a time, and are not held if their source can be read in
    pieces. Large Parquet is read so in any case, if it `may_spill`.
    """
    form: dict[str, Any] = {"layout": layout, "record": record, "item": item, "delimiter": delimiter}
    form |= {} if missing is None else {"missing": missing}
    folder = str(data) if is_folder(data) else None
    held: object = None
    if folder is not None and original is None and any(form.values()):
        raise InputError("a release folder knows its own form", where=folder)
    beside = original is not None or choices is not None or previous is not None
    if parts is not None:
        check_parts(parts)
        if beside or folder is not None:
            raise InputError("parts is for one file of records, with nothing beside it", hint="Leave it out.")
    if folder is None:
        held = None
        if (parts or 0) > 1 or (may_spill and parts is None and not beside and not needs_all(policy)):
            held = _spilled(data, form, policy, stated=parts is not None)
        held = held or read_baskets(data, **form, expected=expected_in(policy))
    return Source(
        held,
        form,
        original=None if original is None else read_baskets(original, **form),
        choices=choices if choices is None or isinstance(choices, Choices) else read_choices(choices),
        previous=() if previous is None else read_previous(previous),
        folder=folder,
        parts=parts,
    )


def _spilled(data: object, form: Mapping[str, Any], policy: Any, *, stated: bool) -> Spilled | None:
    if form["delimiter"] is not None:
        return None
    columns = {name: form[name] for name in ("layout", "record", "item", "missing") if name in form}
    held = in_database(data) if not isinstance(data, Baskets) else None
    return read_spilled(
        data if held is None else held, **columns, expected=expected_in(policy), least=0 if stated else LARGE
    )


def in_terms(source: Source, policy: InferencePolicy, missing: str = "error") -> tuple[Baskets, ResolvedInference]:
    """The baskets beside their original, and the policy with the choices in their terms; worked out once."""
    key = (id(policy), missing)
    if key not in source.terms:
        required = policy.with_choices(source.choices)
        _check_demands(required, missing)
        baskets = source.data
        if source.original is not None:
            if not required.personal and required.assurance is None:
                raise InputError(NO_ORIGINAL, hint="Leave the original data out.")
            baskets = align(baskets, source.original)
        source.terms[key] = policy, baskets, required.resolve(baskets, missing=missing)  # the policy, to keep its id
    return source.terms[key][1:]  # type: ignore[no-any-return]


def audit(
    source: Source,
    policy: InferencePolicy | None,
    *,
    top: int = 10,
    time_limit: float | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    missing: str = "error",
) -> AuditResult:
    """What can be inferred from baskets, or from a release folder of them, by its shape.

    With previous releases, what can be inferred from all of them together (audit/joint.py).
    """
    limits: dict[str, Any] = {"top": top, "time_limit": time_limit, "jobs": jobs, "progress": progress}
    if source.previous:
        return _audit_together(source, policy, missing, limits)
    if source.folder is not None:
        if policy is not None:
            policy.with_choices(source.choices)  # if it names some already
        return audit_folder(
            source.folder, policy, choices=source.choices, original=source.original, missing=missing, **limits
        )
    assert policy is not None
    baskets, resolved = in_terms(source, policy, missing)
    if isinstance(baskets, Spilled):
        return replace(audit_spilled(baskets, resolved, source.parts, **limits), cautions=cautions(baskets, resolved))
    if source.parts is not None and source.parts > 1:
        watch = Watch(progress, deadline_after(time_limit))
        number, threads = source.parts, thread_count(jobs)
        found = watch.aside(lambda: audit_in_groups(baskets, resolved, number, jobs=threads, watch=watch, top=top))
        return replace(found, cautions=cautions(baskets, resolved))
    found = audit_baskets(baskets, resolved, original=source.original, surest=True, **limits)
    return replace(found, cautions=cautions(baskets, resolved))


def _audit_together(
    source: Source, policy: InferencePolicy | None, missing: str, limits: Mapping[str, Any]
) -> AuditResult:
    from sordino.audit.joint import audit_joint

    if source.original is not None:
        raise InputError("several releases are judged as they are published: leave original out")
    newest = read_linked(source.data if source.folder is None else source.folder)
    releases = (*source.previous, newest)
    required = policy or policy_of_all(releases)
    if required is None:
        raise InputError("there is no policy", hint="Give --policy FILE, or --sensitive NAMES and --rho NUMBER.")
    required.check_stated()
    people = [release.people for release in releases]
    check_links(people)
    if policy is not None and missing == "error":
        check_names(required, [release.baskets for release in releases])
    return audit_joint([release.baskets for release in releases], people, required, **limits)


def _check_demands(policy: InferencePolicy, missing: str) -> None:
    """A PolicyError if every file would satisfy the policy: it names nothing, and nobody chose anything.

    Whoever says in Python that what is sensitive may be missing accepts that all of it is; the result remarks on it.
    """
    stated = [choices for choices in (policy.per_record, policy.except_for) if choices is not None]
    if missing == "error" and not policy.sensitive and not any(choices.people for choices in stated):
        raise PolicyError(["the policy names nothing as sensitive, so every file would satisfy it"])


def prove(
    source: Source,
    policy: InferencePolicy,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    missing: str = "error",
) -> bytes:
    """The proof of a policy that holds, as `verify` takes it."""
    from sordino.audit.proof import encode_proof, make_proof

    return encode_proof(make_proof(*in_terms(source, policy, missing), jobs=jobs, progress=progress))


def protect(
    source: Source,
    policy: InferencePolicy,
    *,
    method: Method,
    seed: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    ids: str | None = None,
    missing: str = "error",
    options: Mapping[str, Any] | None = None,
    leavers: str | None = None,
    written: bool = False,
    bound: str = QUICK,
) -> BasketRelease:
    """Baskets in which the policy holds; with previous releases, so that they go together with those."""
    required = policy.with_choices(source.choices)
    _check_demands(required, missing)
    how: dict[str, Any] = {
        "method": method.name, "seed": seed, "jobs": jobs, "progress": progress, "ids": ids or SHUFFLE,
        "missing": missing, "options": options, "written": written, "bound": bound,
    }  # fmt: skip
    if source.previous:
        from sordino.release.sequel.protect import protect_sequel

        return protect_sequel(
            source.data, required, source.previous, leavers="report" if leavers is None else leavers, **how
        )
    if leavers is not None:
        raise InputError("leavers is about people who were in previous releases", hint="State previous, too.")
    return protect_baskets(source.data, required, **how)


def measure(
    source: Source,
    after: object,
    policy: InferencePolicy | None,
    *,
    rules: bool = True,
    bound: bool | str = True,
    paired: bool = True,
    jobs: int | None = None,
    progress: Progress | None = None,
    missing: str = "error",
) -> Cost:
    """What it cost to get from the baskets to `after`."""
    old = source.data
    grouped = coarsened_in(after, old)
    if grouped is not None:
        data, own = grouped
        resolved = (policy or own).resolve(old, missing=missing)
        return measure_coarsened(old, data, resolved, rules=rules, paired=paired, progress=progress)
    new, stated = read_release_or_baskets(after, **source.form, before=old)
    policy = policy or stated
    terms = None if policy is None else policy.resolve(old, missing=missing)
    return measure_cost(old, new, policy=terms, rules=rules, bound=bound, paired=paired, jobs=jobs, progress=progress)
