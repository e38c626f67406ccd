"""Baskets under an inference policy whose promise the published file alone cannot prove.

Either people chose for themselves what is sensitive, and who chose what is not published; or the assurance is sampled.
There is no proof. Its entries of the manifest are those of the shape "inference" and, in "policy":

    "personal": true, "assurance": {"epsilon": "0.05", "delta": "0.05", "max_knowledge": 5}

Nothing in the manifest follows from the choices but that there were some: "sensitive" and "per_item" list the common
items only. Nor does anything follow from the samples: what is said about them holds for every clean round.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import expm1
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sordino.data.aligned import align, in_random_order
from sordino.data.baskets import Baskets
from sordino.data.read import read_baskets
from sordino.policy.answer import Answer
from sordino.policy.assurance import Assurance, delta_of_round, sample_size
from sordino.policy.choices import Choices
from sordino.policy.inference import InferencePolicy
from sordino.policy.kinds import Policy
from sordino.policy.threshold import show_rational
from sordino.release.asked import Asked
from sordino.release.basket_seen import seen_of
from sordino.release.manifest import MANIFEST
from sordino.release.numbering import reordered
from sordino.release.people import PeopleCheck, chance_of_as_few, chance_of_as_many
from sordino.release.shapes import inference
from sordino.release.shapes.inference import InferenceManifest, about
from sordino.release.statement import OURS, adversary, allowed, most_known, percent_exactly
from sordino.release.statement import not_guaranteed as common_limits
from sordino.release.verdict import Verdict
from sordino.report.documents import Seen

__all__ = [
    "TAKES",
    "PromisedManifest",
    "about",
    "about_check",
    "about_policy",
    "different",
    "document",
    "files",
    "found",
    "guaranteed",
    "not_guaranteed",
    "published_policy",
    "read",
    "read_original",
    "same",
    "verify",
]

TAKES = inference.TAKES | {"original"}

UNTOLD = Choices.of_mapping({})  # that people chose, but not who or what


@dataclass(frozen=True, kw_only=True)
class PromisedManifest(InferenceManifest):
    """What the manifest says; its policy says that people chose, not what."""

    shape: ClassVar[str] = "promised"


def published_policy(policy: InferencePolicy, items: Iterable[str]) -> InferencePolicy:
    """What may be said about the policy, for data of these items: others are not in it, nor the choices of people."""
    common = policy.only(frozenset(policy.sensitive).intersection(items))
    return replace(common, per_record=UNTOLD, except_for=None) if policy.personal else common


def document(manifest: PromisedManifest) -> dict[str, Any]:
    """The entries of the manifest; the thresholds of an adaptive policy are left to whoever computes them."""
    policy = manifest.policy
    entries = inference.document(replace(manifest, thresholds=None))
    assurance = policy.assurance
    stated = {
        "personal": policy.personal,
        "assurance": None
        if assurance is None
        else {
            "epsilon": show_rational(assurance.epsilon),
            "delta": show_rational(assurance.delta),
            "max_knowledge": assurance.max_knowledge,
        },
    }
    return {**entries, "policy": {**entries["policy"], **stated}}


def read(document: Mapping[str, Any], common: Mapping[str, Any]) -> PromisedManifest:
    """The manifest from its entries."""
    plain = inference.read({**document, "thresholds": None}, common)
    stated = document["policy"]["assurance"]
    assurance = None if stated is None else Assurance(stated["epsilon"], stated["delta"], stated["max_knowledge"])
    if type(document["policy"]["personal"]) is not bool:
        raise TypeError
    chosen = UNTOLD if document["policy"]["personal"] else None
    policy = replace(plain.policy, per_record=chosen, assurance=assurance)
    return PromisedManifest(**{**vars(plain), "policy": policy})


def guaranteed(policy: InferencePolicy) -> tuple[str, ...]:
    """What was found to hold when the file was made, and how surely."""
    which = _which(policy)
    meaning = (
        "Confidence means: among all records of this file that hold what that someone knows, the share of those that "
        "also hold the sensitive item."
    )
    if policy.assurance is None:
        return (
            f"Someone who knows {adversary(policy)} cannot infer from this file that the person also has {which} with "
            f"a confidence above {allowed(policy)}. What is known of a person may be items that were deleted here.",
            meaning,
            "This was checked exactly, without sampling, for every person, against the original records. It cannot be "
            "checked from this file alone, because who chose what is not published.",
        )
    assurance = policy.assurance
    number = sample_size(assurance.epsilon, delta_of_round(assurance.delta, 1))
    most = most_known(policy)
    assert most is not None
    lengths = "1 item" if most == 1 else f"1, 2, ... up to {most:,} items"
    return (
        f"This guarantee is SAMPLED, not complete. Of all people who know {lengths} of a person's original record, for "
        f"each number of items less than {percent_exactly(assurance.epsilon)} can infer from this file that the person "
        f"also has {which} with a confidence above {allowed(policy)}; and this is "
        f"{percent_exactly(1 - assurance.delta)} certain. Some of them may be able to: no single person is promised "
        "anything.",
        meaning,
        f"For this at least {number:,} such people were drawn at random for each number of items when the file was "
        f"made, and none of those drawn could; they bear out that less than {_proven(assurance):.3%} can.",
    )


def not_guaranteed(policy: InferencePolicy) -> tuple[str, ...]:
    """Where the guarantee ends."""
    limits = common_limits(policy)
    if not policy.personal:
        return limits
    return (
        "What a person did not choose, and is not sensitive for all, is not protected for that person.",
        *limits,
    )


def about_policy(manifest: PromisedManifest) -> str:
    """Where to find what is protected."""
    where = f'The items that are sensitive for all, and the thresholds, are listed in {MANIFEST}, under "policy".'
    if manifest.policy.personal:
        where += " What single persons chose besides, or chose not to, is nobody's business and is not published."
    return where


def about_check(manifest: PromisedManifest) -> tuple[str, str, str]:
    """What verifying does, what it cannot do, and what it then says of the promise."""
    policy = manifest.policy
    given = " --policy FILE" if policy.personal else ""
    lacking = "the original data and the choices" if policy.personal else "the original data"
    checked = (
        "draws people of its own from the original data, as the policy says,"
        if policy.assurance is not None
        else "examines everything that may be known of each person"
    )
    proved = (
        f"the draw of the check itself shows, {percent_exactly(1 - policy.assurance.delta)} certain, that less than "
        f"{percent_exactly(policy.assurance.epsilon)} of such people can infer something"
        if policy.assurance is not None
        else "what is guaranteed was found to be true"
    )
    return (
        "That the files are whole can be checked by everybody. In this folder, run",
        f"It compares every file with its checksum in {MANIFEST}, reads the data, and ends with exit code 3, because "
        f"what is guaranteed cannot be checked without {lacking}. Who has these runs: sordino verify . --original "
        f"DATA{given}, which {checked} with a part of sordino {OURS}.",
        proved,
    )


def files(manifest: PromisedManifest) -> frozenset[str]:
    """The data; there is no proof."""
    return frozenset({manifest.file})


def same(stated: Policy, published: Policy) -> bool:
    """Whether the release is about the stated policy."""
    return different(stated, published) is None


def different(stated: Policy, published: Policy) -> str | None:
    """In what the published policy is not what may be said about the stated one."""
    if not (isinstance(stated, InferencePolicy) and isinstance(published, InferencePolicy)):
        return "its kind"
    if stated.personal != published.personal:
        return "whether people chose for themselves"
    if stated.assurance != published.assurance:
        return "how sure one is to be (the sampled assurance)"
    return inference.difference(published_policy(stated, published.sensitive), published)


def read_original(source: object, asked: Asked) -> Baskets:
    """The records before protection."""
    return read_baskets(source, **asked.form)


def verify(publish: Path, manifest: PromisedManifest, asked: Asked) -> tuple[Verdict, Seen]:
    """Check as much as can be checked: with the policy as it was written, and with the original records.

    Without these the answer is "not checked" unless something is found: what is published of a person is less than
    what may be known.
    """
    started = time.perf_counter()
    published, notes = inference.checked_data(publish, manifest, asked)
    seen = seen_of(published)
    full: InferencePolicy = manifest.policy if asked.policy is None else asked.policy

    def verdict(answer: Answer, reason: str, able: int = 0, looked: int = 0, *more: str) -> tuple[Verdict, Seen]:
        took = time.perf_counter() - started
        return Verdict(answer, reason, len(full.sensitive), able, looked, took, (*more, *notes)), seen

    if full.personal and (asked.policy is None or full.per_record is UNTOLD):
        return verdict(Answer.NOT_CHECKED, NO_CHOICES)
    original: Any = asked.original
    if original is not None:
        if manifest.ids == "shuffle":
            published = in_random_order(published, original)
            notes = (IN_RANDOM_ORDER, *notes)
        else:
            published = align(published, original)
    elif full.personal:
        named = _as_chosen(publish, published, manifest)
        if named is None:
            return verdict(Answer.NOT_CHECKED, OTHER_NAMES)
        published = named
    resolved = full.resolve(published, missing="accept")
    notes = (*(remark.rstrip(".") for remark in resolved.remarks), *notes)
    check = PeopleCheck(published, original or published, resolved.wishes(len(published)), resolved.comparison)
    if full.assurance is not None:
        most = most_known(full)
        assert most is not None
        found = check.sampled_disclosures(full.assurance, most)
        drawn, able = (sum(column) for column in zip(*found, strict=True)) if found else (0, 0)
        error = float(full.assurance.delta) / max(len(found), 1)
        if any(chance_of_as_many(n, k, _proven(full.assurance)) <= error for n, k in found if k):
            why = (
                f"of {drawn:,} adversaries drawn by the verifier, {able:,} can infer something, more than was promised"
            )
            return verdict(Answer.FAILS, why, able, drawn)
        if original is None:
            drew = f"of {drawn:,} adversaries drawn from the published records, {able or 'none'} can infer something"
            return verdict(Answer.NOT_CHECKED, NO_ORIGINAL, able, drawn, drew)
        if any(chance_of_as_few(n, k, float(full.assurance.epsilon)) > error for n, k in found):
            return verdict(Answer.NOT_CHECKED, TOO_FEW_DRAWN, able, drawn)
        return verdict(Answer.HOLDS, "sampled", able, drawn)
    disclosing = check.first_disclosure(resolved.knowledge)
    if disclosing is not None:
        why = f"part of record {disclosing} discloses something to the harm of somebody who minds it"
        return verdict(Answer.FAILS, why)
    if original is None:
        return verdict(Answer.NOT_CHECKED, AS_PUBLISHED, 0, len(published))
    return verdict(Answer.HOLDS, "searched", 0, len(published))


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


def _as_chosen(publish: Path, published: Baskets, manifest: PromisedManifest) -> Baskets | None:
    """The published records under the names that choices know them by; None if these cannot be told.

    keep/records.parquet is whatever lies beside the folder. It may help to find something; that nothing was found under
    its names is not reported as holding.
    """
    if manifest.ids == "keep" or (manifest.ids == "renumber" and published.ids is None):
        return published
    path = publish.parent / "keep" / "records.parquet"
    if not path.is_file():
        return None
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
        numbers, names = table.column("published").to_pylist(), table.column("record").to_pylist()
    except (OSError, KeyError, pa.ArrowException):
        return None
    count = len(published)
    ids = tuple(name for name in names if isinstance(name, str))
    if numbers == list(range(1, count + 1)) and len(names) == count:
        if len(ids) == count:
            return replace(published, ids=ids)
        if not ids and sorted(names) == list(range(count)):
            return replace(reordered(published, np.array(names, dtype=np.int64)), ids=None)
    return None


def found(manifest: PromisedManifest, verdict: Verdict) -> tuple[str, ...]:
    """A verdict that holds, in sentences."""
    policy = manifest.policy
    records = f"{manifest.records:,} record{'' if manifest.records == 1 else 's'}"
    took = f"It took {verdict.seconds:.1f} s."
    known = f"{records}; someone who knows {adversary(policy)}; at most {allowed(policy)} confidence."
    read = inference.read_as(manifest)
    if policy.assurance is None:
        return (
            "nobody can infer what a person minds above its threshold.",
            known,
            f"{read} Every part of what may be known of a person was examined, with the original records. {took}",
        )
    return (
        f"less than {percent_exactly(policy.assurance.epsilon)} of those who know so much can infer what a person "
        "minds above its threshold (sampled).",
        known,
        f"{read} The verifier drew {verdict.searched:,} adversaries of its own from the original records: "
        f"{verdict.served or 'none'} of them can infer something. The guarantee is sampled, "
        f"{percent_exactly(1 - policy.assurance.delta)} certain, and so is this check. {took}",
    )


def _which(policy: InferencePolicy) -> str:
    count = len(policy.sensitive)
    common = "" if not count else "the sensitive item" if count == 1 else f"any of the {count} sensitive items"
    if not policy.personal:
        return common or "any sensitive item"
    own = "an item that this person chose as sensitive"
    return f"{own}, or {common} if the person did not opt out of it" if common else own


def _proven(assurance: Assurance) -> float:
    """The share that a clean round proves, at the most: 1 - delta_t^(1/n_t) <= 1 - exp(-2 epsilon^2) in every round."""
    return -expm1(-2 * float(assurance.epsilon) ** 2)
