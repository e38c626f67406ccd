"""Deleting as little as possible: a safe table, a touch-up where that pays, and as many sweeps as are asked for.

Against limited knowledge the table is made safe size by size of what is known, which loses more than it must as these
become large. What is safe against unlimited knowledge is safe against less: so where somebody knows SEVERAL items, or
the table is small, that is tried as well, and the better of both stays. Then nobody loses more for a weaker promise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.policy.inference import ResolvedInference
from sordino.protect.improve import improve, touch_up, touch_up_pays
from sordino.protect.parts import TOGETHER, protect_in_parts
from sordino.protect.workspace import Workspace

__all__ = ["Fewest", "fewest"]

EFFORT = 6_000  # postings that may be scanned to look ahead for one record
SEVERAL = 3  # known items, from which on who knows everything asks for hardly more
SMALL = 50_000  # occurrences of a table for which both are tried anyway
LITTLE = 500  # the same where a touch-up follows, which finds what this misses


@dataclass(frozen=True)
class Fewest:
    """How much is tried: second chances, sweeps of improving, parts that the table is divided into."""

    again: int = 1
    sweeps: int = 0
    parts: int = 1
    only_sensitive: bool = False


def fewest(
    baskets: Baskets, policy: ResolvedInference, asked: Fewest, *, seed: int, jobs: int, watch: Watch
) -> Baskets:
    """Baskets in which the policy, without personal choices, holds; nothing is random but what the sweeps draw."""
    only, parts = asked.only_sensitive, asked.parts
    touching = asked.again > 0 and (parts == 1 or len(baskets) <= TOGETHER) and touch_up_pays(baskets, policy, watch)
    if parts > 1:
        table = protect_in_parts(
            baskets, policy, parts, touching=asked.again > 0,
            jobs=jobs, watch=watch, only_sensitive=only, even=0.0, effort=EFFORT, again=asked.again,
        )  # fmt: skip
    else:
        workspace = Workspace(baskets, policy, jobs=jobs, watch=watch, only_sensitive=only)
        table = workspace.protect(even=0.0, effort=LITTLE if touching else EFFORT, again=asked.again)
    if touching:
        table = touch_up(baskets, table, policy, jobs=jobs, watch=watch, only_sensitive=only)
        if asked.again > 1:  # what is drawn may be less lucky after one more chance, which must not cost anything
            fewer = replace(asked, again=asked.again - 1, sweeps=0)
            other = fewest(baskets, policy, fewer, seed=seed, jobs=jobs, watch=watch)
            table = other if other.occurrences > table.occurrences else table
    if parts == 1 and _is_worth_both(baskets, policy):
        as_if = replace(policy, policy=replace(policy.policy, knowledge=None, assurance=None))
        other = fewest(baskets, as_if, replace(asked, sweeps=0), seed=seed, jobs=jobs, watch=watch)
        table = other if other.occurrences > table.occurrences else table
    return improve(
        baskets, table, policy,
        number=asked.sweeps, seed=seed, jobs=jobs, watch=watch, only_sensitive=only, effort=EFFORT,
    )  # fmt: skip


def _is_worth_both(baskets: Baskets, policy: ResolvedInference) -> bool:
    """Whether knowledge is limited, and being safe against all of it may lose less."""
    known, longest = policy.knowledge, int(baskets.lengths.max(initial=0))
    return known is not None and known < longest - 1 and (known >= SEVERAL or baskets.occurrences <= SMALL)
