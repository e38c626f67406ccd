"""How kernels are compiled. Compiling is most of what a first run waits for, so it pays to know what costs there:

* a door for Python: the arguments are unpacked and the result is packed, in code that must be compiled. Only what
  Python calls is a `kernel`; what only kernels call is `inner`, and has no door. (A test that wants to look at such a
  function calls it from a kernel of its own.)
* every signature is compiled anew. A plain 0 is not of the type int64 but "the number 0", as long as Numba has seen
  nothing else: variables that are handed to other functions begin as np.int64(0), and 32-bit values become 64-bit ones
  before. A test counts the signatures.
* whatever NumPy function is called is compiled as well, once for each type: np.sort takes longer than most kernels, and
  so does a[:n] = b[:n], for the text of its error. (np.empty and np.zeros with a dtype cost little: arrays.py.)
* what Numba does for every function, needed or not: pipeline.py leaves it out.

And before any kernel runs, Numba imports scipy.linalg, if it is there, to see whether products of matrices can be had.
No kernel asks for one, and the import takes a third of the time until the first kernel starts: here Numba only sees
whether SciPy is installed. Who does ask for a product gets it, as ever.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from numba import njit
from numba.np import linalg

from sordino.engine.kernels.cache import kept_in
from sordino.engine.kernels.pipeline import TRIED, InnerCompiler, KernelCompiler
from sordino.engine.kernels.sharing import WAITING, HelpersInner, HelpersKernel, SharedCache, is_helper

__all__ = ["inner", "kernel", "when_compiling"]

_KERNEL: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}
_INNER: dict[str, Any] = {**_KERNEL, "no_cpython_wrapper": True, "cache": not TRIED}
if TRIED:
    _KERNEL["pipeline_class"], _INNER["pipeline_class"] = KernelCompiler, InnerCompiler


def _is_scipy_there() -> None:
    if find_spec("scipy") is None:
        raise ImportError


if "numba.np.arraymath" not in sys.modules and hasattr(linalg, "ensure_blas"):
    _ensure_blas, linalg.ensure_blas = linalg.ensure_blas, _is_scipy_there
    try:
        from numba.np import arraymath
    finally:
        linalg.ensure_blas = _ensure_blas
    arraymath.ensure_blas = _ensure_blas  # type: ignore[attr-defined]


def kernel(function: Callable[..., Any]) -> Any:
    """What Python calls."""
    with kept_in():
        made = njit(**_KERNEL)(function)
        if made is not function:  # else nothing is compiled here
            made._cache = SharedCache(function)  # type: ignore[no-untyped-call]
            if is_helper():
                made.__class__ = HelpersKernel
        return made


def inner(function: Callable[..., Any]) -> Any:
    """What only kernels call."""
    with kept_in():
        made = njit(**_INNER)(function)
        if made is not function and is_helper():
            made.__class__ = HelpersInner
        return made


def when_compiling(tell: Callable[[], None]) -> None:
    """Call `tell` when the first function is compiled that was not kept. Numba's own names for events are these."""
    from numba.core import event as events

    class Told(events.Listener):
        def __init__(self) -> None:
            self.open = True

        def on_start(self, event: Any) -> None:
            del event
            if self.open:
                self.open = False
                tell()

        def on_end(self, event: Any) -> None:
            pass

    told = Told()
    events.register("numba:compile", told)  # type: ignore[no-untyped-call]
    events.register(WAITING, told)  # type: ignore[no-untyped-call]
