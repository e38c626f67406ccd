"""Releases of tables under templates."""
