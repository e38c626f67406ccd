"""From data and a policy to a release: audit, change, audit again, say what it cost (DESIGN, "The way of the data").

**Adaptive thresholds.** Such a threshold follows from how frequent an item is. If it followed from the original, the
published threshold would tell the original frequency, and nobody could verify the release from what is published. So
the policy is read anew on the result, as everybody else will read it. Deleting makes items rarer, so a threshold that
grows with the frequency falls, and the result may fail it: then the method runs again, on its own result, with the
lower thresholds. Each round deletes something, so this ends, at the latest with nothing left; a table without
sensitive occurrences satisfies every policy, which is also why suppression always finds a way. (With a negative factor
thresholds rise instead, and what held goes on to hold.) Which thresholds moved, and why, is said in the remarks of the
release, in the house only: what they were tells how frequent items were.

**Sampled assurance.** Every audit of a run is a round with adversaries of its own, drawn apart from those that the
method drew; round t is judged at delta / (t (t + 1)), so all rounds together err with probability delta at most. A
method that works on samples may fail the next one: then it runs again, from other lots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from sordino.audit.inference import audit_baskets
from sordino.audit.result import AuditResult
from sordino.data.baskets import Baskets
from sordino.engine.local import Progress, Watch, thread_count
from sordino.errors import InputError, InternalError, did_you_mean
from sordino.policy.inference import InferencePolicy, ResolvedInference
from sordino.protect.registry import METHODS, Method, find_method
from sordino.release.edits import changes_table, find_deletions
from sordino.release.numbering import (
    SHUFFLE,
    check_ids,
    check_seed,
    only_names_in_use,
    published_numbers,
    run_seed,
    with_ids,
)
from sordino.release.result import Release
from sordino.utility.cost import measure_cost

__all__ = ["check_request", "make_release", "protect_baskets"]


def check_request(
    method: str,
    options: Mapping[str, Any],
    *,
    seed: int | None,
    jobs: int | None,
    ids: str = SHUFFLE,
    kind: str = "inference",
) -> Method:
    """The method, if it exists for the kind of policy and takes the options; an InputError otherwise."""
    chosen = find_method(method, kind)
    for name in options:
        if name not in chosen.options:
            near = did_you_mean(name, chosen.options)
            holders = [other.name for other in METHODS.values() if name in other.options]
            known = ", ".join(f"{key} ({what})" for key, what in chosen.options.items())
            hint = f"Options of '{method}': {known}." if known else f"'{method}' has no options of its own."
            if holders:
                hint += f" '{name}' belongs to: {', '.join(holders)}."
            raise InputError(f"the method '{method}' has no option '{name}'.{near}", hint=hint)
    check_seed(seed)
    thread_count(jobs)
    check_ids(ids)
    return chosen


def protect_baskets(
    baskets: Baskets,
    policy: InferencePolicy,
    *,
    method: str = "mine",
    seed: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    ids: str = SHUFFLE,
    missing: str = "error",
    options: Mapping[str, Any] | None = None,
) -> Release:
    """A release of `baskets` in which `policy` holds; what already holds is not changed.

    Without a seed a secret one is drawn, for the random choices of the method and the order of the records alike.
    """
    options = dict(options or {})
    chosen = check_request(method, options, seed=seed, jobs=jobs, ids=ids)
    seed = run_seed(seed)
    if len(baskets) == 0:
        raise InputError("there are no records")
    threads = thread_count(jobs)
    watch = Watch(progress)
    resolved = policy.resolve(baskets, missing=missing)
    if resolved.personal is not None and not chosen.personal:
        able = ", ".join(other.name for other in METHODS.values() if other.personal)
        raise InputError(f"the method '{method}' cannot honour choices of single persons", hint=f"Methods: {able}")
    if policy.absent is not None and not chosen.absent:
        able = ", ".join(other.name for other in METHODS.values() if other.absent)
        raise InputError(
            f"the method '{method}' does not protect against knowledge of what people do not have",
            hint=f"Methods that do: {able}",
        )
    before = audit_baskets(baskets, resolved, jobs=threads, progress=progress, seed=seed)
    thresholds = resolved.thresholds
    if chosen.form != "suppress" and not before.holds:
        from sordino.release.grouped import protect_in_groups

        if policy.assurance is not None:  # these methods are exact: what is claimed is that, about as much knowledge
            policy = replace(policy, assurance=None, knowledge=resolved.knowledge)
        return protect_in_groups(
            baskets, policy, before, chosen, seed=seed, jobs=threads, progress=progress, ids=ids, options=options
        )
    after, kept = before, baskets
    round_ = 1
    while not after.holds:
        lot = seed if round_ == 1 else int(np.random.SeedSequence([seed, round_]).generate_state(1)[0])
        changed = chosen.load()(kept, resolved, seed=lot, jobs=threads, watch=watch, **options)
        if not len(find_deletions(kept, changed)) and policy.assurance is None:
            raise InternalError(f"the method '{method}' changed nothing, though the policy does not hold")
        kept, given = changed, resolved
        round_ += 1
        resolved = replace(policy.resolve(kept, missing="accept"), original=baskets)  # known of people as they were
        after = audit_baskets(kept, resolved, jobs=threads, progress=progress, seed=seed, round_=round_)
        if not after.holds and policy.assurance is None and _same_thresholds(given, resolved):
            raise InternalError(f"the result of the method '{method}' fails the audit; nothing is published")
    return make_release(
        baskets,
        kept,
        policy,
        (before, after),
        (thresholds, resolved.thresholds),
        method=method,
        seed=seed,
        ids=ids,
        options=options,
        jobs=threads,
        progress=progress,
    )


def _same_thresholds(given: ResolvedInference, now: ResolvedInference) -> bool:
    return all(given.comparison.get(name) == threshold for name, threshold in now.comparison.items())


def make_release(
    baskets: Baskets,
    kept: Baskets,
    policy: InferencePolicy,
    audits: tuple[AuditResult, AuditResult],
    thresholds: tuple[Mapping[str, Fraction], Mapping[str, Fraction]],
    *,
    method: str,
    seed: int,
    ids: str,
    options: Mapping[str, Any],
    jobs: int,
    progress: Progress | None,
) -> Release:
    """The release of `baskets` of which `kept` is what is published; the audits and thresholds are before and after."""
    deletions = find_deletions(baskets, kept)
    data = only_names_in_use(kept)
    number = published_numbers(data, ids, seed)
    return Release(
        data=with_ids(data, baskets.ids, ids, number),
        changes=changes_table(baskets, deletions, number),
        utility=measure_cost(
            baskets, kept, policy=policy.resolve(baskets, missing="accept"), jobs=jobs, progress=progress
        ),
        policy=policy,
        audit_before=audits[0],
        audit_after=audits[1],
        method=method,
        seed=seed,
        ids=ids,
        options=options,
        number=number,
        original_ids=baskets.ids,
        occurrences_before=baskets.occurrences,
        thresholds_before=thresholds[0],
        thresholds_after=thresholds[1],
        original=baskets if policy.personal or policy.assurance is not None else None,
    )
