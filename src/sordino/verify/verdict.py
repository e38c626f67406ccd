"""What a verifier found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sordino.policy.answer import Answer

__all__ = ["Verdict"]


@dataclass(frozen=True)
class Verdict:
    """What the verifier found. The answer is HOLDS only if everything that the policy demands was shown to be so."""

    answer: Answer
    reason: str  # 'proved', or why not; of NOT_CHECKED, what would be needed to check it
    items: int  # what the policy protects: sensitive items of baskets, sensitive values of tables
    served: int  # cases proven by what the proof says, as alibis; of sampled adversaries, those who can infer something
    searched: int  # cases that were examined one by one
    seconds: float
    notes: tuple[str, ...] = ()  # what there is to be said besides, also about what was not looked at

    @property
    def holds(self) -> bool:
        """Whether all was looked at, and is as it should be."""
        return self.answer is Answer.HOLDS

    def sentences(self) -> tuple[str, ...]:
        """The verdict in words: the reason, and what else there is to be said."""
        return (self.reason if self.reason.endswith((".", "?")) else f"{self.reason}.", *self.notes)

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain data, ready for JSON."""
        return {
            "answer": str(self.answer),
            "holds": self.holds,
            "reason": self.reason,
            "sentences": list(self.sentences()),
            "items": self.items,
            "served": self.served,
            "searched": self.searched,
            "notes": list(self.notes),
            "seconds": round(self.seconds, 3),
        }

    def __str__(self) -> str:
        return "\n".join((f"{self.answer}: {self.sentences()[0]}", *self.sentences()[1:]))
