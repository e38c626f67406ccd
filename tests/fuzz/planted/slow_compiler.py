"""A kernel that takes long to compile: that is no fault of the case."""

from __future__ import annotations

import time
from typing import Any

from numba.core import event

from sordino.protect import mine

_mine = mine.protect


def _compiled_first(*given: Any, **more: Any) -> Any:
    with event.trigger_event("numba:compile"):
        time.sleep(4)
    return _mine(*given, **more)


mine.protect = _compiled_first
