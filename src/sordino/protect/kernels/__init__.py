"""Numba kernels of the suppressors."""
