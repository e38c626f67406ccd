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
from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.policy.assurance import Assurance, delta_of_round, sample_size
from sordino.policy.choices import Choices
from sordino.policy.inference import InferencePolicy
from sordino.policy.kinds import Policy
from sordino.policy.threshold import show_rational
from sordino.release.manifest import MANIFEST
from sordino.release.numbering import reordered
from sordino.release.people import PeopleCheck, chance_of_as_many
from sordino.release.shapes import inference
from sordino.release.shapes.inference import InferenceManifest, about
from sordino.release.statement import adversary, allowed, percent_exactly
from sordino.release.statement import not_guaranteed as common_limits
from sordino.release.verdict import Verdict

__all__ = [
    "PromisedManifest",
    "about",
    "about_check",
    "about_policy",
    "document",
    "files",
    "found",
    "guaranteed",
    "not_guaranteed",
    "published_policy",
    "read",
    "same",
    "verify",
    "verify_given",
]

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
    proven = _proven(assurance)
    most = assurance.max_knowledge if policy.knowledge is None else min(policy.knowledge, assurance.max_knowledge)
    lengths = "1 item" if most == 1 else f"1, 2, ... up to {most} items"
    return (
        f"This guarantee is SAMPLED, not complete. People who know {lengths} of a person were drawn at random, at "
        f"least {number:,} for each number of items: none of those drawn can infer from this file that the person also "
        f"has {which} with a confidence above {allowed(policy)}.",
        meaning,
        f"So for each number of items up to {most}, less than {proven:.3%} of all such people can, and this is "
        f"{percent_exactly(1 - assurance.delta)} certain (the policy asked for {percent_exactly(assurance.epsilon)}). "
        "Some of them may be able to: no single person is promised anything.",
    )


def not_guaranteed(policy: InferencePolicy) -> tuple[str, ...]:
    """Where the guarantee ends."""
    limits = common_limits(policy if policy.assurance is None else replace(policy, knowledge=_most(policy)))
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


def about_check(manifest: PromisedManifest) -> tuple[str, str]:
    """What verifying does, and what it cannot do."""
    reach = (
        "Who has the original data and the choices can check all: sordino verify . --original DATA --policy FILE."
        if manifest.policy.personal
        else "Who has the original data can draw from those: sordino verify . --original DATA."
    )
    return (
        "That the files are whole can be checked by everybody. In this folder, run",
        f"It compares every file with its checksum in {MANIFEST}, and says what else it could check. {reach}",
    )


def files(manifest: PromisedManifest) -> frozenset[str]:
    """The data; there is no proof."""
    return frozenset({manifest.file})


def same(stated: Policy, published: Policy) -> bool:
    """Whether the published policy is what may be said about the stated one."""
    if not (isinstance(stated, InferencePolicy) and isinstance(published, InferencePolicy)):
        return False
    return _meaning(published_policy(stated, published.sensitive)) == _meaning(published)


def _meaning(policy: InferencePolicy) -> tuple[object, ...]:
    return (
        frozenset(policy.sensitive),
        policy.rho,
        policy.rho_of,
        policy.adaptive,
        policy.knowledge,
        policy.absent,
        policy.personal,
        policy.assurance,
    )


def verify(publish: Path, manifest: PromisedManifest) -> Verdict:
    """Without the original and the choices."""
    return verify_given(publish, manifest, None, None)


