"""sordino: publish data about people, and prove that what must stay quiet cannot be inferred from it.

Verbs: `inspect`, `audit`, `protect`, `verify`, `measure`, `compare`, `rules`. Data: `read_baskets`, `Baskets`;
`read_table`, `Table`; `read_groups`; `read_hierarchy`, `build_hierarchy`, `Hierarchy`. Requirements: `InferencePolicy`,
`TemplatePolicy` of `Template`s, `DiversityPolicy`, `read_policy`; `Assurance`, `NegativeRule`. Results: `AuditResult`,
`Finding`, `Release`, `Verdict`, `Comparison`, with an `Answer` each. What goes wrong is a `SordinoError`. `Background`
runs any of it beside you.

These names, in `__all__`, are the public face; whatever else lies in the modules below may change in any version.
Everything heavy is imported when it is first used.

`sordino.audit`, `sordino.protect`, `sordino.verify` and `sordino.compare` are functions. There are rooms of the house
with the same names: `import sordino.audit.inference` loads such a module, and leaves the function where it is.
"""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

# The rooms `audit`, `compare`, `protect` and `verify` share their names with verbs. Loading the (empty) packages before
# the functions are defined leaves the verbs as attributes of sordino, and the rooms importable as ever.
import sordino.audit
import sordino.compare
import sordino.protect
import sordino.verify  # noqa: F401
from sordino.version import VERSION

if TYPE_CHECKING:
    from sordino.audit.diversity_result import DiversityResult
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
    from sordino.engine.background import Background
    from sordino.errors import InputError, PolicyError, SordinoError, Unsatisfiable
    from sordino.inspection.result import Inspection
    from sordino.knowledge.mined import MinedRules
    from sordino.policy.answer import Answer
    from sordino.policy.assurance import Assurance
    from sordino.policy.diversity import DiversityPolicy
    from sordino.policy.inference import InferencePolicy
    from sordino.policy.kinds import Policy
    from sordino.policy.rules import NegativeRule
    from sordino.policy.template import Template, TemplatePolicy
    from sordino.policy.threshold import Rational
    from sordino.release.baskets.result import BasketRelease
    from sordino.release.diversity.result import DiversityRelease
    from sordino.release.templates.result import TableRelease
    from sordino.verify.verdict import Verdict

    _Stated = Policy | str | os.PathLike[str]  # a policy, or the path of one

