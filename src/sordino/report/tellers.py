"""Who tells about which kind of audit: one module a kind, found by the kind that the audit states.

A kind without a teller of its own is told plainly, as tables of its numbers.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, cast

from sordino.report.blocks import Block, Card, Section

__all__ = ["TELLERS", "Teller", "teller_of"]

Plain = Mapping[str, Any]

TELLERS: Mapping[str, str] = {
    "inference": "sordino.report.inference",
    "template": "sordino.report.template",
    "diversity": "sordino.report.diversity",
}


class Teller(Protocol):
    """What the module of a kind must have. Audits and costs are plain data (`to_dict`)."""

    def size(self, audit: Plain) -> str:
        """How large the data are, in a line."""

    def audit_verdict(self, audit: Plain) -> tuple[str, bool | None]:
        """The answer in one sentence, and whether it is a good one; None if it is not known."""

    def release_verdict(self, before: Plain, after: Plain) -> str:
        """What protecting came to, in one sentence."""

    def audit_cards(self, audit: Plain) -> Iterable[Card]:
        """The numbers of an audit that a steward looks for first."""

    def cost_cards(self, before: Plain, after: Plain, cost: Plain) -> Iterable[Card]:
        """The numbers of a release that a steward looks for first."""

    def before_section(self, audit: Plain, *, now: bool) -> Section:
        """What can (now) or could be inferred."""

    def done_section(self, history: Plain) -> Section:
        """What was done."""

    def cost_section(self, cost: Plain) -> Section:
        """What it cost."""

    def policy_blocks(self, policy: Any) -> Iterable[Block]:
        """What the policy demands."""


def teller_of(audit: Plain) -> Teller:
    """The teller for this audit."""
    module = TELLERS.get(audit.get("kind", "inference"), "sordino.report.plain")
    return cast(Teller, importlib.import_module(module))
