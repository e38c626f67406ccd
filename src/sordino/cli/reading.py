"""How the data were read, as the commands say it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sordino.cli.page import Block, Lines, clean

if TYPE_CHECKING:
    from sordino.data.baskets import Baskets
    from sordino.data.grouped import Grouped
    from sordino.data.table import Table

__all__ = ["reading_line", "with_reading", "with_reading_key"]


def reading_line(data: Baskets | Table | Grouped) -> str:
    """How the data were read, fit for a terminal."""
    from sordino.data.how_read import how_read

    return clean(how_read(data))


def with_reading(page: Sequence[Block], data: Baskets | Table | Grouped) -> list[Block]:
    """The page with a line after its first block that says how the data were read."""
    return [*page[:1], Lines((reading_line(data),)), *page[1:]]


def with_reading_key(result: Mapping[str, Any], data: Baskets | Table | Grouped) -> dict[str, Any]:
    """A result as plain data, with how the data were read under "read_as"."""
    from sordino.data.how_read import how_read

    return {**result, "read_as": how_read(data)}
