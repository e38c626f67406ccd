"""What the verifier found about a release folder, whoever shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sordino.policy.answer import Answer
from sordino.words.blocks import Block, Points, Verdict
from sordino.words.text import clean

__all__ = ["verified_blocks"]

INSIST = "To insist on a policy of yours, add --policy FILE."


def verified_blocks(answer: Answer, sentences: Iterable[str], *, own: bool) -> Iterator[Block]:
    """The verdict and the sentences of a verifier; own: what was demanded is the release's own policy."""
    first, *lines = map(clean, sentences)
    if answer is Answer.FAILS:
        yield Verdict(f"The release is NOT valid: {first}", good=False)
        return
    valid = answer is Answer.HOLDS
    yield Verdict(f"The release is valid: {first}" if valid else f"NOT CHECKED: {first}", good=answer.good)
    yield Points((*lines, INSIST) if own else tuple(lines))
