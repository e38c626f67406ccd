"""The flag by which a kernel learns that it is to return early: `Watch.stop`, an array of one byte."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

__all__ = ["raised"]


def raised(stop: Any) -> bool:
    """Whether the flag is up; None is a flag that nobody raises."""
    return stop is not None and stop[0] != 0


@intrinsic
def _peek(_, stop):  # type: ignore[no-untyped-def]
    """The byte as it is now. A plain load may be moved out of a loop in which nothing is stored; this one may not."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        array = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])  # type: ignore[no-untyped-call]
        return builder.load_atomic(array.data, "monotonic", 1)

    return types.uint8(stop), generate


@overload(raised)
def _raised(stop):  # type: ignore[no-untyped-def]
    if isinstance(stop, types.NoneType | types.Omitted):
        return lambda stop: False  # noqa: ARG005
    if isinstance(stop, types.Array):
        return lambda stop: _peek(stop) != 0  # type: ignore[call-arg]
    return None
