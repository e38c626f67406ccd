"""How the data were read, as the commands say it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sordino.cli.page import Block, Points, clean, screen
from sordino.words.blocks import Page

if TYPE_CHECKING:
    from sordino.data.baskets import Baskets
    from sordino.data.grouped import Grouped
    from sordino.data.table import Table

__all__ = ["reading_line", "with_reading", "with_reading_key"]


def reading_line(data: Baskets | Table | Grouped) -> str:
    """How the data were read, fit for a terminal."""
    from sordino.data.how_read import how_read

    return clean(how_read(data))


def with_reading(page: Page | Sequence[Block], data: Baskets | Table | Grouped) -> list[Block]:
    """The page with a line after its first block that says how the data were read."""
    blocks = screen(page) if isinstance(page, Page) else list(page)
    return [*blocks[:1], Points((reading_line(data), *_closer(data))), *blocks[1:]]


def _closer(data: Baskets | Table | Grouped) -> list[str]:
    """Why they were read so, what about it may not be as it seems, and where to see more."""
    from sordino.data.grouped import Grouped
    from sordino.data.why_read import reading_doubts, why_read

    doubts = [clean(doubt) for doubt in reading_doubts(data)]
    path = (data.table if isinstance(data, Grouped) else data).origin.path
    more = "" if path in (None, "-") else f" Not as you meant it? {clean(shlex.join(['sordino', 'inspect', path]))}"
    return [f"{clean(why_read(data))}{more}", *doubts]


def with_reading_key(result: Mapping[str, Any], data: Baskets | Table | Grouped) -> dict[str, Any]:
    """A result as plain data, with how and why the data were read so, and what may not be as it seems."""
    from sordino.data.how_read import how_read
    from sordino.data.why_read import reading_doubts, why_read

    return {**result, "read_as": how_read(data), "read_because": why_read(data), "doubts": reading_doubts(data)}
