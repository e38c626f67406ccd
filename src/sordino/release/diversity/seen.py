"""What the report for everybody shows of a published grouped table."""

from __future__ import annotations

from sordino.report.documents import Seen
from sordino.words.blocks import Card

__all__ = ["seen_in_groups"]


def seen_in_groups(people: int, groups: int, matching: int) -> Seen:
    """People, groups, and how many values stay possible."""
    return Seen(
        (
            Card(f"{people:,}", "people"),
            Card(f"{groups:,}", "groups"),
            Card(str(matching), "possible values for everybody at least, under the rules stated"),
        )
    )
