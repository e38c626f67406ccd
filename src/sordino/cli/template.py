"""The commands for template policies: which options each uses, and its pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sordino.cli.asked import Asked
from sordino.cli.ways import AUDITED, COMPARED, MEASURED, PROTECTED, REPORTED, TABLE, Way
from sordino.cli.ways import way as a_way

if TYPE_CHECKING:
    from sordino.audit.template_result import TemplateAudit
    from sordino.cli.page import Block
    from sordino.release.templates.result import TableRelease
    from sordino.utility.table_cost import TableCost

__all__ = ["audit_page", "measure_page", "protect_page", "way"]

AUDIT = a_way("a table under templates", "policy", *TABLE, *AUDITED)
AUDIT_FOLDER = a_way("a release folder of a table under templates", "policy", *AUDITED)
PROTECT = a_way("a table under templates", "policy", *TABLE, *PROTECTED)
VERIFY = a_way(
    "a release folder of a table",
    "policy",
    *TABLE,
    "key",
    "proof",  # then it is taken for a file
    allow_missing="what has vanished from a release is nothing to complain of",
    original="this release is checked by what is published alone",
)
MEASURE = a_way("a table under templates", "policy", *TABLE, *MEASURED, "errors", "allow_missing")
COMPARE = a_way("a table under templates", "policy", "rho", *TABLE, *COMPARED)
REPORT = a_way("a table", "policy", *TABLE, *REPORTED)
WAYS = {"audit": AUDIT, "protect": PROTECT, "verify": VERIFY, "measure": MEASURE, "compare": COMPARE, "report": REPORT}


def way(verb: str, asked: Asked, policy: object) -> Way:
    """The way of a command through a table."""
    del policy
    return AUDIT_FOLDER if verb == "audit" and asked.folder is not None else WAYS[verb]


def audit_page(
    result: TemplateAudit, source: object, asked: Asked, policy: object, *, top: int, **more: Any
) -> Sequence[Block]:
    """Verdict, templates, findings, remarks, what next."""
    from sordino.cli.template_page import audit_page

    del source, policy, more
    return audit_page(result, asked.data, asked.command, top=top)


def protect_page(release: TableRelease, asked: Asked, out: Path) -> Sequence[Block]:
    """Before and after, what it cost, where the release is, what next."""
    from sordino.cli.template_page import protect_page

    return protect_page(release, asked.data, out)


def measure_page(cost: TableCost, asked: Asked, **more: Any) -> Sequence[Block]:
    """What it cost."""
    from sordino.cli.template_page import measure_page

    del more
    return measure_page(cost, asked.data, str(asked.after))
