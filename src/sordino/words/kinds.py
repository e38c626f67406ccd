"""Whose words: one module a kind, found by the kind that a result states; a kind without one is told plainly."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from sordino.words.blocks import Block, Card
    from sordino.words.steps import Asked, Step

__all__ = ["Words", "has_words", "words_of"]

Plain = Mapping[str, Any]
PLAIN = "sordino.words.plain"


class Words(Protocol):
    """What the module of a kind must have. Audits and costs are plain data (`to_dict`)."""

    KEPT: str  # what is said of data that were safe before

    def size(self, audit: Plain) -> str:
        """How large the data are, in a line."""

    def audit_cards(self, audit: Plain) -> Iterator[Card]:
        """The numbers of an audit that a steward looks for first."""

    def release_cards(self, before: Plain, after: Plain, cost: Plain) -> Iterator[Card]:
        """The numbers of a release that a steward looks for first."""

    def audit_blocks(self, audit: Plain, asked: Asked, policy: Any = None) -> Iterator[Block]:
        """What can be inferred; the policy, if it is known, says how sure is too sure."""

    def audit_steps(self, audit: Plain, asked: Asked) -> Iterator[Step]:
        """What to do next."""

    def release_blocks(self, before: Plain, after: Plain) -> Iterator[Block]:
        """What could be inferred before, and what can be now."""

    def cost_verdict(self, cost: Plain) -> str:
        """What it cost, in one line."""

    def sentences(self, cost: Plain) -> Iterator[str]:
        """What it cost, in a few sentences."""

    def cost_size(self, cost: Plain) -> str:
        """How large the data are that were compared."""

    def done_blocks(self, cost: Plain, *, policy: Any = None, top: int = 15) -> Iterator[Block]:
        """What was done; `top`: how many of the most changed things are shown."""

    def cost_blocks(self, cost: Plain) -> Iterator[Block]:
        """What that did to the data."""

    def policy_blocks(self, policy: Any) -> Iterator[Block]:
        """What the policy demands."""


def words_of(kind: str | None) -> Words:
    """The words for this kind; baskets are older than the names of kinds."""
    return cast(Words, importlib.import_module(f"sordino.words.{kind or 'inference'}" if has_words(kind) else PLAIN))


def has_words(kind: str | None) -> bool:
    """Whether there is a module of words for this kind."""
    if kind is None:
        return True
    name = f"sordino.words.{kind}"
    found = kind.isidentifier() and importlib.util.find_spec(name) is not None
    return found and hasattr(importlib.import_module(name), "KEPT")
