"""What releases of grouped tables say."""

from __future__ import annotations

from sordino.policy.promise_table import groups_guaranteed, groups_not_guaranteed
from sordino.release.texts import OURS, Texts
from sordino.report.documents import Seen
from sordino.verify.knowledge_file import KNOWLEDGE
from sordino.verify.manifest import MANIFEST
from sordino.words.blocks import Card

__all__ = ["DiversityTexts"]


class DiversityTexts(Texts):
    """Tables whose sensitive values are known by group only."""

    files = f"the data and {KNOWLEDGE}"

    def guaranteed(self) -> tuple[str, ...]:
        """What holds for the published tables."""
        return groups_guaranteed(self.policy.statement(), KNOWLEDGE)

    def not_guaranteed(self) -> tuple[str, ...]:
        """Where the guarantee ends."""
        return groups_not_guaranteed(self.policy.statement(), KNOWLEDGE)

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
