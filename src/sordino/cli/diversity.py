"""The commands for diversity policies: which options each uses."""

from __future__ import annotations

from sordino.cli.asked import Asked
from sordino.cli.ways import AUDITED, COMPARED, DATABASE, MEASURED, PROTECTED, REPORTED, TABLE, Way
from sordino.cli.ways import way as a_way

__all__ = ["way"]

NOT_GROUPED = "name the column of the groups, too: --group COLUMN"

AUDIT = a_way(
    "a table that is not grouped",
    "policy",
    *TABLE,
    *DATABASE,
    *AUDITED,
    "group",
    values=NOT_GROUPED,
    original=NOT_GROUPED,
)
AUDIT_GROUPED = AUDIT.plus("values", "original")
AUDIT_FOLDER = a_way("a release folder of a grouped table", "policy", *AUDITED, "original")
AUDIT_ORIGINAL_FOLDER = AUDIT_FOLDER.plus(*TABLE)
PROTECT = a_way("a table to be grouped", "policy", *TABLE, *DATABASE, *PROTECTED)
VERIFY = a_way(
    "a release folder of a table",
    "policy",
    *TABLE,
    "json_",
    "key",
    "database",
    "table",
    "proof",  # then it is taken for a file
    "original",
    allow_missing="what has vanished from a release is nothing to complain of",
)
MEASURE = a_way("a grouped table", "policy", *TABLE, *DATABASE, *MEASURED)
COMPARE = a_way("a table to be grouped", "policy", "l_", *TABLE, *DATABASE, *COMPARED)
REPORT = a_way("a table", "policy", *TABLE, *DATABASE, *REPORTED)
WAYS = {"protect": PROTECT, "verify": VERIFY, "measure": MEASURE, "compare": COMPARE, "report": REPORT}


def way(verb: str, asked: Asked, policy: object) -> Way:
    """The way of a command through a table, or a grouped one."""
    del policy
    if verb != "audit":
        return WAYS[verb]
    if asked.folder is not None:
        return AUDIT_FOLDER if asked.original is None else AUDIT_ORIGINAL_FOLDER
    return AUDIT if asked.group is None else AUDIT_GROUPED
