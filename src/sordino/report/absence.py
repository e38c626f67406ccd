"""What reports say differently where somebody may also know what people do not have (absent = "any")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sordino.report.blocks import clean

__all__ = ["ABSENCES", "exposure", "known_words"]

ABSENCES = {"0": "no absence known", "1": "1 absence known", "2": "2 absences known", "more": "more absences known"}


def exposure(audit: Mapping[str, Any]) -> Mapping[str, int] | None:
    """People at risk by how few absences suffice; None for an audit without absence."""
    return audit["exposure_by_absence"] if audit.get("absent") else None


def known_words(finding: Mapping[str, Any]) -> str:
    """What must be known for a finding."""
    words = " and ".join(map(clean, finding["antecedent"]))
    absent = finding.get("absent")
    return f"{words}, and knows that there is no {' and no '.join(map(clean, absent))}," if absent else words
