"""`dist`: delete so that the distribution of items stays as it was (JIA 3.2): what is plentiful goes first.

An item is the dearer to delete, the less of its type is left (to the power EVEN), so losses even out over the item
types. This costs more occurrences than `mine`: whoever keeps the shares of sensitive items must give up others with
them.
"""

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

EVEN = 8.0
EFFORT = 6_000  # postings that may be scanned to look ahead for one record


def protect(
    baskets: Baskets, policy: ResolvedInference, *, seed: int, jobs: int, watch: Watch, **options: Any
) -> Baskets:
    """Baskets in which the policy holds; nothing in this method is random."""
    del seed
    only = is_true(options.get("only_sensitive", False), "only_sensitive")
    if policy.personal is not None:
        if only:
            raise InputError("only_sensitive does not work together with choices of single persons yet")
        if "parts" in options:
            raise InputError(WITH_CHOICES)
        size = options.get("part_size")
        return protect_personal(baskets, policy, even=EVEN, part_size=size, jobs=jobs, watch=watch)
    number = number_of_parts(options.get("parts"), len(baskets))
    if number > 1:
        return protect_in_parts(
            baskets, policy, number, jobs=jobs, watch=watch, only_sensitive=only, even=EVEN, effort=EFFORT
        )
    workspace = Workspace(baskets, policy, jobs=jobs, watch=watch, only_sensitive=only)
    return workspace.protect(even=EVEN, effort=EFFORT)
