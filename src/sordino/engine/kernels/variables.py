"""Which variables a statement names: Numba's own answer, sooner.

Numba asks this of every statement some twenty times before it has compiled a function, and finds out by asking each
part of it whether it is a variable, an instruction, a list, a tuple or a dict. Here what a class is, is found out once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from numba.core import ir

__all__ = ["found_sooner"]

NOTHING, VARIABLE, INSTRUCTION, SEVERAL, NAMED = range(5)
_sorts: dict[type, int] = {}


def _sort_of(part: type) -> int:
    sorts = ((ir.Var, VARIABLE), (ir.Inst, INSTRUCTION), ((list, tuple), SEVERAL), (dict, NAMED))
    sort = next((sort for known, sort in sorts if issubclass(part, known)), NOTHING)  # the order is Numba's
    _sorts[part] = sort
    return sort


def variables(self: Any, value: Any) -> list[Any]:
    """As `Inst._rec_list_vars`: the variables in a value, in their order."""
    del self
    found: list[Any] = []
    _collect(value, found)
    return found


def _collect(value: Any, found: list[Any]) -> None:
    part = type(value)
    sort = _sorts.get(part)
    if sort is None:
        sort = _sort_of(part)
    if sort == NOTHING:
        return
    if sort == VARIABLE:
        found.append(value)
    elif sort == INSTRUCTION:
        found += value.list_vars()
    else:
        for inner in value if sort == SEVERAL else value.values():
            _collect(inner, found)


@contextlib.contextmanager
def found_sooner() -> Iterator[None]:
    """While this lasts, Numba finds variables so."""
    whole: Any = ir.Inst
    usual = whole._rec_list_vars
    whole._rec_list_vars = variables
    try:
        yield
    finally:
        whole._rec_list_vars = usual
