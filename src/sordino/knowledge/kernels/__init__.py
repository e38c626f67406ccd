"""Numba kernels of the rule miner: plain arrays in and out, whole numbers only."""

from __future__ import annotations

import os

os.environ.setdefault("NUMBA_LOOP_VECTORIZE", "0")
os.environ.setdefault("NUMBA_SLP_VECTORIZE", "0")
