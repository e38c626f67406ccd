"""How kernels are compiled. Compiling is most of what a first run waits for, so it pays to know what costs there:

* a door for Python: the arguments are unpacked and the result is packed, in code that must be compiled. Only what
  Python calls is a `kernel`; what only kernels call is `inner`, and has no door. (A test that wants to look at such a
  function calls it from a kernel of its own.)
* every signature is compiled anew. A plain 0 is not of the type int64 but "the number 0", as long as Numba has seen
  nothing else: variables that are handed to other functions begin as np.int64(0), and 32-bit values become 64-bit ones
  before. A test counts the signatures.
* whatever NumPy function is called is compiled as well, once for each type: np.sort takes longer than most kernels.
"""

from __future__ import annotations

from typing import Any

from numba import njit

__all__ = ["inner", "kernel"]

_KERNEL: dict[str, Any] = {"cache": True, "nogil": True, "no_cfunc_wrapper": True}
_INNER: dict[str, Any] = {**_KERNEL, "no_cpython_wrapper": True}
kernel: Any = njit(**_KERNEL)
inner: Any = njit(**_INNER)
