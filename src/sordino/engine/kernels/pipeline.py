"""The compiler of kernels: Numba's own, without what no kernel needs. What it leaves out, and why that is right:

* passes for what kernels do not have: closures, comprehensions, `with`, `literal_unroll`, functions that are inlined.
  Branches on arguments that are None are still cut, where an argument is.
* machine code of what only kernels call (linked.py), counts of references where nobody makes an array (counts.py), and
  functions of Numba's for each new array (arrays.py).
* the collector of Python: it would look through the growing heap of the compiler again and again, and find nothing.
* Numba compares its flags at every step of typing, each time option by option; here equal ones know it.

Code that uses what is left out is not compiled wrongly but refused by the passes that remain: the first run of a test
says so. Where Numba is of a version that this was not tried with, kernels are compiled as Numba would.
"""

from __future__ import annotations

import contextlib
import functools
import gc
from collections.abc import Iterator
from typing import Any

from numba import types, version_info
from numba.core import typed_passes, untyped_passes
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager

from sordino.engine.kernels.arrays import NewArrays
from sordino.engine.kernels.counts import WithoutCounts
from sordino.engine.kernels.linked import LinkedLowering

__all__ = ["TRIED", "InnerCompiler", "KernelCompiler"]

TRIED = tuple(version_info.short) == (0, 68)  # the passes and libraries of Numba are no public interface
PLAIN = (types.Number, types.Boolean, types.Array, types.BaseTuple)


@functools.cache
def _quick(sort: Any) -> Any:
    same = hash(sort())  # Numba's own is the same for all flags

    class Quick(sort):  # type: ignore[misc]
        """Flags that are found equal without looking at each: if what was set is equal, then so is the rest."""

        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            if type(other) is type(self) and self._values == other._values:
                return True
            return bool(sort.__eq__(self, other))

        def __hash__(self) -> int:
            return same

    return Quick


@contextlib.contextmanager
def _no_collector() -> Iterator[None]:
    """What is compiled within another one finds the collector stopped, and leaves it so."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class KernelCompiler(CompilerBase):
    """For what Python calls."""

    lowering: Any = typed_passes.NativeLowering

    def __init__(
        self, typing: Any, target: Any, library: Any, args: Any, returned: Any, flags: Any, local: Any
    ) -> None:
        sort: Any = flags.__class__
        super().__init__(typing, target, library, args, returned, _quick(sort)(flags), local)

    def define_pipelines(self) -> list[Any]:
        """The order is Numba's (`DefaultPassBuilder`)."""
        untyped, typed = untyped_passes, typed_passes
        passes: list[Any] = [untyped.TranslateByteCode, untyped.FixupArgs, untyped.IRProcessing]
        if not all(isinstance(sort, PLAIN) and not isinstance(sort, types.Literal) for sort in self.state.args):
            passes += [untyped.RewriteSemanticConstants, untyped.DeadBranchPrune]
        passes += [untyped.GenericRewrites, untyped.ReconstructSSA, NewArrays]
        passes += [typed.NopythonTypeInference, typed.PreLowerStripPhis, typed.NopythonRewrites]
        passes += [WithoutCounts, typed.IRLegalization, self.lowering, typed.NoPythonBackend]
        manager = PassManager("kernel")
        for each in passes:
            manager.add_pass(each, each.__name__)
        manager.finalize()
        return [manager]

    def _compile_core(self) -> Any:
        with _no_collector():
            return super()._compile_core()


class InnerCompiler(KernelCompiler):
    """For what only kernels call."""

    lowering = LinkedLowering
