"""What a check complains of."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SORTS", "Complaint", "Finding", "demand"]

SORTS = {
    "mismatch": "an answer that is not the oracle's",
    "unsafe": "something unsafe was let through",
    "refused": "an honest request was refused",
    "internal": "sordino broke a promise of its own",
    "exception": "an exception that is none of sordino's",
    "warning": "a warning",
    "hang": "a run that did not end",
    "died": "a process that ended by itself",
}


class Complaint(Exception):  # noqa: N818 - it is no error of the program that raises it
    """Raised by a check: the sort (of SORTS), and what is wrong."""

    def __init__(self, sort: str, what: str) -> None:
        assert sort in SORTS
        self.sort, self.what = sort, what
        super().__init__(f"{sort}: {what}")


@dataclass(frozen=True)
class Finding:
    """A complaint and where it arose: `check` is the property, `place` the innermost line of ours, for exceptions."""

    check: str
    sort: str
    what: str
    place: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What stays the same while a case is shrunk."""
        return self.check, self.sort, self.place or self.what.split(":")[0]


def demand(holds: bool, what: str, sort: str = "mismatch") -> None:
    """A complaint unless it holds."""
    if not holds:
        raise Complaint(sort, what)
