"""What releases of generalized and of permuted baskets say."""

from __future__ import annotations

from sordino.policy.promise import allowed, which
from sordino.release.baskets.texts import COUNTS, AbsenceTexts, BasketTexts
from sordino.release.texts import OURS
from sordino.verify.groups_file import GROUPS, HIERARCHY
from sordino.verify.shapes.inference import PROOF

__all__ = ["GeneralizedAbsenceTexts", "GeneralizedTexts", "PermutedTexts"]

BY_GROUP = "It holds for each group of records by itself, and therefore for all of them together."
AS_GROUPS = f"checks that every group shows items as {GROUPS} says,"


class GeneralizedTexts(BasketTexts):
    """Baskets of which items are shown as wider ones."""

    done = (
        "items were replaced by wider ones, and some were deleted, wherever they would have allowed someone to infer a "
        "sensitive item; nothing was invented."
    )

    def guaranteed(self) -> tuple[str, ...]:
        first, _, exact = super().guaranteed()
        return (
            first,
            "Confidence means: among all records that fit what that someone knows, the share of those that also hold "
            "the sensitive item. A record fits if it holds, for each known item, the node by which its group shows "
            "that item.",
            BY_GROUP,
            exact,
        )

    def not_guaranteed(self) -> tuple[str, ...]:
        return (
            *super().not_guaranteed(),
            f"{HIERARCHY} lists the items that the data show, as themselves or as wider ones. If it is part of one "
            "that was given, and that had been made from the data, the names of wider items may tell more of them.",
        )

    def about(self) -> tuple[str, ...]:
        return (
            *super().about(),
            f"{HIERARCHY} says which items a wider one stands for. {GROUPS} says which records belong together, and "
            "for each group which nodes of the hierarchy it opens: an item is shown as the first node above it that is "
            "not open. In a name like fruit@1 the number after @ is the level of the node, where the name alone would "
            "not do.",
        )

    def about_check(self) -> tuple[str, str]:
        why, _ = super().about_check()
        return why, f"{AS_GROUPS} and checks {PROOF} against the policy, group by group."


class GeneralizedAbsenceTexts(GeneralizedTexts, AbsenceTexts):
    """The same, under a policy with absent = "any"."""

    meaning = (
        "Confidence means: among all records that agree with what that someone knows, the share of those that also "
        "hold the sensitive item. A record agrees if the nodes by which its group shows items do.",
        BY_GROUP,
    )

    def guaranteed(self) -> tuple[str, ...]:
        return AbsenceTexts.guaranteed(self)

    def about_check(self) -> tuple[str, str]:
        why, _ = AbsenceTexts.about_check(self)
        return why, f"{AS_GROUPS} and counts, group by group: {COUNTS}"


class PermutedTexts(BasketTexts):
    """Baskets without their sensitive items, which are told by group."""

    done = "the sensitive items were taken out of the records."

    def guaranteed(self) -> tuple[str, ...]:
        return (
            "Someone who knows any NON-SENSITIVE items of a person cannot infer from this folder that the person also "
            f"has {which(self.policy)} with a confidence above {allowed(self.policy)}.",
            "Confidence means: the mean, over all records that hold what that someone knows, of the share of records "
            "in the record's group that have the sensitive item.",
            f"This is exact, without rounding or sampling, for every group; {GROUPS} is the evidence.",
        )

    def not_guaranteed(self) -> tuple[str, ...]:
        limits = super().not_guaranteed()
        return (
            "Against someone who knows a SENSITIVE item of a person nothing is promised: other sensitive items of the "
            "same group may then become likelier than the threshold. This is weaker than what sordino's other methods "
            "promise.",
            *(limits[1:] if self.policy.knowledge is not None else limits),  # any number of items may be known here
        )

    def about(self) -> tuple[str, ...]:
        return (
            *super().about(),
            f"{GROUPS} says which records belong together, and how many records of each group have which sensitive "
            "items, but not which records these are.",
        )

    def about_check(self) -> tuple[str, str]:
        return (
            f"You need not trust whoever made this folder: the groups can be checked by a part of sordino {OURS}. In "
            "this folder, run",
            f"and checks every group of {GROUPS} against the policy.",
        )
