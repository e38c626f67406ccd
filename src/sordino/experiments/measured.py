"""One method on one file: the change, checked as for a release, and what of its cost an experiment shows.

The steps are those of a release (release/making.py) but for what no figure shows: the order of records, the log of
changes, anonymity, the bound. The result is audited like any other, and one that fails is an error, not a number.

**Seconds** are those of the processor, all threads together, for deleting and for the audit of the result: what else
the machine does meanwhile does not count. Reading, the audit before, measuring and compiling are not in them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.data.permuted import Permuted
from sordino.engine.local import Progress
from sordino.policy.inference import InferencePolicy
from sordino.release.baskets.protect import BasketMaking
from sordino.release.coarsened.protect import CoarsenedMaking
from sordino.release.request import start
from sordino.utility.coarsened_cost import measure_coarsened
from sordino.utility.divergence import divergence_of_shown, measure_divergence
from sordino.utility.pair import pair
from sordino.utility.rules import FrequentSets, RuleComparison, compare_rules

__all__ = ["ALL", "NO_RULES", "OTHERS", "Change", "changed", "holds_already", "measured"]

NO_RULES, OTHERS, ALL = "none", "others", "all"  # which association rules are compared: none, non-sensitive, all
ALL_AT = Fraction(3, 10)  # the confidence of NAKA's rules


class Change(NamedTuple):
    """What a method made of the data, and how long that took."""

    making: BasketMaking
    kept: Baskets | Generalized | Permuted
    seconds: float  # of the processor
    elapsed: float


def _making(
    baskets: Baskets,
    policy: InferencePolicy,
    method: str,
    options: Mapping[str, Any] | None,
    seed: int,
    jobs: int | None,
    progress: Progress | None,
) -> BasketMaking:
    run = start(method, "inference", seed=seed, jobs=jobs, progress=progress, ids="keep", options=options)
    kind = BasketMaking if run.method.form == "suppress" else CoarsenedMaking
    return kind(baskets, policy, run, "accept")


def holds_already(
    baskets: Baskets, policy: InferencePolicy, *, seed: int, jobs: int | None, progress: Progress | None = None
) -> bool:
    """Whether the policy holds as the data are; then no method changes them."""
    return bool(_making(baskets, policy, "mine", None, seed, jobs, progress).audit_before().holds)


def changed(
    baskets: Baskets,
    policy: InferencePolicy,
    method: str,
    options: Mapping[str, Any],
    *,
    seed: int,
    jobs: int | None,
    holds: bool,
    progress: Progress | None = None,
) -> Change:
    """What the method makes of the data, audited; the data themselves, if the policy holds already."""
    making = _making(baskets, policy, method, options, seed, jobs, progress)
    if holds and not making.always:
        return Change(making, baskets, 0.0, 0.0)
    begun, clock = time.process_time(), time.perf_counter()
    kept, _ = making.changed()
    return Change(making, kept, round(time.process_time() - begun, 4), round(time.perf_counter() - clock, 4))


def measured(change: Change, rules: str, sets: FrequentSets) -> dict[str, Any]:
    """loss, deleted, kl, symmetric_kl, ncp, kl of shown, not shown, seconds, elapsed; and what is asked of rules.

    OTHERS: jaccard, hidden and pseudo of the non-sensitive rules. ALL: `rules lost`, of all rules of confidence 30 %,
    sensitive or not, as NAKA counts (util_mining, 1 - Jaccard): where nearly everything is sensitive no other rule is
    left to be lost.
    """
    before, kept, policy = change.making.data, change.kept, change.making.resolved
    comparison: RuleComparison | None
    if isinstance(kept, Baskets):
        shown = pair(before, kept)  # an error unless it is made by deletion alone
        left, divergence = shown.occurrences, measure_divergence(before, shown)
        sensitive = None if policy.personal is not None else policy.sensitive
        comparison = compare_rules(before, shown, sensitive, mined=sets) if rules == OTHERS else None
        penalty = Fraction(before.occurrences - left, max(before.occurrences, 1))
    else:
        shown = kept.baskets
        cost = measure_coarsened(before, kept, policy, rules=rules == OTHERS, mined=sets)
        left, divergence, comparison, penalty = cost.left, cost.divergence, cost.rules, cost.lost
    found: dict[str, Any] = {
        "loss": 1 - left / max(before.occurrences, 1),
        "deleted": before.occurrences - left,
        **divergence.to_dict(),
        "ncp": float(penalty),
        "seconds": change.seconds,
        "elapsed": change.elapsed,
    }
    found["kl of shown"], found["not shown"] = divergence_of_shown(before, shown)
    for each in comparison.changes if comparison else ():
        share = f"{float(each.confidence):.0%}"
        found[f"jaccard {share}"] = float(each.jaccard)
        found[f"hidden {share}"] = each.hidden
        found[f"pseudo {share}"] = each.pseudo
    if rules == ALL:
        every = compare_rules(before, pair(before, shown), confidences=(ALL_AT,), mined=sets)
        found["rules lost"] = 1 - float(every.changes[0].jaccard)
    return found
