"""The commands for template policies: which options each uses."""

from __future__ import annotations

from sordino.cli.asked import Asked
from sordino.cli.ways import AUDITED, COMPARED, DATABASE, MEASURED, PROTECTED, REPORTED, TABLE, Way
from sordino.cli.ways import way as a_way

__all__ = ["way"]

AUDIT = a_way("a table under templates", "policy", *TABLE, *AUDITED, *DATABASE)
AUDIT_FOLDER = a_way("a release folder of a table under templates", "policy", *AUDITED)
PROTECT = a_way("a table under templates", "policy", *TABLE, *PROTECTED, *DATABASE)
VERIFY = a_way(
    "a release folder of a table",
    "policy",
    *TABLE,
    "json_",
    "key",
    "database",
    "table",
    "proof",  # then it is taken for a file
    allow_missing="what has vanished from a release is nothing to complain of",
    original="this release is checked by what is published alone",
)
MEASURE = a_way("a table under templates", "policy", *TABLE, *MEASURED, "errors", "allow_missing", *DATABASE)
COMPARE = a_way("a table under templates", "policy", "rho", *TABLE, *COMPARED, *DATABASE)
REPORT = a_way("a table", "policy", *TABLE, *REPORTED, *DATABASE)
WAYS = {"audit": AUDIT, "protect": PROTECT, "verify": VERIFY, "measure": MEASURE, "compare": COMPARE, "report": REPORT}


def way(verb: str, asked: Asked, policy: object) -> Way:
    """The way of a command through a table."""
    del policy
    return AUDIT_FOLDER if verb == "audit" and asked.folder is not None else WAYS[verb]
