"""Where nobody makes an array, nobody need count who refers to it.

Numba counts references to the memory of arrays: up when a variable comes to hold one, down when it goes. A tuple of
twenty arrays is twenty counts each time it is named. A function needs none of this if all arrays it ever holds are its
arguments, constants, or views of these: whoever called it holds the arguments until it returns. That is so if

* it returns no array (whoever called it would take over a count),
* nothing that it calls returns one (it would have to give that up again),
* and no operator, no index but numbers and slices, and no assignment of an array to a part of another makes one.

What it calls is compiled for itself, and counts if it must. What is not known to be harmless is counted.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import ir
from numba.core.compiler_machinery import FunctionPass, register_pass

__all__ = ["WithoutCounts"]

HARMLESS = (
    types.Number,
    types.Boolean,
    types.NoneType,
    types.Omitted,
    types.RangeType,
    types.RangeIteratorType,
    types.SliceType,
)
VIEWS = ("getattr", "getitem", "static_getitem", "getiter", "iternext", "pair_first", "pair_second", "exhaust_iter")
SAFE = (*VIEWS, "build_tuple", "phi")  # what makes no array of its own, whatever it is given


@register_pass(mutates_CFG=False, analysis_only=False)
class WithoutCounts(FunctionPass):
    """Compiles without counts what needs none."""

    _name = "without_counts"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        if _needs_none(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return False


def _needs_none(state: Any) -> bool:
    if _may_hold(state.return_type):
        return False
    statements = (statement for block in state.func_ir.blocks.values() for statement in block.body)
    return all(_makes_none(statement, state.typemap) for statement in statements)


def _makes_none(statement: Any, sorts: Any) -> bool:
    if isinstance(statement, ir.SetItem | ir.StaticSetItem):
        return not _may_hold(sorts[statement.value.name])
    if not isinstance(statement, ir.Assign) or not isinstance(statement.value, ir.Expr):
        return True  # arguments, constants and other variables; jumps; ends
    made = statement.value
    if not _may_hold(sorts[statement.target.name]):
        return made.op not in ("build_list", "build_set", "build_map")
    if made.op == "getitem":
        return _plain_index(sorts[made.index.name])
    if made.op == "static_getitem" and made.index_var is not None:
        return _plain_index(sorts[made.index_var.name])
    return made.op in SAFE


def _plain_index(sort: Any) -> bool:
    if isinstance(sort, types.BaseTuple):
        return all(_plain_index(each) for each in _parts(sort))
    return isinstance(sort, types.Integer | types.SliceType)


def _may_hold(sort: Any) -> bool:
    """Whether a value of this sort may hold memory that is counted."""
    if isinstance(sort, types.BaseTuple):
        return any(_may_hold(each) for each in _parts(sort))
    if isinstance(sort, types.Pair):
        return _may_hold(sort.first_type) or _may_hold(sort.second_type)
    if isinstance(sort, types.Callable | types.Module | types.NumberClass | types.DType):
        return isinstance(sort, types.BoundFunction) and _may_hold(sort.this)
    return not isinstance(sort, HARMLESS)


def _parts(sort: Any) -> Any:
    return sort.types
