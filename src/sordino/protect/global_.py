"""`global`: delete whole item types (SuppressControl of Cao et al. 2010). How, and what is kept of the paper's greedy
choice, is described in `whole_types`.
"""

from __future__ import annotations

from typing import Any

from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.policy.inference import ResolvedInference
from sordino.protect.whole_types import types_to_delete, without_types

__all__ = ["protect"]


def protect(
    baskets: Baskets, policy: ResolvedInference, *, seed: int, jobs: int, watch: Watch, **options: Any
) -> Baskets:
    """Baskets in which the policy holds; of every item type all occurrences are left, or none. Nothing is random."""
    del seed, options
    return without_types(baskets, types_to_delete(baskets, policy, jobs=jobs, watch=watch))
