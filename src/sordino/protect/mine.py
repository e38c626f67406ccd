"""`mine`: delete as little as possible, and on few item types, so that associations stay whole (JIA 3.2)."""

from __future__ import annotations

from typing import Any

from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.errors import InputError
from sordino.policy.inference import ResolvedInference
from sordino.protect.parts import WITH_CHOICES, number_of_parts, protect_in_parts
from sordino.protect.personal_workspace import protect_personal
from sordino.protect.registry import is_true
from sordino.protect.workspace import Workspace

__all__ = ["protect"]

AGAIN = 1  # second chances, if the option does not say
EFFORT = 6_000  # postings that may be scanned to look ahead for one record


def protect(
    baskets: Baskets, policy: ResolvedInference, *, seed: int, jobs: int, watch: Watch, **options: Any
) -> Baskets:
    """Baskets in which the policy holds; nothing in this method is random."""
    del seed
    again = passes(options.get("again", AGAIN))
    only = is_true(options.get("only_sensitive", False), "only_sensitive")
    if policy.personal is not None:
        if only:
            raise InputError("only_sensitive does not work together with choices of single persons yet")
        if "parts" in options:
            raise InputError(WITH_CHOICES)
        size = options.get("part_size")
        return protect_personal(baskets, policy, even=0.0, part_size=size, jobs=jobs, watch=watch)
    number = number_of_parts(options.get("parts"), len(baskets))
    if number > 1:
        return protect_in_parts(
            baskets, policy, number, jobs=jobs, watch=watch, only_sensitive=only, even=0.0, effort=EFFORT, again=again
        )
    workspace = Workspace(baskets, policy, jobs=jobs, watch=watch, only_sensitive=only)
    return workspace.protect(even=0.0, effort=EFFORT, again=again)


def passes(value: Any) -> int:
    """The number that the option states."""
    try:
        number = int(str(value))
    except ValueError:
        number = -1
    if number < 0:
        raise InputError("again must be a whole number, 0 or more")
    return number
