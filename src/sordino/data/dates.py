"""Dates as texts: which day each is, and the week, month, quarter, year or decade in which it lies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

__all__ = ["PERIODS", "are_dates", "dates_of", "period", "wider"]

PERIODS = ("week", "month", "quarter", "year", "decade")
ABOVE = {"week": (), "month": ("quarter", "year", "decade"), "quarter": ("year", "decade")}
YEAR_FIRST = re.compile(r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})(?:[ T].*)?")
COMPACT = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
YEAR_LAST = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})[-/.]([0-9]{4})(?:[ T].*)?")


def are_dates(texts: Sequence[str]) -> bool:
    """Whether there is a text, and all of them look like dates, whichever part of them is the day."""
    return bool(texts) and all(YEAR_FIRST.fullmatch(text) or YEAR_LAST.fullmatch(text) for text in texts)


def dates_of(texts: Sequence[str]) -> list[date]:
    """The day of each text: 2024-03-05, 2024/3/5, 20240305, 5.3.2024 or 5/3/2024, perhaps with a time behind it.

    With points the day comes first. With slashes the texts must tell: one of them has a day above 12. ValueError, which
    says nothing of what the texts hold, if they are no dates or not clear.
    """
    months_first = _months_first(texts)
    found = []
    for text in texts:
        if (last := YEAR_LAST.fullmatch(text)) is not None:
            first, mark, second, year = last.groups()
            day, month = (second, first) if months_first and mark != "." else (first, second)
        elif (parts := YEAR_FIRST.fullmatch(text) or COMPACT.fullmatch(text)) is not None:
            year, month, day = parts.groups()
        else:
            raise ValueError("it holds values that are no dates such as 2024-03-05 or 5.3.2024")
        try:
            found.append(date(int(year), int(month), int(day)))
        except ValueError:
            raise ValueError("it holds dates that are in no calendar") from None
    return found


def _months_first(texts: Sequence[str]) -> bool:
    """Whether 3/5/2024 is the fifth of March."""
    pairs = [(int(m[1]), int(m[3])) for text in texts if (m := YEAR_LAST.fullmatch(text)) is not None and m[2] != "."]
    if not pairs:
        return False
    days, months = any(first > 12 for first, _ in pairs), any(second > 12 for _, second in pairs)
    if days == months:
        raise ValueError("whether the day or the month comes first is not clear; write dates as 2024-03-05")
    return months


def period(day: date, by: str) -> str:
    """The name of the period in which the day lies: "in 2024", "in 2024-Q1", "in 2024-03", "in the 2020s"."""
    if by == "week":
        year, week, _ = day.isocalendar()
        return f"in {year:04}-W{week:02}"
    if by == "month":
        return f"in {day.year:04}-{day.month:02}"
    if by == "quarter":
        return f"in {day.year:04}-Q{(day.month + 2) // 3}"
    return f"in {day.year:04}" if by == "year" else f"in the {day.year // 10 * 10:04}s"


def wider(by: str) -> tuple[str, ...]:
    """The periods in which those lie wholly; a week may lie in two years."""
    return ABOVE.get(by, ("decade",) if by == "year" else ())
