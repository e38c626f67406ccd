"""Numba kernels: plain arrays in and out, no Python objects."""
