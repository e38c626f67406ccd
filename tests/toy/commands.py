"""What the command line must know of the toy: its options, and pages of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sordino.cli.asked import Asked
from sordino.cli.page import Block, Verdict
from sordino.cli.ways import AUDITED, COMPARED, MEASURED, PROTECTED, REPORTED, Way
from sordino.cli.ways import way as a_way
from toy.verbs import CrowdCost, CrowdRelease, CrowdResult

WAYS = {
    "audit": a_way("a table of crowds", "policy", "delimiter", "proof", *AUDITED),
    "protect": a_way("a table of crowds", "policy", "delimiter", *PROTECTED),
    "measure": a_way("a table of crowds", "policy", "delimiter", *MEASURED),
    "compare": a_way("a table of crowds", "policy", "delimiter", *COMPARED),
    "report": a_way("a table of crowds", "policy", "delimiter", *REPORTED),
}


def way(verb: str, asked: Asked, policy: object) -> Way:
    del asked, policy
    return WAYS[verb]


def audit_page(result: CrowdResult, *given: Any, **more: Any) -> Sequence[Block]:
    del given, more
    return [Verdict(f"{result.people_at_risk} stand alone.", good=result.holds)]


def protect_page(release: CrowdRelease, asked: Asked, out: Path) -> Sequence[Block]:
    return [Verdict(f"{asked.data}: {release.summary()} See {out.name}.", good=True)]


def measure_page(cost: CrowdCost, *given: Any, **more: Any) -> Sequence[Block]:
    del given, more
    return [Verdict(cost.summary(), good=True)]


def proof_page(*given: Any) -> Sequence[Block]:
    del given
    return [Verdict("The proof is valid.", good=True)]
