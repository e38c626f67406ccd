"""Releases of baskets that are generalized or permuted, in groups of records."""
