"""Proves or refutes a policy on data, and returns findings as data."""
