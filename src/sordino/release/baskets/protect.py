"""Baskets from which a method deletes items.

**Adaptive thresholds.** Such a threshold follows from how frequent an item is. If it followed from the original, the
published threshold would tell the original frequency, and nobody could verify the release from what is published. So
the policy is read anew on the result, as everybody else will read it. Deleting makes items rarer, so a threshold that
grows with the frequency falls, and the result may fail it: then the method runs again, on its own result, with the
lower thresholds. Each round deletes something, so this ends, at the latest with nothing left; a table without
sensitive occurrences satisfies every policy, which is also why suppression always finds a way. (With a negative factor
thresholds rise instead, and what held goes on to hold.) Which thresholds moved, and why, is said in the remarks of the
release, in the house only: what they were tells how frequent items were.

A policy may ask for the thresholds of the original all the same (`adaptive_on`, the rule of Chen et al.). Then these
are stated one by one, as if the user had written them, and everybody can verify them; they do tell how frequent items
were.

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

from sordino.audit.cautions import cautions
from sordino.audit.in_groups import audit_in_groups
from sordino.audit.inference import audit_baskets
from sordino.audit.result import AuditResult
from sordino.audit.spilled import usual_groups
from sordino.data.baskets import Baskets
from sordino.engine.beside import Beside
from sordino.engine.local import Watch
from sordino.errors import InputError, InternalError, PolicyError
from sordino.policy.inference import InferencePolicy, ResolvedInference
from sordino.protect.parts import usual_parts
from sordino.protect.registry import METHODS
from sordino.release.baskets.changes import changes_table, find_deletions
from sordino.release.baskets.large import is_large
from sordino.release.baskets.parts import basket_parts
from sordino.release.baskets.result import BasketRelease
from sordino.release.making import Making
from sordino.release.numbering import only_names_in_use, published_numbers, with_ids
from sordino.release.request import Run
from sordino.utility.bound import QUICK, LowerBound, least_loss
from sordino.utility.cost import measure_cost

__all__ = ["BasketMaking"]


class BasketMaking(Making):
    """A release of baskets in the making."""

    data: Baskets
    policy: InferencePolicy

    def __init__(self, baskets: Baskets, policy: InferencePolicy, run: Run, missing: str = "error") -> None:
        if "parts" in run.method.options and "parts" not in run.options and not policy.personal:
            parts = usual_parts(len(baskets))
            run = run if parts == 1 else replace(run, options={**run.options, "parts": parts})
        if len(baskets) == 0:
            raise InputError("there are no records")
        if not policy.sensitive and not policy.personal:  # its release would promise something, and mean nothing
            raise PolicyError(["it names nothing as sensitive, so there is nothing to protect"])
        policy = policy.stated_on(baskets, missing=missing)
        super().__init__(baskets, policy, run)
        self.least: Beside[LowerBound] | None = None
        self.resolved = policy.resolve(baskets, missing=missing)
        self.thresholds: tuple[Mapping[str, Fraction], Mapping[str, Fraction]] = (self.resolved.thresholds,) * 2
        method = run.method
        alike = self.resolved.personal is None and method.form == "suppress"  # all chose the same: the common model
        if policy.personal and not (method.personal or alike):
            able = ", ".join(other.name for other in METHODS.values() if other.personal)
            raise InputError(
                f"the method '{method.name}' cannot honour choices of single persons", hint=f"Methods: {able}"
            )
        if policy.absent is not None and not method.absent:
            able = ", ".join(other.name for other in METHODS.values() if other.absent)
            raise InputError(
                f"the method '{method.name}' does not protect against knowledge of what people do not have",
                hint=f"Methods that do: {able}",
            )

    def audit_before(self) -> AuditResult:
        return replace(self._audited(self.data, self.resolved, 1), cautions=cautions(self.data, self.resolved))

    def _audited(self, data: Baskets, resolved: ResolvedInference, round_: int) -> AuditResult:
        """The audit of all records at once; of very many, a group at a time."""
        run = self.run
        if not is_large(data, self.policy, run.options):
            return audit_baskets(data, resolved, jobs=run.jobs, progress=run.progress, seed=run.seed, round_=round_)
        watch, number = Watch(run.progress), usual_groups(data.occurrences)
        return watch.aside(lambda: audit_in_groups(data, resolved, number, jobs=run.jobs, watch=watch))

    def changed(self) -> tuple[Any, AuditResult | None]:
        """What the method leaves, in as many rounds as it takes; without an audit, if that of the file is to follow.

        The least possible loss follows from the original alone: it is worked out meanwhile, if there are threads.
        """
        jobs = self.run.jobs
        if self._bound != QUICK or self.policy.assurance is not None or jobs == 1:
            return self._changed()
        policy = self.policy.resolve(self.data, missing="accept")
        with Beside(lambda watch: least_loss(self.data, policy, jobs=jobs, watch=watch)) as least:
            self.least = least
            return self._changed()

    @property
    def _bound(self) -> bool | str:
        """How closely the least possible loss is looked for.

        Of large data it takes longer than all the rest: there it is told if somebody asks for it.
        """
        run = self.run
        return run.bound if run.bound != QUICK or not is_large(self.data, self.policy, run.options) else False

    def _changed(self) -> tuple[Any, AuditResult | None]:
        run, kept, resolved = self.run, self.data, self.resolved
        sampled = self.policy.assurance is not None
        round_ = 1
        while True:
            lot = run.seed if round_ == 1 else int(np.random.SeedSequence([run.seed, round_]).generate_state(1)[0])
            left = run.method.load()(kept, resolved, seed=lot, jobs=run.jobs, watch=run.watch, **run.options)
            if not len(find_deletions(kept, left)) and not sampled:
                raise InternalError(f"the method '{run.method.name}' changed nothing, though the policy does not hold")
            kept, given = left, resolved
            round_ += 1
            if run.written and not (sampled or self.policy.personal or self.policy.adaptive is not False):
                return kept, None
            # What is known of people is what they had.
            resolved = replace(self.policy.resolve(kept, missing="accept"), original=self.data)
            after = self._audited(kept, resolved, round_)
            if after.holds:
                self.thresholds = (self.resolved.thresholds, resolved.thresholds)
                return kept, after
            if not sampled and _same_thresholds(given, resolved):
                raise run.failed()

    def release(self, kept: Baskets, before: AuditResult, after: AuditResult | None) -> BasketRelease:
        return BasketRelease(**self.entries(kept, before, after), parts=basket_parts)

    def entries(self, kept: Baskets, before: AuditResult, after: AuditResult | None) -> dict[str, Any]:
        """What a release that deletes is made of."""
        baskets, policy, run = self.data, self.policy, self.run
        data = only_names_in_use(kept)
        number = published_numbers(data, run.ids, run.seed)
        return {
            "data": with_ids(data, baskets.ids, run.ids, number),
            "changes": changes_table(baskets, find_deletions(baskets, kept), number),
            "utility": measure_cost(
                baskets,
                kept,
                policy=policy.resolve(baskets, missing="accept"),
                bound=self._bound,
                jobs=run.jobs,
                progress=run.progress,
                least_loss_of=None if self.least is None else self.least.result,
            ),
            "number": number,
            "thresholds_before": self.thresholds[0],
            "thresholds_after": self.thresholds[1],
            "original": baskets if policy.personal or policy.assurance is not None else None,
            **self.common(before, after),
        }

    def common(self, before: AuditResult, after: AuditResult | None) -> dict[str, Any]:
        """What any release of baskets is made of, besides."""
        run = self.run
        return {
            "policy": self.policy,
            "audit_before": before,
            "audit_after": after,
            "method": run.method.name,
            "seed": run.seed,
            "ids": run.ids,
            "options": run.recorded,
            "original_ids": self.data.ids,
            "occurrences_before": self.data.occurrences,
        }


def _same_thresholds(given: ResolvedInference, now: ResolvedInference) -> bool:
    return all(given.comparison.get(name) == threshold for name, threshold in now.comparison.items())