__version__ = VERSION
_LAZY = {
    "Answer": "sordino.policy.answer",
    "Assurance": "sordino.policy.assurance",
    "AuditResult": "sordino.audit.result",
    "Background": "sordino.engine.background",
    "Baskets": "sordino.data.baskets",
    "Comparison": "sordino.compare.result",
    "DiversityPolicy": "sordino.policy.diversity",
    "Finding": "sordino.audit.result",
    "Hierarchy": "sordino.data.hierarchy",
    "InferencePolicy": "sordino.policy.inference",
    "InputError": "sordino.errors",
    "NegativeRule": "sordino.policy.rules",
    "PolicyError": "sordino.errors",
    "Release": "sordino.release.result",
    "SordinoError": "sordino.errors",
    "Table": "sordino.data.table",
    "Template": "sordino.policy.template",
    "TemplatePolicy": "sordino.policy.template",
    "Unsatisfiable": "sordino.errors",
    "Verdict": "sordino.verify.verdict",
    "read_baskets": "sordino.data.read",
    "read_groups": "sordino.data.grouped",
    "read_hierarchy": "sordino.data.read_hierarchy",
    "read_table": "sordino.data.read_table",
}
__all__ = [
    "Answer",
    "Assurance",
    "AuditResult",
    "Background",
    "Baskets",
    "Comparison",
    "DiversityPolicy",
    "Finding",
    "Hierarchy",
    "InferencePolicy",
    "InputError",
    "NegativeRule",
    "PolicyError",
    "Release",
    "SordinoError",
    "Table",
    "Template",
    "TemplatePolicy",
    "Unsatisfiable",
    "Verdict",
    "audit",
    "build_hierarchy",
    "compare",
    "inspect",
    "measure",
    "protect",
    "read_baskets",
    "read_groups",
    "read_hierarchy",
    "read_policy",
    "read_table",
    "rules",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'sordino' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted((*__all__, "__version__"))


def _read(policy: Any) -> Any:
    """The policy; or, if it is the path of one, what is written there."""
    return read_policy(policy) if isinstance(policy, str | os.PathLike) else policy


def _held(data: object, query: str | None, table: str | None) -> object:
    """The data with the query or table that is stated for them, as one thing."""
    if query is None and table is None:
        return data
    from sordino.data.databases.read import queried

    return queried(data, query, table)


def read_policy(path: str | os.PathLike[str]) -> Policy:
    """The policy in a policy.toml; every problem in it is reported at once."""
    from sordino.kinds import read_policy

    return read_policy(path)


@overload
def audit(data: object, policy: InferencePolicy, **options: Any) -> AuditResult: ...
@overload
def audit(data: object, policy: TemplatePolicy, **options: Any) -> TemplateAudit: ...
@overload
def audit(data: object, policy: DiversityPolicy, **options: Any) -> DiversityResult: ...
@overload
def audit(data: object, policy: _Stated | None = ..., **options: Any) -> Any: ...
def audit(  # type: ignore[misc]  # the signatures above leave the options to this one
    data: object,
    policy: _Stated | None = None,
    *,
    top: int = 10,
    time_limit: float | None = None,
    jobs: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    missing: str = "error",
    original: object = None,
    previous: object = None,
    query: str | None = None,
    table: str | None = None,
    layout: str | None = None,
    record: str | None = None,
    item: str | None = None,
    delimiter: str | None = None,
    labels: object = None,
    parts: int | None = None,
) -> Any:
    """What can be inferred from `data`, about how many people, by whom.

    `data` is whatever the reader for the policy's kind takes: `read_baskets` for an inference policy, `read_table` for
    the others; or a release folder, which has a policy of its own. `policy` may also be the path of a policy.toml. The
    result has `holds`, `to_dict()` and findings in plain words. `original` are the data from which `data` were made:
    where people chose for themselves, an adversary knows items of those; of a grouped table, the rules that they teach.
    `previous` are earlier releases of the same people, folders or data, the oldest first: then it is about what can be
    inferred from all of them together by someone who links their rows. `layout`, `record`, `item` and `delimiter` say
    how records lie in the data, as `read_baskets` takes them: `audit(frame, policy, record="user", item="product")`. If
    `data` is a database (an address, a file, a connection), `query` or `table` says what of it. `parts` audits the
    records in so many groups, one at a time: the counts are the same, and Parquet and databases are read in pieces, so
    that they need not fit. Parquet with a million rows or more is audited so in any case, unless parts=1. `labels` is a
    code book by which the result names codes: a CSV file (code, name; of tables column, code, name), or a mapping.
    """
    from sordino.kinds import verbs

    return verbs.audit(
        _held(data, query, table), _read(policy),
        top=top, time_limit=time_limit, jobs=jobs, progress=progress, missing=missing,
        original=original, previous=previous, layout=layout, record=record, item=item, delimiter=delimiter,
        labels=labels,
        parts=parts,
    )  # fmt: skip


@overload
def protect(data: object, policy: InferencePolicy, **options: Any) -> BasketRelease: ...
@overload
def protect(data: object, policy: TemplatePolicy, **options: Any) -> TableRelease: ...
@overload
def protect(data: object, policy: DiversityPolicy, **options: Any) -> DiversityRelease: ...
@overload
def protect(data: object, policy: _Stated, **options: Any) -> Any: ...
def protect(
    data: object,
    policy: _Stated,
    *,
    method: str | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    ids: str | None = None,
    missing: str = "error",
    previous: object = None,
    leavers: str | None = None,
    bound: str | None = None,
    query: str | None = None,
    table: str | None = None,
    layout: str | None = None,
    record: str | None = None,
    item: str | None = None,
    delimiter: str | None = None,
    labels: object = None,
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
    those who left once more. bound="thorough" looks more closely how little had to be lost. `layout`, `record`, `item`
    and `delimiter` say how records lie in the data; if it is a database, `query` or `table` says what of it. `labels`
    is a code book, as of `audit`: the names are for the house, and never in what is published. Other options belong to
    the method. What comes back has passed the audit; `release.write(folder)` publishes it, and `release.to_pandas()`,
    `.to_polars()`, `.to_arrow()` give what is published as a frame.
    """
    from sordino.kinds import verbs

    return verbs.protect(
        _held(data, query, table), _read(policy),
        method=method, seed=seed, jobs=jobs, progress=progress, ids=ids, missing=missing,
        previous=previous, leavers=leavers, bound=bound, options=options, layout=layout, record=record, item=item,
        delimiter=delimiter, labels=labels,
    )  # fmt: skip


def verify(
    data: object,
    policy: _Stated | None = None,
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
    public key that a folder must be signed by; `database`, an address with the name of a table (?table=NAME), which
    must hold just what is published. A folder that continues `previous` ones (the oldest first) is also
    checked together with those.
    """
    from sordino.kinds import verbs

    return verbs.verify(data, _read(policy), proof, missing=missing, original=original, previous=previous, **form)


def measure(
    before: object,
    after: object,
    policy: _Stated | None = None,
    *,
    jobs: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    **options: Any,
) -> Any:
    """What it cost to get from `before` to `after`.

    `labels` is a code book, as of `audit`. Both are whatever the reader for the policy's kind takes; `after` may also
    be a release folder, whose own policy is taken unless one is stated. Without any policy they are baskets, unless
    `before` is a `Table`. For baskets (deletions, distribution of items, association rules, least loss), record k after
    must be a part of record k before; paired=False measures only what does not need that, rules=False and bound=False
    leave out what takes long, bound="thorough" takes longer for a closer bound. Of tables under templates, errors=True
    also measures the prediction of the class. missing="accept" is for policies that name what no longer occurs.
    """
    from sordino.kinds import verbs

    return verbs.measure(before, after, _read(policy), jobs=jobs, progress=progress, **options)


def inspect(
    data: object,
    *,
    layout: str | None = None,
    record: str | None = None,
    item: str | None = None,
    delimiter: str | None = None,
    missing: Sequence[str] | None = None,
    top: int = 5,
    labels: object = None,
) -> Inspection:
    """How `data` would be read, why, and what may not be as it seems: print it, or look at it in a notebook.

    `data` is whatever `read_baskets` or `read_table` takes; the options are theirs. `top` records are shown: what it
    shows are contents of records. `labels` is a code book, as of `audit`.
    """
    from sordino.inspection.look import inspect

    return inspect(
        data, layout=layout, record=record, item=item, delimiter=delimiter, missing=missing, top=top, labels=labels
    )


def build_hierarchy(data: object, *, by: str = "balanced", fanout: int = 5) -> Hierarchy:
    """A hierarchy of the items of `data`: by "balanced" (order of names), "frequency", "cooccurrence" (needs SciPy)."""
    from sordino.data.build_hierarchy import build_hierarchy
    from sordino.data.read import read_baskets

    return build_hierarchy(read_baskets(data), by=by, fanout=fanout)


def compare(
    data: object,
    policy: _Stated,
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
    bound: str | None = None,
    query: str | None = None,
    table: str | None = None,
    layout: str | None = None,
    record: str | None = None,
    item: str | None = None,
    delimiter: str | None = None,
) -> Comparison:
    """Which method and threshold to choose: every method at every threshold, ranked, with one recommended.

    A method may have options: "jia:heuristic=dist". The thresholds are `rho` for baskets, `at_most` for templates (all
    get the same), `l` for diversity; the policy's own if none is stated. They are exact: "0.3", "1/3". `prefer` says
    what is to be best: "loss", and "distribution" or "rules" for baskets, "cells" or "class" for templates,
    "confidence" or "rules" for diversity. With `out`, comparison.csv, .json and .html are written there, and finished
    runs are kept there and not repeated. bound="thorough" looks more closely how little can be lost. `layout`,
    `record`, `item` and `delimiter` say how records lie in the data; if it is a database, `query` or `table` says what
    of it.
    """
    from sordino.compare.run import CELLS, check_folder, compare_data, stated_thresholds
    from sordino.compare.store import Store
    from sordino.kinds import verbs

    required = _read(policy)
    thresholds = stated_thresholds(required, {"rho": rho, "at_most": at_most, "l": l})
    folder = None if out is None else check_folder(out)
    form: dict[str, Any] = {"layout": layout, "record": record, "item": item, "delimiter": delimiter}
    comparison = compare_data(
        verbs.read(_held(data, query, table), required, verb="compare", **form),
        required,
        methods=methods,
        thresholds=thresholds,
        prefer=prefer,
        seed=seed,
        jobs=jobs,
        progress=progress,
        missing=missing,
        store=Store(None if folder is None else folder / CELLS, fresh=fresh),
        bound=bound,
    )
    if folder is not None:
        comparison.write(folder)
    return comparison


def rules(
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
    query: str | None = None,
    table: str | None = None,
) -> MinedRules:
    """The negative rules that a table teaches: nobody who is such has that value of the sensitive column.

    `data` is whatever `read_table` takes. X is a combination of values of the columns `quasi`, or of groups of values
    that `hierarchies` (column -> path or Hierarchy) name; numeric columns with a hierarchy are fuzzy unless `fuzzy`
    lists others. Only rules that no more general one implies, unless `everything` is wanted. `rules.write("rules.csv")`
    writes them for people to edit; a DiversityPolicy takes them back.
    """
    from sordino.data.read_table import read_table
    from sordino.engine.log import logged
    from sordino.knowledge.mined import mine_table

    return logged(mine_table, "rules")(
        read_table(data, query=query, table=table),
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


def mine(data: object, **options: Any) -> MinedRules:
    """The old name of `rules`, for one version more."""
    warnings.warn("sordino.mine is now called sordino.rules", DeprecationWarning, stacklevel=2)
    return rules(data, **options)
