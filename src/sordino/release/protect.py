"""From baskets and a policy to a release, by any method: its form decides what kind of release that is."""

from __future__ import annotations

from typing import Unpack

from sordino.data.baskets import Baskets
from sordino.policy.inference import InferencePolicy
from sordino.release.baskets.protect import BasketMaking
from sordino.release.baskets.result import BasketRelease
from sordino.release.coarsened.protect import CoarsenedMaking
from sordino.release.request import How, start

__all__ = ["protect_baskets"]


def protect_baskets(
    baskets: Baskets, policy: InferencePolicy, *, method: str = "mine", missing: str = "error", **how: Unpack[How]
) -> BasketRelease:
    """A release of `baskets` in which `policy` holds; what already holds is not changed."""
    run = start(method, "inference", **how)
    making = BasketMaking if run.method.form == "suppress" else CoarsenedMaking
    release: BasketRelease = making(baskets, policy, run, missing).make()
    return release
