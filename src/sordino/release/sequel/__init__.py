"""Releases of baskets that continue earlier ones."""
