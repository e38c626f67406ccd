"""`mine`: delete as little as possible, and on few item types, so that associations stay whole (JIA 3.2)."""

from __future__ import annotations

from typing import Any

from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.errors import InputError
from sordino.policy.inference import ResolvedInference
from sordino.protect.fewest import Fewest, fewest
from sordino.protect.heat import sweeps
from sordino.protect.parts import WITH_CHOICES, number_of_parts
from sordino.protect.personal_improve import improve_personal
from sordino.protect.personal_workspace import protect_personal
from sordino.protect.registry import is_true

__all__ = ["protect"]

IMPROVE = 0  # sweeps over all records, if the option does not say
AGAIN = 1  # second chances, if the option does not say


def protect(
    baskets: Baskets, policy: ResolvedInference, *, seed: int, jobs: int, watch: Watch, **options: Any
) -> Baskets:
    """Baskets in which the policy holds; nothing is random but what `improve` draws."""
    again = passes(options.get("again", AGAIN))
    number = sweeps(options.get("improve", IMPROVE))
    only = is_true(options.get("only_sensitive", False), "only_sensitive")
    if policy.personal is not None:
        if only:
            raise InputError("only_sensitive does not work together with choices of single persons yet")
        if "parts" in options:
            raise InputError(WITH_CHOICES)
        size = options.get("part_size")
        table = protect_personal(baskets, policy, even=0.0, part_size=size, jobs=jobs, watch=watch)
        return improve_personal(baskets, table, policy, number=number, seed=seed, jobs=jobs, watch=watch)
    asked = Fewest(again, number, number_of_parts(options.get("parts"), len(baskets)), only)
    return fewest(baskets, policy, asked, seed=seed, jobs=jobs, watch=watch)


def passes(value: Any) -> int:
    """The number that the option states."""
    try:
        number = int(str(value))
    except ValueError:
        number = -1
    if number < 0:
        raise InputError("again must be a whole number, 0 or more")
    return number
