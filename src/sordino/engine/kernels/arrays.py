"""New arrays, as kernels make them: without a function of Numba's for each.

Numba has functions in Python for np.empty and np.zeros, and compiles them anew for each sort of number, with all its
passes, though in the end they are a few instructions. Here these instructions are written where the call stands.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils, ir
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.extending import intrinsic
from numba.np import arrayobj as numbas_arrays

__all__ = ["OURS", "NewArrays"]

arrayobj: Any = numbas_arrays  # it has no types


def _made(shape: Any, dtype: Any, *, zero: bool) -> Any:
    """The type of the new array, and what writes its instructions; None, which Numba refuses, if there is no such."""
    number, dimensions = arrayobj.ty_parse_dtype(dtype), arrayobj.ty_parse_shape(shape)
    if number is None or dimensions is None:
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        sort, sizes = arrayobj._parse_empty_args(context, builder, signature, arguments)
        array = arrayobj._empty_nd_impl(context, builder, sort, sizes)
        if zero:
            cgutils.memset(builder, array.data, builder.mul(array.itemsize, array.nitems), 0)
        return array._getvalue()

    return types.Array(number, dimensions, "C")(shape, dtype), generate


@intrinsic
def _empty(_, shape, dtype):  # type: ignore[no-untyped-def]
    return _made(shape, dtype, zero=False)


@intrinsic
def _zeros(_, shape, dtype):  # type: ignore[no-untyped-def]
    return _made(shape, dtype, zero=True)


OURS = {"empty": _empty, "zeros": _zeros}


@register_pass(mutates_CFG=False, analysis_only=False)
class NewArrays(FunctionPass):
    """Makes `np.empty(shape, dtype=...)` and `np.zeros(shape, dtype=...)` of a function calls of ours."""

    _name = "new_arrays"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        definitions = state.func_ir._definitions
        asked = {
            statement.value.func.name
            for block in state.func_ir.blocks.values()
            for statement in block.find_insts(ir.Assign)
            if _is_call(statement.value) and "dtype" in dict(statement.value.kws) and len(statement.value.args) == 1
        }
        changed = False
        for block in state.func_ir.blocks.values():
            for statement in block.find_insts(ir.Assign):
                named, name = statement.value, statement.target.name
                if name not in asked or not _is_attribute(named) or named.attr not in OURS:
                    continue
                of = definitions[named.value.name]
                if len(of) == 1 and isinstance(of[0], ir.Global | ir.FreeVar) and of[0].value is np:
                    statement.value = ir.Global(named.attr, OURS[named.attr], named.loc)
                    definitions[name] = [statement.value]
                    changed = True
        return changed


def _is_call(value: Any) -> bool:
    return isinstance(value, ir.Expr) and value.op == "call"


def _is_attribute(value: Any) -> bool:
    return isinstance(value, ir.Expr) and value.op == "getattr"
