"""The verbs, whatever the kind: one path for the commands and for Python. Each asks the record of the kind."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sordino.data.codebook import read_codebook
from sordino.data.databases.address import Address, target_of
from sordino.engine.log import logged
from sordino.errors import InputError, did_you_mean
from sordino.kinds import Kind, Source, is_folder, kind_of
from sordino.kinds.labelled import labelled, names_in_policy
from sordino.kinds.naming import named
from sordino.policy.labels import labels_of

if TYPE_CHECKING:
    from sordino.verify.verdict import Verdict

__all__ = ["audit", "check_method", "measure", "named", "protect", "prove", "read", "verify"]

Progress = Callable[[str, int, int], None]


def read(data: object, policy: object = None, kind: Kind | None = None, *, verb: str = "read", **stated: Any) -> Source:
    """The data with all that belongs to them; what is stated (not None) must be of use to the kind."""
    if isinstance(data, Source):
        return data
    if verb != "audit" and is_folder(data):
        raise InputError("this is a folder, not data", where=str(data), hint="Name the file of the records.")
    kind = kind or kind_of(policy, data)
    reader = (kind.load_proofs() if verb == "verify" else kind.load_verbs()).read
    may_spill = stated.pop("may_spill", verb == "audit")  # others need all records
    if may_spill and "may_spill" in inspect.signature(reader).parameters:
        stated["may_spill"] = True
    method = stated.pop("method", None)  # that follows: some need less than all rows
    if method is not None and "method" in inspect.signature(reader).parameters:
        stated["method"] = method
    labels = stated.pop("labels", None)
    book = labels_of(policy) if labels is None else read_codebook(labels)
    source: Source = reader(data, policy, **_fitting(reader, stated, kind, verb))
    return source if book is None or verb == "verify" else replace(source, labels=book)


@logged
def audit(
    data: object,
    policy: Any = None,
    *,
    top: int = 10,
    time_limit: float | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    missing: str = "error",
    **belonging: Any,
) -> Any:
    """What can be inferred; of a release folder, against its own policy unless one is stated."""
    check_missing(missing)
    kind = kind_of(policy, folder=data.folder if isinstance(data, Source) else data)
    source = read(data, policy, kind, verb="audit", **belonging)
    if policy is None and source.folder is None:
        raise InputError("there is no policy", hint="Only a release folder has one of its own.")
    policy = named(policy, source, missing)
    with names_in_policy(source, policy):
        found = kind.load_verbs().audit(
            source, policy, top=top, time_limit=time_limit, jobs=jobs, progress=progress, missing=missing
        )
    return labelled(found, source, policy)


def prove(source: Source, policy: Any, **options: Any) -> bytes:
    """The proof that the policy holds, as a file; only of kinds that have proofs beside their data."""
    kind = kind_of(policy)
    kind.load_proofs()  # or there are none
    verbs: Any = kind.load_verbs()
    return bytes(verbs.prove(source, named(policy, source, options.get("missing", "error")), **options))


@logged
def protect(
    data: object,
    policy: Any,
    *,
    method: str | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    ids: str | None = None,
    missing: str = "error",
    leavers: str | None = None,
    bound: str | None = None,
    written: bool = False,
    options: Mapping[str, Any],
    **belonging: Any,
) -> Any:
    """A version of the data in which the policy holds. `written`: it is going to be written at once (`How`)."""
    check_missing(missing)
    kind = kind_of(policy)
    chosen = check_method(policy, method, options, seed=seed, jobs=jobs, ids=ids)
    verb = kind.load_verbs().protect
    more = _fitting(verb, {"leavers": leavers, "bound": bound}, kind, "protect")
    if written and "written" in inspect.signature(verb).parameters:  # only a hint: kinds need not heed it
        more["written"] = True
    source = read(data, policy, kind, verb="protect", method=chosen.name, **belonging)
    policy = named(policy, source, missing)
    with names_in_policy(source, policy):
        made = verb(
            source, policy, method=chosen, seed=seed, jobs=jobs, progress=progress, ids=ids, missing=missing,
            options=options, **more,
        )  # fmt: skip
    return labelled(made, source, policy)


def check_method(
    policy: object,
    method: str | None,
    options: Mapping[str, Any],
    *,
    seed: int | None,
    jobs: int | None,
    ids: str | None,
) -> Any:
    """The method that is stated, or the default of the kind; an InputError if it does not take what is stated."""
    from sordino.release.numbering import SHUFFLE
    from sordino.release.request import check_request

    kind = kind_of(policy)
    name = method or kind.default_method(policy)
    return check_request(name, options, seed=seed, jobs=jobs, ids=ids or SHUFFLE, kind=kind.name)


@logged
def measure(
    before: object,
    after: object,
    policy: Any = None,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Any:
    """What it cost to get from `before` to `after`, which is data or a release folder."""
    if "missing" in options:
        check_missing(options["missing"])
    held = before.data if isinstance(before, Source) else before
    kind = kind_of(policy, held, folder=after)
    verb = kind.load_verbs().measure
    labels = options.pop("labels", None)
    more = _fitting(verb, options, kind, "measure")
    source = read(before, policy, kind, verb="measure", labels=labels)
    required = named(policy, source, options.get("missing", "error"))
    return labelled(verb(source, after, required, jobs=jobs, progress=progress, **more), source)


@logged
def verify(
    data: object,
    policy: Any = None,
    proof: Any = None,
    *,
    missing: str = "error",
    original: object = None,
    choices: object = None,
    previous: object = None,
    database: str | Address | None = None,
    **form: Any,
) -> Verdict:
    """Whether a release folder is whole and safe; or whether `proof` shows that `policy` holds for `data`.

    With `database`, an address that names a table, also whether that table holds just what is published.
    """
    check_missing(missing)
    if database is not None:
        target = database if isinstance(database, Address) else target_of(database, None)
        if proof is not None or previous is not None or not isinstance(data, str | os.PathLike):
            raise InputError("a table is compared with one release folder")
        return _with_copy(
            data, target, verify(data, policy, missing=missing, original=original, choices=choices, **form)
        )
    form = {name: value for name, value in form.items() if value is not None}
    path = data if isinstance(data, str | os.PathLike) else None
    if previous is not None:
        from sordino.release.check import verify_chain

        if path is None or proof is not None or original is not None or choices is not None or form:
            raise InputError("only release folders can be verified together with earlier ones, by what they publish")
        single = isinstance(previous, str | os.PathLike) or not isinstance(previous, Iterable)
        earlier: list[Any] = [previous] if single else list(previous)  # type: ignore[call-overload]
        for place in (*earlier, path):
            policy = named(policy, Source(None, folder=str(place)), "accept")
        return verify_chain(path, earlier, policy)
    if proof is None and path is not None:
        if missing != "error":
            raise InputError("missing is for data with a proof; what has vanished from a release is no complaint")
        return _verify_folder(path, named(policy, Source(None, folder=str(path)), "accept"), original, choices, form)
    if original is not None or choices is not None or form:
        raise InputError("original and the form of data are for release folders")
    if policy is None or proof is None:
        raise InputError("verify takes a release folder, or data with a policy and a proof")
    kind = kind_of(policy)
    source = read(data, policy, kind, verb="verify")
    verdict: Verdict = kind.load_proofs().verify(source, named(policy, source, missing), proof, missing=missing)
    return verdict


def _with_copy(path: str | os.PathLike[str], target: Address, verdict: Verdict) -> Verdict:
    """The verdict about a folder, and about the table that must hold what it publishes."""
    from sordino.policy.answer import Answer
    from sordino.verify.folder import published_part
    from sordino.verify.manifest_file import read_manifest
    from sordino.verify.table_copy import check_copy

    if verdict.answer is Answer.FAILS:
        return verdict
    publish = published_part(path)
    wrong = check_copy(publish, read_manifest(publish), target)
    if wrong is not None:
        folder = "; the folder itself is as it should be" if verdict.holds else ""
        return replace(verdict, answer=Answer.FAILS, reason=f"{wrong}{folder}")
    same = f"the table '{target.table}' of {target.name} holds just the published data, and says so"
    return replace(verdict, notes=(same, *verdict.notes))


def _verify_folder(
    path: str | os.PathLike[str], policy: Any, original: object, choices: object, form: dict[str, Any]
) -> Verdict:
    from sordino.release.check import verify_folder
    from sordino.verify.folder import published_part
    from sordino.verify.manifest_file import read_manifest

    if "missing_texts" in form:
        form["missing"] = form.pop("missing_texts")
    if choices is None:
        return verify_folder(path, policy, original, **form)
    stated: Any = policy
    if policy is None:
        own: Any = read_manifest(published_part(path)).policy
        stated = replace(own, per_record=None) if hasattr(own, "with_choices") else own
    if not hasattr(stated, "with_choices"):
        raise InputError("people choose for themselves under policies for baskets only")
    required = stated.with_choices(choices)
    verdict = verify_folder(path, required, original, **form)
    if policy is not None:
        return verdict
    return replace(verdict, stated=False, notes=("what people chose is as it was stated", *verdict.notes))


def check_missing(missing: str) -> None:
    """An InputError unless it says what becomes of names that occur nowhere."""
    if missing not in ("error", "accept"):
        raise InputError(f"missing cannot be {missing!r}", hint='Possible: "error", "accept".')


def _fitting(function: Callable[..., Any], stated: Mapping[str, Any], kind: Kind, verb: str) -> dict[str, Any]:
    """What is stated (not None), if the kind takes it all; an InputError otherwise: nothing is ignored."""
    given = {name: value for name, value in stated.items() if value is not None}
    known = [name for name, p in inspect.signature(function).parameters.items() if p.kind is p.KEYWORD_ONLY]
    wrong = [name for name in given if name not in known]
    if wrong:
        near = did_you_mean(wrong[0], known)
        raise InputError(
            f"{verb} has no option '{wrong[0]}' under policies of kind '{kind.name}'.{near}",
            hint=f"Options: {', '.join(known)}.",
        )
    return given
