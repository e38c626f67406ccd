"""Methods that never end, end the process, or raise: each for some tables only."""

from __future__ import annotations

import os
from typing import Any

from sordino.data.baskets import Baskets
from sordino.protect import dist, global_, mine

_mine, _dist, _global = mine.protect, dist.protect, global_.protect


def _endless(baskets: Baskets, *given: Any, **more: Any) -> Any:
    while "loop" in baskets.names:
        pass
    return _mine(baskets, *given, **more)


def _deadly(baskets: Baskets, *given: Any, **more: Any) -> Any:
    if "exit" in baskets.names:
        os._exit(7)
    return _dist(baskets, *given, **more)


def _raising(baskets: Baskets, *given: Any, **more: Any) -> Any:
    if "raise" in baskets.names:
        raise ZeroDivisionError("planted")
    return _global(baskets, *given, **more)


mine.protect, dist.protect, global_.protect = _endless, _deadly, _raising
