"""Names, numbers and shares as they are shown everywhere."""

from __future__ import annotations

import io
from fractions import Fraction

from sordino.policy.threshold import show_rational

__all__ = ["clean", "count", "exactly", "listed", "percent", "share"]


def clean(name: str) -> str:
    """A name from the data as it may be shown: what is not printable, and could steer a terminal, is escaped."""
    if name.isprintable():
        return name
    out = io.StringIO()
    for char in name:
        out.write(char if char.isprintable() else char.encode("unicode_escape").decode())
    return out.getvalue()


def percent(value: float | Fraction) -> str:
    """A share in percent with one decimal, never rounded to 0 or 100 without being that."""
    text = f"{float(value):.1%}"
    if text == "100.0%":
        return "100%" if value == 1 else ">99.9%"
    if text in ("0.0%", "-0.0%"):
        return "0%" if value == 0 else "<0.1%"
    return text


def exactly(value: str | Fraction) -> str:
    """A share in percent that is not rounded; where the percentage does not end, the fraction with it: 2/3 (66.7%)."""
    exact = Fraction(value)
    text = show_rational(exact * 100)
    return f"{exact} ({percent(exact)})" if "/" in text else f"{text}%"


def share(part: int, whole: int) -> str:
    """A part of a whole, in percent."""
    return percent(Fraction(part, whole)) if whole else "-"


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: 1 person, 2 people."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(words: list[str]) -> str:
    """Words in a sentence: a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
