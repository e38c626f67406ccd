"""`exact`: the fewest deletions there can be, by a solver; for small tables (a few hundred records of up to 12 items).

`mine` with IMPROVE sweeps comes first; then the solver has so many seconds to find something better, or to prove that
there is nothing. If it does, the same seed gives the same result on every machine. If it runs out of time, or the table
is too large for it, the better of both is taken; how close that is to the least possible is told as the last word of
progress.
"""

from __future__ import annotations

from typing import Any

from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.errors import InputError
from sordino.policy.inference import ResolvedInference
from sordino.protect.improve import improve
from sordino.protect.registry import is_true
from sordino.protect.workspace import Workspace
from sordino.utility.bound import least_loss
from sordino.utility.exact import solve

__all__ = ["protect"]

SECONDS = 60.0
IMPROVE = 100
EFFORT = 6_000


def protect(
    baskets: Baskets, policy: ResolvedInference, *, seed: int, jobs: int, watch: Watch, **options: Any
) -> Baskets:
    """Baskets in which the policy holds, with the fewest deletions if there was time to find them."""
    only = is_true(options.get("only_sensitive", False), "only_sensitive")
    seconds = _seconds(options.get("seconds", SECONDS))
    if baskets.occurrences == 0:
        return baskets
    space = Workspace(baskets, policy, jobs=jobs, watch=watch, only_sensitive=only)
    best = space.protect(even=0.0, effort=EFFORT, again=1)
    best = improve(
        baskets, best, policy,
        number=IMPROVE, seed=seed, jobs=jobs, watch=watch, only_sensitive=only, effort=EFFORT,
    )  # fmt: skip
    lost = baskets.occurrences - best.occurrences
    bound = least_loss(baskets, policy, jobs=jobs)
    least = 0 if bound is None else bound.deletions
    if lost > least:
        watch.report(f"looking for less than {lost:,} deleted", 0, 0)
        found = watch.call(lambda: solve(baskets, policy, seconds=seconds, only_sensitive=only, fewer_than=lost))
        least = max(least, found.least)
        if found.kept is not None:
            best, lost = found.kept, found.deletions
    told = "which is the least possible" if lost == least else f"the least possible is {least:,} or more"
    watch.report(f"{lost:,} deleted, {told}", 0, 0)
    return best


def _seconds(value: object) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = 0.0
    if not 0 < number < 1e9:
        raise InputError("seconds must be a number above 0")
    return number
