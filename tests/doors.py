"""Kernels that only kernels call have no door for Python: here is one, for tests."""

from __future__ import annotations

from functools import cache
from typing import Any

from numba import config, njit

__all__ = ["door"]


@cache
def door(function: Any) -> Any:
    """The same function, compiled as in a kernel, to be called from Python."""
    if config.DISABLE_JIT:
        return function

    @njit
    def call(*arguments):  # type: ignore[no-untyped-def]
        return function(*arguments)

    return call
