"""What the command line must know of a kind of policy: the module `commands` of its record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

from sordino.cli.asked import Asked
from sordino.cli.ways import Way

if TYPE_CHECKING:
    from sordino.cli.page import Block
    from sordino.kinds import Kind, Source

__all__ = ["Commands", "commands_of"]


class Commands(Protocol):
    """What that module must have."""

    def way(self, verb: str, asked: Asked, policy: Any) -> Way:
        """Which options a command (audit, protect, verify, measure, compare, report) uses for such data and policy."""

    def proof_page(self, verdict: Any, source: Source, policy: Any) -> Sequence[Block]:
        """What a valid proof shows; only of kinds that have proofs beside their data."""


def commands_of(kind: Kind) -> Commands:
    """What the commands do for a kind."""
    return cast(Commands, kind.load_commands())
