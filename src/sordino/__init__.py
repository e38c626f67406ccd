"""sordino: publish data about people, and prove that what must stay quiet cannot be inferred from it.

Verbs: `audit`, `protect`, `verify`, `measure`, `compare`, `mine`. Data: `read_baskets`, `Baskets`; `read_table`,
`Table`. Requirements: `InferencePolicy`, `TemplatePolicy`, `DiversityPolicy`, `read_policy`.
Everything heavy is imported when it is first used.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, overload

# The rooms `audit`, `compare`, `protect` and `verify` share their names with verbs. Loading the (empty) packages before
# the functions are defined leaves the verbs as attributes of sordino, and the rooms importable as ever.
import sordino.audit
import sordino.compare
import sordino.protect
import sordino.verify  # noqa: F401
from sordino.version import VERSION

if TYPE_CHECKING:
    from sordino.audit.result import AuditResult, Finding
    from sordino.audit.template_result import TemplateAudit
    from sordino.compare.result import Comparison
    from sordino.data.baskets import Baskets
    from sordino.data.grouped import read_groups
    from sordino.data.hierarchy import Hierarchy
    from sordino.data.read import read_baskets
    from sordino.data.read_hierarchy import read_hierarchy
    from sordino.data.read_table import read_table
    from sordino.data.table import Table
    from sordino.errors import SordinoError
    from sordino.knowledge.mined import MinedRules
    from sordino.policy.diversity import DiversityPolicy
    from sordino.policy.file import read_policy
    from sordino.policy.inference import InferencePolicy
    from sordino.policy.kinds import Policy
    from sordino.policy.rules import NegativeRule
    from sordino.policy.template import Template, TemplatePolicy
    from sordino.policy.threshold import Rational
    from sordino.release.baskets.result import BasketRelease
    from sordino.release.result import Release
    from sordino.release.templates.result import TableRelease
    from sordino.verify.verdict import Verdict

__version__ = VERSION
__all__ = [
    "AuditResult",
    "Baskets",
    "Comparison",
    "DiversityPolicy",
    "Finding",
    "Hierarchy",
    "InferencePolicy",
    "NegativeRule",
    "Release",
    "SordinoError",
    "Table",
    "Template",
    "TemplatePolicy",
    "Verdict",
    "audit",
    "build_hierarchy",
    "compare",
    "measure",
    "mine",
    "protect",
    "read_baskets",
    "read_groups",
    "read_hierarchy",
    "read_policy",
    "read_table",
    "verify",
]

_LAZY = {
    "AuditResult": "sordino.audit.result",
    "Baskets": "sordino.data.baskets",
    "Comparison": "sordino.compare.result",
    "DiversityPolicy": "sordino.policy.diversity",
    "Finding": "sordino.audit.result",
    "Hierarchy": "sordino.data.hierarchy",
    "InferencePolicy": "sordino.policy.inference",
    "NegativeRule": "sordino.policy.rules",
    "Release": "sordino.release.result",
    "SordinoError": "sordino.errors",
    "Table": "sordino.data.table",
    "Template": "sordino.policy.template",
    "TemplatePolicy": "sordino.policy.template",
    "Verdict": "sordino.verify.verdict",
    "read_baskets": "sordino.data.read",
    "read_groups": "sordino.data.grouped",
    "read_hierarchy": "sordino.data.read_hierarchy",
    "read_policy": "sordino.policy.file",
    "read_table": "sordino.data.read_table",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'sordino' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _read(policy: Any) -> Any:
    """The policy; or, if it is the path of one, what is written there."""
    if not isinstance(policy, str | os.PathLike):
        return policy
    from sordino.policy.file import read_policy

    return read_policy(os.fspath(policy))


@overload
def audit(
    data: object,
    policy: InferencePolicy,
    *,
    top: int = ...,
    time_limit: float | None = ...,
    jobs: int | None = ...,
    progress: Callable[[str, int, int], None] | None = ...,
    missing: str = ...,
    original: object = ...,
    previous: object = ...,
) -> AuditResult: ...
@overload
def audit(
    data: object,
    policy: TemplatePolicy,
    *,
    top: int = ...,
    time_limit: float | None = ...,
    jobs: int | None = ...,
    progress: Callable[[str, int, int], None] | None = ...,
    missing: str = ...,
) -> TemplateAudit: ...
@overload
def audit(
    data: object,
    policy: Policy | str | os.PathLike[str],
    *,
    top: int = ...,
    time_limit: float | None = ...,
    jobs: int | None = ...,
    progress: Callable[[str, int, int], None] | None = ...,
    missing: str = ...,
    original: object = ...,
    previous: object = ...,
) -> Any: ...
def audit(
    data: object,
    policy: Policy | str | os.PathLike[str],
    *,
    top: int = 10,
    time_limit: float | None = None,
    jobs: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    missing: str = "error",
    original: object = None,
    previous: object = None,
) -> Any:
    """What can be inferred from `data`, about how many people, by whom.

    `data` is whatever the reader for the policy's kind takes: `read_baskets` for an inference policy, `read_table` for
    the others. `policy` may also be the path of a policy.toml. The result has `holds`, `to_dict()` and findings in
    plain words. `original` are the records from which `data` were made: where people chose for themselves, an adversary
    knows items of those. `previous` are earlier releases of the same people, folders or data, the oldest first: then it
    is about what can be inferred from all of them together by someone who links their rows.
    """
    from sordino.kinds import check_missing, fitting, verbs_of

    required = _read(policy)
    check_missing(missing)
    verb = verbs_of(required).audit
    given = {"original": original, "previous": previous}
    more = fitting(verb, {name: value for name, value in given.items() if value is not None}, required.kind)
    return verb(data, required, top=top, time_limit=time_limit, jobs=jobs, progress=progress, missing=missing, **more)


@overload
def protect(data: object, policy: InferencePolicy, **options: Any) -> BasketRelease: ...
@overload
def protect(data: object, policy: TemplatePolicy, **options: Any) -> TableRelease: ...
@overload
def protect(data: object, policy: Policy | str | os.PathLike[str], **options: Any) -> Any: ...
def protect(
    data: object,
    policy: Policy | str | os.PathLike[str],
    *,
    method: str | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    ids: str | None = None,
    missing: str = "error",
    previous: object = None,
    leavers: str | None = None,
    **options: Any,
) -> Any:
    """A version of `data` in which `policy` holds, and that loses as little as the method can manage.

    `data` is whatever the reader for the policy's kind takes. Without a method, the one that suits the kind is taken:
    "mine" for baskets, "disclosure" for templates, "injector" for diversity. The same seed gives the same bytes,
    whatever the number of jobs; without one, a secret seed is drawn, which only `keep/` tells.
    `ids` says what becomes of record ids and order: "shuffle" (the default) publishes records and rows in random order
    with new numbers; "renumber" keeps the order of the source, which may link records to people; "keep" keeps its ids,
    too.
    `previous` are earlier releases of the same people, folders with their `keep` part, the oldest first: what they show
    of people stays as it is, and `release.joint` is the audit of all together; leavers="keep" publishes the old rows of
    those who left once more. Other options belong to the method. What comes back has passed the audit;
    `release.write(folder)` publishes it.
    """
    from sordino.kinds import check_missing, fitting, verbs_of

    required = _read(policy)
    check_missing(missing)
    verb = verbs_of(required).protect
    given = {"previous": previous, "leavers": leavers}
    more = fitting(verb, {name: value for name, value in given.items() if value is not None}, required.kind)
    return verb(
        data,
        required,
        method=method,
        seed=seed,
        jobs=jobs,
        progress=progress,
        ids=ids,
        missing=missing,
        options=options,
        **more,
    )


def build_hierarchy(data: object, *, by: str = "balanced", fanout: int = 5) -> Hierarchy:
    """A hierarchy of the items of `data`: by "balanced" (order of names), "frequency", "cooccurrence" (needs SciPy)."""
    from sordino.data.build_hierarchy import build_hierarchy
    from sordino.data.read import read_baskets

    return build_hierarchy(read_baskets(data), by=by, fanout=fanout)


def verify(
    data: object,
    policy: Policy | str | os.PathLike[str] | None = None,
    proof: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    *,
    missing: str = "error",
    original: object = None,
    previous: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | None = None,
    **form: Any,
) -> Verdict:
    """Whether a release folder is whole and safe; or whether `proof` shows that `policy` holds for `data`.

    With a folder alone, its files, its words and its own policy are checked; a policy that is stated must be that of
    the folder, and what it demands is taken from it alone. Otherwise `proof` is the content of a proof, or the path of
    its file. Shares no code with the audit and the methods, only the readers and writers of files and the meaning of
    policies. A release or a proof that is damaged, or about other data, gives a verdict that fails; what could not be
    looked at gives "not checked". Promises about the data before protection need the `original`. `form` says how data
    lie in a file where that is not found: layout, record, item, delimiter; missing_texts, of tables; and `key`, the
    public key that a folder must be signed by. A folder that continues `previous` ones (the oldest first) is also
    checked together with those.
    """
    from sordino.errors import InputError, PolicyError

    required = _read(policy)
    if previous is not None:
        from sordino.release.check import verify_chain

        if proof is not None or original is not None or not isinstance(data, str | os.PathLike):
            raise InputError("only release folders can be verified together with earlier ones")
        earlier = [previous] if isinstance(previous, str | os.PathLike) else list(previous)
        return verify_chain(data, earlier, required)
    if proof is None and isinstance(data, str | os.PathLike):
        from sordino.release.check import verify_folder

        if missing != "error":
            raise InputError("missing is for data with a proof; what has vanished from a release is no complaint")
        if "missing_texts" in form:
            form["missing"] = form.pop("missing_texts")
        return verify_folder(data, required, original, **form)
    if original is not None or form:
        raise InputError("original and the form of data are for release folders")
    if required is None or proof is None:
        raise InputError("verify takes a release folder, or data with a policy and a proof")
    from sordino.data.read import read_baskets
    from sordino.kinds import check_missing
    from sordino.policy.inference import InferencePolicy
    from sordino.verify.proof import load_proof, verify_baskets

    if not isinstance(required, InferencePolicy):
        raise InputError("only baskets have proofs beside them; verify the release folder instead")
    if required.absent is not None:
        raise InputError(
            "a proof by alibis says nothing about knowledge of what people do not have",
            hint='A release folder under absent = "any" needs no proof: verify the folder.',
        )
    if required.personal or required.assurance is not None:
        raise InputError("there are no proofs for personal choices or sampled assurance; verify the release folder")
    check_missing(missing)
    baskets = read_baskets(data)
    try:
        resolved = required.resolve(baskets, missing=missing)
    except PolicyError:
        content = proof if isinstance(proof, Mapping) else load_proof(proof)
        if content.get("data") == baskets.fingerprint:
            raise
        # Other data than the proof is about: that, and not an item that they lack, is the first thing to say.
        resolved = required.resolve(baskets, missing="accept")
    return verify_baskets(baskets, resolved.comparison, resolved.knowledge, proof)


def measure(
    before: object,
    after: object,
    policy: Policy | str | os.PathLike[str] | None = None,
    *,
    jobs: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    missing: str = "error",
    **options: Any,
) -> Any:
    """What it cost to get from `before` to `after`.

    Both are whatever the reader for the policy's kind takes; `after` may also be a release folder, whose own policy is
    taken unless one is stated. Without any policy they are baskets, unless both are a `Table`. For baskets (deletions,
    distribution of items, association rules, least loss), record k after must be a part of record k before;
    paired=False measures only what does not need that, rules=False and bound=False leave out what takes long.
    """
    from sordino.kinds import check_missing, fitting, verbs_for_measure

    policy = _read(policy)
    check_missing(missing)
    verbs = verbs_for_measure(before, after, policy)
    kind = verbs.__name__.rpartition(".")[2]  # type: ignore[attr-defined]  # the module of the kind
    if missing != "error":
        options["missing"] = missing
    options = dict(fitting(verbs.measure, options, kind))
    return verbs.measure(before, after, policy, jobs=jobs, progress=progress, **options)


def mine(
    data: object,
    *,
    sensitive: str,
    quasi: Iterable[str],
    hierarchies: Mapping[str, object] | None = None,
    min_expectation: Rational = "0.9",
    min_confidence: Rational = "1",
    max_conditions: int | None = None,
    everything: bool = False,
    fuzzy: Iterable[str] | None = None,
    jobs: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> MinedRules:
    """The negative rules that a table teaches: nobody who is such has that value of the sensitive column.

    `data` is whatever `read_table` takes. X is a combination of values of the columns `quasi`, or of groups of values
    that `hierarchies` (column -> path or Hierarchy) name; numeric columns with a hierarchy are fuzzy unless `fuzzy`
    lists others. Only rules that no more general one implies, unless `everything` is wanted. `rules.write("rules.csv")`
    writes them for people to edit; a DiversityPolicy takes them back.
    """
    from sordino.data.read_table import read_table
    from sordino.knowledge.mined import mine_table

    return mine_table(
        read_table(data),
        sensitive=sensitive,
        quasi=quasi,
        hierarchies=hierarchies,
        min_expectation=min_expectation,
        min_confidence=min_confidence,
        max_conditions=max_conditions,
        everything=everything,
        fuzzy=fuzzy,
        jobs=jobs,
        progress=progress,
    )


def compare(
    data: object,
    policy: Policy | str | os.PathLike[str],
    *,
    methods: Iterable[str] | None = None,
    rho: Iterable[object] | None = None,
    at_most: Iterable[object] | None = None,
    l: Iterable[object] | None = None,  # noqa: E741 - the name of the literature
    prefer: str = "loss",
    out: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    seed: int = 0,
    jobs: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    missing: str = "error",
) -> Comparison:
    """Which method and threshold to choose: every method at every threshold, ranked, with one recommended.

    A method may have options: "jia:heuristic=dist". The thresholds are `rho` for baskets, `at_most` for templates (all
    get the same), `l` for diversity; the policy's own if none is stated. They are exact: "0.3", "1/3". `prefer` says
    what is to be best: "loss", and "distribution" or "rules" for baskets, "cells" or "class" for templates,
    "confidence" or "rules" for diversity. With `out`, comparison.csv, .json and .html are written there, and finished
    runs are kept there and not repeated.
    """
    from sordino.compare.request import stated_thresholds
    from sordino.compare.run import CELLS, check_folder, compare_data
    from sordino.compare.store import Store
    from sordino.kinds import check_missing

    required = _read(policy)
    check_missing(missing)
    thresholds = stated_thresholds(required, {"rho": rho, "at_most": at_most, "l": l})
    folder = None if out is None else check_folder(out)
    comparison = compare_data(
        data,
        required,
        methods=methods,
        thresholds=thresholds,
        prefer=prefer,
        seed=seed,
        jobs=jobs,
        progress=progress,
        missing=missing,
        store=Store(None if folder is None else folder / CELLS, fresh=fresh),
    )
    if folder is not None:
        comparison.write(folder)
    return comparison
