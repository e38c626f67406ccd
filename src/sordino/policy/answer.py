"""The three answers of a check: what was not looked at is never reported as holding."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Answer"]


class Answer(StrEnum):
    """How a check ended. `worst` of several parts is the answer of the whole."""

    HOLDS = "holds"  # all that the policy demands was looked at, and is so
    FAILS = "fails"  # something was found that the policy forbids
    NOT_CHECKED = "not checked"  # nothing forbidden was found, but not all was looked at

    @property
    def exit_code(self) -> int:
        """What a command ends with: 0, 1 or 3 (2 is bad input or usage)."""
        return {Answer.HOLDS: 0, Answer.FAILS: 1, Answer.NOT_CHECKED: 3}[self]

    @property
    def good(self) -> bool | None:
        """Whether that is good news; None where it is not known."""
        return {Answer.HOLDS: True, Answer.FAILS: False, Answer.NOT_CHECKED: None}[self]

    @staticmethod
    def worst(*answers: Answer) -> Answer:
        """Fails if a part fails, else not checked if a part is not checked, else holds."""
        return max(answers, key=(Answer.HOLDS, Answer.NOT_CHECKED, Answer.FAILS).index, default=Answer.HOLDS)
