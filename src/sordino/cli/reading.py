"""How the data were read, as the commands say it."""

from __future__ import annotations

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
    return [*blocks[:1], Points((reading_line(data),)), *blocks[1:]]


def with_reading_key(result: Mapping[str, Any], data: Baskets | Table | Grouped) -> dict[str, Any]:
    """A result as plain data, with how the data were read under "read_as"."""
    from sordino.data.how_read import how_read

    return {**result, "read_as": how_read(data)}
