"""The commands for diversity policies: which options each uses, and its pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sordino.cli.asked import Asked
from sordino.cli.ways import AUDITED, COMPARED, MEASURED, PROTECTED, REPORTED, TABLE, Way
from sordino.cli.ways import way as a_way

if TYPE_CHECKING:
    from sordino.audit.diversity_result import DiversityResult
    from sordino.cli.page import Block
    from sordino.release.diversity.result import DiversityRelease
    from sordino.utility.diversity import DiversityCost

__all__ = ["audit_page", "measure_page", "protect_page", "way"]

NOT_GROUPED = "name the column of the groups, too: --group COLUMN"

AUDIT = a_way(
    "a table that is not grouped", "policy", *TABLE, *AUDITED, "group", values=NOT_GROUPED, original=NOT_GROUPED
)
AUDIT_GROUPED = AUDIT.plus("values", "original")
AUDIT_FOLDER = a_way("a release folder of a grouped table", "policy", *AUDITED, "original")
AUDIT_ORIGINAL_FOLDER = AUDIT_FOLDER.plus(*TABLE)
PROTECT = a_way("a table to be grouped", "policy", *TABLE, *PROTECTED)
VERIFY = a_way(
    "a release folder of a table",
    "policy",
    *TABLE,
    "key",
    "proof",  # then it is taken for a file
    "original",
    allow_missing="what has vanished from a release is nothing to complain of",
)
MEASURE = a_way("a grouped table", "policy", *TABLE, *MEASURED)
COMPARE = a_way("a table to be grouped", "policy", "l_", *TABLE, *COMPARED)
REPORT = a_way("a table", "policy", *TABLE, *REPORTED)
WAYS = {"protect": PROTECT, "verify": VERIFY, "measure": MEASURE, "compare": COMPARE, "report": REPORT}


def way(verb: str, asked: Asked, policy: object) -> Way:
    """The way of a command through a table, or a grouped one."""
    del policy
    if verb != "audit":
        return WAYS[verb]
    if asked.folder is not None:
        return AUDIT_FOLDER if asked.original is None else AUDIT_ORIGINAL_FOLDER
    return AUDIT if asked.group is None else AUDIT_GROUPED


def audit_page(
    result: DiversityResult, source: object, asked: Asked, policy: object, *, top: int, **more: Any
) -> Sequence[Block]:
    """Verdict, possible values, findings, remarks, what next."""
    from sordino.cli.diversity_page import audit_page

    del source, policy, more
    return audit_page(result, asked.data, asked.command, top=top)


def protect_page(release: DiversityRelease, asked: Asked, out: Path) -> Sequence[Block]:
    """Before and after, what it cost, where the release is."""
    from sordino.cli.diversity_page import protect_page

    return protect_page(release, asked.data, out)


def measure_page(cost: DiversityCost, asked: Asked, **more: Any) -> Sequence[Block]:
    """What it cost."""
    from sordino.cli.diversity_page import measure_page

    del more
    return measure_page(cost, asked.data, str(asked.after))
