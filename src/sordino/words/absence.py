"""What is said differently where somebody may also know what people do not have (absent = "any")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sordino.words.text import count

__all__ = ["ABSENCES", "AGAINST", "LIMITS", "TAKEN", "compared", "exposure", "known_words"]

Plain = Mapping[str, Any]

ABSENCES = {"0": "none", "1": "1 item", "2": "2 items", "more": "more items"}  # known to be absent
TAKEN = "What people do NOT have was taken to be unknown"  # so begins what an audit without it says of absence
AGAINST = " against someone who also knows what is not in a record"
LIMITS = (
    'Where it says "at least", the search for the fewest absences has a limit, because finding them all can take for '
    "ever. The verdict, and every finding that is shown, are exact."
)


def exposure(audit: Plain) -> Mapping[str, int] | None:
    """People at risk by how few absences suffice; None for an audit without absence."""
    return audit["exposure_by_absence"] if audit.get("absent") else None


def known_words(antecedent: list[str], absent: list[str]) -> str:
    """What must be known for a finding."""
    words = " and ".join(antecedent)
    return f"{words}, and knows that there is no {' and no '.join(absent)}," if absent else words


def compared(audit: Plain) -> Iterator[str]:
    """How the answer was established."""
    searched = audit["searched_items"]
    if searched:
        yield (
            f"By twins: {count(searched, 'item')}. Whoever has one of them, and something else, needs enough other "
            "people whose records are equal but for it."
        )
    alone = audit["sensitive_items"] - searched
    if alone > 0 and not audit.get("unchecked"):
        yield f"Without effort: {count(alone, 'item')}, never recorded together with anything one could know."
