"""Rows of tables with templates: disclosure and disclosure-local."""
