"""Releases in groups of records: generalized or permuted.

**Hierarchies.** One that is built from the data is published with the release, so it must not tell of items that were
deleted everywhere. Whenever there are such items, they are deleted before anything else, and the method starts again
with a hierarchy of what is left. There are ever fewer items, so this ends, and what is published then is what would be
if these items had never been there.

**Adaptive thresholds** follow from the result, as in `protect`. A method cannot run on its own result here, so it runs
on the original again with the thresholds that followed, as often as these fall; and in the end with the lowest that
deleting can bring about, which always holds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from sordino.audit.generalization import audit_generalized
from sordino.audit.permutation import audit_permuted
from sordino.audit.result import AuditResult
from sordino.data.baskets import Baskets, Int64
from sordino.data.generalized import Generalized
from sordino.data.permuted import Permuted
from sordino.data.read_hierarchy import read_hierarchy
from sordino.engine.local import Progress, Watch
from sordino.errors import InputError, InternalError
from sordino.policy.inference import InferencePolicy, ResolvedInference
from sordino.protect.registry import Method
from sordino.release.grouped_absence import with_twins
from sordino.release.groups_file import in_order, what_is_told
from sordino.release.numbering import grouped_numbers, only_names_in_use, with_ids
from sordino.release.result import Release
from sordino.release.told_tree import told_items, untold_items, with_told_items, without_items
from sordino.utility.grouped_cost import measure_grouped
from sordino.utility.ncp import shown_occurrences

__all__ = ["GroupedRelease", "audit_grouped", "protect_in_groups"]

ROUNDS = 5  # with thresholds that follow from the last result; then with the lowest there can be


@dataclass(frozen=True, eq=False)
class GroupedRelease(Release):
    """A release in groups. `data` are the published records (labels of nodes, or non-sensitive items only).

    changes: a row for each occurrence that is not shown as itself; `to` is the wider item, or the group that tells of
    it, or null if it was suppressed. grouped: records, groups, and what is told of each group, in the order of the
    input.
    """

    grouped: Generalized | Permuted | None = None
    told: frozenset[str] | None = field(default=None, repr=False)  # the items that the published hierarchy names
    brought: bool = False  # whether the user gave the hierarchy

    @property
    def deletions(self) -> int:
        """How many (record, item) pairs were suppressed."""
        return int(self.changes["to"].null_count)

    @property
    def unchanged(self) -> bool:
        return False

    @property
    def weaker(self) -> str:
        """Permuted data protect only against those who know non-sensitive items."""
        if not isinstance(self.grouped, Permuted):
            return ""
        return "nothing is promised against someone who knows a sensitive item of the person."

    @property
    def published_groups(self) -> Generalized | Permuted:
        """The grouped data as they are published: in the order of the file, groups numbered by first record."""
        assert self.grouped is not None
        data = in_order(self.grouped, self.published, self.number)
        if isinstance(data, Permuted):
            return data
        assert self.told is not None
        return with_told_items(data, self.told)

    def summary(self) -> str:
        """Before and after in two sentences."""
        before = self.audit_before
        least = "" if before.exact.get("people_at_risk", True) else "at least "
        who = " by those who know non-sensitive items only" if self.weaker else ""
        return (
            f"Before, {least}{before.people_at_risk:,} of {before.records:,} people were at risk; now nobody is{who}. "
            f"{self.utility.summary().splitlines()[0]}"
        )

    def __repr__(self) -> str:
        groups = 0 if self.grouped is None else self.grouped.groups
        return f"GroupedRelease({len(self.data):,} records in {groups:,} groups, method {self.method!r})"

    def write(
        self,
        folder: str | os.PathLike[str],
        force: bool = False,
        *,
        jobs: int | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Path:
        """Write the release to a new folder, read back, audited and verified; see Release.write."""
        from sordino.release.folder import write_folder
        from sordino.release.grouped_parts import grouped_parts

        return write_folder(
            folder,
            lambda stage: grouped_parts(self, stage, jobs=jobs, progress=progress),
            sources=(self.data.origin.path,),
            force=force,
            progress=progress,
        )


def protect_in_groups(
    baskets: Baskets,
    policy: InferencePolicy,
    before: AuditResult,
    method: Method,
    *,
    seed: int,
    jobs: int,
    progress: Progress | None,
    ids: str,
    options: Mapping[str, Any],
) -> GroupedRelease:
    """A release of baskets for which the policy does not hold as they are."""
    resolved = policy.resolve(baskets, missing="accept")
    _check_names(baskets, options.get("hierarchy"))
    watch = Watch(progress)
    here = baskets
    while True:
        data, after = _safe(here, policy, method, seed=seed, jobs=jobs, watch=watch, options=options)
        if isinstance(data, Permuted) or options.get("hierarchy") is not None:
            break
        gone = untold_items(here, data, resolved)
        if not gone:
            break
        here = without_items(here, gone)
    told = None if isinstance(data, Permuted) else told_items(here, data, resolved)
    shown = only_names_in_use(data.baskets)
    public = data if isinstance(data, Permuted) or told is None else with_told_items(data, told)
    number = grouped_numbers(shown, data.group.tolist(), list(map(json.dumps, what_is_told(public))), ids, seed)
    thresholds = _thresholds(data, policy)
    return GroupedRelease(
        data=with_ids(shown, baskets.ids, ids, number),
        changes=_changes(baskets, data, resolved, number),
        utility=measure_grouped(baskets, data, resolved, progress=progress),
        policy=policy,
        audit_before=before,
        audit_after=after,
        method=method.name,
        seed=seed,
        ids=ids,
        options={name: value if isinstance(value, str | int) else str(value) for name, value in options.items()},
        number=number,
        original_ids=baskets.ids,
        occurrences_before=baskets.occurrences,
        thresholds_before=resolved.thresholds,
        thresholds_after=thresholds,
        grouped=data,
        told=told,
        brought=options.get("hierarchy") is not None,
    )


def _safe(
    baskets: Baskets,
    policy: InferencePolicy,
    method: Method,
    *,
    seed: int,
    jobs: int,
    watch: Watch,
    options: Mapping[str, Any],
) -> tuple[Generalized | Permuted, AuditResult]:
    """Groups that keep the thresholds that follow from them, each group by itself: so the verifier will ask it."""
    thresholds: dict[str, Fraction] = dict(policy.resolve(baskets, missing="accept").thresholds)
    for turn in range(ROUNDS + 2):
        given = _with_thresholds(policy, thresholds).resolve(baskets, missing="accept")
        data = method.load_grouping()(baskets, given, seed=seed, jobs=jobs, watch=watch, **options)
        if policy.absent is not None and isinstance(data, Generalized):
            data = with_twins(baskets, data, given, seed=seed, jobs=jobs, watch=watch)
        after = audit_grouped(data, policy, by_group=True, jobs=jobs, progress=watch.progress)
        if after.holds:
            return data, after
        followed = _thresholds(data, policy)
        lower = {e: min(rho, followed.get(e, rho)) for e, rho in thresholds.items()}
        if policy.adaptive is False or (turn > ROUNDS and lower == thresholds):
            break
        thresholds = lower if turn < ROUNDS else _lowest(policy, thresholds)
    raise InternalError(f"the result of the method '{method.name}' fails the audit; nothing is published")


def _check_names(baskets: Baskets, hierarchy: object) -> None:
    """An InputError, before the work and not after it, if the names of nodes cannot be written in the input's form."""
    if hierarchy is None or baskets.origin.format != "fimi":
        return
    tree = read_hierarchy(hierarchy)
    unfit = [name for v, name in enumerate(tree.names) if tree.size[v] > 1 and (set(name) & set(" \t\v\f\n\r\0"))]
    if unfit:
        raise InputError(
            f"FIMI text cannot hold names with blanks, as the hierarchy has them: '{unfit[0]}'",
            hint="Use names without blanks, or another format of the data.",
        )


