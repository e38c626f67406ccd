"""Numba kernels: plain arrays in and out, no Python objects, no floats where a verdict depends on it."""
