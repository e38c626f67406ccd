"""What releases of grouped tables say."""

from __future__ import annotations

from sordino.release.texts import OURS, Texts
from sordino.report.documents import Seen
from sordino.verify.knowledge_file import KNOWLEDGE
from sordino.verify.manifest import MANIFEST
from sordino.words.blocks import Card
from sordino.words.text import listed

__all__ = ["DiversityTexts"]


class DiversityTexts(Texts):
    """Tables whose sensitive values are known by group only."""

    files = f"the data and {KNOWLEDGE}"

    def guaranteed(self) -> tuple[str, ...]:
        """What holds for the published tables."""
        stated = self.policy.statement()
        size, what, known = stated["l"], stated["sensitive"], listed(list(stated["quasi"]))
        return (
            f"Someone who knows {known} of everybody, who is in the data, in which group each person is, and all the "
            f"rules in {KNOWLEDGE} still has at least {size} different possible values of {what} for every person "
            f"(matching {size}-diversity). A value is possible if the values of a group can be given to its people so "
            "that this person gets it and no rule is broken.",
            f"Without any rule, every group holds at least {size} different values of {what} (plain {size}-diversity).",
            f"This is exact, for every person in the data and for just the rules in {KNOWLEDGE}; anyone can check it "
            "from the published files.",
        )

    def not_guaranteed(self) -> tuple[str, ...]:
        """Where the guarantee ends."""
        stated = self.policy.statement()
        what, knowledge, known = stated["sensitive"], stated["knowledge"], listed(list(stated["quasi"]))
        word = f"{KNOWLEDGE} holds what the publisher stated; rules that the original data teach besides are not in it."
        if knowledge["mined"]:
            word = (
                f"That {KNOWLEDGE} holds all the rules that the original data teach, as far as the policy asks for "
                "them, is the publisher's word: it cannot be checked without the original data."
            )
        return (
            f"Someone who knows more than the rules in {KNOWLEDGE}, such as the {what} of some of the people, may "
            "rule out more.",
            word,
            "Possible does not mean equally likely: guesses from what is common among such people stay possible, and "
            f"how many people of a group have each {what} is public.",
            f"The share of each {what} among all people can be counted by everyone; so can {known}: these are "
            "published as they are, and being in the data is not hidden.",
            "Other sources: linking these data with another release of the same people may tell more than these data "
            "alone.",
            "Why the method put just these people into one group is not covered.",
        )

    def about(self) -> tuple[str, ...]:
        """What the data are, and what was done to them."""
        manifest = self.manifest
        people = "1 person" if manifest.records == 1 else f"{manifest.records:,} people"
        what = self.policy.sensitive
        if manifest.values is None:
            form = (
                f"{manifest.file} holds {people}, one a row, in {manifest.groups:,} groups (column {manifest.group}). "
                f"Within each group the values of {what} were put into random order: the value in a row is that of "
                "somebody in the group, not of the person in the row."
            )
        else:
            form = (
                f"{manifest.file} holds {people}, one a row, in {manifest.groups:,} groups (column {manifest.group}); "
                f"{manifest.values} says how many people of each group have each value of {what}."
            )
        rules = "1 rule" if manifest.rules == 1 else f"{manifest.rules:,} rules"
        return (
            form + " Rows and groups are in random order. Columns that the policy does not name are not published.",
            f"Every group holds at least {manifest.plain} different values (plain l-diversity: {manifest.plain}). For "
            f"someone who knows the {rules} in {KNOWLEDGE}, at least {manifest.matching} values stay possible for "
            f"everybody (matching l-diversity: {manifest.matching}).",
        )

    def about_policy(self) -> str:
        """Where to find what is protected."""
        confidence = self.policy.statement()["knowledge"].get("min_confidence")
        doubtful = (
            f" Rules found in the data hold for at least {confidence} of those whom they speak of, and count as if "
            "they held for all."
        )
        return (
            f"What the adversary is assumed to know is listed in {KNOWLEDGE}: rules that nobody with certain "
            f'properties has a certain value. How they were found is in {MANIFEST}, under "policy"; they were chosen '
            f"by whoever published this folder.{doubtful if confidence else ''}"
        )

    def about_check(self) -> tuple[str, str]:
        return (
            f"You need not trust whoever made this folder: the groups can be checked by a part of sordino {OURS}. In "
            "this folder, run",
            "and counts in every group the possible values of every person.",
        )

    def seen(self, data: None) -> Seen:
        del data  # all that is shown stands in the manifest
        manifest = self.manifest
        return Seen(
            (
                Card(f"{manifest.records:,}", "people"),
                Card(f"{manifest.groups:,}", "groups"),
                Card(str(manifest.matching), "possible values for everybody at least, under the rules stated"),
            )
        )
