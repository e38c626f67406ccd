"""Numbers as ranges and dates as periods: what an adversary is assumed to know of them, and all that is published."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np

from sordino.data.dates import PERIODS, dates_of, period, wider
from sordino.data.hierarchy import Hierarchy, hierarchy_of
from sordino.data.nodes import numbers as plain_numbers
from sordino.data.table import TEXT, Column
from sordino.policy.text import quote
from sordino.policy.threshold import Rational, read_rational, show_rational

__all__ = ["Bins", "binned", "is_binned", "range_tree"]

ANY = "any"  # the label of a single range
PERIOD = r"in [0-9]{4}(-(W[0-9]{2}|Q[1-4]|[0-9]{2}))?|in the [0-9]{3}0s"
LABEL = re.compile(rf"{ANY}|under \S+|\S+ and over|\S+ to under \S+|{PERIOD}")
WAYS = 'write { quantile = 4 }, { width = 10 } or { edges = [18, 30, 65] }; of dates { by = "month" }'
MOST = 10_000  # ranges


@dataclass(frozen=True)
class Bins:
    """How a column is cut into ranges: `quantile` of about equally many rows, of equal `width`, or at given `edges`.

    Dates are cut `by` week, month, quarter, year or decade.
    """

    quantile: int | None = None
    width: Fraction | None = None
    edges: tuple[Fraction, ...] = ()
    by: str | None = None

    @classmethod
    def read(cls, stated: object) -> Bins:
        """From a number of quantiles, a width, a list of edges, as { quantile = 4 } and so on; ValueError if not so."""
        if isinstance(stated, Bins):
            return stated
        if not isinstance(stated, Mapping) or len(stated) != 1:
            raise ValueError(WAYS)
        ((way, value),) = stated.items()
        if way == "quantile":
            if isinstance(value, bool) or not isinstance(value, int) or not 2 <= value <= MOST:
                raise ValueError("quantile must be a whole number, 2 or more")
            return cls(quantile=value)
        if way == "width":
            width = read_rational(value)
            if width <= 0:
                raise ValueError("width must be above 0")
            return cls(width=width)
        if way == "edges":
            edges = _read_edges(value)
            if not edges or any(a >= b for a, b in itertools.pairwise(edges)):
                raise ValueError("edges must be numbers that ascend")
            return cls(edges=edges)
        if way == "by":
            if value not in PERIODS:
                raise ValueError(f"by must be one of {', '.join(PERIODS)}")
            return cls(by=str(value))
        raise ValueError(f"'{way}' is none of quantile, width, edges, by")

    def stated(self) -> dict[str, object]:
        """The same as `read` takes it, ready for JSON."""
        if self.quantile is not None:
            return {"quantile": self.quantile}
        if self.width is not None:
            return {"width": show_rational(self.width)}
        if self.by is not None:
            return {"by": self.by}
        return {"edges": [show_rational(edge) for edge in self.edges]}

    def as_toml(self) -> str:
        """The same as it stands in a policy file."""
        ((way, value),) = self.stated().items()
        if isinstance(value, list):
            return f"{{ {way} = [{', '.join(map(quote, value))}] }}"
        return f"{{ {way} = {quote(value) if isinstance(value, str) else value} }}"


def _read_edges(value: object) -> tuple[Fraction, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise ValueError("edges must be a list of numbers")
    edges: list[Fraction] = []
    for edge in value:
        if not isinstance(edge, Rational):
            raise ValueError("edges must be a list of numbers")
        edges.append(read_rational(edge))
    return tuple(edges)


def is_binned(column: Column, symbol: str) -> bool:
    """Whether a column of texts holds nothing but ranges and suppressed cells, as a release shows it."""
    return not column.numeric and all(text == symbol or LABEL.fullmatch(text) for text in column.texts)


def binned(column: Column, bins: Bins) -> tuple[Column, tuple[str, ...]]:
    """The column as texts that name ranges, and the ranges in ascending order. A missing value stays missing.

    The outermost ranges are open: neither the smallest nor the largest number of the data is shown. ValueError if the
    column would fall into too many ranges, or if it is of another sort than the bins are for.
    """
    if bins.by is not None:
        return _in_periods(column, bins.by)
    if not column.numeric:
        raise ValueError('its values are not all numbers; dates are cut by = "month"')
    assert not isinstance(column.values, tuple)
    if not np.isfinite(column.values.astype(np.float64)).all():
        raise ValueError("the column holds infinite numbers")
    numbers = [Fraction(str(value)) for value in column.values.tolist()]
    edges = _cuts(numbers, column.counts.tolist(), bins)
    labels = _labels(edges)
    place = np.array([*(bisect_right(edges, number) for number in numbers), -1], dtype=np.int32)
    codes = place[column.codes]
    used = np.bincount(codes[codes >= 0], minlength=len(labels)) > 0
    order = sorted((label, k) for k, label in enumerate(labels) if used[k])
    rank = np.full(len(labels) + 1, -1, dtype=np.int32)
    rank[[k for _, k in order]] = np.arange(len(order), dtype=np.int32)
    values = tuple(label for label, _ in order)
    return (
        Column(column.name, rank[codes], values, TEXT, missing=_blank(column), weight=column.weight),
        tuple(label for k, label in enumerate(labels) if used[k]),
    )


def _in_periods(column: Column, by: str) -> tuple[Column, tuple[str, ...]]:
    """The dates of a column as the periods in which they lie."""
    labels = [period(day, by) for day in dates_of(column.texts)]
    values = tuple(sorted({label for label, times in zip(labels, column.counts.tolist(), strict=True) if times}))
    if len(values) >= MOST:
        raise ValueError(f"that makes more than {MOST:,} ranges")
    rank = {label: k for k, label in enumerate(values)}
    place = np.array([*(rank.get(label, -1) for label in labels), -1], dtype=np.int32)
    return Column(column.name, place[column.codes], values, TEXT, missing=_blank(column), weight=column.weight), values


def _blank(column: Column) -> str | None:
    """How a column of texts writes "no value" that was one of numbers."""
    return None if column.missing == "NaN" else column.missing


def _period_tree(texts: Sequence[str], by: str) -> Hierarchy:
    """The hierarchy of dates under the periods in which they lie, and these under wider ones."""
    days = dates_of(texts)
    levels = (*reversed(wider(by)), by)
    names, parents, place = [ANY], [-1], {}
    for k in sorted(range(len(days)), key=lambda k: (days[k], texts[k])):
        above = 0
        for level in levels:
            label = period(days[k], level)
            if label not in place:
                place[label] = len(names)
                names.append(label)
                parents.append(above)
            above = place[label]
        names.append(texts[k])
        parents.append(above)
    return hierarchy_of(names, parents)


def range_tree(texts: Sequence[str], counts: Sequence[int], bins: Bins) -> Hierarchy:
    """The hierarchy of numbers, or dates, under the ranges in which they lie; `counts` are the rows of each.

    Ranges that hold no number are left out. ValueError if a text is no plain number, or if there are too many ranges.
    """
    if bins.by is not None:
        return _period_tree(texts, bins.by)
    found = plain_numbers(texts)
    if found is None:
        raise ValueError("it holds values that are no plain numbers")
    order = sorted(range(len(found)), key=lambda k: (found[k], texts[k]))
    edges = _cuts([found[k] for k in order], [int(counts[k]) for k in order], bins)
    labels = _labels(edges)
    place = [bisect_right(edges, found[k]) for k in order]
    used = sorted(set(place))
    if len(used) == 1:  # one range is all of them
        return hierarchy_of([ANY, *(texts[k] for k in order)], [-1, *(0 for _ in order)])
    names = [ANY, *(labels[k] for k in used), *(texts[k] for k in order)]
    return hierarchy_of(names, [-1, *(0 for _ in used), *(1 + used.index(k) for k in place)])


def _cuts(numbers: Sequence[Fraction], counts: Sequence[int], bins: Bins) -> tuple[Fraction, ...]:
    """Where ascending numbers are cut."""
    edges = bins.edges
    if bins.width is not None:
        steps = sorted({floor(number / bins.width) for number in numbers})
        edges = tuple(sorted({edge for k in steps for edge in (k * bins.width, (k + 1) * bins.width)})[1:-1])
    elif bins.quantile is not None:
        edges = _quantile_edges(counts, numbers, bins.quantile)
    if len(edges) >= MOST:
        raise ValueError(f"that makes more than {MOST:,} ranges")
    return edges


def _labels(edges: Sequence[Fraction]) -> list[str]:
    if not edges:
        return [ANY]
    texts = [show_rational(edge) for edge in edges]
    between = [f"{low} to under {high}" for low, high in itertools.pairwise(texts)]
    return [f"under {texts[0]}", *between, f"{texts[-1]} and over"]


def _quantile_edges(counts: Sequence[int], numbers: Sequence[Fraction], parts: int) -> tuple[Fraction, ...]:
    """Where to cut so that the parts hold about equally many rows; fewer parts where numbers repeat too much."""
    below = np.concatenate([[0], np.cumsum(counts)])  # rows below each number
    edges = []
    for part in range(1, parts):
        place = int(np.searchsorted(below, below[-1] * part / parts, side="left"))
        if 0 < place < len(numbers):
            edges.append(numbers[place])
    return tuple(sorted(set(edges)))