def verify_given(
    publish: Path, manifest: PromisedManifest, policy: InferencePolicy | None, original: Baskets | None
) -> Verdict:
    """Check as much as can be checked: with the policy as it was written, and with the original records."""
    started = time.perf_counter()
    published = inference.read_data(publish, manifest)
    full = manifest.policy if policy is None else policy
    if full.personal and full.per_record is not None and full.per_record is manifest.policy.per_record:
        return Verdict(Answer.NOT_CHECKED, f"whole; {NO_CHOICES}", 0, 0, 0, time.perf_counter() - started)
    note = "" if original is not None else f"; {AS_PUBLISHED}"
    if original is not None and manifest.ids == "shuffle":
        published, note = in_random_order(published, original), f"; {IN_RANDOM_ORDER}"
    elif original is not None:
        published = align(published, original)
    elif full.personal:
        named = _as_chosen(publish, published, manifest)
        if named is None:
            return Verdict(Answer.NOT_CHECKED, f"whole; {OTHER_NAMES}", 0, 0, 0, time.perf_counter() - started)
        published = named
    resolved = full.resolve(published, missing="accept")
    check = PeopleCheck(published, original or published, resolved.wishes(len(published)), resolved.comparison)
    if full.assurance is not None:
        found = check.sampled_disclosures(full.assurance, _most(full))
        drawn, unsafe = (sum(column) for column in zip(*found, strict=True)) if found else (0, 0)
        allowed_error = float(full.assurance.delta) / max(len(found), 1)
        share = _proven(full.assurance)
        refuted = any(chance_of_as_many(n, k, share) <= allowed_error for n, k in found if k)
        why = f"of {drawn:,} adversaries drawn by the verifier, {unsafe:,} can infer something, more than was promised"
        return Verdict(
            Answer.FAILS if refuted else Answer.HOLDS,
            why if refuted else f"sampled{note}",
            len(full.sensitive),
            unsafe,
            drawn,
            time.perf_counter() - started,
        )
    disclosing = check.first_disclosure(resolved.knowledge)
    if disclosing is not None:
        why = f"part of record {disclosing} discloses something to the harm of somebody who minds it"
        return Verdict(Answer.FAILS, why, len(full.sensitive), 0, 0, time.perf_counter() - started)
    return Verdict(
        Answer.HOLDS, f"searched{note}", len(full.sensitive), 0, len(published), time.perf_counter() - started
    )


NO_CHOICES = "what people chose was not given, so what is promised about it was not checked"
AS_PUBLISHED = (
    "without the original, the published items of a record, and only those, were taken to be what may be known of a "
    "person"
)

OTHER_NAMES = (
    "the published records have other numbers than those that chose, and keep/records.parquet, which leads back, is "
    "not beside this folder, so what is promised was not checked"
)
IN_RANDOM_ORDER = (
    "the records are in random order, so that each is a part of its original was not checked; what can be inferred "
    "from them does not depend on it"
)


def _as_chosen(publish: Path, published: Baskets, manifest: PromisedManifest) -> Baskets | None:
    """The published records under the names that choices know them by; None if these cannot be told."""
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
        raise InputError("keep/records.parquet cannot be read") from None
    count = len(published)
    ids = tuple(name for name in names if isinstance(name, str))
    if numbers == list(range(1, count + 1)) and len(names) == count:
        if len(ids) == count:
            return replace(published, ids=ids)
        if not ids and sorted(names) == list(range(count)):
            return replace(reordered(published, np.array(names, dtype=np.int64)), ids=None)
    raise InputError("keep/records.parquet is not about these records")


def found(manifest: PromisedManifest, verdict: Verdict) -> tuple[str, ...]:
    """A verdict that holds, in sentences."""
    policy = manifest.policy
    records = f"{manifest.records:,} record{'' if manifest.records == 1 else 's'}"
    _, _, limit = verdict.reason.partition("; ")
    if verdict.reason.startswith("whole"):
        return (
            "its files are whole. What it promises was not checked.",
            f"{records}; {limit}. To check everything, add --original DATA and --policy FILE (or --choices FILE).",
        )
    how = (
        f"The verifier drew {verdict.searched:,} adversaries of its own: {verdict.served or 'none'} of them can infer "
        "something, no more than was promised. The guarantee is sampled, and so is this check."
        if policy.assurance is not None
        else "The verifier examined every part of every record."
    )
    head = "hardly anybody can" if policy.assurance is not None else "nobody can"
    partly = " (as far as this can be checked)" if limit == AS_PUBLISHED else ""
    return (
        f"{head} infer what a person minds above its threshold{partly}.",
        f"{records}; someone who knows {adversary(policy)}; at most {allowed(policy)} confidence.",
        f"{how} It took {verdict.seconds:.1f} s.",
        *([f"Note: {limit}."] if limit else []),
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


def _most(policy: InferencePolicy) -> int:
    assert policy.assurance is not None
    most = policy.assurance.max_knowledge
    return most if policy.knowledge is None else min(most, policy.knowledge)
