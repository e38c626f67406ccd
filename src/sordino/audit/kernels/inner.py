"""How kernels are compiled that only other kernels call: without a door for Python, which costs a tenth of a second."""

from __future__ import annotations

from typing import Any

from numba import njit

OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
inner: Any = njit(**OPTIONS)
