"""`dist`: delete so that the distribution of items stays as it was (JIA 3.2): what is plentiful goes first.

An item is the dearer to delete, the less of its type is left (to the power EVEN), so losses even out over the item
types. This costs more occurrences than `mine`: whoever keeps the shares of sensitive items must give up others with
them.

`keep`, from 0 to 1, is a dial between both. Short records even out what is lost at little cost, long ones at a great
one: so only the shortest do, that hold this share of all entries, and the others delete as little as they can. 0 is
`mine`.

`improve`: sweeps as `mine` has them, which look for fewer deletions while the distribution moves no further than it
has.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.errors import InputError
from sordino.policy.inference import ResolvedInference
from sordino.policy.threshold import read_rational
from sordino.protect.fewest import Fewest, fewest
from sordino.protect.heat import sweeps
from sordino.protect.improve import improve
from sordino.protect.objective import SameShares, moved
from sordino.protect.parts import WITH_CHOICES, number_of_parts, protect_in_parts
from sordino.protect.personal_improve import improve_personal
from sordino.protect.personal_workspace import protect_personal
from sordino.protect.registry import is_true
from sordino.protect.workspace import Workspace

__all__ = ["protect"]

EVEN = 8.0
EFFORT = 6_000  # postings that may be scanned to look ahead for one record
KEEP = Fraction(1)  # if the option does not say
FINEST = 10**6  # denominator of the dial, at most


def protect(
    baskets: Baskets, policy: ResolvedInference, *, seed: int, jobs: int, watch: Watch, **options: Any
) -> Baskets:
    """Baskets in which the policy holds; nothing is random but what `improve` draws."""
    only = is_true(options.get("only_sensitive", False), "only_sensitive")
    keep = dial(options.get("keep", KEEP))
    number = sweeps(options.get("improve", 0))
    if policy.personal is not None:
        if only:
            raise InputError("only_sensitive does not work together with choices of single persons yet")
        if "parts" in options:
            raise InputError(WITH_CHOICES)
        size = options.get("part_size")
        table = protect_personal(baskets, policy, even=EVEN * float(keep), part_size=size, jobs=jobs, watch=watch)
        return improve_personal(
            baskets, table, policy,
            number=number, seed=seed, jobs=jobs, watch=watch,
            objective=None if keep == 0 else SameShares(moved(baskets.supports, table.supports)),
        )  # fmt: skip
    parts = number_of_parts(options.get("parts"), len(baskets))
    if keep == 0:
        asked = Fewest(sweeps=number, parts=parts, only_sensitive=only)
        return fewest(baskets, policy, asked, seed=seed, jobs=jobs, watch=watch)
    how: dict[str, Any] = {"even": EVEN, "effort": EFFORT, "keep": keep}
    if parts > 1:
        table = protect_in_parts(baskets, policy, parts, jobs=jobs, watch=watch, only_sensitive=only, **how)
    else:
        table = Workspace(baskets, policy, jobs=jobs, watch=watch, only_sensitive=only).protect(**how)
    return improve(
        baskets, table, policy,
        number=number, seed=seed, jobs=jobs, watch=watch, only_sensitive=only, effort=EFFORT,
        objective=SameShares(moved(baskets.supports, table.supports)),
    )  # fmt: skip


def dial(value: Any) -> Fraction:
    """The number that the option `keep` states, exactly."""
    try:
        number = read_rational(value)
    except ValueError:
        number = Fraction(-1)
    if not 0 <= number <= 1 or number.denominator > FINEST:
        raise InputError("keep must be a number from 0 (delete least) to 1 (keep the shares), of up to six digits")
    return number
