"""Baskets from which items were deleted, under an inference policy; with alibis as proof.

Its entries of the manifest:

    "ids": "shuffle", "data": {"file": "data.csv", "format": "csv", "layout": "baskets", "record": null, "item": null},
    "policy": {"kind": "inference", "sensitive": [..], "rho": "0.5", "per_item": {}, "adaptive": false,
               "knowledge": null},
    "thresholds": null

CSV that is not apart by commas has an entry "delimiter" in "data".

The policy names only the sensitive items that the published data still hold: to name others would tell that somebody
had them. For these data it demands the same. `thresholds` lists what an adaptive policy comes to on the published data,
which anyone can compute from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

from sordino.data.baskets import Baskets, Origin
from sordino.data.read import read_like
from sordino.data.sources.delimiters import delimiter_name
from sordino.errors import InputError
from sordino.policy.inference import InferencePolicy
from sordino.policy.kinds import Policy
from sordino.policy.threshold import show_rational
from sordino.release.manifest import MANIFEST, Manifest, whole_text
from sordino.release.statement import adversary, allowed, guaranteed, not_guaranteed
from sordino.release.verdict import Verdict
from sordino.release.verify import verify_baskets

__all__ = [
    "PROOF",
    "InferenceManifest",
    "about",
    "about_check",
    "about_policy",
    "check_thresholds",
    "document",
    "files",
    "found",
    "guaranteed",
    "not_guaranteed",
    "read",
    "read_data",
    "same",
    "state",
    "verify",
]

PROOF = "proof.json.gz"
COMMA = ","  # the delimiter of CSV if the manifest states no other
ABOUT_IDS = {
    "keep": "Records are in the order of the source; record ids, if there are any, are its own.",
    "renumber": "Records are in the order of the source; record ids, if there are any, are new numbers.",
    "shuffle": "Records are in random order; record ids, if there are any, are new numbers.",
}
ABOUT_FORMAT = {
    "fimi": "text, one record a line, its items apart by blanks",
    "csv": "CSV text",
    "parquet": "Parquet",
    "jsonl": "JSON lines",
}
ABOUT_LAYOUT = {
    "baskets": ", one record a line, its items apart by {}",
    "long": ", one row for each item of a record",
    "list": ", each record a list of items",
}


@dataclass(frozen=True, kw_only=True)
class InferenceManifest(Manifest):
    """What the manifest of protected baskets says."""

    shape: ClassVar[str] = "inference"

    ids: str
    form: Origin  # how to read the data
    policy: InferencePolicy
    thresholds: Mapping[str, Fraction] | None  # of an adaptive policy, on the published data


def document(manifest: InferenceManifest) -> dict[str, Any]:
    """Ids, form of the data, policy and thresholds."""
    form = manifest.form
    return {
        "ids": manifest.ids,
        "data": {
            "file": manifest.file,
            "format": form.format,
            "layout": form.layout,
            "record": form.record,
            "item": form.item,
            **({} if form.delimiter == COMMA else {"delimiter": form.delimiter}),
        },
        "policy": state(manifest.policy),
        "thresholds": None
        if manifest.thresholds is None
        else {name: show_rational(rho) for name, rho in sorted(manifest.thresholds.items())},
    }


def read(document: Mapping[str, Any], common: Mapping[str, Any]) -> InferenceManifest:
    """The manifest from its entries."""
    data, policy, thresholds = document["data"], document["policy"], document["thresholds"]
    sensitive = policy["sensitive"]
    if not isinstance(sensitive, list):
        raise TypeError
    return InferenceManifest(
        **common,
        ids=whole_text(document["ids"]),
        form=Origin(
            format=whole_text(data["format"]),
            layout=whole_text(data["layout"]),
            record=None if data["record"] is None else whole_text(data["record"]),
            item=None if data["item"] is None else whole_text(data["item"]),
            delimiter=whole_text(data.get("delimiter", COMMA)),
        ),
        policy=InferencePolicy(
            map(whole_text, sensitive),
            whole_text(policy["rho"]),
            rho_of=dict(policy["per_item"]),
            adaptive=policy["adaptive"],
            knowledge=policy["knowledge"],
        ),
        thresholds=None
        if thresholds is None
        else {whole_text(name): Fraction(whole_text(rho)) for name, rho in thresholds.items()},
    )


def state(policy: InferencePolicy) -> dict[str, object]:
    """The policy as plain data, in the terms in which it was written."""
    rule: object
    if isinstance(policy.adaptive, Mapping):
        rule = {item: show_rational(factor) for item, factor in policy.adaptive.items()}
    elif isinstance(policy.adaptive, bool):
        rule = policy.adaptive
    else:
        rule = show_rational(policy.adaptive)
    return {
        "kind": "inference",
        "sensitive": list(policy.sensitive),
        "rho": show_rational(policy.rho),
        "per_item": {item: show_rational(rho) for item, rho in policy.rho_of.items()},
        "adaptive": rule,
        "knowledge": policy.knowledge,
    }


def about(manifest: InferenceManifest) -> tuple[str, ...]:
    """What the data are, and what was done to them."""
    form = manifest.form
    people = "1 person" if manifest.records == 1 else f"{manifest.records:,} people"
    written = ABOUT_FORMAT.get(form.format, form.format) + ABOUT_LAYOUT.get(form.layout, "").format(
        delimiter_name(form.delimiter)
    )
    return (
        f"{manifest.file} holds records of {people}: {written}. Before it was published, items were deleted wherever "
        "they would have allowed someone to infer a sensitive item; nothing was added or invented. "
        f"{ABOUT_IDS.get(manifest.ids, '')}",
    )


def about_policy(manifest: InferenceManifest) -> str:
    """Where to find what is protected."""
    del manifest
    return (
        f"The sensitive items that the data still hold, and their thresholds, are listed in {MANIFEST}, under "
        '"policy". They were chosen by whoever published this folder.'
    )


def about_check(manifest: InferenceManifest) -> tuple[str, str]:
    """Why one need not trust, and what verifying does."""
    del manifest
    return (
        "You need not trust whoever made this folder, nor the program that made it: the proof can be checked by an "
        "independent part of sordino, which shares no code with the rest. In this folder, run",
        f"It compares every file with its checksum in {MANIFEST}, reads the data, and checks {PROOF} against the "
        "policy. Exit code 0 means that everything above was found to be true.",
    )


def files(manifest: InferenceManifest) -> frozenset[str]:
    """The data and the proof."""
    return frozenset({manifest.file, PROOF})


def same(stated: Policy, published: Policy) -> bool:
    """Whether the published policy is the stated one as far as its items go, whatever the order they are written in.

    That the data hold no other item of the stated policy shows when they are verified against that.
    """
    if not (isinstance(stated, InferencePolicy) and isinstance(published, InferencePolicy)):
        return False
    return _meaning(stated.only(published.sensitive)) == _meaning(published)


def _meaning(policy: InferencePolicy) -> tuple[object, ...]:
    return frozenset(policy.sensitive), policy.rho, policy.rho_of, policy.adaptive, policy.knowledge, policy.absent


def verify(publish: Path, manifest: InferenceManifest) -> Verdict:
    """Check the proof against the data."""
    baskets = read_data(publish, manifest)
    resolved = manifest.policy.resolve(baskets, missing="accept")  # suppression may have removed an item wholly
    check_thresholds(manifest, resolved.thresholds)
    verdict = verify_baskets(baskets, resolved.comparison, resolved.knowledge, publish / PROOF)
    return Verdict(
        verdict.answer,
        verdict.reason,
        len(manifest.policy.sensitive),
        verdict.served,
        verdict.searched,
        verdict.seconds,
    )


def check_thresholds(manifest: InferenceManifest, thresholds: Mapping[str, Fraction]) -> None:
    """An InputError unless the manifest states the thresholds of an adaptive policy as they follow from the data."""
    if manifest.thresholds != (None if manifest.policy.adaptive is False else thresholds):
        raise InputError("the thresholds in the manifest are not those that follow from the data")


def read_data(publish: Path, manifest: InferenceManifest) -> Baskets:
    """The published records."""
    baskets = read_like(publish / manifest.file, manifest.form)
    if len(baskets) != manifest.records:
        raise InputError("the number of records is not that of the manifest")
    return baskets


def found(manifest: InferenceManifest, verdict: Verdict) -> tuple[str, ...]:
    """A verdict that holds, in sentences."""
    records = f"{manifest.records:,} record{'' if manifest.records == 1 else 's'}"
    items = f"{verdict.items:,} sensitive item{'' if verdict.items == 1 else 's'}"
    items = items if verdict.items else "no sensitive item is left"
    return (
        "no sensitive item can be inferred above its threshold.",
        f"{records}, {items}; someone who knows {adversary(manifest.policy)} cannot infer one with more than "
        f"{allowed(manifest.policy)} confidence.",
        "Every file is as the manifest says, and the proof was checked against the data. Entries (equal records taken "
        f"once): {verdict.served:,} shown by alibis, {verdict.searched:,} by our own search. It took "
        f"{verdict.seconds:.1f} s.",
    )
