"""What the command line must know of the toy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sordino.cli.asked import Asked
from sordino.cli.page import Block, Verdict
from sordino.cli.ways import AUDITED, COMPARED, MEASURED, PROTECTED, REPORTED, Way
from sordino.cli.ways import way as a_way

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


def proof_page(*given: Any) -> Sequence[Block]:
    del given
    return [Verdict("The proof is valid.", good=True)]
