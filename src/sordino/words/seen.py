"""What the report for everybody shows of published data: counts of the published bytes, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sordino.words.blocks import Block, Card, Chart, Series, Table
from sordino.words.text import clean

__all__ = ["LENGTHS", "Seen", "seen_blocks", "seen_cards", "seen_charts", "size_range"]

SHOWN = 15  # items
LENGTHS = ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 10), (11, 20), (21, 50), (51, None))


@dataclass(frozen=True)
class Seen:
    """What the report for everybody shows of the published data: counted in the published bytes, and nowhere else."""

    cards: tuple[Card, ...] = ()
    blocks: tuple[Block, ...] = ()


def size_range(least: int, most: int | None) -> str:
    """The lengths from least to most, in words."""
    if most is None:
        return f"over {least - 1}"
    return str(least) if least == most else f"{least} to {most}"


def seen_cards(records: int, entries: int, items: int) -> tuple[Card, ...]:
    """The size of published baskets."""
    return (
        Card(f"{records:,}", "people"),
        Card(f"{items:,}", "different items"),
        Card(f"{entries / max(records, 1):.1f}", "items a person, on average"),
    )


def seen_charts(lengths: Mapping[int, int], supports: Sequence[tuple[str, int]], records: int) -> tuple[Block, ...]:
    """Published baskets in two pictures: how long records are (length -> records), what is in them (item, records)."""
    labels, counts = [], []
    for least, most in LENGTHS:
        inside = sum(n for length, n in lengths.items() if least <= length and (most is None or length <= most))
        if inside:
            labels.append(size_range(least, most))
            counts.append(float(inside))
    frequent = sorted(supports, key=lambda pair: (-pair[1], pair[0]))[:SHOWN]
    return (
        Chart(
            "How many items people have",
            f"{records:,} records, by the number of their items.",
            tuple(labels),
            (Series("records", tuple(counts)),),
            axis="records",
            x_axis="items in the record",
        ),
        Chart(
            "The most frequent items",
            f"The share of all people who have it, for the {len(frequent)} most frequent of {len(supports):,} items.",
            tuple(clean(name) for name, _ in frequent),
            (Series("share of the people", tuple(n / max(records, 1) for _, n in frequent)),),
            axis="share of the people",
            x_axis="item",
            percent=True,
        ),
    )


def seen_blocks(columns: Sequence[tuple[str, int, int]], rows: int) -> tuple[Block, ...]:
    """A published table: for each column its name, how many values it shows, and how many cells are suppressed."""
    hidden = tuple(None if not rows else gone / rows for _, _, gone in columns)
    return (
        Chart(
            "How much of each column is suppressed",
            f"{rows:,} rows; suppressed cells show a symbol instead of a value.",
            tuple(clean(name) for name, _, _ in columns),
            (Series("suppressed", hidden),),
            axis="share of the rows",
            x_axis="column",
            percent=True,
        ),
        Table(
            "The columns",
            ("column", "different values", "suppressed cells"),
            tuple((clean(name), f"{values:,}", f"{gone:,}") for name, values, gone in columns),
            (1, 2),
        ),
    )
