"""Deleting as little as possible: a safe table, a touch-up where that pays, and as many sweeps as are asked for."""

from __future__ import annotations

from dataclasses import dataclass

from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.policy.inference import ResolvedInference
from sordino.protect.improve import improve, touch_up, touch_up_pays
from sordino.protect.parts import TOGETHER, protect_in_parts
from sordino.protect.workspace import Workspace

__all__ = ["Fewest", "fewest"]

EFFORT = 6_000  # postings that may be scanned to look ahead for one record
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
    return improve(
        baskets, table, policy,
        number=asked.sweeps, seed=seed, jobs=jobs, watch=watch, only_sensitive=only, effort=EFFORT,
    )  # fmt: skip
