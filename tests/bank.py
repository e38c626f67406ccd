"""The running example of Wang, Fung and Yu (2005): Table 1, 24 customers of a bank."""

from __future__ import annotations

COLUMNS = ("Job", "Country", "Child", "Bankruptcy", "Rating")

_LINES = (
    ("Cook", "US", "No", "Current", 0, 4),
    ("Artist", "France", "No", "Current", 1, 3),
    ("Doctor", "US", "Yes", "Never", 4, 2),
    ("Trader", "UK", "No", "Discharged", 4, 0),
    ("Trader", "UK", "No", "Never", 1, 0),
    ("Trader", "Canada", "No", "Never", 1, 0),
    ("Clerk", "Canada", "No", "Never", 3, 0),
    ("Clerk", "Canada", "No", "Discharged", 1, 0),
)
BANK = tuple(
    dict(zip(COLUMNS, (*line[:4], rating), strict=True))
    for line in _LINES
    for rating, number in (("Good", line[4]), ("Bad", line[5]))
    for _ in range(number)
)
