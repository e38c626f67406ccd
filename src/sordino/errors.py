"""What can go wrong, as one small family.

A message says what happened, where, and what to do next. It never holds the contents of a record: names of items come
only from the user's own policy, and places are given as file and line. So messages may go into logs. What would help
whoever sits there, but names what the data hold, is kept apart from the message, in `suggestions`; the command line
shows these on a terminal only.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "InputError",
    "InternalError",
    "MissingExtra",
    "PolicyError",
    "Problem",
    "SordinoError",
    "Unsatisfiable",
    "did_you_mean",
    "problem_with",
]


class SordinoError(Exception):
    """The root of every error that sordino raises on purpose."""

    suggestions: tuple[str, ...] = ()  # sentences that may name what the data hold: not for logs


class InputError(SordinoError):
    """The data cannot be accepted as it is (the user's side)."""

    def __init__(
        self, what: str, *, where: str | None = None, hint: str | None = None, suggestions: Iterable[str] = ()
    ) -> None:
        self.what, self.where, self.hint, self.suggestions = what, where, hint, tuple(suggestions)
        text = f"{where}: {what}" if where else what
        super().__init__(f"{text}\n  {hint}" if hint else text)


class NoRecordsError(InputError):
    """The data are readable, and hold no records: for data an error, for choices nothing chosen."""


class Problem(str):
    """What is wrong, in a sentence; and beside it, perhaps, a suggestion that names what the data hold."""

    suggestion: str | None

    def __new__(cls, text: str, suggestion: str | None = None) -> Problem:
        problem = super().__new__(cls, text)
        problem.suggestion = suggestion
        return problem


class PolicyError(SordinoError):
    """The policy cannot be accepted as it is; holds every problem found, not only the first.

    `sensitive` are the items that it names as sensitive, `columns` the columns of a table that it names, so that what
    is wrong with these can be told as well.
    """

    def __init__(
        self,
        problems: Iterable[str],
        *,
        where: str | None = None,
        sensitive: Iterable[str] = (),
        columns: Iterable[str] = (),
    ) -> None:
        self.problems, self.where, self.sensitive = tuple(problems), where, tuple(sensitive)
        self.columns = tuple(columns)
        self.suggestions = tuple(p.suggestion for p in self.problems if isinstance(p, Problem) and p.suggestion)
        head = f"{where}: " if where else ""
        count = len(self.problems)
        if count == 1:
            text = f"{head}{self.problems[0]}"
        else:
            text = f"{head}{count} problems in the policy:\n" + "\n".join(f"  - {p}" for p in self.problems)
        super().__init__(text)


class Unsatisfiable(SordinoError):
    """No legal change of the data can make the policy hold."""


class MissingExtra(SordinoError):
    """An optional library is needed and not installed."""

    def __init__(self, library: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {library}.\n  Install it with: pip install 'sordino[{extra}]'")


class InternalError(SordinoError):
    """A promise of sordino's own was broken: our fault, never the user's."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint that names the closest known word, or nothing. The known words are not those of the data."""
    close = _closest(word, known)
    return "" if close is None else f" Did you mean '{close}'?"


def problem_with(word: str, text: str, held: Iterable[str]) -> Problem:
    """The problem with a word that should be among the names that the data hold, with the closest of them beside it."""
    close = _closest(word, held)
    return Problem(text, None if close is None else f"Instead of '{word}', did you mean '{close}'?")


def _closest(word: str, known: Iterable[str]) -> str | None:
    words = list(known)
    plain = word.casefold()
    close = [other for other in words if other.casefold() == plain][:1]
    close = close or difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    return close[0] if close else None
