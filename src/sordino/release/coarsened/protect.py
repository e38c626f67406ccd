"""Baskets that a method generalizes or permutes, in groups of records.

**Hierarchies.** One that is built from the data is published with the release, so it must not tell of items that were
deleted everywhere. Whenever there are such items, they are deleted before anything else, and the method starts again
with a hierarchy of what is left. There are ever fewer items, so this ends, and what is published then is what would be
if these items had never been there.

**Adaptive thresholds** follow from the result, as in `baskets`. A method cannot run on its own result here, so it runs
on the original again with the thresholds that followed, as often as these fall; and in the end with the lowest that
deleting can bring about, which always holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sordino.audit.result import AuditResult
from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.data.permuted import Permuted
from sordino.data.read_hierarchy import read_hierarchy
from sordino.errors import InputError
from sordino.policy.inference import InferencePolicy
from sordino.release.baskets.protect import BasketMaking
from sordino.release.baskets.result import BasketRelease
from sordino.release.coarsened.audit import audit_coarsened
from sordino.release.coarsened.changes import coarsened_changes
from sordino.release.coarsened.parts import coarsened_parts
from sordino.release.coarsened.result import CoarsenedRelease
from sordino.release.coarsened.told_tree import told_items, untold_items, with_told_items, without_items
from sordino.release.coarsened.twins import with_twins
from sordino.release.numbering import coarsened_numbers, only_names_in_use, with_ids
from sordino.utility.coarsened_cost import measure_coarsened
from sordino.verify.groups_file import what_is_told

__all__ = ["CoarsenedMaking"]

ROUNDS = 5  # with thresholds that follow from the last result; then with the lowest there can be


class CoarsenedMaking(BasketMaking):
    """A release of generalized or permuted baskets in the making; of baskets, if these are safe as they are."""

    def changed(self) -> tuple[Any, AuditResult]:
        """What the method makes of the records, without those items that would be deleted everywhere."""
        if self.policy.assurance is not None:  # these methods are exact: what is claimed is that, about as much known
            self.policy = replace(self.policy, assurance=None, knowledge=self.resolved.knowledge)
        self.resolved = self.policy.resolve(self.data, missing="accept")
        self.brought = self.run.options.get("hierarchy") is not None
        _check_names(self.data, self.run.options.get("hierarchy"))
        self.here = self.data
        while True:
            data, after = self._safe()
            if isinstance(data, Permuted) or self.brought:
                return data, after
            gone = untold_items(self.here, data, self.resolved)
            if not gone:
                return data, after
            self.here = without_items(self.here, gone)

    def _safe(self) -> tuple[Generalized | Permuted, AuditResult]:
        """Groups that keep the thresholds that follow from them, each group by itself: so the verifier will ask it."""
        baskets, policy, run = self.here, self.policy, self.run
        thresholds: dict[str, Fraction] = dict(policy.resolve(baskets, missing="accept").thresholds)
        for turn in range(ROUNDS + 2):
            given = _with_thresholds(policy, thresholds).resolve(baskets, missing="accept")
            data = run.method.load_grouping()(
                baskets, given, seed=run.seed, jobs=run.jobs, watch=run.watch, **run.options
            )
            if policy.absent is not None and isinstance(data, Generalized):
                data = with_twins(baskets, data, given, seed=run.seed, jobs=run.jobs, watch=run.watch)
            after = audit_coarsened(data, policy, by_group=True, jobs=run.jobs, progress=run.progress)
            if after.holds:
                return data, after
            followed = _thresholds(data, policy)
            lower = {e: min(rho, followed.get(e, rho)) for e, rho in thresholds.items()}
            if policy.adaptive is False or (turn > ROUNDS and lower == thresholds):
                break
            thresholds = lower if turn < ROUNDS else _lowest(policy, thresholds)
        raise run.failed()

    def release(
        self, kept: Baskets | Generalized | Permuted, before: AuditResult, after: AuditResult | None
    ) -> BasketRelease:
        if isinstance(kept, Baskets):
            return super().release(kept, before, after)
        baskets, run = self.data, self.run
        told, public = None, kept
        if isinstance(kept, Generalized):
            told = told_items(self.here, kept, self.resolved)
            public = with_told_items(kept, told)
        shown = only_names_in_use(kept.baskets)
        number = coarsened_numbers(
            shown, kept.group.tolist(), list(map(json.dumps, what_is_told(public))), run.ids, run.seed
        )
        options = {name: value if isinstance(value, str | int) else str(value) for name, value in run.recorded.items()}
        return CoarsenedRelease(
            **{**self.common(before, after), "options": options},
            data=with_ids(shown, baskets.ids, run.ids, number),
            changes=coarsened_changes(baskets, kept, self.resolved, number),
            utility=measure_coarsened(baskets, kept, self.resolved, progress=run.progress),
            number=number,
            thresholds_before=self.resolved.thresholds,
            thresholds_after=_thresholds(kept, self.policy),
            coarse=kept,
            told=told,
            brought=self.brought,
            parts=coarsened_parts,
        )


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
