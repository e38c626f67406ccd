"""sordino: publish data about people, and prove that what must stay quiet cannot be inferred from it.

Verbs: `audit`, `protect`, `verify`, `measure`, `compare`. Data: `read_baskets`, `Baskets`; `read_table`, `Table`.
Requirements: `InferencePolicy`, `read_policy`.
Everything heavy is imported when it is first used.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

# The rooms `audit`, `compare` and `protect` share their names with verbs. Loading the (empty) packages before the
# functions are defined leaves the verbs as attributes of sordino, and the rooms importable as ever.
import sordino.audit
import sordino.compare
import sordino.protect  # noqa: F401
from sordino.version import VERSION

if TYPE_CHECKING:
    from sordino.audit.result import AuditResult, Finding
    from sordino.compare.result import Comparison
    from sordino.data.baskets import Baskets
    from sordino.data.hierarchy import Hierarchy
    from sordino.data.read import read_baskets
    from sordino.data.read_hierarchy import read_hierarchy
    from sordino.data.read_table import read_table
    from sordino.data.table import Table
    from sordino.errors import SordinoError
    from sordino.policy.file import read_policy
    from sordino.policy.inference import InferencePolicy
    from sordino.release.result import Release
    from sordino.release.verify import Verdict
    from sordino.utility.cost import Cost

__version__ = VERSION
__all__ = [
    "AuditResult",
    "Baskets",
    "Comparison",
    "Finding",
    "Hierarchy",
    "InferencePolicy",
    "Release",
    "SordinoError",
    "Table",
    "Verdict",
    "audit",
    "compare",
    "measure",
    "protect",
    "read_baskets",
    "read_hierarchy",
    "read_policy",
    "read_table",
    "verify",
]

_LAZY = {
    "AuditResult": "sordino.audit.result",
    "Baskets": "sordino.data.baskets",
    "Comparison": "sordino.compare.result",
    "Finding": "sordino.audit.result",
    "Hierarchy": "sordino.data.hierarchy",
    "InferencePolicy": "sordino.policy.inference",
    "Release": "sordino.release.result",
    "SordinoError": "sordino.errors",
    "Table": "sordino.data.table",
    "Verdict": "sordino.release.verify",
    "read_baskets": "sordino.data.read",
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


def audit(
    data: object,
    policy: InferencePolicy,
    *,
    top: int = 10,
    time_limit: float | None = None,
    jobs: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    missing: str = "error",
) -> AuditResult:
    """What can be inferred from `data`, about how many people, by whom.

    `data` is whatever `read_baskets` takes: a path, a frame, a sparse matrix, a list of sets, or Baskets.
    """
    from sordino.audit.inference import audit_baskets
    from sordino.data.read import read_baskets

    return audit_baskets(
        read_baskets(data), policy, top=top, time_limit=time_limit, jobs=jobs, progress=progress, missing=missing
    )


def protect(
    data: object,
    policy: InferencePolicy,
    *,
    method: str = "mine",
    seed: int = 0,
    jobs: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    ids: str = "renumber",
    missing: str = "error",
    **options: Any,
) -> Release:
    """A version of `data` in which `policy` holds, and that loses as little as the method can manage.

    `data` is whatever `read_baskets` takes. The same seed gives the same bytes, whatever the number of jobs. `ids`
    says what becomes of record ids and order: "renumber", "shuffle" or "keep". Other options belong to the method.
    What comes back has passed the audit; `release.write(folder)` publishes it.
    """
    from sordino.data.read import read_baskets
    from sordino.release.protect import check_request, protect_baskets

    check_request(method, options, seed=seed, jobs=jobs, ids=ids)
    return protect_baskets(
        read_baskets(data),
        policy,
        method=method,
        seed=seed,
        jobs=jobs,
        progress=progress,
        ids=ids,
        missing=missing,
        options=options,
    )


def verify(
    data: object,
    policy: InferencePolicy | None = None,
    proof: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    *,
    missing: str = "error",
) -> Verdict:
    """Whether a release folder is whole and safe; or whether `proof` shows that `policy` holds for `data`.

    With a folder alone, its files, its policy and its proof are checked; a policy that is stated must be the folder's
    own. Otherwise `proof` is the content of a proof, or the path of its file. Shares no code with the audit. A release
    or a proof that is damaged, or about other data, gives a verdict that does not hold.
    """
    from sordino.errors import InputError, PolicyError

    if proof is None and isinstance(data, str | os.PathLike):
        from sordino.release.check import verify_folder

        return verify_folder(data, policy)
    if policy is None or proof is None:
        raise InputError("verify takes a release folder, or data with a policy and a proof")
    from sordino.data.read import read_baskets
    from sordino.release.verify import load_proof, verify_baskets

    baskets = read_baskets(data)
    try:
        resolved = policy.resolve(baskets, missing=missing)
    except PolicyError:
        content = proof if isinstance(proof, Mapping) else load_proof(proof)
        if content.get("data") == baskets.fingerprint:
            raise
        # Other data than the proof is about: that, and not an item that they lack, is the first thing to say.
        resolved = policy.resolve(baskets, missing="accept")
    return verify_baskets(baskets, resolved.comparison, resolved.knowledge, proof)


def measure(
    before: object,
    after: object,
    policy: InferencePolicy | None = None,
    *,
    rules: bool = True,
    bound: bool = True,
    paired: bool = True,
    jobs: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    missing: str = "error",
) -> Cost:
    """What it cost to get from `before` to `after`: deletions, distribution of items, association rules, least loss.

    Both are whatever `read_baskets` takes; `after` may also be a release folder, whose own policy is taken unless one
    is stated. Record k after must be a part of record k before; paired=False measures only what does not need that.
    """
    from sordino.data.read import read_baskets
    from sordino.release.reading import read_release_or_baskets
    from sordino.utility.cost import measure_cost

    old = read_baskets(before)
    new, own = read_release_or_baskets(after)
    policy = policy or own
    resolved = None if policy is None else policy.resolve(old, missing=missing)
    return measure_cost(
        old, new, policy=resolved, rules=rules, bound=bound, paired=paired, jobs=jobs, progress=progress
    )


def compare(
    data: object,
    policy: InferencePolicy,
    *,
    methods: Iterable[str] = ("mine", "dist"),
    rho: Iterable[object] | None = None,
    prefer: str = "loss",
    out: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    seed: int = 0,
    jobs: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    missing: str = "error",
) -> Comparison:
    """Which method and threshold to choose: every method at every threshold, ranked, with one recommended.

    A method may have options: "jia:heuristic=dist". Thresholds are exact: "0.3", "1/3"; the policy's own if none is
    stated. `prefer` says what is to be best: "loss", "distribution" or "rules". With `out`, comparison.csv, .json and
    .html are written there, and finished runs are kept there and not repeated.
    """
    from sordino.compare.run import CELLS, check_folder, compare_baskets
    from sordino.compare.store import Store
    from sordino.data.read import read_baskets

    folder = None if out is None else check_folder(out)
    comparison = compare_baskets(
        read_baskets(data),
        policy,
        methods=methods,
        rho=rho,
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
