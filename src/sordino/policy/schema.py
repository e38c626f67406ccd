"""The JSON schema of policy.toml, by which editors complete and check it while it is written."""

from __future__ import annotations

from importlib.resources import files

__all__ = ["SCHEMA", "schema_text"]

SCHEMA = "policy.schema.json"


def schema_text() -> str:
    """The schema, as the file that comes with sordino."""
    return files("sordino.policy").joinpath(SCHEMA).read_text(encoding="utf-8")
