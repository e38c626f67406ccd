"""What a verifier found."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Verdict"]


@dataclass(frozen=True)
class Verdict:
    """What the verifier found. `holds` is True only if everything that the policy demands was shown to be so."""

    holds: bool
    reason: str  # 'proved', or why not
    items: int  # what the policy protects: sensitive items of baskets, sensitive values of tables
    served: int  # cases proven by what the proof says, as alibis
    searched: int  # cases that were examined one by one
    seconds: float
