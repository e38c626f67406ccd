"""What a verifier found."""

from __future__ import annotations

from dataclasses import dataclass

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
