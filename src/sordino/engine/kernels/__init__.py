"""Numba kernels that several rooms need.

Kernels branch at every step, so LLVM's vectorizers find little to do in them: without these the first run compiles
faster. Who sets the variables has the last word.
"""

from __future__ import annotations

import os

os.environ.setdefault("NUMBA_LOOP_VECTORIZE", "0")
os.environ.setdefault("NUMBA_SLP_VECTORIZE", "0")