def audit_grouped(
    data: Generalized | Permuted,
    policy: InferencePolicy,
    *,
    by_group: bool = False,
    top: int = 10,
    time_limit: float | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> AuditResult:
    """The audit that belongs to the data: at leaf knowledge, or of groups. With `by_group` every group must be safe by
    itself, as permuted ones always must."""
    if isinstance(data, Permuted):
        if policy.absent is not None:
            raise InputError(
                "permuted data cannot be audited against knowledge of what people do not have yet",
                hint='Leave absent = "any" out of the policy, or protect with the method twins.',
            )
        return audit_permuted(data, policy, top=top, time_limit=time_limit)
    return audit_generalized(
        data, policy, by_group=by_group, top=top, time_limit=time_limit, jobs=jobs, progress=progress
    )


def _thresholds(data: Generalized | Permuted, policy: InferencePolicy) -> dict[str, Fraction]:
    """The thresholds as they follow from the result."""
    if isinstance(data, Permuted):
        return policy.thresholds_of(data.supports(), len(data))
    return dict(policy.resolve(data.baskets, missing="accept").thresholds)


def _with_thresholds(policy: InferencePolicy, thresholds: Mapping[str, Fraction]) -> InferencePolicy:
    return InferencePolicy(policy.sensitive, policy.rho, rho_of=thresholds, knowledge=policy.knowledge)


def _lowest(policy: InferencePolicy, thresholds: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """The lowest thresholds that suppression can bring about: those of items that do not occur."""
    return {e: rho if e in policy.rho_of else min(rho, policy.rho) for e, rho in thresholds.items()}


def _changes(before: Baskets, data: Generalized | Permuted, policy: ResolvedInference, number: Int64) -> Any:
    """The change log; an InternalError if a record shows what nothing in the original stands behind."""
    import pyarrow as pa

    owner = np.repeat(np.arange(len(before), dtype=np.int64), before.lengths)
    names = np.array([*before.names, ""], dtype=object)[:-1]
    item = names[before.items] if len(before.items) else np.empty(0, dtype=object)
    to = np.full(len(item), None, dtype=object)
    if isinstance(data, Generalized):
        try:
            shown = shown_occurrences(before, data, policy.sensitive)
        except InputError as error:
            raise InternalError(f"the method broke the data: {error.what}") from None
        labels = np.array([*data.labels, ""], dtype=object)
        plain = shown.left & (shown.node >= 0)
        to[plain] = labels[shown.node[plain]]
        secret = shown.left & (shown.node < 0)
        to[secret] = item[secret]
    else:
        plain = ~policy.sensitive[before.items]
        if [set(record) for record in data.baskets] != _without(before, plain):
            raise InternalError("the method changed items that are not sensitive")
        to[plain] = item[plain]
        left = [dict(held) for held in data.held]
        for k in np.flatnonzero(~plain).tolist():
            g = int(data.group[owner[k]])
            if left[g].get(item[k], 0):
                left[g][item[k]] -= 1
                to[k] = f"group {g}"
        if any(count for held in left for count in held.values()):
            raise InternalError("the method made up sensitive items")
    changed = np.flatnonzero(to != item)
    record = pa.array(owner[changed]) if before.ids is None else pa.array(before.ids).take(pa.array(owner[changed]))
    return pa.table(
        {
            "record": record,
            "published": pa.array(number[owner[changed]]),
            "item": pa.array(item[changed].tolist(), type=pa.string()),
            "from": pa.array(item[changed].tolist(), type=pa.string()),
            "to": pa.array(to[changed].tolist(), type=pa.string()),
        }
    )


def _without(before: Baskets, kept: Any) -> list[set[str]]:
    """The records of the chosen occurrences."""
    indptr = np.concatenate([[0], np.cumsum(kept)])[before.indptr]
    part = Baskets(indptr, before.items[kept], before.names)
    return [set(record) for record in part]
