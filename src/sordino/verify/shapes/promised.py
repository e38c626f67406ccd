"""Baskets under an inference policy whose promise the published file alone cannot prove.

Either people chose for themselves what is sensitive, and who chose what is not published; or the assurance is sampled.
There is no proof. Its entries of the manifest are those of the shape "inference" and, in "policy":

    "personal": true, "assurance": {"epsilon": "0.05", "delta": "0.05", "max_knowledge": 5}

Nothing in the manifest follows from the choices but that there were some: "sensitive" and "per_item" list the common
items only. Nor does anything follow from the samples: what is said about them holds for every clean round.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import expm1
from pathlib import Path
from typing import Any, ClassVar

from sordino.data.aligned import align, in_random_order
from sordino.data.baskets import Baskets
from sordino.data.read import read_baskets
from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.policy.assurance import Assurance
from sordino.policy.choices import Choices
from sordino.policy.inference import InferencePolicy, ResolvedInference
from sordino.policy.kinds import Policy
from sordino.policy.promise import adversary, allowed, most_known, percent_exactly
from sordino.policy.threshold import show_rational
from sordino.verify.asked import Asked
from sordino.verify.keep import as_in_source
from sordino.verify.people import PeopleCheck, chance_of_as_few, chance_of_as_many
from sordino.verify.shapes.inference import InferenceManifest, difference
from sordino.verify.verdict import Verdict

__all__ = ["AS_PUBLISHED", "NO_CHOICES", "OTHER_NAMES", "PromisedManifest", "proven_share", "published_policy"]

UNTOLD = Choices.of_mapping({})  # that people chose, but not who or what

NO_CHOICES = (
    "what people chose was not given, so what is promised about it was not checked; it needs --policy FILE (or "
    "--choices FILE) and --original DATA"
)
AS_PUBLISHED = (
    "the published items of a record, and only those, were taken to be what may be known of a person, and nothing was "
    "found; what is promised is about the original records, and needs --original DATA"
)
NO_ORIGINAL = (
    "what is promised is about those who know items of the original records, and was not checked; it needs --original "
    "DATA"
)
OTHER_NAMES = (
    "the published records have other numbers than those that chose, so what is promised was not checked; it needs "
    "--original DATA"
)
TOO_FEW_DRAWN = "the draw neither refutes the promise nor bears it out"
IN_RANDOM_ORDER = (
    "the records are in random order, so that each is a part of its original was not checked; what can be inferred "
    "from them does not depend on it"
)


def published_policy(policy: InferencePolicy, items: Iterable[str]) -> InferencePolicy:
    """What may be said about the policy, for data of these items: others are not in it, nor the choices of people."""
    common = policy.only(frozenset(policy.sensitive).intersection(items))
    return replace(common, per_record=UNTOLD, except_for=None) if policy.personal else common


def proven_share(assurance: Assurance) -> float:
    """The share that a clean round proves, at the most: 1 - delta_t^(1/n_t) <= 1 - exp(-2 epsilon^2) in every round."""
    return -expm1(-2 * float(assurance.epsilon) ** 2)


@dataclass(frozen=True, kw_only=True)
class PromisedManifest(InferenceManifest):
    """What the manifest says; its policy says that people chose, not what."""

    shape: ClassVar[str] = "promised"
    takes: ClassVar[frozenset[str]] = InferenceManifest.takes | {"original", "missing"}

    def document(self) -> dict[str, Any]:
        """The entries of the manifest; the thresholds of an adaptive policy are left to whoever computes them."""
        entries = InferenceManifest.document(replace(self, thresholds=None))
        assurance = self.policy.assurance
        told = None
        if assurance is not None:
            told = {
                "epsilon": show_rational(assurance.epsilon),
                "delta": show_rational(assurance.delta),
                "max_knowledge": assurance.max_knowledge,
            }
        return {**entries, "policy": {**entries["policy"], "personal": self.policy.personal, "assurance": told}}

    @classmethod
    def entries(cls, document: Mapping[str, Any], common: Mapping[str, Any]) -> dict[str, Any]:
        return super().entries({**document, "thresholds": None}, common)

    @classmethod
    def read_policy(cls, stated: Mapping[str, Any]) -> InferencePolicy:
        plain, told = super().read_policy(stated), stated["assurance"]
        assurance = None if told is None else Assurance(told["epsilon"], told["delta"], told["max_knowledge"])
        if type(stated["personal"]) is not bool:
            raise TypeError
        return replace(plain, per_record=UNTOLD if stated["personal"] else None, assurance=assurance)

    def needed(self) -> frozenset[str]:
        """The data; there is no proof."""
        return frozenset({self.file})

    def different(self, stated: Policy) -> str | None:
        """In what the published policy is not what may be said about the stated one."""
        if not isinstance(stated, InferencePolicy):
            return "its kind"
        if stated.personal != self.policy.personal:
            return "whether people chose for themselves"
        if stated.assurance != self.policy.assurance:
            return "how sure one is to be (the sampled assurance)"
        return difference(published_policy(stated, self.policy.sensitive), self.policy)

    def read_original(self, source: object, asked: Asked) -> Baskets:
        """The records before protection."""
        return read_baskets(source, **asked.form)

    def judge(self, publish: Path, asked: Asked) -> tuple[Verdict, Baskets]:
        """Check as much as can be checked: with the policy as it was written, and with the original records.

        Without these the answer is "not checked" unless something is found: what is published of a person is less than
        what may be known.
        """
        published, notes = self.checked_data(publish, asked)
        full: InferencePolicy = self.policy if asked.policy is None else asked.policy
        verdict = Verdict(Answer.NOT_CHECKED, NO_CHOICES, len(full.sensitive), 0, 0, 0.0, notes)
        if full.personal and (asked.policy is None or full.per_record is UNTOLD):
            return verdict, published
        original: Any = asked.original
        judged: Baskets | None = published
        if original is not None:
            if self.ids == "shuffle":
                judged = in_random_order(published, original)
                verdict = replace(verdict, notes=(IN_RANDOM_ORDER, *notes))
            else:
                judged = align(published, original)
        elif full.personal:
            judged = self._as_chosen(publish, published)
        if judged is None:
            return replace(verdict, reason=OTHER_NAMES), published
        resolved = full.resolve(judged, missing="accept")
        verdict = replace(verdict, notes=(*(remark.rstrip(".") for remark in resolved.remarks), *verdict.notes))
        check = PeopleCheck(judged, original or judged, resolved.personal_choices(len(judged)), resolved.comparison)
        if full.assurance is not None:
            return self._sampled(check, full, full.assurance, verdict, original), published
        return self._searched(check, resolved, verdict, original), published

    def _as_chosen(self, publish: Path, published: Baskets) -> Baskets | None:
        """The published records under the names that choices know them by; None if these cannot be told.

        keep/records.parquet is whatever lies beside the folder. It may help to find something; that nothing was found
        under its names is not reported as holding.
        """
        try:
            return as_in_source(publish, published, self.ids)
        except InputError:
            return None

    def _sampled(
        self, check: PeopleCheck, policy: InferencePolicy, assurance: Assurance, verdict: Verdict, original: object
    ) -> Verdict:
        """Draw adversaries: whether they refute the promise, or bear it out."""
        most = most_known(policy)
        assert most is not None
        found = check.sampled_disclosures(assurance, most)
        drawn, able = (sum(column) for column in zip(*found, strict=True)) if found else (0, 0)
        verdict = replace(verdict, served=able, searched=drawn)
        error = float(assurance.delta) / max(len(found), 1)
        if any(chance_of_as_many(n, k, proven_share(assurance)) <= error for n, k in found if k):
            why = (
                f"of {drawn:,} adversaries drawn by the verifier, {able:,} can infer something, more than was promised"
            )
            return replace(verdict, answer=Answer.FAILS, reason=why)
        if original is None:
            drew = f"of {drawn:,} adversaries drawn from the published records, {able or 'none'} can infer something"
            return replace(verdict, reason=NO_ORIGINAL, notes=(drew, *verdict.notes))
        if any(chance_of_as_few(n, k, float(assurance.epsilon)) > error for n, k in found):
            return replace(verdict, reason=TOO_FEW_DRAWN)
        return replace(verdict, answer=Answer.HOLDS, reason="sampled")

    def _searched(self, check: PeopleCheck, resolved: ResolvedInference, verdict: Verdict, original: object) -> Verdict:
        """Examine everything that may be known of each person."""
        disclosing = check.first_disclosure(resolved.knowledge)
        if disclosing is not None:
            why = f"part of record {disclosing} discloses something to the harm of somebody who minds it"
            return replace(verdict, answer=Answer.FAILS, reason=why)
        verdict = replace(verdict, searched=self.records)
        if original is None:
            return replace(verdict, reason=AS_PUBLISHED)
        return replace(verdict, answer=Answer.HOLDS, reason="searched")

    def found(self, verdict: Verdict) -> tuple[str, ...]:
        policy, assurance = self.policy, self.policy.assurance
        took = f"It took {verdict.seconds:.1f} s."
        known = f"{self.count()}; someone who knows {adversary(policy)}; at most {allowed(policy)} confidence."
        if assurance is None:
            return (
                "nobody can infer what a person minds above its threshold.",
                known,
                f"{self.read_as()} Every part of what may be known of a person was examined, with the original "
                f"records. {took}",
            )
        return (
            f"less than {percent_exactly(assurance.epsilon)} of those who know so much can infer what a person "
            "minds above its threshold (sampled).",
            known,
            f"{self.read_as()} The verifier drew {verdict.searched:,} adversaries of its own from the original "
            f"records: {verdict.served or 'none'} of them can infer something. The guarantee is sampled, "
            f"{percent_exactly(1 - assurance.delta)} certain, and so is this check. {took}",
        )
