"""What the report for everybody shows of published baskets: counted in the records that were read back."""

from __future__ import annotations

import numpy as np

from sordino.data.baskets import Baskets
from sordino.report.documents import Seen
from sordino.words.seen import seen_cards, seen_charts

__all__ = ["seen_in_baskets"]


def seen_in_baskets(published: Baskets) -> Seen:
    """Records, items, how long records are and what is in them."""
    lengths = dict(enumerate(np.bincount(published.lengths).tolist()))
    supports = [(name, n) for name, n in zip(published.names, published.supports.tolist(), strict=True) if n]
    return Seen(
        seen_cards(len(published), published.occurrences, published.distinct_items),
        seen_charts(lengths, supports, len(published)),
    )
