"""What the command line must know of a kind of policy: the module `commands` of its record.

That module must have `way`. It may have pages of its own, with the names and arguments of those below; the common ones
are for every kind whose words are in words/.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sordino.cli.asked import Asked
from sordino.cli.ways import Way
from sordino.errors import InputError

if TYPE_CHECKING:
    from sordino.kinds import Kind, Source
    from sordino.words.blocks import Block, Page

__all__ = ["audit_page", "measure_page", "page_of", "proof_page", "protect_page", "way_of"]


def way_of(kind: Kind, verb: str, asked: Asked, policy: Any) -> Way:
    """Which options a command (audit, protect, verify, measure, compare, report) uses for such data and policy."""
    found: Way = kind.load_commands().way(verb, asked, policy)
    return found


def page_of(kind: Kind, verb: str) -> Callable[..., Page | Sequence[Block]]:
    """The page of a verb: the kind's own, or else the common one."""
    name = f"{verb}_page"
    found: Callable[..., Page | Sequence[Block]] = getattr(kind.load_commands(), name, None) or globals()[name]
    return found


def audit_page(
    result: Any, source: Source, asked: Asked, policy: Any, *, top: int, proof: Path | None
) -> Page | Sequence[Block]:
    """Verdict, people at risk, findings, remarks, what next; the policy is the one that was stated."""
    from sordino.cli.told import audit_page

    return audit_page(result, asked.data, asked.again(top, proof), policy or source.own)


def protect_page(release: Any, asked: Asked, out: Path) -> Page | Sequence[Block]:
    """Before and after, what it cost, where the release is, what next."""
    from sordino.cli.told import protect_page

    del asked
    return protect_page(release, out)


def measure_page(cost: Any, asked: Asked, kind: str, *, top: int) -> Page | Sequence[Block]:
    """What it cost."""
    from sordino.cli.told import measure_page

    return measure_page(cost, kind, asked.data, str(asked.after), top=top)


def proof_page(verdict: Any, source: Source, policy: Any) -> Page | Sequence[Block]:
    """What a valid proof shows; a kind that has proofs beside its data has this page."""
    del verdict, source, policy
    raise InputError("there are no proofs for such data")
