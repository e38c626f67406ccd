"""A release that keeps what it should have deleted, in the file and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sordino.kinds import inference

_protect = inference.protect_baskets


def _leaky(baskets: Any, *given: Any, **more: Any) -> Any:
    return replace(_protect(baskets, *given, **more), data=baskets)


inference.protect_baskets = _leaky
