"""What releases that continue earlier ones say."""

from __future__ import annotations

from sordino.policy.promise import allowed, which
from sordino.release.baskets.texts import BasketTexts
from sordino.verify.manifest import MANIFEST

__all__ = ["SequelTexts"]

OTHER = "Other sources:"  # how the sentence begins that says what other releases may tell


class SequelTexts(BasketTexts):
    """Baskets that go together with those of earlier releases."""

    def about(self) -> tuple[str, ...]:
        number = len(self.manifest.previous)
        earlier = "an earlier release" if number == 1 else f"{number} earlier releases"
        return (
            *super().about(),
            f'It continues {earlier} of the same people ({MANIFEST} says which, under "previous"). Of people who were '
            "in those it shows what was published then, and additions that tell nothing sensitive.",
        )

    def guaranteed(self) -> tuple[str, ...]:
        """What holds for the published file, and for all releases together."""
        return (
            *super().guaranteed(),
            'The same holds for this file together with the earlier releases that the manifest names under "previous": '
            "someone who has all of them, knows which rows belong to the same person, in which releases the person is, "
            "and any items that they show of the person at any time, cannot infer that one of them shows "
            f"{which(self.policy)} with a confidence above {allowed(self.policy)}, among all people who are in the "
            "same releases.",
        )

    def not_guaranteed(self) -> tuple[str, ...]:
        others = (
            f"{OTHER} linking this file with other data about the same people, or with releases that are not named "
            'under "previous", may tell more.'
        )
        return tuple(others if sentence.startswith(OTHER) else sentence for sentence in super().not_guaranteed())

    def about_check(self) -> tuple[str, str]:
        why, what = super().about_check()
        return (
            why,
            f"{what} That is about this file by itself, and ends with exit code 3. Whoever has the earlier releases "
            "and all `keep` parts can have everything checked: sordino verify NEW --with OLD",
        )
