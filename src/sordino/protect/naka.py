"""`naka`: personal suppression as published by Nakagawa et al. (2018), Algorithm 1, SUPPRESSOR (model.md 1.4).

**Guarantee.** Exact, for every adversary; the workspace audits at the end.

**Where it differs from the paper.** The paper walks over users u and their antecedents q; we meet the same rules q -> e
in the published records that hold q + e, which is where there are any to repair (audit/kernels/personal.py), so that
records of any length are possible. Antecedents of one item come first, then those of two, and so on up to STEPS, then
all the rest, in each record by size. Which item goes, and from how many records, drawn at random, is the paper's rule.
"""

from __future__ import annotations

from typing import Any

from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.policy.inference import ResolvedInference
from sordino.protect.personal_workspace import PersonalWorkspace

__all__ = ["protect"]


def protect(
    baskets: Baskets, policy: ResolvedInference, *, seed: int, jobs: int, watch: Watch, **options: Any
) -> Baskets:
    """Baskets in which the policy holds."""
    del options
    workspace = PersonalWorkspace(baskets, policy, jobs=jobs, watch=watch)
    return workspace.finish(lambda: workspace.suppress(seed))
