"""Numba kernels that several rooms need."""
