"""What a look at data has shown, as plain data that can be printed, shown in a notebook, and written as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sordino.words.blocks import Page
from sordino.words.inspection import inspection_page, inspection_text

__all__ = ["Inspection"]


@dataclass(frozen=True, repr=False)
class Inspection:
    """How data would be read. It shows contents of records: it is for the screen of whoever has the data."""

    found: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """ "baskets" or "table": which of the two they would be read as if nothing else is stated."""
        return str(self.found["as"])

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return dict(self.found)

    def page(self) -> Page:
        """The same in words."""
        return inspection_page(self.found)

    def __repr__(self) -> str:
        return inspection_text(self.found)

    def _repr_html_(self) -> str:
        from sordino.report.notebook import page_html

        return page_html(self.page())
