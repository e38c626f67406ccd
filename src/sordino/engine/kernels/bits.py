"""Words of 64 bits, for kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

__all__ = ["ones"]


def ones(word: Any) -> int:
    """How many bits of a 64-bit word are set. Processors have an instruction for it."""
    return int(word).bit_count()


@intrinsic
def _count(_, word):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        del context, signature
        return builder.ctpop(arguments[0])

    return types.int64(word), generate


@overload(ones)
def _ones(word):  # type: ignore[no-untyped-def]
    return (lambda word: _count(np.uint64(word))) if isinstance(word, types.Integer) else None  # type: ignore[call-arg]
