"""What releases of baskets from which items were deleted say: plain ones, under knowledge of absence, and those whose
promise the published file alone cannot prove."""

from __future__ import annotations

import numpy as np

from sordino.data.baskets import Baskets
from sordino.policy.assurance import delta_of_round, sample_size
from sordino.policy.promise import (
    adversary,
    allowed,
    guaranteed,
    most_known,
    not_guaranteed,
    percent_exactly,
    which,
)
from sordino.release.texts import OURS, Texts
from sordino.report.documents import Seen
from sordino.verify.manifest import MANIFEST
from sordino.verify.shapes.inference import PROOF, written_as
from sordino.verify.shapes.promised import proven_share
from sordino.words.seen import seen_cards, seen_charts

__all__ = ["COUNTS", "AbsenceTexts", "BasketTexts", "PromisedTexts"]

ABOUT_IDS = {
    "keep": "Records are in the order of the source; record ids, if there are any, are its own.",
    "renumber": "Records are in the order of the source; record ids, if there are any, are new numbers.",
    "shuffle": "Records are in random order; record ids, if there are any, are new numbers.",
}
COUNTS = "for each record with a sensitive item, how many are equal to it, and how many are equal but for that item."


class BasketTexts(Texts):
    """Baskets from which items were deleted."""

    done = (
        "items were deleted wherever they would have allowed someone to infer a sensitive item; nothing was added or "
        "invented."
    )

    def guaranteed(self) -> tuple[str, ...]:
        return guaranteed(self.policy)

    def not_guaranteed(self) -> tuple[str, ...]:
        return not_guaranteed(self.policy)

    def about(self) -> tuple[str, ...]:
        manifest = self.manifest
        people = "1 person" if manifest.records == 1 else f"{manifest.records:,} people"
        return (
            f"{manifest.file} holds records of {people}: {written_as(manifest.form)}. Before it was published, "
            f"{self.done} {ABOUT_IDS[manifest.ids]}",
        )

    def about_policy(self) -> str:
        return (
            f"The sensitive items that the data still hold, and their thresholds, are listed in {MANIFEST}, under "
            '"policy". They were chosen by whoever published this folder.'
        )

    def about_check(self) -> tuple[str, str]:
        return (
            f"You need not trust whoever made this folder: the proof can be checked by a part of sordino {OURS}. In "
            "this folder, run",
            f"and checks {PROOF} against the policy.",
        )

    def seen(self, data: Baskets) -> Seen:
        """Records, items, how long records are and what is in them."""
        lengths = dict(enumerate(np.bincount(data.lengths).tolist()))
        supports = [(name, n) for name, n in zip(data.names, data.supports.tolist(), strict=True) if n]
        return Seen(
            seen_cards(len(data), data.occurrences, data.distinct_items), seen_charts(lengths, supports, len(data))
        )


class AbsenceTexts(BasketTexts):
    """The same, under a policy with absent = "any"."""

    meaning: tuple[str, ...] = (
        "Confidence means: among all records of this file that agree with what that someone knows, the share of those "
        "that also hold the sensitive item.",
    )

    def guaranteed(self) -> tuple[str, ...]:
        policy = self.policy
        return (
            f"Someone who knows {adversary(policy)} cannot infer from this file that the person also has "
            f"{which(policy)} with a confidence above {allowed(policy)}. It makes no difference what is known about "
            "the person's other items: that some are present, that some are absent, or any combination of both (one or "
            "the other, three of these five, not both).",
            *self.meaning,
            "This is exact, without rounding or sampling, for every person in the file. The file is its own proof: "
            "whoever doubts it counts equal records.",
        )

    def about_check(self) -> tuple[str, str]:
        return (
            "You need not trust whoever made this folder: the records can be counted anew by a part of sordino "
            f"{OURS}. In this folder, run",
            f"and counts: {COUNTS}",
        )


class PromisedTexts(BasketTexts):
    """Baskets of people who chose for themselves, or under a sampled assurance."""

    def guaranteed(self) -> tuple[str, ...]:
        """What was found to hold when the file was made, and how surely."""
        policy, assurance, secret = self.policy, self.policy.assurance, self._which()
        meaning = (
            "Confidence means: among all records of this file that hold what that someone knows, the share of those "
            "that also hold the sensitive item."
        )
        if assurance is None:
            return (
                f"Someone who knows {adversary(policy)} cannot infer from this file that the person also has {secret} "
                f"with a confidence above {allowed(policy)}. What is known of a person may be items that were deleted "
                "here.",
                meaning,
                "This was checked exactly, without sampling, for every person, against the original records. It cannot "
                "be checked from this file alone, because who chose what is not published.",
            )
        number = sample_size(assurance.epsilon, delta_of_round(assurance.delta, 1))
        most = most_known(policy)
        assert most is not None
        lengths = "1 item" if most == 1 else f"1, 2, ... up to {most:,} items"
        return (
            f"This guarantee is SAMPLED, not complete. Of all people who know {lengths} of a person's original record, "
            f"for each number of items less than {percent_exactly(assurance.epsilon)} can infer from this file that "
            f"the person also has {secret} with a confidence above {allowed(policy)}; and this is "
            f"{percent_exactly(1 - assurance.delta)} certain. Some of them may be able to: no single person is "
            "promised anything.",
            meaning,
            f"For this at least {number:,} such people were drawn at random for each number of items when the file was "
            f"made, and none of those drawn could; they bear out that less than {proven_share(assurance):.3%} can.",
        )

    def _which(self) -> str:
        count = len(self.policy.sensitive)
        common = "" if not count else "the sensitive item" if count == 1 else f"any of the {count:,} sensitive items"
        if not self.policy.personal:
            return common or "any sensitive item"
        own = "an item that this person chose as sensitive"
        return f"{own}, or {common} if the person did not opt out of it" if common else own

    def not_guaranteed(self) -> tuple[str, ...]:
        own = ("What a person did not choose, and is not sensitive for all, is not protected for that person.",)
        return (*(own if self.policy.personal else ()), *super().not_guaranteed())

    def about_policy(self) -> str:
        where = f'The items that are sensitive for all, and the thresholds, are listed in {MANIFEST}, under "policy".'
        if self.policy.personal:
            where += " What single persons chose besides, or chose not to, is nobody's business and is not published."
        return where

    def about_check(self) -> tuple[str, str]:
        """What verifying does, and what it cannot do."""
        given = " --policy FILE" if self.policy.personal else ""
        lacking = "the original data and the choices" if self.policy.personal else "the original data"
        checked = (
            "draws people of its own from the original data, as the policy says,"
            if self.policy.assurance is not None
            else "examines everything that may be known of each person"
        )
        return (
            "That the files are whole can be checked by everybody. In this folder, run",
            "and ends with exit code 3, because what is guaranteed cannot be checked without "
            f"{lacking}. Who has these runs: sordino verify . --original DATA{given}, which {checked} with a part of "
            f"sordino {OURS}.",
        )

    @property
    def proved(self) -> str:  # type: ignore[override]
        assurance = self.policy.assurance
        if assurance is None:
            return Texts.proved
        return (
            f"the draw of the check itself shows, {percent_exactly(1 - assurance.delta)} certain, that less than "
            f"{percent_exactly(assurance.epsilon)} of such people can infer something"
        )
