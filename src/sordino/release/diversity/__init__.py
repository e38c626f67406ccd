"""Releases of tables whose sensitive values are known by group only."""
